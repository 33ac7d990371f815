import { say } from '../../words/say.ts'
import type { Door } from '../door/door.ts'
import type { PrintNodeSettings } from './serve.ts'
import { type PrintNodeKeys, settings } from './settings.ts'
import { tables } from './tables.ts'

/** Takes jobs from programs that print through PrintNode's API. */
export const printNode: Door<PrintNodeSettings, PrintNodeKeys> = {
  name: 'printnode',
  title: 'PrintNode',
  key: 'printnode',
  path: '/printnode',
  tables,
  host: (config) => config.printnode_name,
  settings,
  read: (config) => {
    const { fetch_hosts: hosts = [], printnode_webhook: url } = config
    const { printnode_webhook_secret: secret = '' } = config
    const webhook = url === undefined ? undefined : { url, secret }
    return config.printnode ? { hosts, webhook } : undefined
  },
  lines: (_, { host, port }) => [
    { where: say('whereKey'), line: 'platen key add NAME' },
    {
      where: say('whereInPlace', { url: 'https://api.printnode.com' }),
      line: `http://${host}:${port}/printnode`,
    },
  ],
  async start(settings, box, signal) {
    const { servePrintNode } = await import('./serve.ts')
    return servePrintNode(settings, box, signal)
  },
}
