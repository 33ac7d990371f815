import type { PrinterReading } from '#labels'
import type { Inquiry } from '#printers'
import { TimeLimit } from '../../system/wait.ts'
import { PlatenError } from '../../words/errors.ts'
import { isUnasked } from '../printers/status.ts'
import { type Blockage, explainReading } from '../reasons/blocked-printer.ts'
import type { QueueParts } from './parts.ts'

/** The meaning of a printer's last answer for its page and its labels. */
interface PrinterNews {
  readonly blockage: Blockage
  /** True when labels wait in the box, where they can be canceled, instead of in a printer that cannot print. */
  readonly holds: boolean
}

/** Asks one printer for its state, between its labels and never in one. */
export class PrinterWatch {
  readonly #name: string
  readonly #parts: QueueParts
  readonly #onNews: () => void
  readonly #stopping = new AbortController()
  #news: PrinterNews | undefined
  #askedAt: number
  /** The printer that a question is stuck at; nothing else can be sent there meanwhile. */
  #stuck: { readonly uri: string | undefined } | undefined
  /** Ends a question that nothing waits for. */
  #look: AbortController | undefined

  /** `onNews` is called when a printer that took no data takes it again. */
  constructor(name: string, parts: QueueParts, onNews: () => void) {
    this.#name = name
    this.#parts = parts
    this.#onNews = onNews
    this.#askedAt = performance.now()
    this.hurry()
  }

  /** Reported reason that keeps the printer from printing; undefined = none. */
  get blockage(): Blockage | undefined {
    return this.#isAsked ? this.#news?.blockage : undefined
  }

  /** True when labels had better wait. */
  get holds(): boolean {
    return this.#isAsked && this.#news?.holds === true
  }

  /** Milliseconds until the next question; undefined = never. */
  get dueMs(): number | undefined {
    const idleMs = this.#parts.asker?.idleMs(this.#name)
    if (idleMs === undefined) return undefined
    const status = this.#parts.printers.get(this.#name)?.status
    if (status !== undefined && isUnasked(status)) return 0
    const isWaiting = this.#news !== undefined || this.#parts.asker?.isMeasuring(this.#name)
    const everyMs = isWaiting ? this.#blockedMs(idleMs) : idleMs
    return Math.max(0, this.#askedAt + everyMs - performance.now())
  }

  /** Milliseconds until the next question to a printer that is in use by somebody else; undefined = never. */
  get dueAgainMs(): number | undefined {
    const idleMs = this.#parts.asker?.idleMs(this.#name)
    return this.dueMs === 0 && idleMs !== undefined ? this.#blockedMs(idleMs) : this.dueMs
  }

  #blockedMs(idleMs: number): number {
    // Somebody is at a blocked printer: the page must update soon, but the line must stay free for others.
    return Math.max(this.#parts.timing.blockedAskMs, idleMs / BLOCKED_SHARE)
  }

  /** Makes the next question due now, because something happened, unless the line is better left alone. */
  hurry(): void {
    const idleMs = this.#parts.asker?.idleMs(this.#name) ?? Number.POSITIVE_INFINITY
    if (idleMs <= QUICK_MS) this.#askedAt = Number.NEGATIVE_INFINITY
  }

  /** Makes the next question due now if the last answer is old, because a page shows the printer. True if so. */
  attend(): boolean {
    const isOld = performance.now() - this.#askedAt >= this.#parts.timing.attendMs
    if (!this.#isAsked || !isOld) return false
    this.#askedAt = Number.NEGATIVE_INFINITY
    return true
  }

  /** Makes the next question due now if the printer was never queried: a label was sent, so it is reachable. */
  follow(): void {
    this.hurry()
    if (this.#parts.asker?.isUnknown(this.#name)) this.#askedAt = Number.NEGATIVE_INFINITY
  }

  /** Notes that the printer cannot be reached: once it is back it is asked at once, also for its model. */
  noteUnreachable(): void {
    this.#parts.asker?.identifyAgain(this.#name)
    this.#askedAt = Number.NEGATIVE_INFINITY
  }

  /** Asks soon, because the printer was told to measure its stock: its page should soon show the result. */
  followMeasure(): void {
    this.#parts.asker?.measureAnew(this.#name)
    this.hurry()
  }

  /**
   * Asks an idle printer, until `stopForLabels`; true when that was not called meanwhile.
   * @throws PlatenError as `ask` does
   */
  async look(): Promise<boolean> {
    const look = new AbortController()
    this.#look = look
    try {
      await this.ask(look.signal)
      return !look.signal.aborted
    } finally {
      this.#look = undefined
    }
  }

  /** Ends the question because there is something to print: a printer that does not answer must not delay it. */
  stopForLabels(): void {
    this.#look?.abort(new Error('there is something to print'))
  }

  /**
   * Asks once; an abort by `stopForLabels` is not a failure and leaves the last answer in force.
   * @throws PlatenError PRINTER_OFFLINE, PRINTER_BUSY, PRINTER_LOST when it cannot be reached
   */
  async ask(labelWaits?: AbortSignal): Promise<void> {
    this.#askedAt = performance.now()
    const here = { uri: this.#parts.printers.get(this.#name)?.uri }
    if (this.#stuck !== undefined && this.#stuck.uri === here.uri) return
    const stuck = Promise.withResolvers<'stuck'>()
    const asking = this.#askOnce(() => stuck.resolve('stuck'), labelWaits)
    if ((await Promise.race([asking, stuck.promise])) !== 'stuck') return
    this.#learn({ reasons: ['other'], isBusy: false }, true)
    this.#stuck = here
    void asking
      .catch((error: unknown) => this.#parts.fault(error))
      .then(() => {
        if (this.#stuck === here) this.#stuck = undefined
        this.#onNews()
      })
  }

  /** Ends a question that is under way. */
  stop(): void {
    this.#stopping.abort(new Error('the program ends'))
  }

  get #isAsked(): boolean {
    return this.#parts.asker?.idleMs(this.#name) !== undefined
  }

  async #askOnce(onStuck: () => void, labelWaits: AbortSignal | undefined): Promise<void> {
    const inquiry = await this.#open(labelWaits)
    if (inquiry === undefined) return
    const stopping = this.#stopping.signal
    const terms = { onStuck, labelWaits }
    try {
      const reading = await inquiry.ask(terms, stopping)
      if (labelWaits?.aborted && (reading === undefined || reading.isVague)) return
      this.#learn(reading, false)
      const isIdle = reading?.reasons.length === 0 && !reading.isBusy
      if (isIdle) await inquiry.recount(terms, stopping)
    } finally {
      await inquiry[Symbol.asyncDispose]()
    }
  }

  /** Opens the printer for questions. Undefined when labels came first, or when the printer is never asked. */
  async #open(labelWaits: AbortSignal | undefined): Promise<Inquiry | undefined> {
    const signals = [this.#stopping.signal, ...(labelWaits === undefined ? [] : [labelWaits])]
    using limit = new TimeLimit(this.#parts.timing.openMs, ...signals)
    try {
      const inquiry = await this.#parts.asker?.open(this.#name, limit.signal)
      if (inquiry === undefined) this.#learn(undefined, false)
      return inquiry
    } catch (error) {
      if (labelWaits?.aborted && error instanceof PlatenError) return undefined
      throw error
    }
  }

  #learn(reading: PrinterReading | undefined, isStuck: boolean): void {
    this.#askedAt = performance.now()
    const reasons = reading?.reasons ?? []
    if (reasons.length === 0) this.#news = undefined
    else {
      this.#news = {
        blockage: explainReading(this.#name, reasons, {
          isStuck,
          pausedHint: this.#parts.printers.pausedHint(this.#name),
        }),
        holds: isStuck || reasons.some((reason) => reason !== 'other' && reason !== 'offline'),
      }
    }
  }
}

const QUICK_MS = 60_000 // devices queried at least this often are also queried after each label
const BLOCKED_SHARE = 20 // every 15 s instead of every 300
