import { Buffer } from 'node:buffer'
import { makeRow, unfilter } from './unfilter.ts'

/** How the samples of a picture lie in its rows. */
export interface RowShape {
  /** Bytes of the samples of a row, as stored. */
  readonly rowBytes: number
  /** How many rows come. */
  readonly rows: number
  /** Bytes of a pixel, as stored, at least 1. */
  readonly step: number
  /** Of samples of 16 bits the higher byte alone is unfiltered and handed on. */
  readonly isHighOnly: boolean
}

/** Takes an unfiltered row, samples from byte 1 on; `isRepeated`: they are those of the row before. */
export type TakeSamples = (row: Uint8Array, isRepeated: boolean) => void

/** Cuts inflated pieces into rows and undoes their filters; holds two rows. */
export class RowReader {
  /** Of all rows with their filter bytes. */
  readonly bytes: number
  /** Where a row comes in whose lower bytes are left out; else it comes into `#row`. */
  readonly #stored: Uint8Array | undefined
  #row: Uint8Array
  #above: Uint8Array
  #filled = 0
  #isFirst = true
  #left: number
  readonly #step: number
  readonly #take: TakeSamples

  constructor({ rowBytes, rows, step, isHighOnly }: RowShape, take: TakeSamples) {
    const bytes = isHighOnly ? rowBytes / 2 : rowBytes
    this.bytes = (rowBytes + 1) * rows
    this.#row = makeRow(bytes)
    this.#above = makeRow(bytes)
    if (isHighOnly) this.#stored = makeRow(rowBytes)
    this.#left = rows
    this.#step = isHighOnly ? step / 2 : step
    this.#take = take
  }

  /** All rows have come. */
  get isDone(): boolean {
    return this.#left === 0
  }

  /** Takes bytes from `from` on; returns where it stopped, which is before the end once all rows have come. */
  read(piece: Uint8Array, from: number): number {
    let at = from
    while (at < piece.length && this.#left > 0) {
      const into = this.#stored ?? this.#row
      const count = Math.min(into.length - this.#filled, piece.length - at)
      into.set(piece.subarray(at, at + count), this.#filled)
      this.#filled += count
      at += count
      if (this.#filled === into.length) this.#finishRow()
    }
    return at
  }

  #finishRow(): void {
    // Every filter adds to a byte the one of the same place in the pixels around it (PNG 9.2), so the higher bytes are
    // undone without the lower: half the work.
    if (this.#stored !== undefined) takeHigh(this.#stored, this.#row)
    const isSame = unfilter(this.#row, this.#above, this.#step)
    // Labels are full of rows that repeat, so one quick look saves most of the work that follows.
    this.#row[0] = 0
    const isRepeated = !this.#isFirst && (isSame || Buffer.compare(this.#row, this.#above) === 0)
    this.#isFirst = false
    this.#take(this.#row, isRepeated)
    const next = this.#above
    this.#above = this.#row
    this.#row = next
    this.#filled = 0
    this.#left -= 1
  }
}

/**
 * The filter byte, and of each two bytes behind it the first: two samples at once, as `makeRow` aligns them.
 */
function takeHigh(stored: Uint8Array, high: Uint8Array): void {
  high[0] = stored[0] as number
  const words = new Int32Array(stored.buffer, stored.byteOffset + 1, (stored.length + 2) >> 2)
  const pairs = new Uint16Array(high.buffer, high.byteOffset + 1, words.length)
  for (let n = 0; n < words.length; n++) {
    const word = words[n] as number
    pairs[n] = (word & 0xff) | ((word >> 8) & 0xff00)
  }
}
