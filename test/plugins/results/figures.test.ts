import t from 'tap'
import { Metrics } from '../../../src/core/metrics.ts'
import { collectResults } from '../../../src/plugins/results/figures.ts'
import type { ResultFigures } from '../../../src/plugins/results/result-sender.ts'

t.test('tells what the result address has not been told yet', async (t) => {
  const write = async (figures: ResultFigures | undefined) =>
    await new Metrics({ version: '1.2.3', plugins: () => collectResults(figures) }).text()
  const figures = { waiting: 3, dropped: 1, failures: 2, deliveredAt: 0 }
  const never = await write(figures)
  t.match(never, /^platen_results_waiting 3$/m)
  t.match(never, /^platen_results_dropped_total 1$/m)
  t.match(never, /^platen_results_failures 2$/m)
  t.notMatch(never, /^platen_results_last_success_seconds \d/m)
  const late = { ...figures, deliveredAt: 5000 }
  const told = await write(late)
  t.match(told, /^platen_results_last_success_seconds 5$/m)
  t.notMatch(await write(undefined), 'platen_results')
})
