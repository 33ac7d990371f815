import { testHistories } from '../../simulator/history.ts'
import { PaperPrinter } from '../../simulator/printer.ts'
import { play } from './history.ts'

const BENCHES = 3

testHistories('operators, printers and restarts', 'test/core/races/races.test.ts', async (t) => {
  const benches = await PaperPrinter.openAll(t, BENCHES)
  return (folder, seed) => play(folder, benches, seed)
})
