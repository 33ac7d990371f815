import type { Job } from '../job.ts'
import { bytesOf, textOf, toJob } from './columns.ts'
import type { SpoolDatabase } from './database.ts'
import type { Repeat } from './types.ts'

/** A job that has not ended, with all that another spool needs to take it over. */
export interface Unprinted {
  readonly job: Job
  readonly label: Uint8Array
  /** Tells equal prints; '' = nobody asks. */
  readonly hash: string
  /** The request that may come twice and brought it. */
  readonly repeat: Repeat | undefined
}

/** What a backup takes out of the spool, in short reads: between two of them jobs may end. */
export class Archive {
  readonly #db: SpoolDatabase

  constructor(db: SpoolDatabase) {
    this.#db = db
  }

  /** The first unprinted job behind `seq`; one without its label, which only damage can make, is left out. */
  unprinted(seq: number): Unprinted | undefined {
    return this.#db.read(() => {
      const row = this.#db.sql.unprinted.get(seq)
      const label = bytesOf(row, 'label')
      if (row === undefined || label === undefined) return undefined
      const job = toJob(row)
      const request = this.#db.sql.repeatOf.get(job.seq, job.seq)
      const repeat = request && {
        key: textOf(request, 'key'),
        fingerprint: textOf(request, 'fingerprint'),
      }
      return { job, label, hash: textOf(row, 'hash'), repeat }
    })
  }

  /** Requests that may come again, by key, those behind `key`. */
  repeats(key: string, limit: number): readonly Repeat[] {
    const rows = this.#db.read(() => this.#db.sql.repeatsAfter.all(key, limit))
    return rows.map((row) => ({ key: textOf(row, 'key'), fingerprint: textOf(row, 'fingerprint') }))
  }

  /** Remembers a request of another box whose labels are not ours to print; one that is known stays as it is. */
  remember(repeats: readonly Repeat[], run: number): void {
    this.#db.write(() => {
      for (const { key, fingerprint } of repeats) {
        if (this.#db.sql.findRepeat.get(key) === undefined) {
          this.#db.sql.addRepeat.run(key, fingerprint, 0, 0, run)
        }
      }
    })
  }
}
