import { type Printer, placeOf, type StatusAsker } from '#printers'
import type { Renderer } from '../drawing/renderer.ts'
import type { InterruptPolicy } from '../moves.ts'
import type { Printers } from '../printers/registry.ts'
import type { Spool } from '../spool/spool.ts'

/** Times of the scheduler, in milliseconds; all of them can be set for tests. */
export interface Timing {
  /** First wait after a printer could not be opened; doubles with each failure, less up to half of it at random. */
  readonly retryFirstMs: number
  readonly retryMostMs: number
  /** Least wait before a printer that could not be opened is tried again, when labels for it arrive meanwhile. */
  readonly spaceMs: number
  /** Time without a byte after which a printer is shown as stopped. */
  readonly stallMs: number
  readonly openMs: number
  readonly confirmMs: number
  /** Interval between two questions whether a label has come out. */
  readonly confirmAskMs: number
  /** Interval between two questions to a printer that said what keeps it from printing. */
  readonly blockedAskMs: number
  /** Age from which an answer is refreshed while a page shows the printer. */
  readonly attendMs: number
  /** Bytes that are handed at a time to devices without a size of their own. */
  readonly chunkBytes: number
}

/** The times in use. */
export const TIMING: Timing = {
  retryFirstMs: 1000,
  retryMostMs: 60_000,
  spaceMs: 100,
  stallMs: 10_000,
  openMs: 30_000,
  confirmMs: 30_000,
  confirmAskMs: 250,
  blockedAskMs: 3_000,
  attendMs: 60_000, // a page that stays open must not keep others off the printer's line
  chunkBytes: 16_384,
}

/** The parts that every queue shares. */
export interface QueueParts {
  readonly spool: Spool
  readonly printers: Pick<Printers, 'get' | 'open' | 'report' | 'pausedHint' | 'at' | 'setPaused'>
  readonly renderer: Pick<Renderer, 'render' | 'pdfs'>
  readonly underway: UnprovenLabels
  /** Left out = no printer is queried. */
  readonly asker?: StatusAsker | undefined
  readonly policy: () => InterruptPolicy
  readonly now: () => number
  readonly timing: Timing
  /** Waits for as long as the n-th failure in a row requires. */
  readonly pause: (failures: number) => Promise<void>
  /** Milliseconds of that wait. */
  readonly backOff: (failures: number) => number
  /** Called with faults that disturb nothing else. */
  readonly fault: (error: unknown) => void
}

// A printer of no known speed prints 2 inches a second; a 4x6 label is out after some 6 s.
const SLOWEST_SPEED = 2 // inches a second
const USUAL_LENGTH = 6 // inches
const LABEL_MS = 3_000 // to read and draw it
const BYTES_A_MS = 20
/** Labels that a printer may hold: those before the last ones are out when it takes the next. */
const LABELS_MOST = 20

interface Label {
  readonly id: string
  readonly outAt: number
}

type DevicePlace = Pick<Printer, 'uri'>

/**
 * Labels that a printer took without saying that they came out. Until their time is over they may still be in its memory, where the command
 * that clears half a label wipes them too.
 */
export class UnprovenLabels {
  readonly #labels = new Map<string, readonly Label[]>()

  /** Adds a label. `at`: milliseconds of a clock that is never set. */
  add(
    printer: Pick<Printer, 'uri' | 'labelHeight' | 'speed'>,
    label: { readonly id: string; readonly bytes: number },
    at: number,
  ): void {
    const inside = this.#inside(printer, at)
    const { labelHeight = USUAL_LENGTH, speed } = printer
    const inches = labelHeight / Math.max(speed ?? SLOWEST_SPEED, 1)
    const ms = LABEL_MS + inches * 1000 + label.bytes / BYTES_A_MS
    const outAt = Math.max(at, inside.at(-1)?.outAt ?? 0) + ms
    this.#labels.set(placeOf(printer.uri), [
      ...inside.slice(1 - LABELS_MOST),
      { id: label.id, outAt },
    ])
  }

  /** Lists the ids of the labels that may still be inside, in their order. */
  list(printer: DevicePlace, at: number): readonly string[] {
    return this.#inside(printer, at).map(({ id }) => id)
  }

  #inside({ uri }: DevicePlace, at: number): readonly Label[] {
    return (this.#labels.get(placeOf(uri)) ?? []).filter(({ outAt }) => outAt > at)
  }
}

/** A wait that can be ended early. */
export class Nudge {
  /** True when it was ended since this was last set to false. */
  wasGiven = false
  #end: (() => void) | undefined

  give(): void {
    this.wasGiven = true
    this.end()
  }

  /** Ends the wait, if there is one. */
  end(): void {
    this.#end?.()
  }

  async wait(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms).unref()
    this.#end = resolve
    await promise
    clearTimeout(timer)
    this.#end = undefined
  }
}
