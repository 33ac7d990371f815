import { Buffer } from 'node:buffer'
import { LabelFault } from '../../fault.ts'

/** Layout of samples in the rows of a picture. */
export interface RowShape {
  /** Bytes of the samples of a row, as stored. */
  readonly rowBytes: number
  /** Number of rows. */
  readonly rows: number
  /** Bytes of a pixel, as stored, at least 1. */
  readonly step: number
  /** High bytes only: of samples of 16 bits the higher byte alone is unfiltered and handed on. */
  readonly isHighOnly: boolean
}

/** Takes an unfiltered row, samples from byte 1 on; `isRepeated`: they are those of the row before. */
export type TakeSamples = (row: Uint8Array, isRepeated: boolean) => void

/** Cuts inflated pieces into rows and undoes their filters; holds two rows. */
export class RowReader {
  /** Size of all rows with their filter bytes. */
  readonly bytes: number
  /** Buffer for a row whose lower bytes are left out; else it comes into `#row`. */
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

/**
 * Undoes the filter of one row in place (PNG, third edition, 9.2). `row` and `above` hold the filter byte at 0 and the
 * samples from 1, as `makeRow` aligns them; `above` is the row before, all 0 for the first; `step` is the bytes of one
 * whole pixel, at least 1. Returns true when the row is known to be the one above, without looking further.
 * @throws LabelFault PICTURE_BROKEN
 */
function unfilter(row: Uint8Array, above: Uint8Array, step: number): boolean {
  const filter = row[0] as number
  if (filter > 4) {
    throw new LabelFault(
      'PICTURE_BROKEN',
      `The PNG has a row with the filter ${filter}; wanted 0 to 4.`,
    )
  }
  // Labels are full of rows that repeat: nothing but zeros to add to the row above.
  if ((filter === 2 || filter === 4) && isZero(wordsOf(row))) {
    row.set(above)
    return true
  }
  if (filter === 1) addLeft(row, step)
  else if (filter === 2) addAbove(wordsOf(row), wordsOf(above))
  else if (filter === 3) addMean(row, above, step)
  else if (filter === 4) addPaeth(row, above, step)
  return false
}

/** A filter byte and samples that begin at a multiple of 4, so that they can be looked at four at a time. */
function makeRow(rowBytes: number): Uint8Array {
  return new Uint8Array(new ArrayBuffer(4 + ((rowBytes + 3) & ~3)), 3, rowBytes + 1)
}

/** The samples, and what fills up the last word, which is 0 and stays so. */
function wordsOf(row: Uint8Array): Int32Array {
  return new Int32Array(row.buffer, row.byteOffset + 1, (row.length + 2) >> 2)
}

function isZero(words: Int32Array): boolean {
  for (let n = 0; n < words.length; n++) if (words[n] !== 0) return false
  return true
}

/** Four bytes at once: the lower seven bits cannot carry into the next byte, the highest are added without a carry. */
function addAbove(row: Int32Array, above: Int32Array): void {
  for (let n = 0; n < row.length; n++) {
    const [mine, up] = [row[n] as number, above[n] as number]
    row[n] = ((mine & 0x7f7f7f7f) + (up & 0x7f7f7f7f)) ^ ((mine ^ up) & ~0x7f7f7f7f)
  }
}

// Below a pixel's bytes are gone through one after the other along the row, so that its neighbors stay at hand.

function addLeft(row: Uint8Array, step: number): void {
  for (let byte = 1; byte <= step; byte++) {
    let left = 0
    for (let i = byte; i < row.length; i += step) {
      left = ((row[i] as number) + left) & 0xff
      row[i] = left
    }
  }
}

function addMean(row: Uint8Array, above: Uint8Array, step: number): void {
  for (let byte = 1; byte <= step; byte++) {
    let left = 0
    for (let i = byte; i < row.length; i += step) {
      left = ((row[i] as number) + ((left + (above[i] as number)) >> 1)) & 0xff
      row[i] = left
    }
  }
}

function addPaeth(row: Uint8Array, above: Uint8Array, step: number): void {
  for (let byte = 1; byte <= step; byte++) addPaethAlong(row, above, byte, step)
}

/**
 * Undoes the Paeth filter: of left, above and upper left the one nearest to left + above - upper left. On paper and in bars two are alike. The
 * choice is written out within the loop: as a function of its own it is called for every byte, three times as slow.
 */
function addPaethAlong(row: Uint8Array, above: Uint8Array, byte: number, step: number): void {
  let left = 0
  let corner = 0
  for (let i = byte; i < row.length; i += step) {
    const up = above[i] as number
    let near = left
    if (left === corner) near = up
    else if (up !== corner) {
      const toLeft = Math.abs(up - corner)
      const toUp = Math.abs(left - corner)
      const toCorner = Math.abs(left + up - 2 * corner)
      if (toLeft > Math.min(toUp, toCorner)) near = toUp <= toCorner ? up : corner
    }
    left = ((row[i] as number) + near) & 0xff
    row[i] = left
    corner = up
  }
}
