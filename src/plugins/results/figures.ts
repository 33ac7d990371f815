import { counter, gauge, only, type Series } from '../../core/figures.ts'
import type { ResultFigures } from './result-sender.ts'

/** The figures of the result address; none when there is no such address. */
export function collectResults(figures: ResultFigures | undefined): readonly Series[] {
  if (figures === undefined) return []
  const { waiting, dropped, failures, deliveredAt } = figures
  return [
    gauge('platen_results_waiting', 'Events that wait for the result address.', only(waiting)),
    counter(
      'platen_results_dropped_total',
      'Events dropped since the start because too many waited.',
      only(dropped),
    ),
    gauge(
      'platen_results_failures',
      'Requests to the result address that failed since the last one that did not.',
      only(failures),
    ),
    gauge(
      'platen_results_last_success_seconds',
      'When the result address last took an event, in seconds since the epoch.',
      deliveredAt === 0 ? [] : only(deliveredAt / 1_000),
    ),
  ]
}
