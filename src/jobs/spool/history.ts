import { PlatenError } from '../../errors.ts'
import type { Job, JobState } from '../job.ts'
import type { SpoolDatabase } from './database.ts'
import { makeId, seqOf } from './job-ids.ts'
import { bytesOf, numberOf, textOf, toJob } from './rows.ts'

/** The jobs on disk for whoever looks at them: short reads, nothing changes. */
export class History {
  readonly #db: SpoolDatabase

  constructor(db: SpoolDatabase) {
    this.#db = db
  }

  /** A job by its id. */
  get(id: string): Job | undefined {
    const seq = seqOf(id)
    if (seq === undefined) return undefined
    const row = this.#db.read(() => this.#db.sql.bySeq.get(seq))
    return row !== undefined && textOf(row, 'id') === id ? toJob(row) : undefined
  }

  /**
   * Newest first, those older than `before`.
   * @throws PlatenError JOB_UNKNOWN when this spool has given no such id
   */
  list(page: { before?: string; limit: number }): readonly Job[] {
    const before = page.before === undefined ? Number.MAX_SAFE_INTEGER : this.#givenSeq(page.before)
    if (before === undefined)
      throw new PlatenError('JOB_UNKNOWN', 'No job has the id given in "before".')
    return this.#db.read(() => this.#db.sql.list.all(before, page.limit)).map(toJob)
  }

  /** The place of a job that is here, or was: whoever turns pages goes on behind one that is gone. */
  #givenSeq(id: string): number | undefined {
    const seq = seqOf(id)
    if (seq === undefined || this.get(id) !== undefined) return seq
    const [epoch, last] = this.#db.read(() => [
      textOf(this.#db.sql.meta.get('epoch'), 'value'),
      numberOf(this.#db.sql.lastGiven.get(), 'seq'),
    ])
    return seq <= last && id === makeId(epoch, seq) ? seq : undefined
  }

  /** The label as it was sent, while it is kept. */
  label(id: string): Uint8Array | undefined {
    const job = this.get(id)
    const row = job && this.#db.read(() => this.#db.sql.label.get(job.seq))
    return bytesOf(row, 'label')
  }

  /** PNG of the label as it was printed, while it is kept. */
  preview(id: string): Uint8Array | undefined {
    const job = this.get(id)
    const row = job && this.#db.read(() => this.#db.sql.preview.get(job.seq))
    return bytesOf(row, 'png')
  }

  /** Jobs in each state. */
  counts(): Readonly<Record<JobState, number>> {
    return this.#db.tally.states
  }
}
