import { once } from 'node:events'
import { testHistories } from '../../../simulator/history.ts'
import { PaperPrinter } from '../../../simulator/printer.ts'
import { Front } from './front.ts'
import { DialogWorld } from './world.ts'

testHistories('print dialogs and PrintNode', 'test/plugins/door/races/races.test.ts', async (t) => {
  const benches = await PaperPrinter.openAll(t, 2)
  const server = Front.serve().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return (folder, seed) => new DialogWorld(folder, benches, server, seed).play(seed)
})
