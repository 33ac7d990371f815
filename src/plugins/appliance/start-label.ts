import { setTimeout as sleep } from 'node:timers/promises'
import type { StartLabel } from '#labels'
import type { Intake } from '../../core/intake/intake.ts'
import type { RequestReceipt } from '../../core/intake/requests.ts'
import type { Printers } from '../../core/printers/registry.ts'
import type { KnownPrinter } from '../../core/printers/status.ts'

/** The parts of the start label. */
interface FirstStartParts {
  readonly printers: Pick<Printers, 'list'>
  readonly intake: Pick<Intake, 'acceptDocument' | 'ended'>
  /** Returns the content of the label; called when it is printed. */
  readonly facts: () => StartLabel
  /** Record of the print, kept over restarts: `offline` (printed without an address) or `done`. */
  readonly kept: { load(): string | undefined; save(text: string): void }
  readonly fault: (error: unknown) => void
  /** Milliseconds between two checks, default 5 s. */
  readonly everyMs?: number
  /** Milliseconds that the network gets before a label without an address is printed, default 90 s. */
  readonly networkMs?: number
}

const EVERY_MS = 5_000
const NETWORK_MS = 90_000
const TRIES = 3

/**
 * Prints the start label once in the life of a box: as soon as there is a printer and an address; without an address after a while, and
 * then once more when there is one. Resolves when nothing is left to print or the signal aborts.
 */
export async function printFirstStart(parts: FirstStartParts, signal: AbortSignal): Promise<void> {
  const { everyMs = EVERY_MS, networkMs = NETWORK_MS } = parts
  let triesLeft = TRIES
  // Also what could not be written down: it would print at each look, until the roll is empty.
  let printed = readPrinted(parts)
  for (let waited = 0; printed !== 'done'; waited += everyMs) {
    // First of all: a box that has just started has better things to do.
    await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined)
    if (signal.aborted) return
    try {
      const before = printed
      const accepted = tryToPrint(parts, before, waited >= networkMs)
      if (accepted === undefined) continue
      triesLeft -= 1
      printed = accepted.printed
      parts.kept.save(printed)
      const ids = accepted.jobs.map(({ id }) => id)
      const jobs = await parts.intake.ended(ids, signal)
      // A small processor that was busy may not have drawn it in time.
      if (triesLeft === 0 || jobs.every(({ state }) => state !== 'aborted')) continue
      printed = before
      parts.kept.save(printed)
    } catch (error) {
      parts.fault(error)
    }
  }
}

/** Reads the record of the print. An unreadable one counts as done: the label must not print at each start, and the box has to go on. */
function readPrinted({ kept, fault }: FirstStartParts): string {
  try {
    return kept.load() ?? ''
  } catch (error) {
    fault(error)
    return 'done'
  }
}

/**
 * Prints the start label on one printer.
 * @throws PlatenError PRINTER_*, SPOOL_*
 */
export function printStartLabel(
  { intake, facts }: { intake: Pick<Intake, 'acceptDocument'>; facts: () => StartLabel },
  printer: string,
): RequestReceipt {
  const body = Buffer.from(JSON.stringify(facts()))
  return intake.acceptDocument({ format: 'start', body, options: { printer }, source: 'start' })
}

function tryToPrint(
  parts: FirstStartParts,
  before: string,
  isPatienceOver: boolean,
): (Pick<RequestReceipt, 'jobs'> & { readonly printed: 'done' | 'offline' }) | undefined {
  const printer = choosePrinter(parts.printers.list())
  const hasNetwork = parts.facts().url !== ''
  const isDue = hasNetwork || (isPatienceOver && before !== 'offline')
  if (printer === undefined || !isDue) return undefined
  const { jobs } = printStartLabel(parts, printer.name)
  return { jobs, printed: hasNetwork ? 'done' : 'offline' }
}

/** Chooses the default printer, else the first one present. */
function choosePrinter(printers: readonly KnownPrinter[]): KnownPrinter | undefined {
  const here = printers.filter(({ status }) => !status.reasons.includes('offline'))
  return here.find(({ isDefault }) => isDefault) ?? here[0]
}
