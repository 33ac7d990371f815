import { PlatenError } from '../../errors.ts'
import type { Reading } from '../../languages/status.ts'
import type { StatusAsker } from '../../printers/status/asker.ts'
import type { Inquiry } from '../../printers/status/inquiry.ts'
import { TimeLimit } from '../../time-limit.ts'
import { pause } from '../../wait.ts'
import type { Timing } from './parts.ts'

/** What is needed to ask whether a label came out. */
export interface VerifyParts {
  readonly asker: StatusAsker
  readonly timing: Pick<Timing, 'openMs' | 'confirmMs' | 'confirmAskMs'>
  /** Told after each answer what keeps the printer from printing; empty = nothing. */
  readonly show: (reasons: readonly string[]) => void
}

const READY_TIMES = 2 // one "ready" may come from before the label was looked at, unless it was busy in between
const BUSY_SHARE = 0.6 // the next label waits for the end of this one, and the paper stands still meanwhile
const SILENT_TIMES = 2 // it answered before, and now it does not
const UNCOUNTED_TIMES = 4 // ready, and a count of labels that goes up with labels has not gone up
const IN_VAIN_TIMES = 8 // a label that was printed before the first question was never seen busy

/**
 * After the last byte, in a transmission of its own: true when the printer's own counters say that nothing is left to
 * print and nothing is wrong. While it says what keeps it, e.g. that it is out of labels, it is asked on.
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

/** A printer that cannot be asked, e.g. for another computer is on its line, took every byte all the same. */
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

/** What the answers so far prove. */
interface Progress {
  /** Times in a row that the printer was ready. */
  readonly ready: number
  readonly hasBeenBusy: boolean
  /** The printer said what keeps it from printing. */
  readonly isKept: boolean
  readonly silences: number
}

/** `count` is the printer's own count of labels before this one, where it is known. */
async function follow(
  { timing, show }: VerifyParts,
  inquiry: Inquiry,
  count: number | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  let progress: Progress = { ready: 0, hasBeenBusy: false, isKept: false, silences: 0 }
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

/** The verdict of the readings, against the printer's own count of labels. */
async function compareCounts(
  inquiry: Inquiry,
  { ready }: Progress,
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

function advance(before: Progress, { reasons, isBusy, isSilent }: Reading): Progress {
  return {
    ready: reasons.length === 0 && !isBusy ? before.ready + 1 : 0,
    hasBeenBusy: before.hasBeenBusy || isBusy,
    isKept: reasons.some((reason) => reason !== 'other'),
    silences: isSilent === true ? before.silences + 1 : 0,
  }
}

/** True = it came out, false = nobody can say; undefined = ask again. */
function judge(progress: Progress, reading: Reading, needsBusy: boolean): boolean | undefined {
  if (progress.silences >= SILENT_TIMES) return false
  if (progress.ready === 0) return undefined
  if (reading.isVague === true) return false
  // Counters that went from something to nothing need no second look; TSPL is "ready" between two labels too.
  const enough = progress.hasBeenBusy && !needsBusy ? 1 : READY_TIMES
  if (progress.ready >= enough && (progress.hasBeenBusy || !needsBusy)) return true
  return progress.ready >= IN_VAIN_TIMES ? false : undefined
}

/** An answer; undefined when there is none. That the link broke says something only of a label known not to be out. */
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
