import type { Job } from '../job.ts'
import type { SpoolDatabase } from './database.ts'
import { toJob } from './rows.ts'

/**
 * The latest job of this printer with the same hash that was printed at most `windowMs` of run-time ago or is still to
 * print; `run` is run-time now. One that is itself held as a twin does not count.
 */
export function findTwin(
  db: SpoolDatabase,
  label: { readonly printer: string; readonly hash: string },
  windowMs: number,
  run: number,
): Job | undefined {
  const { printer, hash } = label
  const row = db.read(() => db.sql.twin.get({ printer, hash, since: run - windowMs }))
  return row && toJob(row)
}
