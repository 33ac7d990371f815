import { PlatenError } from '../../errors.ts'
import type { Job } from '../job.ts'
import type { SpoolDatabase } from './database.ts'
import { numberOf, type Row, textOf, toJob } from './rows.ts'
import type { Repeat } from './types.ts'
import { REPEAT_KEPT_MS } from './upkeep.ts'

/**
 * The jobs of an earlier request with this key, else of one of its family with this fingerprint, less those no longer in
 * the list; undefined when there was none. `run` is run-time now.
 * @throws PlatenError IDEMPOTENCY_CONFLICT when the request with this key was another one
 */
export function findRepeat(
  db: SpoolDatabase,
  repeat: Repeat,
  run: number,
): readonly Job[] | undefined {
  const { key, fingerprint } = repeat
  const isFresh = (row: Row): boolean => numberOf(row, 'run') >= run - REPEAT_KEPT_MS
  const own = db.read(() => db.sql.findRepeat.get(key))
  const known = own !== undefined && isFresh(own) ? own : findRelative(db, repeat, isFresh)
  if (known === undefined) return undefined
  if (textOf(known, 'fingerprint') !== fingerprint) {
    throw new PlatenError(
      'IDEMPOTENCY_CONFLICT',
      'This idempotency key was used before for another request; wanted the same labels and options, or a new key.',
    )
  }
  const first = numberOf(known, 'first_seq')
  const last = first + numberOf(known, 'jobs') - 1
  return db.read(() => db.sql.range.all(first, last)).map(toJob)
}

/** The same request under another key of the family. */
function findRelative(
  db: SpoolDatabase,
  { family, fingerprint }: Repeat,
  isFresh: (row: Row) => boolean,
): Row | undefined {
  if (family === undefined) return undefined
  // U+FFFF lies above every letter of a sender.
  const last = `${family}\uffff`
  return db.read(() => db.sql.findFamily.all(family, last, fingerprint)).find(isFresh)
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
