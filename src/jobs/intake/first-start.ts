import { setTimeout as sleep } from 'node:timers/promises'
import type { KnownPrinter } from '../../printers/printer.ts'
import type { Printers } from '../../printers/registry.ts'
import type { StartLabel } from '../../render/start-label.ts'
import type { Intake } from './intake.ts'
import type { Taken } from './requests.ts'

/** What the start label needs. */
export interface FirstStartParts {
  readonly printers: Pick<Printers, 'list'>
  readonly intake: Pick<Intake, 'acceptDocument' | 'ended'>
  /** What it says; asked when it is printed. */
  readonly facts: () => StartLabel
  /** Whether it was printed: `offline` (without an address) or `done`; kept over restarts. */
  readonly kept: { load(): string | undefined; save(text: string): void }
  readonly fault: (error: unknown) => void
  /** Milliseconds between looks, default 5 s. */
  readonly everyMs?: number
  /** Milliseconds that the network gets before a label without an address is printed, default 90 s. */
  readonly networkMs?: number
}

const EVERY_MS = 5_000
const NETWORK_MS = 90_000
const TRIES = 3

/**
 * Prints the start label once in the life of a box: as soon as a printer and an address are there; without an address after
 * a while, and then once more when there is one. Resolves when nothing is left to print or the signal aborts.
 */
export async function printFirstStart(parts: FirstStartParts, signal: AbortSignal): Promise<void> {
  const { everyMs = EVERY_MS, networkMs = NETWORK_MS } = parts
  let triesLeft = TRIES
  for (let waited = 0; parts.kept.load() !== 'done'; waited += everyMs) {
    // First of all: a box that has just started has better things to do.
    await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined)
    if (signal.aborted) return
    try {
      const before = parts.kept.load() ?? ''
      const accepted = tryToPrint(parts, waited >= networkMs)
      if (accepted === undefined) continue
      triesLeft -= 1
      const ids = accepted.jobs.map(({ id }) => id)
      const jobs = await parts.intake.ended(ids, signal)
      // A small processor that was busy may not have drawn it in time.
      if (triesLeft > 0 && jobs.some(({ state }) => state === 'aborted')) parts.kept.save(before)
    } catch (error) {
      parts.fault(error)
    }
  }
}

/** Prints the start label on one printer. @throws PlatenError PRINTER_*, SPOOL_* */
export function printStartLabel(
  { intake, facts }: { intake: Pick<Intake, 'acceptDocument'>; facts: () => StartLabel },
  printer: string,
): Taken {
  const body = Buffer.from(JSON.stringify(facts()))
  return intake.acceptDocument({ format: 'start', body, options: { printer }, source: 'start' })
}

function tryToPrint(parts: FirstStartParts, isPatienceOver: boolean): Taken | undefined {
  const printer = choosePrinter(parts.printers.list())
  const hasNetwork = parts.facts().url !== ''
  const isDue = hasNetwork || (isPatienceOver && parts.kept.load() !== 'offline')
  if (printer === undefined || !isDue) return undefined
  const accepted = printStartLabel(parts, printer.name)
  parts.kept.save(hasNetwork ? 'done' : 'offline')
  return accepted
}

/** The default one, else the first that is there. */
function choosePrinter(printers: readonly KnownPrinter[]): KnownPrinter | undefined {
  const here = printers.filter(({ status }) => !status.reasons.includes('offline'))
  return here.find(({ isDefault }) => isDefault) ?? here[0]
}
