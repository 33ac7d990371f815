import { PlatenError } from '../errors.ts'
import type { Inquiry, StatusAsker } from '../printers/status/asker.ts'
import type { Reading } from '../printers/status/reading.ts'
import type { Timing } from './queue-parts.ts'

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
  if (!parts.asker.canTell(printer)) return false
  const inquiry = await open(parts, printer, signal)
  if (inquiry === undefined) return false
  try {
    return await follow(parts, inquiry, signal)
  } finally {
    await inquiry[Symbol.asyncDispose]()
  }
}

/** A printer that cannot be asked, e.g. for another computer is on its line, took every byte all the same. */
async function open(
  { asker, timing }: VerifyParts,
  printer: string,
  signal: AbortSignal,
): Promise<Inquiry | undefined> {
  try {
    return await asker.open(printer, AbortSignal.any([signal, AbortSignal.timeout(timing.openMs)]))
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

async function follow(
  { timing, show }: VerifyParts,
  inquiry: Inquiry,
  signal: AbortSignal,
): Promise<boolean> {
  let progress: Progress = { ready: 0, hasBeenBusy: false, isKept: false, silences: 0 }
  let deadline = performance.now() + timing.confirmMs
  while (performance.now() <= deadline) {
    const reading = await ask(inquiry, signal, progress.isKept || progress.hasBeenBusy, show)
    if (reading === undefined) return false
    show(reading.reasons)
    progress = advance(progress, reading)
    if (progress.isKept) deadline = performance.now() + timing.confirmMs
    const verdict = judge(progress, reading, inquiry.needsBusy)
    if (verdict !== undefined) return verdict
    await pause(timing.confirmAskMs * (progress.hasBeenBusy ? BUSY_SHARE : 1), signal)
  }
  return false
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
async function ask(
  inquiry: Inquiry,
  signal: AbortSignal,
  isUnprinted: boolean,
  show: VerifyParts['show'],
): ReturnType<Inquiry['ask']> {
  try {
    return await inquiry.ask(signal, () => show(['other']))
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof PlatenError && !isUnprinted) return undefined
    throw error
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  signal.addEventListener('abort', () => resolve(), { once: true })
  await promise
  clearTimeout(timer)
  signal.throwIfAborted()
}
