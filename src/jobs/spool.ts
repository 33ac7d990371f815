import { randomInt } from 'node:crypto'
import { PlatenError } from '../errors.ts'
import type { Job, JobFormat, JobState } from './job.ts'
import { type Change, checkMove, type InterruptPolicy, interrupt } from './moves.ts'
import { SpoolDatabase } from './spool/database.ts'
import { ENDED_NOW } from './spool/recovery.ts'
import { bytesOf, changedRow, newRow, numberOf, textOf, toJob } from './spool/rows.ts'
import { type Clock, type RunMark, RunTime, systemClock } from './spool/run-time.ts'
import { PAGE_BYTES } from './spool/schema.ts'
import type { MoveExtras, NewJob, Repeat, Soiled, SpoolSettings } from './spool/types.ts'
import { ENDED_JOBS_MOST, makeRoom, REPEAT_KEPT_MS, retain } from './spool/upkeep.ts'

const HOUR_MS = 3600 * 1000
const RUN_MARK_EVERY_MS = 10 * 60 * 1000
const CHECK_EVERY_MS = 1000

// No 0, 1, i, l, o: an id may be read out over the phone.
const EPOCH_LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'
const ID = /^[a-z2-9]{4}-(\d{1,15})$/

function newEpoch(): string {
  return Array.from({ length: 4 }, () => EPOCH_LETTERS[randomInt(EPOCH_LETTERS.length)]).join('')
}

/**
 * The jobs on disk: one SQLite database, every method a committed and flushed transaction or a short read. What it
 * has taken survives a power cut. Blocks the event loop for the flush, about 0.2 ms on an SSD.
 */
export class Spool {
  /** Sentences about what opening found, for the log and the page; empty when all was well. */
  readonly notices: readonly string[]
  readonly #settings: SpoolSettings
  readonly #clock: Clock
  readonly #db: SpoolDatabase
  readonly #epoch: string
  readonly #run: RunTime
  readonly #listeners = new Set<(job: Job) => void>()
  #markedAt: number
  #checkedAt = Number.NEGATIVE_INFINITY

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
    this.#run = new RunTime(this.#readRunMark(), this.#clock)
    this.#markedAt = this.#run.now()
    this.#epoch = this.#db.write(() => this.#begin())
  }

  /** Calls after the commit of every job added or moved. Gives back what ends the calls. */
  onChange(listener: (job: Job) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Takes all jobs in one transaction, on disk when it returns. A repeat gives the first jobs back, less those
   * that are no longer in the list.
   * @throws PlatenError IDEMPOTENCY_CONFLICT, SPOOL_FULL, SPOOL_BROKEN; nothing was taken
   */
  add(jobs: readonly NewJob[], repeat?: Repeat): { jobs: readonly Job[]; repeated: boolean } {
    const known = repeat === undefined ? undefined : this.findRepeat(repeat)
    if (known !== undefined) return { jobs: known, repeated: true }
    const needBytes = jobs.reduce((sum, job) => sum + job.label.length + PAGE_BYTES, 0)
    makeRoom(this.#db, needBytes)
    const added = this.#db.write(() => {
      const taken = jobs.map((job) => this.#insert(job))
      const first = taken[0]
      if (repeat !== undefined && first !== undefined) {
        this.#db.sql.addRepeat.run(
          repeat.key,
          repeat.fingerprint,
          first.seq,
          taken.length,
          this.#run.now(),
        )
      }
      return taken
    })
    for (const job of added) this.#tell(job)
    return { jobs: added, repeated: false }
  }

  /**
   * The jobs of an earlier request with this key, or undefined when there was none.
   * @throws PlatenError IDEMPOTENCY_CONFLICT when that request was another one
   */
  findRepeat(repeat: Repeat): readonly Job[] | undefined {
    const row = this.#db.read(() => this.#db.sql.findRepeat.get(repeat.key))
    if (row === undefined || numberOf(row, 'run') < this.#run.now() - REPEAT_KEPT_MS)
      return undefined
    if (textOf(row, 'fingerprint') !== repeat.fingerprint) {
      throw new PlatenError(
        'IDEMPOTENCY_CONFLICT',
        'This idempotency key was used before for another request; wanted the same labels and options, or a new key.',
      )
    }
    const first = numberOf(row, 'first_seq')
    const rows = this.#db.read(() =>
      this.#db.sql.range.all(first, first + numberOf(row, 'jobs') - 1),
    )
    return rows.map(toJob)
  }

  /** A job by its id. */
  get(id: string): Job | undefined {
    const row = this.#row(id)
    return row === undefined ? undefined : toJob(row)
  }

  /**
   * Newest first, those older than `before`.
   * @throws PlatenError JOB_UNKNOWN when `before` is no id
   */
  list(page: { before?: string; limit: number }): readonly Job[] {
    const before = page.before === undefined ? Number.MAX_SAFE_INTEGER : seqOf(page.before)
    if (before === undefined)
      throw new PlatenError('JOB_UNKNOWN', 'No job has the id given in "before".')
    return this.#db.read(() => this.#db.sql.list.all(before, page.limit)).map(toJob)
  }

  /** The label as it was sent, while it is kept. */
  label(id: string): Uint8Array | undefined {
    const job = this.get(id)
    return (
      job &&
      bytesOf(
        this.#db.read(() => this.#db.sql.label.get(job.seq)),
        'label',
      )
    )
  }

  /** PNG of the label as it was printed, while it is kept. */
  preview(id: string): Uint8Array | undefined {
    const job = this.get(id)
    return (
      job &&
      bytesOf(
        this.#db.read(() => this.#db.sql.preview.get(job.seq)),
        'png',
      )
    )
  }

  /** Jobs in each state. */
  counts(): Readonly<Record<JobState, number>> {
    const counts: Record<JobState, number> = {
      pending: 0,
      'pending-held': 0,
      processing: 0,
      'processing-stopped': 0,
      canceled: 0,
      aborted: 0,
      completed: 0,
    }
    for (const row of this.#db.read(() => this.#db.sql.counts.all())) {
      counts[textOf(row, 'state') as JobState] = numberOf(row, 'jobs')
    }
    return counts
  }

  /** Bytes in use, the most they may be, and what the partition has left. */
  usage(): { bytes: number; quotaBytes: number; freeBytes: number } {
    return {
      bytes: this.#db.usedBytes(),
      quotaBytes: this.#db.quotaBytes,
      freeBytes: this.#db.freeBytes(),
    }
  }

  /**
   * Proves that the disk still takes writes: a real one, unless one succeeded within the last second.
   * @throws PlatenError SPOOL_BROKEN
   */
  check(): void {
    if (this.#clock.uptimeMs() - this.#checkedAt < CHECK_EVERY_MS) return
    try {
      this.#db.write(() => this.#db.sql.setMeta.run('checked', String(this.#clock.now())))
      this.#checkedAt = this.#clock.uptimeMs()
    } catch (cause) {
      if (cause instanceof PlatenError && cause.code === 'SPOOL_BROKEN') throw cause
      throw new PlatenError('SPOOL_BROKEN', 'The spool cannot be written: its disk is full.', {
        cause,
      })
    }
  }

  /** Closes the database; a move after it fails. */
  close(): void {
    if (!this.#db.isOpen) return
    try {
      this.#db.write(() => this.#writeRunMark())
    } finally {
      this.#db.close()
    }
  }

  // What follows is for the scheduler.

  /** The oldest pending job of a printer, with how often this program died while rendering it. */
  next(printer: string): { job: Job; crashes: number; expired: boolean } | undefined {
    const row = this.#db.read(() => this.#db.sql.next.get(printer))
    if (row === undefined) return undefined
    const expires = numberOf(row, 'expires_run')
    return {
      job: toJob(row),
      crashes: numberOf(row, 'crashes'),
      expired: expires > 0 && expires <= this.#run.now(),
    }
  }

  /** Printers that have pending jobs, and how many. */
  waiting(): ReadonlyMap<string, number> {
    const rows = this.#db.read(() => this.#db.sql.waiting.all())
    return new Map(rows.map((row) => [textOf(row, 'printer'), numberOf(row, 'jobs')]))
  }

  /**
   * Moves a job, on disk when it returns.
   * @throws PlatenError JOB_UNKNOWN, JOB_STATE, SPOOL_FULL, SPOOL_BROKEN; nothing has changed
   */
  move(id: string, change: (job: Job) => Change, extras: MoveExtras = {}): Job {
    const moved = this.#db.write(() => {
      const before = this.get(id)
      if (before === undefined) throw new PlatenError('JOB_UNKNOWN', `No job has the id ${id}.`)
      const changed = change(before)
      checkMove(before, changed)
      const after = { ...before, ...changed, hasPreview: before.hasPreview || !!extras.preview }
      this.#update(after, extras)
      return after
    })
    this.#tell(moved)
    return moved
  }

  /** Notes, on disk, that rendering begins (+1) or came to an end without a crash (0). */
  countCrash(id: string, crashes: number): void {
    this.#db.write(() => this.#db.sql.crashes.run(crashes, seqOf(id) ?? 0))
  }

  /** Moves what was being printed when the program last ended. Called once, before anything prints. */
  recover(policy: InterruptPolicy): readonly Job[] {
    const rows = this.#db.read(() => this.#db.sql.started.all()).map(toJob)
    return rows.map((job) =>
      this.move(job.id, (now) => interrupt(now, now.sentBytes, policy), { soil: true }),
    )
  }

  /** What this printer may still have in its memory of a label that was cut. */
  soiled(printer: string): Soiled | undefined {
    const row = this.#db.read(() => this.#db.sql.soiled.get(printer))
    if (row === undefined) return undefined
    return { job: textOf(row, 'job'), format: textOf(row, 'format') as JobFormat }
  }

  /** Printers that may have half a label in their memory. */
  soiledPrinters(): readonly string[] {
    return this.#db
      .read(() => this.#db.sql.soiledPrinters.all())
      .map((row) => textOf(row, 'printer'))
  }

  /** A person has looked after the printer, or it was reset. */
  clean(printer: string): void {
    if (this.soiled(printer) !== undefined) this.#db.write(() => this.#db.sql.clean.run(printer))
  }

  /** Pending jobs whose time is over, oldest first. */
  expired(): readonly Job[] {
    return this.#db.read(() => this.#db.sql.expired.all(this.#run.now())).map(toJob)
  }

  /** Milliseconds until the next pending job expires, or undefined. */
  msToExpiry(): number | undefined {
    const at = numberOf(
      this.#db.read(() => this.#db.sql.nextExpiry.get()),
      'at',
    )
    return at === 0 ? undefined : Math.max(0, at - this.#run.now())
  }

  /** True when a request of so many bytes would be taken now and leave the waiting labels below `share` of the quota. */
  hasRoom(bytes: number, share = 1): boolean {
    // Labels of ended jobs make way, so only those that wait count.
    const waits = numberOf(
      this.#db.read(() => this.#db.sql.waitingBytes.get()),
      'bytes',
    )
    return (
      waits + bytes <= this.#db.limitBytes * share &&
      this.#db.freeBytes() >= this.#db.wantedFreeBytes(bytes)
    )
  }

  /** Housekeeping, once a minute or so: retention, old repeats, the ballast, the mark of run-time. */
  tend(): void {
    const run = this.#run.now()
    this.#db.write(() => {
      retain(this.#db, run, {
        labelsMs: (this.#settings.retentionHours?.() ?? 72) * HOUR_MS,
        endedJobsMost: this.#settings.endedJobsMost ?? ENDED_JOBS_MOST,
      })
      if (run - this.#markedAt >= RUN_MARK_EVERY_MS) this.#writeRunMark()
      this.#rebaseExpiry()
    })
    this.#db.restoreBallast()
  }

  /** First transaction of this opening: the epoch of new ids, the mark of run-time, rows left by a recovery. */
  #begin(): string {
    const stored = textOf(this.#db.sql.meta.get('epoch'), 'value')
    const epoch = stored === '' ? newEpoch() : stored
    if (stored === '') this.#db.sql.setMeta.run('epoch', epoch)
    if (this.notices.length > 0) {
      this.#db.sql.clampEnded.run(this.#run.now(), ENDED_NOW, this.#run.now())
    }
    this.#writeRunMark()
    return epoch
  }

  #readRunMark(): RunMark | undefined {
    const read = (key: string): string => textOf(this.#db.sql.meta.get(key), 'value')
    if (read('run') === '') return undefined
    return { runMs: Number(read('run')), uptimeMs: Number(read('uptime')), bootId: read('boot') }
  }

  #writeRunMark(): void {
    const mark = this.#run.mark()
    this.#db.sql.setMeta.run('run', String(mark.runMs))
    this.#db.sql.setMeta.run('uptime', String(mark.uptimeMs))
    this.#db.sql.setMeta.run('boot', mark.bootId)
    this.#markedAt = mark.runMs
  }

  /** The times shown follow the wall clock when it was set; the expiry itself never moves. */
  #rebaseExpiry(): void {
    const shift = this.#clock.now() - this.#run.now()
    this.#db.sql.rebaseExpiry.run(shift, shift)
  }

  #insert(job: NewJob): Job {
    const row = newRow(job, this.#clock.now(), this.#run.now())
    const seq = Number(this.#db.sql.addJob.run(row).lastInsertRowid)
    this.#db.sql.setId.run(`${this.#epoch}-${seq}`, seq)
    this.#db.sql.addLabel.run(seq, job.label)
    return toJob(this.#db.sql.bySeq.get(seq) ?? {})
  }

  #update(job: Job, extras: MoveExtras): void {
    this.#db.sql.update.run(changedRow(job, this.#run.now(), extras.totalBytes))
    if (extras.preview) this.#db.sql.addPreview.run(job.seq, extras.preview)
    if (extras.soil) this.#db.sql.soil.run(job.printer, job.id, job.format)
  }

  #row(id: string) {
    const seq = seqOf(id)
    if (seq === undefined) return undefined
    const row = this.#db.read(() => this.#db.sql.bySeq.get(seq))
    return textOf(row, 'id') === id ? row : undefined
  }

  #tell(job: Job): void {
    for (const listener of this.#listeners) {
      try {
        listener(job)
      } catch (error) {
        this.#settings.fault?.(error)
      }
    }
  }
}

function seqOf(id: string): number | undefined {
  const found = ID.exec(id)?.[1]
  return found === undefined ? undefined : Number(found)
}
