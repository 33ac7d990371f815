import { PlatenError } from '../../words/errors.ts'
import { say } from '../../words/say.ts'
import { type Change, type Job, makeEpoch, seqOf } from '../job.ts'
import { type InterruptPolicy, interrupt } from '../moves.ts'
import { textOf, toJob } from './columns.ts'
import { SpoolDatabase } from './database.ts'
import { GroupCommit } from './group-commit.ts'
import { FillWatch, Health } from './health.ts'
import { Archive, History } from './history.ts'
import { JobWriter } from './job-writer.ts'
import { HalfLabels, Pauses, SpoolLine } from './line.ts'
import { isNews, Outbox } from './outbox.ts'
import { Repeats } from './repeats.ts'
import { type Clock, RunTime, systemClock } from './room.ts'
import { ENDED_NOW } from './salvage.ts'
import { Overview } from './search.ts'
import { bytesNeeded, costsOf, type PackedJob, pack, releaseOf, Shares } from './shares.ts'
import {
  ENDED_JOBS_MOST,
  type MoveExtras,
  type NewJob,
  type OtherMove,
  type Repeat,
  type SpoolSettings,
  TAKEN_AT_ONCE,
} from './types.ts'
import { makeRoom, REPEATS_MOST, Records, readRunMark, retain, writeRunMark } from './upkeep.ts'

const HOUR_MS = 3600 * 1000
const RUN_MARK_EVERY_MS = 10 * 60 * 1000
/** Drift that does not count as a set clock: the wall clock drifts a little all the time. */
const CLOCK_SLACK_MS = 30_000

/**
 * The jobs on disk: one SQLite database. Jobs that it has taken survive a power cut.
 *
 * Called by itself, a method that writes commits and flushes before it returns, which blocks the event loop for about 0.2 ms on an
 * SSD. Within work that is given to `commits` or `together`, the same method only adds to their transaction, whose commit is what
 * puts it on disk; `commits` flushes in a thread.
 */
export class Spool {
  /** Findings of the opening, in sentences for the log and the page; empty when all was well. */
  readonly notices: readonly string[]
  /** Results still to be delivered. */
  readonly outbox: Outbox
  /** The jobs for display. */
  readonly history: History
  /** The jobs that have not ended, for the scheduler. */
  readonly line: SpoolLine
  /** Partially sent labels that printers may still have in memory. */
  readonly halfLabels: HalfLabels
  /** The health of the disk, and its room. */
  readonly health: Health
  /** Numbers of jobs of each printer. */
  readonly overview: Overview
  /** The paused printers. */
  readonly pauses: Pauses
  /** The content of a backup. */
  readonly archive: Archive
  /** The shares that are nearly full. */
  readonly filling: FillWatch
  /** Commits shared by everyone who can wait for one. */
  readonly commits: GroupCommit
  /** Tables of other parts, beside the jobs. */
  readonly records: Records
  /** The requests that are known by their keys. */
  readonly repeats: Repeats
  readonly #settings: SpoolSettings
  readonly #clock: Clock
  readonly #db: SpoolDatabase
  readonly #shares: Shares
  readonly #writer: JobWriter
  readonly #run: RunTime
  readonly #listeners = new Set<(job: Job) => void>()
  #markedAt: number
  /** Wall clock minus run-time when the clock was last found changed. */
  #shift = Number.NEGATIVE_INFINITY

  /** @throws PlatenError STATE_UNWRITABLE, SPOOL_NEWER, SPOOL_TAKEN, SPOOL_FULL, SPOOL_BROKEN */
  constructor(settings: SpoolSettings) {
    this.#settings = settings
    const system = systemClock()
    this.#clock = {
      now: settings.now ?? system.now,
      uptimeMs: settings.uptimeMs ?? system.uptimeMs,
      bootId: settings.bootId ?? system.bootId,
    }
    this.#db = new SpoolDatabase(settings, this.#clock.now)
    this.notices = this.#db.notices
    this.outbox = new Outbox(this.#db, settings.keepsResults ?? false)
    this.commits = new GroupCommit(this.#db, (error) => settings.fault?.(error), settings.pace)
    this.#run = new RunTime(readRunMark(this.#db), this.#clock)
    this.history = new History(this.#db, this.#run)
    this.line = new SpoolLine(this.#db, this.#run)
    this.halfLabels = new HalfLabels(this.#db)
    this.overview = new Overview(this.#db, this.#clock, this.#run)
    this.pauses = new Pauses(this.#db)
    this.archive = new Archive(this.#db)
    this.health = new Health(this.#db, this.#clock)
    this.repeats = new Repeats(this.#db, this.#run)
    this.records = new Records(this.#db, this.#clock, this.#run, this.outbox)
    this.#shares = new Shares(this.#db.tally, this.#db.limitBytes, settings.shares)
    this.filling = new FillWatch(this.#shares, this.#db.tally)
    this.#markedAt = this.#run.now()
    this.#writer = new JobWriter({
      db: this.#db,
      clock: this.#clock,
      run: this.#run,
      history: this.history,
      outbox: this.outbox,
      epoch: this.#db.write(() => this.#begin()),
    })
  }

  /** Calls back after the commit of every job added or moved. Returns a function that unsubscribes. */
  onChange(listener: (job: Job) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Takes all jobs in one transaction. A repeat returns the first jobs, without those that are no longer in the
   * list. `instead`: a move of another job that is made with them or not at all.
   * @throws PlatenError IDEMPOTENCY_CONFLICT, TOO_MANY_FIELDS, BODY_TOO_LARGE, SPOOL_FULL, SPOOL_BROKEN, JOB_STATE; nothing was taken
   */
  add(
    jobs: readonly NewJob[],
    repeat?: Repeat,
    instead?: OtherMove,
  ): { jobs: readonly Job[]; repeated: boolean } {
    const known = repeat === undefined ? undefined : this.repeats.find(repeat)
    if (known !== undefined) return { jobs: known, repeated: true }
    const packed = pack(this.#db, jobs)
    this.#refuseTooMuch(packed, instead)
    const { moved, added } = this.#db.write(() => {
      const other = instead && this.#writer.change(instead.id, instead.change, {})
      const taken = this.#writer.insertAll(packed)
      for (const job of taken) if (other !== undefined || isNews(job)) this.#writer.noteResult(job)
      if (repeat !== undefined) this.#writer.noteRepeat(repeat, taken, packed[0]?.sender ?? '')
      return { moved: other, added: taken }
    })
    this.#tellAll(moved === undefined ? added : [moved, ...added])
    return { jobs: added, repeated: false }
  }

  /**
   * Runs everything that `work` writes here and in the tables beside the jobs in one transaction; on disk when it returns.
   * @throws PlatenError SPOOL_FULL, SPOOL_BROKEN; what the work throws: nothing was written
   */
  together<T>(work: () => T): T {
    const done: T[] = []
    const effects = this.#db.alone(() => {
      done.splice(0, 1, work())
    })
    this.#db.effects.call(effects)
    return done[0] as T
  }

  /** Closes the database; a move after it fails. */
  close(): void {
    if (!this.#db.isOpen) return
    try {
      this.commits.flush()
      this.#db.write(() => this.#writeRunMark())
    } finally {
      this.#db.close()
    }
  }

  // What follows is for the scheduler.

  /**
   * Moves a job.
   * @throws PlatenError JOB_UNKNOWN, JOB_STATE, SPOOL_FULL, SPOOL_BROKEN; nothing has changed
   */
  move(id: string, change: (job: Job) => Change, extras: MoveExtras = {}): Job {
    const moved = this.#db.write(() => this.#writer.change(id, change, extras))
    this.#tellAll([moved])
    return moved
  }

  /**
   * Moves many jobs in one transaction: all or none.
   * @throws PlatenError as `move`
   */
  moveAll(ids: readonly string[], change: (job: Job) => Change): readonly Job[] {
    if (ids.length === 0) return []
    const moved = this.#db.write(() => ids.map((id) => this.#writer.change(id, change, {})))
    this.#tellAll(moved)
    return moved
  }

  /** Notes how many times rendering has begun without an end: one more as it begins, 0 once it ended. */
  countCrash(id: string, crashes: number): void {
    this.#db.write(() => this.#db.sql.crashes.run(crashes, seqOf(id) ?? 0))
  }

  /**
   * Sets the title of a label that has none yet; on disk.
   * @throws PlatenError JOB_UNKNOWN, SPOOL_BROKEN
   */
  entitle(id: string, title: string): Job {
    this.#db.write(() => this.#db.sql.entitle.run(title, seqOf(id) ?? 0))
    const job = this.history.known(id)
    // Not by #tellAll: it has come to no other state, and is counted already.
    this.#db.afterCommit(() => {
      for (const listener of this.#listeners) this.#tell(listener, job)
    })
    return job
  }

  /** Moves jobs that were printing when the program last ended. Called once, before anything prints. */
  recover(policy: InterruptPolicy): readonly Job[] {
    const rows = this.#db.read(() => this.#db.sql.started.all()).map(toJob)
    return rows.map((job) =>
      this.move(job.id, (now) => interrupt(now, now.sentBytes, policy), { isCut: true }),
    )
  }

  /** Does the housekeeping, which the scheduler calls from time to time: retention, old repeats, the ballast, the mark of run-time. */
  housekeep(): void {
    const run = this.#run.now()
    this.#shift = this.#db.write(() => {
      retain(this.#db, run, {
        labelsMs: (this.#settings.retentionHours?.() ?? 72) * HOUR_MS,
        endedJobsMost: this.#settings.endedJobsMost ?? ENDED_JOBS_MOST,
        repeatsMost: this.#settings.repeatsMost ?? REPEATS_MOST,
      })
      if (run - this.#markedAt >= RUN_MARK_EVERY_MS) this.#writeRunMark()
      return this.#rebaseExpiry()
    })
    this.#db.restoreBallast()
  }

  /** Makes the first transaction of this opening: the epoch of new ids, the mark of run-time, rows left by a recovery. */
  #begin(): string {
    const stored = textOf(this.#db.sql.meta.get('epoch'), 'value')
    const epoch = stored === '' ? makeEpoch() : stored
    if (stored === '') this.#db.sql.setMeta.run('epoch', epoch)
    if (!this.#settings.keepsResults) this.outbox.clear()
    if (this.notices.length > 0) {
      for (const row of this.#db.sql.endedAt.all(ENDED_NOW)) {
        this.outbox.note({ type: 'job', at: this.#clock.now(), job: toJob(row) })
      }
      this.#db.sql.clampEnded.run(this.#run.now(), ENDED_NOW, this.#run.now())
    }
    this.#writeRunMark()
    return epoch
  }

  #writeRunMark(): void {
    const mark = this.#run.mark()
    writeRunMark(this.#db, mark)
    this.#markedAt = mark.runMs
  }

  /** Adjusts the displayed times after the wall clock was set; the expiry itself never moves. Returns the new `#shift`. */
  #rebaseExpiry(): number {
    const shift = this.#clock.now() - this.#run.now()
    this.#db.sql.rebaseExpiry.run(shift, shift)
    // No index has these alone, and there may be many.
    if (Math.abs(shift - this.#shift) < CLOCK_SLACK_MS) return this.#shift
    this.#db.sql.rebaseHeld.run(shift, shift)
    return shift
  }

  /** Bounds a request, then makes room for it. `instead` ends in the same transaction, which frees its share. */
  #refuseTooMuch(jobs: readonly PackedJob[], instead: OtherMove | undefined): void {
    if (jobs.length > TAKEN_AT_ONCE.jobs) {
      const message = `The request makes ${jobs.length} labels; wanted at most ${TAKEN_AT_ONCE.jobs}.`
      throw new PlatenError('TOO_MANY_FIELDS', message)
    }
    const bytes = bytesNeeded(jobs)
    if (bytes > TAKEN_AT_ONCE.bytes) {
      const message = `The labels of the request take ${bytes} bytes; wanted at most ${TAKEN_AT_ONCE.bytes}.`
      throw new PlatenError('BODY_TOO_LARGE', message, {
        hint: say('severalRequests'),
      })
    }
    const other = instead && this.history.get(instead.id)
    this.#shares.check(costsOf(this.#db, jobs), other && releaseOf(this.#db, other))
    makeRoom(this.#db, bytes)
  }

  /** Calls `effect` after the commit of everything written before; at once if that is on disk. */
  afterCommit(effect: () => void): void {
    this.#db.afterCommit(effect)
  }

  #tellAll(jobs: readonly Job[]): void {
    this.#db.afterCommit(() => {
      for (const job of jobs) this.overview.note(job)
      for (const job of jobs) for (const listener of this.#listeners) this.#tell(listener, job)
      this.filling.look((listener, crossing) => this.#tell(listener, crossing))
    })
  }

  #tell<T>(listener: (value: T) => void, value: T): void {
    try {
      listener(value)
    } catch (error) {
      this.#settings.fault?.(error)
    }
  }
}
