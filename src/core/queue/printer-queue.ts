import { setTimeout as sleep } from 'node:timers/promises'
import type { Printer } from '#printers'
import { PlatenError } from '../../words/errors.ts'
import { drawnFor, type Payload } from '../drawing/payload.ts'
import type { Change, Job } from '../job.ts'
import * as moves from '../moves.ts'
import { isUnasked, type KnownPrinter, type PrinterStatus } from '../printers/status.ts'
import { explainClosed, explainHalfLabel, explainSpool, IDLE } from '../reasons/blocked-printer.ts'
import { explainCrashes } from '../reasons/held-label.ts'
import type { NextJob } from '../spool/line.ts'
import { Attempt } from './attempt.ts'
import {
  askWith,
  canOpen,
  findResync,
  listHalfLabels,
  PrinterCommands,
  sendResync,
  waitsForPerson,
} from './commands.ts'
import { Nudge, type QueueParts } from './parts.ts'
import { postpone, tellRemoved } from './verify.ts'
import { PrinterWatch } from './watch.ts'

const CRASHES_MOST = 2

/**
 * The queue of one printer: one job at a time, in order of acceptance; it sleeps while there is nothing to do.
 *
 *            wake(), attend()
 *   asleep ---------------------> turn <--------------------------+
 *     ^                            |                              |
 *     | nothing to do              |--- a step was done: at once -|
 *     +----------------------------|                              |
 *                                  |--- try again later --> waiting, until the time is up or wake()
 *
 * A turn takes the first of these that applies:
 *   a command of a person         send it
 *   half a label in the printer   clear it with a command; if none is known, ask a person
 *   no label that waits           ask the printer for its state, if that is due
 *   a label that cannot print     end it (expired, taken back) or hold it (the program died twice while it drew it)
 *   a removed or paused printer   put it into the label's message, or leave the label
 *   otherwise                     print the label: an `Attempt`
 * Decision `half-labels`.
 */
export class PrinterQueue {
  readonly #name: string
  readonly #parts: QueueParts
  readonly #watch: PrinterWatch
  readonly #commands: PrinterCommands
  #running: Promise<void> | undefined
  #isAwake = false
  #attempt: Attempt | undefined
  #drawn: { readonly id: string; readonly payload: Payload } | undefined
  #failures = 0
  /** True when this turn came before its time, because the queue was woken. */
  #isExtra = false
  readonly #nudge = new Nudge()
  #isAway = false
  #hasReported = false
  #isStopping = false

  constructor(name: string, parts: QueueParts) {
    this.#name = name
    this.#parts = parts
    this.#commands = new PrinterCommands(name, parts)
    this.#watch = new PrinterWatch(name, parts, () => this.wake())
  }

  /** Looks for work now; ends a wait for the next try. */
  wake(): void {
    this.#watch.stopForLabels()
    this.#rouse()
  }

  #rouse(): void {
    this.#nudge.give()
    if (this.#isAwake || this.#isStopping) return
    this.#isAwake = true // before the first turn, whose commit may wake the queue
    this.#running = this.#run()
  }

  /** Queries an idle printer whose last answer is old, because a page shows it. */
  attend(): void {
    if (!this.#isAway && this.#watch.attend()) this.#rouse()
  }

  /**
   * Sends bytes that are not a label, e.g. to calibrate, between two labels.
   * @throws PlatenError PRINTER_UNKNOWN, PRINTER_OFFLINE, PRINTER_BUSY, PRINTER_LOST, PRINTER_STOPPED
   */
  transmit(bytes: Uint8Array): Promise<void> {
    const sent = this.#commands.add(bytes)
    this.wake()
    return sent
  }

  /** Cancels the job in hand; resolves when it has come to rest. Undefined when another or no job is in hand. */
  cancel(id: string): Promise<void> | undefined {
    return this.#attempt?.job.id === id ? this.#attempt.cancel() : undefined
  }

  /** Puts a label that has not begun to leave back in its place, because the printer was paused or the program ends. */
  holdBack(): void {
    const attempt = this.#attempt
    if (attempt === undefined || attempt.hasBegun) return
    // The flush that lets it begin may be under way.
    const job = this.#parts.spool.history.get(attempt.job.id)
    if (job?.state === 'pending') attempt.stop()
  }

  /** True while this job is in hand. */
  holds(id: string): boolean {
    return this.#attempt?.job.id === id
  }

  /** Lets the label in hand finish, for at most `graceMs`, then ends. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true
    this.#watch.stop()
    this.#nudge.end()
    const attempt = this.#attempt
    this.holdBack()
    const timer = setTimeout(() => attempt?.stop(), graceMs)
    await this.#running
    clearTimeout(timer)
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      this.#isExtra = this.#nudge.wasGiven && this.#failures > 0
      this.#nudge.wasGiven = false
      const waitMs = await this.#tryTurn()
      const ended = performance.now()
      if (!this.#nudge.wasGiven && waitMs === undefined) break
      if (!this.#nudge.wasGiven && waitMs && !this.#isStopping) await this.#nudge.wait(waitMs)
      if (this.#nudge.wasGiven) await this.#spaceTries(ended)
    }
    this.#isAwake = false
    if (this.#isStopping) this.#commands.refuseAll()
  }

  /** Spaces out tries: however many labels come for a printer that is off, the next one begins `spaceMs` after the end of the last. */
  async #spaceTries(ended: number): Promise<void> {
    const restMs = Math.ceil(ended + this.#parts.timing.spaceMs - performance.now())
    if (this.#failures > 0 && restMs > 0) await sleep(restMs)
  }

  /** Takes one step; returns the wait after it, undefined = until woken. */
  async #tryTurn(): Promise<number | undefined> {
    try {
      return await this.#turn()
    } catch (error) {
      // A queue must outlive everything: the spool may be full or broken for a while.
      if (error instanceof PlatenError && error.code.startsWith('SPOOL_'))
        this.#report(explainSpool(this.#name, error).status)
      else this.#parts.fault(error)
      return this.#failed()
    }
  }

  #turn(): Promise<number | undefined> | number | undefined {
    const { spool, printers } = this.#parts
    if (!this.#commands.isEmpty)
      return this.#commands.runNext(() => this.#watch.followMeasure()).then(() => 0)
    const next = spool.line.next(this.#name)
    const printer = printers.get(this.#name)
    const [half] = printer === undefined ? [] : listHalfLabels(this.#parts, printer)
    const resync = half && findResync(printer, half)
    if (half !== undefined && resync === undefined && waitsForPerson(this.#parts, half))
      return this.#waitForPerson(next?.job)
    if (next === undefined) return this.#rest(printer)
    const end = endOf(next)
    if (end !== undefined) return this.#settle(next.job, (job) => end(job, this.#parts.now()))
    if (next.crashes >= CRASHES_MOST) {
      const sentence = explainCrashes(next.job.format)
      return this.#settle(next.job, (job) => moves.hold(job, 'platen-crashed-twice', sentence))
    }
    if (printer === undefined)
      return tellRemoved(this.#parts, this.#name, () => this.#isStopping || this.#nudge.wasGiven)
    if (printer.isPaused) return this.#rest(printer)
    if (half === undefined || resync !== undefined)
      return this.#print(next.job, printer, next.crashes, resync)
    askWith(this.#parts, next.job, half)
    return 0
  }

  async #print(
    job: Job,
    printer: Printer,
    crashes: number,
    resync: string | undefined,
  ): Promise<number | undefined> {
    const waitMs = await this.#makeReady(job, resync)
    if (waitMs !== undefined) return waitMs
    if (this.#isStopping || this.#parts.printers.get(this.#name)?.isPaused) return undefined
    const fits = this.#drawn?.id === job.id && this.#drawn.payload.target === drawnFor(job, printer)
    const attempt = new Attempt(this.#parts, {
      job,
      printer,
      crashes,
      drawn: fits ? this.#drawn?.payload : undefined,
      report: (status) => this.#report(status),
    })
    this.#attempt = attempt
    try {
      const verdict = await attempt.run()
      const keep = verdict === 'wait' && attempt.drawn?.target ? attempt.drawn : undefined
      this.#drawn = keep && { id: job.id, payload: keep }
      if (verdict === 'rest') return undefined
      if (verdict === 'wait') return this.#failed()
    } finally {
      this.#attempt = undefined
    }
    this.#failures = 0
    this.#isAway = false
    this.#watch.follow()
    return 0
  }

  /** Prepares the printer for the label; returns the milliseconds to wait when it is not ready, undefined = it is. */
  async #makeReady(job: Job, resync: string | undefined): Promise<number | undefined> {
    if (this.#watch.holds && (await this.#isHeld(job))) return this.#watch.dueMs ?? 0
    return resync && !(await this.#resync(job, resync)) ? this.#failed() : undefined
  }

  /** Asks a printer that said what keeps it from printing whether that is still so: a label that waits in the box can be canceled. */
  async #isHeld(job: Job): Promise<boolean> {
    try {
      await this.#watch.ask()
    } catch (error) {
      if (error instanceof PlatenError) return false // the label itself finds out, with the right sentence
      throw error
    }
    const { blockage, holds } = this.#watch
    if (!holds || blockage === undefined) return false
    this.#report(blockage.status)
    postpone(this.#parts, job, blockage)
    return true
  }

  async #resync(job: Job, resync: string): Promise<boolean> {
    const blockage = await sendResync(this.#parts, this.#name, resync)
    if (blockage === 'gone') return false
    if (blockage === undefined) return true
    this.#report(blockage.status)
    postpone(this.#parts, job, blockage)
    return false
  }

  #waitForPerson(job: Job | undefined): undefined {
    const blockage = explainHalfLabel(this.#name)
    this.#report(blockage.status)
    if (job !== undefined) postpone(this.#parts, job, blockage)
    return undefined
  }

  #settle(job: Job, change: (job: Job) => Change): number {
    this.#parts.spool.move(job.id, change)
    return 0
  }

  /**
   * Returns the wait when there is nothing to print. A printer that did not answer is queried now and then, so that the page shows when it
   * is back; one that reports its status is queried at the interval of its device.
   */
  #rest(printer: KnownPrinter | undefined): Promise<number | undefined> | number | undefined {
    if (printer !== undefined && isUnasked(printer.status)) {
      // Nobody has asked at its present address; what was known of another one does not count.
      this.#isAway = false
      this.#failures = 0
      return this.#watch.dueMs === 0 ? this.#look(printer) : undefined
    }
    if (printer !== undefined && this.#isAway) return this.#probe()
    const blockage = this.#watch.blockage
    if (this.#hasReported || blockage) this.#report(blockage?.status ?? IDLE)
    this.#hasReported = blockage !== undefined
    this.#failures = 0
    if (printer === undefined || this.#watch.dueMs !== 0) return this.#watch.dueMs
    return this.#look(printer)
  }

  /** Asks an idle printer for its state. One that cannot be reached is away; one in use by somebody else is left alone. */
  async #look({ uri }: Printer): Promise<number | undefined> {
    try {
      const isAsked = await this.#watch.look()
      const isSame = this.#parts.printers.get(this.#name)?.uri === uri
      if (isAsked && isSame) this.#report(this.#watch.blockage?.status ?? IDLE)
    } catch (error) {
      if (!(error instanceof PlatenError)) throw error
      if (error.code === 'PRINTER_BUSY') return this.#watch.dueAgainMs
      this.#report(explainClosed(this.#name, error).status)
      return this.#failed()
    }
    return 0
  }

  async #probe(): Promise<number | undefined> {
    if (!(await canOpen(this.#parts, this.#name))) return this.#failed() // which the printer's state says already
    this.#isAway = false
    return 0
  }

  #failed(): number {
    // A label that comes in meanwhile tries the printer too, but must not lengthen the waits.
    if (!this.#isExtra) this.#failures += 1
    this.#isAway = true
    this.#watch.noteUnreachable()
    return this.#parts.backOff(this.#failures)
  }

  #report(status: PrinterStatus): void {
    this.#hasReported = true
    this.#parts.printers.report(this.#name, status)
  }
}

/** Finds the end of a label at the head of the line that does not print any more; undefined = it prints. */
function endOf({ isWithdrawn, expired }: NextJob): ((job: Job, at: number) => Change) | undefined {
  // It may have begun, or been on its way to another print server, when its label was taken back.
  if (isWithdrawn) return moves.withdraw
  return expired ? moves.expire : undefined
}
