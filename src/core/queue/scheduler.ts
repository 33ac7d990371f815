import { setTimeout as sleep } from 'node:timers/promises'
import { backOffMs } from '../../system/wait.ts'
import { PlatenError } from '../../words/errors.ts'
import { say } from '../../words/say.ts'
import { type Change, hasEnded, type Job, refusePast, wasCut } from '../job.ts'
import * as moves from '../moves.ts'
import { refuseWithdrawn } from '../reasons/refusals.ts'
import { findResync, findResyncThere, listHalfLabels, lookedAfter } from './commands.ts'
import { type QueueParts, TIMING, type Timing, UnprovenLabels } from './parts.ts'
import { PrinterQueue } from './printer-queue.ts'
import { cancelWaiting, checkRelease, expireWaiting } from './waiting.ts'

/** The parts of the scheduler. Decision `half-label-by-address`. */
export interface SchedulerParts
  extends Pick<QueueParts, 'spool' | 'printers' | 'renderer' | 'asker'> {
  /** Policy for a label that was cut off; asked each time. Default: hold. */
  readonly onInterrupt?: () => moves.InterruptPolicy
  readonly now?: () => number
  /** 0..1; spreads the retries of many printers. */
  readonly random?: () => number
  readonly timing?: Partial<Timing>
  /** Interval between checks of expiry and retention. Default 15 s. */
  readonly housekeepMs?: number
  /** Called with faults that disturb nothing else, for the log. */
  readonly fault?: (error: unknown) => void
}

/** Least time between checks of expiry: the job that expires may be in hand, and its queue then decides about it. */
const NEXT_LOOK_MS = 100
/** Jobs that one transaction moves: it takes about 30 ms on a PC, ten times that on the smallest board. */
const AT_ONCE = 200

/** Runs the jobs: a queue for each printer, side by side. */
export class Scheduler {
  readonly #parts: QueueParts
  readonly #housekeepMs: number
  readonly #queues = new Map<string, PrinterQueue>()
  #timer: NodeJS.Timeout | undefined
  #housekeptAt = Number.NEGATIVE_INFINITY
  #housekeepsAt = Number.POSITIVE_INFINITY
  #isRunning = false

  constructor(parts: SchedulerParts) {
    const timing = { ...TIMING, ...parts.timing }
    const random = parts.random ?? Math.random
    const limits = { firstMs: timing.retryFirstMs, mostMs: timing.retryMostMs }
    const backOff = (failures: number): number => backOffMs(failures, random(), limits)
    this.#housekeepMs = parts.housekeepMs ?? 15_000
    this.#parts = {
      spool: parts.spool,
      printers: parts.printers,
      renderer: parts.renderer,
      asker: parts.asker,
      underway: new UnprovenLabels(),
      policy: parts.onInterrupt ?? (() => 'hold'),
      now: parts.now ?? Date.now,
      timing,
      backOff,
      pause: (failures) => sleep(backOff(failures)),
      fault: parts.fault ?? (() => undefined),
    }
  }

  /** Moves jobs that the last run left unfinished, then prints the waiting ones. */
  start(): void {
    const { spool } = this.#parts
    this.#isRunning = true
    for (const name of spool.pauses.list()) this.#parts.printers.setPaused(name, true)
    spool.recover(this.#parts.policy())
    for (const printer of spool.line.waiting().keys()) this.wake(printer)
    for (const half of spool.halfLabels.list()) this.#wakeAt(half.printer, half.place)
    this.#housekeptAt = performance.now()
    this.#scheduleHousekeeping(0)
  }

  /** Finishes the labels in hand, for at most `graceMs`; begins no new one. */
  async stop(graceMs: number): Promise<void> {
    this.#isRunning = false
    clearTimeout(this.#timer)
    await Promise.all([...this.#queues.values()].map((queue) => queue.stop(graceMs)))
  }

  /** True between `start` and `stop`, as long as the housekeeping runs on time. */
  isAlive(): boolean {
    return this.#isRunning && performance.now() - this.#housekeptAt < 3 * this.#housekeepMs + 1000
  }

  /**
   * Wakes the queue of a printer that has a new job, or was found, configured or changed.
   * @param expiryMs from now, when the new job expires
   */
  wake(printer: string, expiryMs = Number.POSITIVE_INFINITY): void {
    if (!this.#isRunning) return // before the start nothing prints: the last run must be cleared up first
    this.#queue(printer).wake()
    this.#housekeepWithin(expiryMs)
  }

  /**
   * Pauses a printer, on disk (IPP Pause-Printer): the label in hand is finished, and none begins until `resume`.
   * @throws PlatenError SPOOL_FULL, SPOOL_BROKEN
   */
  pause(printer: string): void {
    this.#parts.spool.pauses.set(printer, true)
    this.#parts.printers.setPaused(printer, true)
    this.#queues.get(printer)?.holdBack()
  }

  /**
   * Resumes a paused printer.
   * @throws PlatenError SPOOL_FULL, SPOOL_BROKEN
   */
  resume(printer: string): void {
    this.#parts.spool.pauses.set(printer, false)
    this.#parts.printers.setPaused(printer, false)
    this.wake(printer)
  }

  /** Queries the status of a printer that a page shows, unless the printer has just reported it. */
  attend(printer: string): void {
    if (this.#isRunning) this.#queue(printer).attend()
  }

  /**
   * Sends bytes that are not a label, between two labels.
   * @throws PlatenError PRINTER_UNKNOWN, PRINTER_OFFLINE, PRINTER_BUSY, PRINTER_LOST, PRINTER_STOPPED
   */
  async transmit(printer: string, bytes: Uint8Array): Promise<void> {
    if (!this.#isRunning) throw new PlatenError('PRINTER_STOPPED', say('serverStops'))
    await this.#queue(printer).transmit(bytes)
  }

  /**
   * Forgets half a label in a printer that was switched off and on or plugged in again (it enumerated again). A printer that has a command
   * for that gets it all the same: pulling the cable alone does not cut the power.
   */
  printerRestarted(name: string): void {
    const printer = this.#parts.printers.get(name)
    if (printer === undefined) return
    for (const half of listHalfLabels(this.#parts, printer))
      if (!findResync(printer, half)) this.#parts.spool.halfLabels.forget(half)
    this.#wakeAt(name, printer.uri)
  }

  /**
   * Cancels a job, in the middle of its transfer too.
   * @throws PlatenError JOB_UNKNOWN, JOB_STATE when it has ended
   */
  async cancel(id: string): Promise<Job> {
    const { history } = this.#parts.spool
    while (true) {
      const inHand = this.#queues.get(history.known(id).printer)?.cancel(id)
      if (inHand !== undefined) await inHand
      const after = history.known(id)
      if (inHand !== undefined && this.#cameToRest(after)) return after
      const canceled = await this.#cancelInLine(after)
      if (canceled !== undefined) return canceled
    }
  }

  /**
   * Tells whether a job that was in hand is canceled, or waits for a person.
   * @throws PlatenError JOB_STATE when it has ended
   */
  #cameToRest(job: Job): boolean {
    if (job.state === 'canceled') return true
    if (hasEnded(job)) throw refusePast(job)
    return this.#isStuck(job)
  }

  /** Cancels a waiting job, in a commit shared with others. Undefined when it has begun to print meanwhile. */
  async #cancelInLine(job: Job): Promise<Job | undefined> {
    const { spool, now } = this.#parts
    return await spool.commits.step(() => {
      if (this.#isInHand(job)) return undefined
      const canceled = spool.move(job.id, (one) => moves.cancel(one, now()))
      this.#lookedAfter(canceled)
      return canceled
    })
  }

  /** Cancels everything that waits for a printer, held labels too, up to `last`; a label that has begun to print goes on. */
  async cancelWaiting(printer: string, last?: number): Promise<{ readonly canceled: number }> {
    const lookedAfter = (job: Job) => this.#lookedAfter(job)
    const canceled = await cancelWaiting(this.#parts, printer, lookedAfter, last)
    this.wake(printer)
    return { canceled }
  }

  /**
   * Cancels waiting labels that a plugin has withdrawn. Runs inside the transaction that records this (`Spool.together`).
   * @throws PlatenError JOB_STATE when one does not wait
   */
  withdraw(ids: readonly string[]): void {
    const { spool, now } = this.#parts
    const gone = new Set(ids)
    const jobs = spool.moveAll(ids, (job) => moves.withdraw(job, now()))
    spool.afterCommit(() => {
      for (const { printer } of jobs) this.wake(printer)
      // Nobody has looked at what a printer has left of one that was cut off: a person is asked with the next label.
      const halves = spool.halfLabels.list().filter(({ job }) => gone.has(job))
      for (const { printer, place } of halves) this.#wakeAt(printer, place)
    })
  }

  /**
   * Holds a label that has not begun until somebody releases it (IPP Hold-Job).
   * @throws PlatenError JOB_UNKNOWN, JOB_STATE
   */
  async hold(id: string): Promise<Job> {
    const { spool } = this.#parts
    const held = await spool.commits.step(() => spool.move(id, moves.suspend))
    this.wake(held.printer)
    return held
  }

  /**
   * Puts a held job back in its place in the queue. `attempts`: the number of tries when the person looked.
   * @throws PlatenError JOB_UNKNOWN, JOB_STATE, PRINTER_UNKNOWN
   */
  release(id: string, attempts?: number): Promise<Job> {
    const { halfLabels } = this.#parts.spool
    // Under "reprint" the label that was cut waits already; the person's word is then about its printer alone.
    return this.#decide(id, attempts, (job) => {
      if (job.state === 'pending' && halfLabels.ofJob(job.id).length > 0) return {}
      const released = moves.release(job)
      checkRelease(job, this.#parts.printers.get(job.printer) !== undefined)
      if (this.#parts.spool.history.isWithdrawn(job.id)) throw refuseWithdrawn()
      return released
    })
  }

  /**
   * Records a person's decision about an interrupted label; `attempts` as above.
   * @throws PlatenError JOB_UNKNOWN, JOB_STATE
   */
  resolve(id: string, printed: boolean, attempts?: number): Promise<Job> {
    return this.#decide(id, attempts, (job) => moves.resolve(job, printed, this.#parts.now()))
  }

  async #decide(
    id: string,
    attempts: number | undefined,
    change: (job: Job) => Change,
  ): Promise<Job> {
    const { spool } = this.#parts
    const decided = await spool.commits.step(() => {
      const moved = spool.move(id, (job) => {
        // It was tried again and cut off again: what the person saw was another attempt.
        if (attempts !== undefined && attempts !== job.attempts) throw refusePast(job)
        return change(job)
      })
      this.#lookedAfter(moved)
      return moved
    })
    if (decided.expiresAt > 0) this.#housekeepWithin(decided.expiresAt - this.#parts.now())
    return decided
  }

  /** Forgets half labels in the commit of the person's decision: a later one, with the same job, the person has not seen. */
  #lookedAfter(job: Job): void {
    const { printers, spool } = this.#parts
    const places = lookedAfter(this.#parts, job)
    const wanted = places.length > 0 ? places : [printers.get(job.printer)?.uri ?? '']
    spool.afterCommit(() => {
      for (const place of wanted) this.#wakeAt(job.printer, place)
    })
  }

  /** Wakes this entry, and all others that lead to the printer at this device URI. */
  #wakeAt(name: string, place: string): void {
    for (const entry of new Set([name, ...this.#parts.printers.at(place)])) this.wake(entry)
  }

  /** Tells whether a job was stopped in the middle and its printer waits for a person to confirm that it was checked. */
  #isStuck(job: Job): boolean {
    const halves = this.#parts.spool.halfLabels.ofJob(job.id)
    return wasCut(job) && halves.some((half) => !findResyncThere(this.#parts, half))
  }

  #queue(printer: string): PrinterQueue {
    const known = this.#queues.get(printer)
    if (known !== undefined) return known
    const queue = new PrinterQueue(printer, this.#parts)
    this.#queues.set(printer, queue)
    return queue
  }

  #isInHand({ printer, id }: Pick<Job, 'printer' | 'id'>): boolean {
    return this.#queues.get(printer)?.holds(id) ?? false
  }

  #scheduleHousekeeping(ms: number): void {
    clearTimeout(this.#timer)
    this.#housekeepsAt = performance.now() + ms
    this.#timer = setTimeout(() => this.#housekeep(), ms).unref()
  }

  #housekeepWithin(ms: number): void {
    const soon = Math.max(NEXT_LOOK_MS, ms)
    if (performance.now() + soon < this.#housekeepsAt) this.#scheduleHousekeeping(soon)
  }

  #housekeep(): void {
    const { spool } = this.#parts
    try {
      const halves = expireWaiting(this.#parts, AT_ONCE, (job) => this.#isInHand(job))
      for (const { printer, place } of halves) this.#wakeAt(printer, place)
      spool.housekeep()
      this.#housekeptAt = performance.now()
      this.#scheduleHousekeeping(this.#housekeepMs)
      this.#housekeepWithin(spool.line.msToExpiry() ?? this.#housekeepMs)
    } catch (error) {
      this.#parts.fault(error)
      this.#housekeptAt = performance.now()
      this.#scheduleHousekeeping(this.#housekeepMs)
    }
  }
}
