import { say } from '../../words/say.ts'
import type { Door } from '../door/door.ts'
import type { BrowserPrintSettings } from './serve.ts'
import { type BrowserPrintKeys, settings } from './settings.ts'

/** Takes labels from pages that print through Zebra Browser Print. */
export const browserPrint: Door<BrowserPrintSettings, BrowserPrintKeys> = {
  name: 'browser-print',
  title: 'Zebra Browser Print',
  way: 'Browser Print',
  key: 'browser_print',
  settings,
  read: ({ browser_print: isOn, host, browser_print_port: port }) =>
    isOn ? { host, port } : undefined,
  lines: ({ port }, { host, securePort }) => [
    { where: say('wherePage', { url: 'http://localhost:9100/' }), line: `http://${host}:${port}/` },
    ...(securePort === ''
      ? []
      : [
          {
            where: say('whereSecurePage', { url: 'https://localhost:9101/' }),
            line: `https://${host}:${port + 1}/`,
          },
        ]),
  ],
  async start(settings, box, signal) {
    const { serveBrowserPrint } = await import('./serve.ts')
    return await serveBrowserPrint(settings, box, signal)
  },
}
