import type { Door } from '../door.ts'
import type { PrintNodeSettings } from './fetch-label.ts'

/** Programs that print through PrintNode's API. */
export const printNode: Door<PrintNodeSettings> = {
  name: 'printnode',
  settings: ({ printnode: isOn, printnode_hosts: hosts = [] }) => (isOn ? { hosts } : undefined),
  async start(settings, box, signal) {
    const { servePrintNode } = await import('./serve.ts')
    return servePrintNode(settings, box, signal)
  },
}
