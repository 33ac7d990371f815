import { DatabaseSync } from 'node:sqlite'
import { PlatenError } from '../../../../src/words/errors.ts'

/** SQLite's numbers of a full disk, and of one that does not write. */
const FAULTS = [
  [13, 'database or disk is full'],
  [10, 'disk I/O error'],
] as const

type Fault = (typeof FAULTS)[number]

/** Folders whose disk refuses the commits of a while, for whichever history. */
const failing = new Map<string, () => Fault | undefined>()

/** Replaces SQLite's commit: when a write of it fails, the transaction is rolled back with an error. */
const exec = DatabaseSync.prototype.exec
DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string): void {
  const folder = sql === 'COMMIT' && failing.size > 0 ? folderOf(this) : ''
  const fault = failing.get(folder)?.()
  exec.call(this, fault === undefined ? sql : 'ROLLBACK')
  if (fault === undefined) return
  throw Object.assign(new Error(fault[1]), { code: 'ERR_SQLITE_ERROR', errcode: fault[0] })
}

function folderOf(db: DatabaseSync): string {
  return (db.location() ?? '').replace(/\/[^/]*$/, '')
}

/** The disks of the boxes of one history. */
export class Disk {
  readonly #folders = new Set<string>()
  #hasFailed = false

  /** From now on commits in this folder fail as `fails` says. */
  fail(folder: string, fails: () => number | undefined): void {
    this.#hasFailed = true
    this.#folders.add(folder)
    failing.set(folder, () => {
      const n = fails()
      return n === undefined ? undefined : FAULTS[n % FAULTS.length]
    })
  }

  heal(folder: string): void {
    failing.delete(folder)
  }

  /** Tells whether an error is a consequence of this: it may be reported long after. */
  excuses(error: unknown): boolean {
    return this.#hasFailed && error instanceof PlatenError && error.code.startsWith('SPOOL_')
  }

  close(): void {
    for (const folder of this.#folders) failing.delete(folder)
  }
}
