import { once } from 'node:events'
import { testHistories } from '../../../simulator/history.ts'
import { PaperPrinter } from '../../../simulator/printer.ts'
import { Front } from './front.ts'
import { World } from './world.ts'

testHistories('print dialogs and PrintNode', 'test/plugins/door/races/races.test.ts', async (t) => {
  const benches = [await PaperPrinter.open(), await PaperPrinter.open()]
  const server = Front.serve().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const bench of benches) bench.off()
    server.close()
    server.closeAllConnections()
  })
  return (folder, seed) => new World(folder, benches, server, seed).play(seed)
})
