import type { PrinterReading } from '#labels'
import type { Connection, Inquiry, StatusAsker } from '#printers'
import { pause, TimeLimit } from '../../system/wait.ts'
import { PlatenError, quote } from '../../words/errors.ts'
import { isSame, type Sentences, say } from '../../words/say.ts'
import { hasEnded, type Job } from '../job.ts'
import * as moves from '../moves.ts'
import {
  type Blockage,
  explainClosed,
  explainStalled,
  PRINTING,
} from '../reasons/blocked-printer.ts'
import type { QueueParts, Timing } from './parts.ts'

/** The parts for asking whether a label came out. Decision `one-label-at-a-time`. */
interface VerifyParts {
  readonly asker: StatusAsker
  readonly timing: Pick<Timing, 'openMs' | 'confirmMs' | 'confirmAskMs'>
  /** Called after each answer with what keeps the printer from printing; empty = nothing. */
  readonly show: (reasons: readonly string[]) => void
}

const READY_TIMES = 2 // one "ready" may come from before the label was looked at, unless it was busy in between
const BUSY_SHARE = 0.6 // the next label waits for the end of this one, and the paper stands still meanwhile
const SILENT_TIMES = 2 // it answered before, and now it does not
const UNCOUNTED_TIMES = 4 // ready, and a count of labels that goes up with labels has not gone up
const IN_VAIN_TIMES = 8 // a label that was printed before the first question was never seen busy

/**
 * Asks after the last byte, in a transmission of its own, whether the label came out: true when the printer's own counters say that nothing
 * is left to print and nothing is wrong. While it says what keeps it, e.g. that it is out of labels, it is asked again.
 * @throws PlatenError PRINTER_LOST when it went away with the label not yet printed; the signal's reason
 */
export async function verify(
  parts: VerifyParts,
  printer: string,
  signal: AbortSignal,
): Promise<boolean> {
  const count = parts.asker.takeCount(printer)
  if (!parts.asker.canTell(printer)) return false
  const inquiry = await open(parts, printer, signal)
  if (inquiry === undefined) return false
  let isOut = false
  try {
    isOut = await follow(parts, inquiry, count, signal)
    return isOut
  } finally {
    if (!isOut) parts.asker.takeCount(printer) // it may still come out, and would count for the next label
    await inquiry[Symbol.asyncDispose]()
  }
}

/** Opens the printer for questions. One that cannot be queried, e.g. because another computer uses it, still took every byte. */
async function open(
  { asker, timing }: VerifyParts,
  printer: string,
  signal: AbortSignal,
): Promise<Inquiry | undefined> {
  using limit = new TimeLimit(timing.openMs, signal)
  try {
    return await asker.open(printer, limit.signal)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof PlatenError) return undefined
    throw error
  }
}

/** The evidence of the answers so far. */
interface PrintProof {
  /** Times in a row that the printer was ready. */
  readonly ready: number
  readonly hasBeenBusy: boolean
  /** True when the printer said what keeps it from printing. */
  readonly isKept: boolean
  readonly silences: number
}

/** Asks until the verdict is clear. `count` is the printer's own count of labels before this one, where known. */
async function follow(
  { timing, show }: VerifyParts,
  inquiry: Inquiry,
  count: number | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  let progress: PrintProof = { ready: 0, hasBeenBusy: false, isKept: false, silences: 0 }
  let deadline = performance.now() + timing.confirmMs
  const terms = { onStuck: () => show(['other']) }
  while (performance.now() <= deadline) {
    const isUnprinted = progress.isKept || progress.hasBeenBusy
    const reading = await tryTo(() => inquiry.ask(terms, signal), isUnprinted, signal)
    if (reading === undefined) return false
    show(reading.reasons)
    progress = advance(progress, reading)
    if (progress.isKept) deadline = performance.now() + timing.confirmMs
    const verdict = judge(progress, reading, inquiry.needsBusy)
    const proof = await compareCounts(inquiry, progress, { verdict, count }, signal)
    if (proof !== undefined) return proof
    await pause(timing.confirmAskMs * (progress.hasBeenBusy ? BUSY_SHARE : 1), signal)
    signal.throwIfAborted()
  }
  return false
}

/** Checks the verdict of the readings against the printer's own count of labels. */
async function compareCounts(
  inquiry: Inquiry,
  { ready }: PrintProof,
  said: { readonly verdict: boolean | undefined; readonly count: number | undefined },
  signal: AbortSignal,
): Promise<boolean | undefined> {
  // Where nobody else prints only our label moves the count, which then needs no second look.
  const isQuick = inquiry.isAlone && ready > 0 && said.count !== undefined
  if (said.verdict === false || !(said.verdict || isQuick)) return said.verdict
  const isCounted = await tryTo(() => inquiry.hasCounted(said.count, signal), false, signal)
  if (isCounted !== false) return isCounted ?? said.verdict
  return ready >= UNCOUNTED_TIMES ? false : undefined
}

function advance(before: PrintProof, { reasons, isBusy, isSilent }: PrinterReading): PrintProof {
  return {
    ready: reasons.length === 0 && !isBusy ? before.ready + 1 : 0,
    hasBeenBusy: before.hasBeenBusy || isBusy,
    isKept: reasons.some((reason) => reason !== 'other'),
    silences: isSilent === true ? before.silences + 1 : 0,
  }
}

/** Judges the evidence: true = it came out, false = unknown; undefined = ask again. */
function judge(
  progress: PrintProof,
  reading: PrinterReading,
  needsBusy: boolean,
): boolean | undefined {
  if (progress.silences >= SILENT_TIMES) return false
  if (progress.ready === 0) return undefined
  if (reading.isVague === true) return false
  // Counters that went from something to nothing need no second look; TSPL is "ready" between two labels too.
  const enough = progress.hasBeenBusy && !needsBusy ? 1 : READY_TIMES
  if (progress.ready >= enough && (progress.hasBeenBusy || !needsBusy)) return true
  return progress.ready >= IN_VAIN_TIMES ? false : undefined
}

/** Asks a question; undefined when there is no answer. A broken link is an error only for a label known not to be out. */
async function tryTo<T>(
  question: () => Promise<T | undefined>,
  isUnprinted: boolean,
  signal: AbortSignal,
): Promise<T | undefined> {
  try {
    return await question()
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof PlatenError && !isUnprinted) return undefined
    throw error
  }
}

const STATUS_MS = 2000 // a printer that stalls may not answer at all

/** A wait for a printer that may take no data. */
interface StallWatch extends Disposable {
  /** Starts the wait anew, because bytes flow. */
  readonly flowing: () => void
}

/** Shows on a job and on its printer's card that the printer keeps the label waiting, and takes that back. */
export class StallNotice {
  readonly #parts: Pick<QueueParts, 'spool' | 'printers' | 'fault' | 'timing'>
  readonly #printer: string
  readonly #job: string
  readonly #report: (status: Blockage['status']) => void
  #shown: Sentences | undefined

  constructor(
    parts: Pick<QueueParts, 'spool' | 'printers' | 'fault' | 'timing'>,
    job: { readonly id: string; readonly printer: string },
    report: (status: Blockage['status']) => void,
  ) {
    this.#parts = parts
    this.#printer = job.printer
    this.#job = job.id
    this.#report = report
  }

  /** Shows the notice when no byte flows for a while: not a failure, but a person must look. */
  watch(connection: Connection): StallWatch {
    let turn = 0
    const look = async (): Promise<void> => {
      const asked = turn
      try {
        if (this.#shown === undefined) this.show([])
        const said = (await connection.status?.(AbortSignal.timeout(STATUS_MS))) ?? []
        if (turn === asked && said.length > 0) this.show(said)
      } catch (error) {
        this.#parts.fault(error) // the transfer continues
      }
    }
    const timer = setInterval(() => void look(), this.#parts.timing.stallMs)
    const flowing = () => {
      turn += 1
      timer.refresh()
      this.hide()
    }
    const end = () => {
      turn += 1
      clearInterval(timer)
    }
    return { flowing, [Symbol.dispose]: end }
  }

  /**
   * Shows the notice. `said` is what the printer reports about itself, if it can. Written only when new: each write wears the card.
   * @throws PlatenError SPOOL_*; the next time tries again
   */
  show(said: readonly string[]): void {
    const { status, sentence } = explainStalled(
      this.#printer,
      said,
      this.#parts.printers.pausedHint(this.#printer),
    )
    if (this.#shown !== undefined && isSame(this.#shown, sentence.message)) return
    this.#parts.spool.move(this.#job, (job) => moves.stall(job, sentence))
    this.#shown = sentence.message
    this.#report(status)
  }

  /** Shows or hides the notice by what the printer reports once it has every byte; empty = all is well. */
  tell(said: readonly string[]): void {
    try {
      if (said.length === 0) this.hide()
      else this.show(said)
    } catch (error) {
      this.#parts.fault(error) // a full disk does not cut off a label; the next answer tries again
    }
  }

  /** Takes the notice back, because bytes flow again. */
  hide(): void {
    if (this.#shown === undefined) return
    this.#shown = undefined
    try {
      this.#parts.spool.move(this.#job, moves.flow)
    } catch (error) {
      this.#parts.fault(error) // only the word on the page is old; after a restart both mean "started"
    }
    this.#report(PRINTING)
  }

  /** Ends the notice with the attempt: a late answer must not bring it back. */
  end(): void {
    this.#shown = undefined
  }
}

/** Tells whether a device refused a job. That may happen even after it was opened; with no byte sent it is as good as not opened. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof PlatenError)) return false
  return error.code === 'PRINTER_OFFLINE' || error.code === 'PRINTER_BUSY'
}

/** Writes into the label why it waits; only when the sentence is new, because each write wears the card. */
export function postpone(parts: Pick<QueueParts, 'spool'>, job: Job, { sentence }: Blockage): void {
  const now = parts.spool.history.get(job.id)
  // Somebody decided about it while its printer was being opened.
  if (now === undefined || hasEnded(now) || now.state === 'pending-held') return
  const isTold = isSame(now.message, sentence.message) && now.detail === (sentence.detail ?? '')
  if (now.state === 'pending' && isTold) return
  parts.spool.move(job.id, moves.postpone(sentence))
}

/** Writes into the labels of a removed printer that it is gone: no card shows that any longer. */
export async function tellRemoved(
  parts: Pick<QueueParts, 'spool'>,
  name: string,
  isOver: () => boolean,
): Promise<undefined> {
  const unknown = new PlatenError('PRINTER_UNKNOWN', say('namedNone', { name: quote(name) }))
  const blockage = explainClosed(name, unknown)
  for (const { id } of parts.spool.line.unfinished(name)) {
    const job = parts.spool.history.get(id)
    if (job?.state === 'pending') postpone(parts, job, blockage)
    await new Promise(setImmediate) // each note is a write
    if (isOver()) return undefined
  }
}
