import { Buffer } from 'node:buffer'
import { makeRow, unfilter } from './unfilter.ts'

/** Takes an unfiltered row, samples from byte 1 on; `isRepeated`: they are those of the row before. */
export type TakeSamples = (row: Uint8Array, isRepeated: boolean) => void

/** Cuts inflated pieces into rows and undoes their filters; holds two rows. */
export class RowReader {
  /** Of all rows with their filter bytes. */
  readonly bytes: number
  #row: Uint8Array
  #above: Uint8Array
  #filled = 0
  #isFirst = true
  #left: number
  readonly #step: number
  readonly #take: TakeSamples

  /** @param rowBytes bytes of the samples of a row; @param rows how many come; @param step bytes of a pixel, at least 1 */
  constructor(rowBytes: number, rows: number, step: number, take: TakeSamples) {
    this.bytes = (rowBytes + 1) * rows
    this.#row = makeRow(rowBytes)
    this.#above = makeRow(rowBytes)
    this.#left = rows
    this.#step = step
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
      const count = Math.min(this.#row.length - this.#filled, piece.length - at)
      this.#row.set(piece.subarray(at, at + count), this.#filled)
      this.#filled += count
      at += count
      if (this.#filled === this.#row.length) this.#finishRow()
    }
    return at
  }

  #finishRow(): void {
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
