import { PlatenError } from '../../words/errors.ts'
import { isSettled, type Job, type JobState, makeId, NO_LABEL, seqOf } from '../job.ts'
import { bytesOf, isUnchanged, numberOf, textOf, toJob } from './columns.ts'
import type { SpoolDatabase } from './database.ts'
import type { RunTime } from './room.ts'
import { type Filter, type JobPage, JobSearch } from './search.ts'
import type { Repeat } from './types.ts'

/** Reads jobs for display: short reads, nothing changes. Unless a method says otherwise, its result may still wait for its flush. */
export class History {
  readonly #db: SpoolDatabase
  readonly #run: RunTime
  readonly #search: JobSearch

  constructor(db: SpoolDatabase, run: RunTime) {
    this.#db = db
    this.#run = run
    this.#search = new JobSearch(db)
  }

  /** Finds a job by its id; if it has ended, its end is on disk. */
  look(id: string): Job | undefined {
    const job = this.get(id)
    if (job !== undefined && isSettled(job)) this.#db.settle()
    return job
  }

  /** Finds a job by its id. */
  get(id: string): Job | undefined {
    const seq = seqOf(id)
    if (seq === undefined) return undefined
    const row = this.#db.read(() => this.#db.sql.bySeq.get(seq))
    return row !== undefined && textOf(row, 'id') === id ? toJob(row) : undefined
  }

  /**
   * Finds a job that must exist.
   * @throws PlatenError JOB_UNKNOWN
   */
  known(id: string): Job {
    const job = this.get(id)
    if (job === undefined) throw new PlatenError('JOB_UNKNOWN', NO_LABEL)
    return job
  }

  /**
   * Lists a page of jobs, as they are on disk.
   * @throws PlatenError JOB_UNKNOWN when this spool never issued such an id
   */
  list(page: JobPage): readonly Job[] {
    const { order, after, before, limit } = this.#place(page)
    const { listNewest, listOldest } = this.#db.sql
    const statement = order === 'oldest' ? listOldest : listNewest
    this.#db.settle()
    return this.#db.read(() => statement.all(after, before, limit)).map(toJob)
  }

  /**
   * Lists a page of the jobs that match a filter, as they are on disk.
   * @throws PlatenError JOB_UNKNOWN; the signal's reason
   */
  async find(filter: Filter, page: JobPage, signal: AbortSignal): Promise<readonly Job[]> {
    return await this.#search.find(filter, this.#place(page), signal)
  }

  /** @throws PlatenError JOB_UNKNOWN */
  #place({ order = 'newest', after, before, limit }: JobPage): Required<JobPage<number>> {
    const place = (name: string, id: string | undefined, otherwise: number): number => {
      const seq = id === undefined ? otherwise : this.givenSeq(id)
      if (seq !== undefined) return seq
      throw new PlatenError('JOB_UNKNOWN', `No job has the id given in "${name}".`)
    }
    const end = Number.MAX_SAFE_INTEGER
    return { order, after: place('after', after, 0), before: place('before', before, end), limit }
  }

  /** The position of a present or removed job: paging continues after a removed one. Undefined for an id of another spool. */
  givenSeq(id: string): number | undefined {
    const seq = seqOf(id)
    if (seq === undefined || this.get(id) !== undefined) return seq
    const [epoch, last] = this.#db.read(() => [
      textOf(this.#db.sql.meta.get('epoch'), 'value'),
      numberOf(this.#db.sql.lastGiven.get(), 'seq'),
    ])
    return seq <= last && id === makeId(epoch, seq) ? seq : undefined
  }

  /** The label as it was sent, while it is kept; undefined when the disk has changed it. */
  label(id: string): Uint8Array | undefined {
    const job = this.get(id)
    const row = job && this.#db.read(() => this.#db.sql.label.get(job.seq))
    return row && isUnchanged(row) ? bytesOf(row, 'label') : undefined
  }

  /** PNG of the label as it was printed, while it is kept. */
  preview(id: string): Uint8Array | undefined {
    const job = this.get(id)
    const row = job && this.#db.read(() => this.#db.sql.preview.get(job.seq))
    return bytesOf(row, 'png')
  }

  /** Milliseconds that a job has left to print, however the wall clock jumps; undefined = it never expires. */
  msLeft(id: string): number | undefined {
    const row = this.#db.read(() => this.#db.sql.expiryOf.get(seqOf(id) ?? 0))
    const at = numberOf(row, 'at')
    return at === 0 ? undefined : at - this.#run.now()
  }

  /** Number of jobs in each state. */
  counts(): Readonly<Record<JobState, number>> {
    return this.#db.tally.states
  }
  /** Position of the newest job. */
  lastSeq(): number {
    return numberOf(
      this.#db.read(() => this.#db.sql.lastSeq.get()),
      'seq',
    )
  }

  /** The sender whose share of the spool a job uses. */
  senderOf(id: string): string {
    return textOf(
      this.#db.read(() => this.#db.sql.contentOf.get(seqOf(id) ?? 0)),
      'sender',
    )
  }

  /** Tells whether a plugin has withdrawn the label of a job, so that it must not print any more. */
  isWithdrawn(id: string): boolean {
    const row = this.#db.read(() => this.#db.sql.withdrawn.get(seqOf(id) ?? 0))
    return numberOf(row, 'is_withdrawn') === 1
  }

  /**
   * Finds the latest job of this printer with the same hash that was printed at most `windowMs` of run-time ago or is still to print. A job
   * that is itself held as a duplicate does not count.
   */
  findDuplicate(
    { printer, hash }: { readonly printer: string; readonly hash: string },
    windowMs: number,
  ): Job | undefined {
    const since = this.#run.now() - windowMs
    const row = this.#db.read(() => this.#db.sql.duplicate.get({ printer, hash, since }))
    return row && toJob(row)
  }
}

/** A job that has not ended, with everything that another spool needs to take it over. */
interface UnprintedJob {
  readonly job: Job
  readonly label: Uint8Array
  /** Hash that equal prints share; '' = not compared. */
  readonly hash: string
  /** The request that brought it, if it may come twice. */
  readonly repeat: Repeat | undefined
}

/** Reads the content of a backup, in short reads: between two of them jobs may end. */
export class Archive {
  readonly #db: SpoolDatabase

  constructor(db: SpoolDatabase) {
    this.#db = db
  }

  /** Finds the first unprinted job behind `seq`; jobs whose label is damaged are left out. */
  unprinted(seq: number): UnprintedJob | undefined {
    return this.#db.read(() => {
      let row = this.#db.sql.unprinted.get(seq)
      while (row && !isUnchanged(row)) row = this.#db.sql.unprinted.get(numberOf(row, 'seq'))
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

  /** Lists requests that may come again, in the order of their keys, from behind `key`. */
  repeats(key: string, limit: number): readonly Repeat[] {
    const rows = this.#db.read(() => this.#db.sql.repeatsAfter.all(key, limit))
    return rows.map((row) => ({ key: textOf(row, 'key'), fingerprint: textOf(row, 'fingerprint') }))
  }
}
