import { PaperPrinter } from '../../devices/paper-printer.ts'
import { testHistories } from '../../histories.ts'
import { play } from './history.ts'

const BENCHES = 3

testHistories('people, printers and restarts', 'test/core/races/races.test.ts', async (t) => {
  const benches = await Promise.all(Array.from({ length: BENCHES }, () => PaperPrinter.open()))
  t.teardown(() => {
    for (const bench of benches) bench.off()
  })
  return (folder, seed) => play(folder, benches, seed)
})
