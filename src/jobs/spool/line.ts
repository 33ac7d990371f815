import type { Job } from '../job.ts'
import type { SpoolDatabase } from './database.ts'
import { numberOf, textOf, toJob } from './rows.ts'

/** The job at the head of a printer's line. */
export interface NextJob {
  readonly job: Job
  /** How often this program died while rendering it. */
  readonly crashes: number
  readonly expired: boolean
}

/** The oldest pending job of a printer; `run` is run-time now. */
export function findNext(db: SpoolDatabase, printer: string, run: number): NextJob | undefined {
  const row = db.read(() => db.sql.next.get(printer))
  if (row === undefined) return undefined
  const expires = numberOf(row, 'expires_run')
  return {
    job: toJob(row),
    crashes: numberOf(row, 'crashes'),
    expired: expires > 0 && expires <= run,
  }
}

/** Printers that have pending jobs, and how many. */
export function countWaiting(db: SpoolDatabase): ReadonlyMap<string, number> {
  const found = [...db.tally.printers].filter(([, { pending }]) => pending > 0)
  return new Map(found.map(([printer, { pending }]) => [printer, pending]))
}

/** The first jobs of a printer that have not ended: waiting, held or printing. */
export function listUnfinished(db: SpoolDatabase, printer: string, limit: number): readonly Job[] {
  return db.read(() => db.sql.unfinished.all(printer, limit)).map(toJob)
}

/** Where a walk through the waiting jobs of a printer stands. */
export interface Walk {
  readonly printer: string
  readonly state: 'pending' | 'pending-held'
  /** Jobs behind this one, up to the last. */
  readonly after: number
  readonly last: number
  readonly limit: number
}

/** The next jobs of the walk, oldest first. */
export function walkWaiting(
  db: SpoolDatabase,
  { printer, state, after, last, limit }: Walk,
): readonly { readonly id: string; readonly seq: number }[] {
  const rows = db.read(() => db.sql.waitingOf.all({ printer, state, after, last, limit }))
  return rows.map((row) => ({ id: textOf(row, 'id'), seq: numberOf(row, 'seq') }))
}

/** Pending jobs whose time is over, those that were over first, first. */
export function listExpired(db: SpoolDatabase, run: number, limit: number): readonly Job[] {
  return db.read(() => db.sql.expired.all(run, limit)).map(toJob)
}

/** Milliseconds until the next pending job expires, or undefined. */
export function msToExpiry(db: SpoolDatabase, run: number): number | undefined {
  const at = numberOf(
    db.read(() => db.sql.nextExpiry.get()),
    'at',
  )
  return at === 0 ? undefined : Math.max(0, at - run)
}
