import { setTimeout as sleep } from 'node:timers/promises'
import type { KnownPrinter } from '../printers/printer.ts'
import type { Printers } from '../printers/registry.ts'
import type { StartLabel } from '../render/start-label.ts'
import type { Intake } from './intake.ts'
import type { Accepted } from './requests.ts'

/** What the start label needs. */
export interface FirstStartParts {
  readonly printers: Pick<Printers, 'list'>
  readonly intake: Pick<Intake, 'acceptDocument'>
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

/**
 * Prints the start label once in the life of a box: as soon as a printer and an address are there; without an address after
 * a while, and then once more when there is one. Resolves when nothing is left to print or the signal aborts.
 */
export async function printFirstStart(parts: FirstStartParts, signal: AbortSignal): Promise<void> {
  const { everyMs = EVERY_MS, networkMs = NETWORK_MS } = parts
  for (let waited = 0; parts.kept.load() !== 'done' && !signal.aborted; waited += everyMs) {
    try {
      tryToPrint(parts, waited >= networkMs)
    } catch (error) {
      parts.fault(error)
    }
    if (parts.kept.load() === 'done') return
    await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
}

/** Prints the start label on one printer. @throws PlatenError PRINTER_*, SPOOL_* */
export function printStartLabel(
  { intake, facts }: Pick<FirstStartParts, 'intake' | 'facts'>,
  printer: string,
): Accepted {
  const body = Buffer.from(JSON.stringify(facts()))
  return intake.acceptDocument({ format: 'start', body, options: { printer }, source: 'start' })
}

function tryToPrint(parts: FirstStartParts, isPatienceOver: boolean): void {
  const printer = choosePrinter(parts.printers.list())
  const hasNetwork = parts.facts().url !== ''
  const isDue = hasNetwork || (isPatienceOver && parts.kept.load() !== 'offline')
  if (printer === undefined || !isDue) return
  printStartLabel(parts, printer.name)
  parts.kept.save(hasNetwork ? 'done' : 'offline')
}

/** The default one, else the first that is there. */
function choosePrinter(printers: readonly KnownPrinter[]): KnownPrinter | undefined {
  const here = printers.filter(({ status }) => !status.reasons.includes('offline'))
  return here.find(({ isDefault }) => isDefault) ?? here[0]
}
