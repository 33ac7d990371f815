import { createServer } from 'node:net'
import t from 'tap'
import { bindHost } from '../../../src/http/bind.ts'
import { doorPlugin } from '../../../src/plugins/door/index.ts'
import { doors } from '../../../src/plugins/doors.ts'
import type { PluginCore } from '../../../src/plugins/plugin.ts'
import { raw } from '../../../src/plugins/raw/index.ts'
import type { Config } from '../../../src/settings/schema.ts'
import { startRig } from '../../http/rig.ts'
import { findClosedPort } from '../../listen.ts'
import { poll } from '../../until.ts'

t.test('the database knows the tables of a door by the name that they have on its disk', (t) => {
  t.same(
    doorPlugin(doors).tables?.map(({ owner }) => owner),
    ['printnode'],
  )
  t.end()
})

t.test(
  'doors open once the server listens, follow the settings, and close at the end',
  async (t) => {
    const { bench } = startRig(t)
    const [first, second] = [await findClosedPort(), await findClosedPort()]
    const settings = { host: '127.0.0.1', raw_port: first, printnode_name: 'Print.Example' }
    let tell: (config: Config) => void = () => undefined
    const core = {
      ...bench,
      settings: {
        current: settings,
        onChange: (listener: typeof tell) => {
          tell = listener
        },
      },
      ownNames: () => [],
      log: { info: () => undefined, warn: () => undefined },
      fault: (error: unknown) => t.error(error),
    } as unknown as PluginCore
    const running = doorPlugin([raw, ...doors.filter(({ host }) => host)]).start(
      core,
      new AbortController().signal,
    )
    const list = () => running.doors.tell({ host: 'box', port: '80', securePort: '' })
    const isFree = async (port: number): Promise<boolean> => {
      try {
        for (const server of await bindHost(createServer, { host: '127.0.0.1', port }))
          server.close()
        return true
      } catch {
        return false
      }
    }
    t.same(running.furtherNames?.(), ['Print.Example'])
    t.match(list(), [
      { name: 'raw', state: 'off' },
      { name: 'printnode', state: 'off' },
    ])
    running.listening?.()
    await poll('the port to open', async () => !(await isFree(first)))
    tell({ ...settings, raw_port: second } as unknown as Config)
    await poll('the other port to open', async () => !(await isFree(second)))
    t.ok(await isFree(first))
    await running.stop?.()
    t.ok(await isFree(second))
  },
)
