import { PlatenError } from '../../errors.ts'
import type { Job } from '../job.ts'
import type { SpoolDatabase } from './database.ts'
import { numberOf, textOf, toJob } from './rows.ts'
import type { Repeat } from './types.ts'
import { REPEAT_KEPT_MS } from './upkeep.ts'

/**
 * The jobs of an earlier request with this key, less those no longer in the list, or undefined when there was none.
 * `run` is run-time now.
 * @throws PlatenError IDEMPOTENCY_CONFLICT when that request was another one
 */
export function findRepeat(
  db: SpoolDatabase,
  repeat: Repeat,
  run: number,
): readonly Job[] | undefined {
  const row = db.read(() => db.sql.findRepeat.get(repeat.key))
  if (row === undefined || numberOf(row, 'run') < run - REPEAT_KEPT_MS) return undefined
  if (textOf(row, 'fingerprint') !== repeat.fingerprint) {
    throw new PlatenError(
      'IDEMPOTENCY_CONFLICT',
      'This idempotency key was used before for another request; wanted the same labels and options, or a new key.',
    )
  }
  const first = numberOf(row, 'first_seq')
  const last = first + numberOf(row, 'jobs') - 1
  return db.read(() => db.sql.range.all(first, last)).map(toJob)
}

/** Remembers a request that may come twice; inside the transaction that takes its jobs, which follow each other. */
export function addRepeat(
  db: SpoolDatabase,
  repeat: Repeat,
  jobs: readonly Job[],
  run: number,
): void {
  const [first] = jobs
  if (first === undefined) return
  db.sql.addRepeat.run(repeat.key, repeat.fingerprint, first.seq, jobs.length, run)
}
