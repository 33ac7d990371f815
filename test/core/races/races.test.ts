import { testHistories } from '../../simulator/history.ts'
import { PaperPrinter } from '../../simulator/printer.ts'
import { play } from './history.ts'

const BENCHES = 3

testHistories('operators, printers and restarts', 'test/core/races/races.test.ts', async (t) => {
  const benches = await Promise.all(Array.from({ length: BENCHES }, () => PaperPrinter.open()))
  t.teardown(() => {
    for (const bench of benches) bench.off()
  })
  return (folder, seed) => play(folder, benches, seed)
})
