import { createServer } from 'node:net'
import t from 'tap'
import { bindHost } from '../../../src/http/bind.ts'
import { doorPlugin } from '../../../src/plugins/door/index.ts'
import { doors } from '../../../src/plugins/doors.ts'
import { raw } from '../../../src/plugins/raw/index.ts'
import { startRig } from '../../http/rig.ts'
import { findClosedPort } from '../../listen.ts'
import { poll } from '../../until.ts'
import { makePluginCore } from '../core.ts'

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
    const core = makePluginCore(bench, { fault: (error) => t.error(error) })
    const { settings } = core
    const names = { host: '127.0.0.1', printnode_name: 'print.example' }
    await settings.put({ ...settings.masked(), ...names, raw_port: first })
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
    t.same(running.furtherNames?.(), ['print.example'])
    t.match(list(), [
      { name: 'raw', state: 'off' },
      { name: 'printnode', state: 'off' },
    ])
    running.listening?.()
    await poll('the port to open', async () => !(await isFree(first)))
    await settings.put({ ...settings.masked(), raw_port: second })
    await poll('the other port to open', async () => !(await isFree(second)))
    t.ok(await isFree(first))
    await running.stop?.()
    t.ok(await isFree(second))
  },
)
