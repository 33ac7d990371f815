import { type Change, checkMove, hasEnded, type Job, makeId, seqOf } from '../job.ts'
import { movedRow, newRow, numberOf, toJob } from './columns.ts'
import type { SpoolDatabase } from './database.ts'
import type { History } from './history.ts'
import { noteHalfLabel, notePlace } from './line.ts'
import { isNews, type Outbox } from './outbox.ts'
import type { Clock, RunTime } from './room.ts'
import { JOB_BYTES, roomOf } from './schema.ts'
import { isWaitedFor, keepContent, type PackedJob, releaseOf } from './shares.ts'
import { addStep, type MoveExtras, type Repeat } from './types.ts'

/** The parts of a `JobWriter`. */
export interface WriterParts {
  readonly db: SpoolDatabase
  readonly clock: Clock
  readonly run: RunTime
  readonly history: History
  readonly outbox: Outbox
  /** The beginning of all ids of this spool. */
  readonly epoch: string
}

/** Writes jobs and everything that goes with them: rows, tally, results, half labels. Always inside the transaction of its caller. */
export class JobWriter {
  readonly #db: SpoolDatabase
  readonly #clock: Clock
  readonly #run: RunTime
  readonly #history: History
  readonly #outbox: Outbox
  readonly #epoch: string

  constructor({ db, clock, run, history, outbox, epoch }: WriterParts) {
    this.#db = db
    this.#clock = clock
    this.#run = run
    this.#history = history
    this.#outbox = outbox
    this.#epoch = epoch
  }

  /**
   * Moves a job.
   * @throws PlatenError JOB_UNKNOWN, JOB_STATE
   */
  change(id: string, change: (job: Job) => Change, extras: MoveExtras): Job {
    const before = this.#history.known(id)
    const changed = change(before)
    checkMove(before, changed)
    // A detail belongs to its sentence.
    const detail = changed.message === undefined ? before.detail : ''
    const hasPreview = before.hasPreview || !!extras.preview
    const moved = { ...before, detail, ...changed, hasPreview }
    const after = { ...moved, steps: addStep(before, moved, this.#clock.now()) }
    this.#noteMove(before, after)
    this.#update(after, extras)
    if (isNews(after, before)) this.noteResult(after)
    return after
  }

  /** Adds the jobs of one request. */
  insertAll(jobs: readonly PackedJob[]): readonly Job[] {
    const kept = new Map<string, number>()
    return jobs.map((job) => this.#insert(job, kept))
  }

  #insert(packed: PackedJob, kept: Map<string, number>): Job {
    const { job, sender } = packed
    const { content, wasKept } = keepContent(this.#db, packed, kept)
    const isNew = !(wasKept && isWaitedFor(this.#db, content, { printer: job.printer, sender }))
    const seq = numberOf(this.#db.sql.nextSeq.get(), 'seq')
    const times = { now: this.#clock.now(), run: this.#run.now() }
    const row = newRow({ seq, id: makeId(this.#epoch, seq), job, sender, content, ...times })
    this.#db.sql.addJob.run(...Object.values(row))
    job.onAdded?.(seq)
    const before = seqOf(job.reprintOf ?? '')
    if (before !== undefined) this.#follow(before, seq)
    const added = toJob(row)
    const bytes = JOB_BYTES + (isNew ? roomOf(job.label.length) : 0)
    this.#db.tally.note({ to: added.state, printer: job.printer, sender, bytes })
    return added
  }

  /** Copies to a reprint what plugins know about its label. */
  #follow(from: number, to: number): void {
    for (const statement of this.#db.follow) statement.run({ from, to })
  }

  /** Remembers a request that may come twice and whose jobs have consecutive numbers. */
  noteRepeat({ key, fingerprint }: Repeat, jobs: readonly Job[], sender: string): void {
    const [first] = jobs
    if (first === undefined) return
    const run = this.#run.now()
    this.#db.sql.addRepeat.run(key, fingerprint, first.seq, jobs.length, run, sender)
  }

  /** Notes a job as a result for others. */
  noteResult(job: Job): void {
    this.#outbox.note({ type: 'job', at: this.#clock.now(), job })
  }

  /** Notes a move in the tally before the row changes: there the job still counts as waiting. */
  #noteMove(before: Job, after: Job): void {
    if (before.state === after.state) return
    const { printer, sender, bytes } = releaseOf(this.#db, before)
    const freed = hasEnded(after) ? -bytes : 0
    this.#db.tally.note({ from: before.state, to: after.state, printer, sender, bytes: freed })
  }

  #update(job: Job, extras: MoveExtras): void {
    const { totalBytes } = extras
    this.#db.sql.update.run(...movedRow({ job, run: this.#run.now(), totalBytes }))
    if (extras.preview) this.#db.sql.addPreview.run(job.seq, extras.preview)
    if (extras.place !== undefined) notePlace(this.#db, job.printer, extras.place)
    if (extras.isCut) noteHalfLabel(this.#db, job)
  }
}
