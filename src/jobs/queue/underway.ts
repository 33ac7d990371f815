import type { Printer } from '../../printers/printer.ts'
import { placeOf } from '../../printers/same-place.ts'

// A printer of no known speed prints 2 inches a second; a 4x6 label is out after some 6 s.
const SLOWEST_SPEED = 2 // inches a second
const USUAL_LENGTH = 6 // inches
const LABEL_MS = 3_000 // to read and draw it
const BYTES_A_MS = 20
/** A printer holds a few more at the most; those before them are out when it takes the next. */
const LABELS_MOST = 20

interface Label {
  readonly id: string
  readonly outAt: number
}

type Place = Pick<Printer, 'uri'>

/**
 * Labels that a printer took without saying that they came out. Until their time is over they may still be in its memory,
 * where the command that clears half a label wipes them too.
 */
export class Underway {
  readonly #labels = new Map<string, readonly Label[]>()

  /** Milliseconds since the epoch. */
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

  /** Ids of those that may still be inside, in their order. */
  list(printer: Place, at: number): readonly string[] {
    return this.#inside(printer, at).map(({ id }) => id)
  }

  #inside({ uri }: Place, at: number): readonly Label[] {
    return (this.#labels.get(placeOf(uri)) ?? []).filter(({ outAt }) => outAt > at)
  }
}
