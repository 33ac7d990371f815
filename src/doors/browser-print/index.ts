import type { Door } from '../door.ts'
import type { BrowserPrintSettings } from './serve.ts'

/** Pages that print through Zebra Browser Print. */
export const browserPrint: Door<BrowserPrintSettings> = {
  name: 'browser-print',
  settings: ({ browser_print: isOn, host, browser_print_port: port }) =>
    isOn ? { host, port } : undefined,
  async start(settings, box, signal) {
    const { serveBrowserPrint } = await import('./serve.ts')
    return await serveBrowserPrint(settings, box, signal)
  },
}
