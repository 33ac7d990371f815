import { Buffer } from 'node:buffer'
import type { TakeRow } from '../decode/decoder.ts'
import type { Box, Size } from './plane.ts'

/** Takes `count` equal rows at once, the first of them at `y`. The row is reused after the call. */
export type TakeRows = (row: Uint8Array, y: number, count: number) => void

/** Rows in, groups of equal neighbors out. */
export interface RowGroups {
  readonly take: TakeRow
  /** Hands on the last group. */
  end(): void
}

/**
 * Puts equal rows together. Bars, frames and paper are the same row many times over, so whoever counts or scales rows
 * has most of a label's work done once; comparing costs next to nothing.
 */
export function groupRows(width: number, take: TakeRows): RowGroups {
  const held = new Uint8Array(width)
  let first = 0
  let count = 0
  const end = (): void => {
    if (count > 0) take(held, first, count)
    count = 0
  }
  return {
    take(row, y) {
      if (count > 0 && Buffer.compare(row, held) === 0) {
        count++
        return
      }
      end()
      held.set(row)
      first = y
      count = 1
    },
    end,
  }
}

const PAPER = 200 // luma from which a pixel is paper
const SPECK = 3 // fewer dark pixels in a row or column are dust

/** Finds where a picture has ink while its rows go by. */
export interface InkFinder {
  readonly take: TakeRows
  /**
   * The box around everything darker than paper, single specks left out, or undefined when there is nothing. Rows and
   * columns with fewer than three dark pixels do not count.
   */
  box(): Box | undefined
}

/** For a picture of this size. */
export function createInkFinder({ width, height }: Size): InkFinder {
  const columns = new Uint32Array(width)
  // Only columns beyond those known to hold ink can still move the ends, so only they are counted.
  let [left, right] = [width, -1]
  let [top, bottom] = [height, -1]
  const count = (row: Uint8Array, from: number, to: number, times: number): void => {
    for (let x = from; x < to; x++) {
      if ((row[x] as number) >= PAPER) continue
      const dark = (columns[x] as number) + times
      columns[x] = dark
      if (dark < SPECK) continue
      left = Math.min(left, x)
      right = Math.max(right, x)
    }
  }
  return {
    take(row, y, times) {
      const [from, to] = [left, right + 1]
      count(row, 0, from, times)
      if (to < width) count(row, Math.max(from, to), width, times)
      if (!hasInk(row)) return
      top = Math.min(top, y)
      bottom = y + times - 1
    },
    box() {
      if (top > bottom || left > right) return undefined
      return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 }
    },
  }
}

/** True of a row with more than specks. */
export function hasInk(row: Uint8Array): boolean {
  let dark = 0
  for (let x = 0; x < row.length; x++) {
    if ((row[x] as number) < PAPER && ++dark === SPECK) return true
  }
  return false
}

const MIDDLE = 128
const EVERY = 4 // looking at every fourth row and column is enough to meet any bar code
const COLUMNS_MAX = 1000 // of very wide pictures at fewer
const LONGEST = 32 // runs longer than this are not fine bars
const LENGTHS = LONGEST + 1
const BUSY_RUNS = 20 // a Code 128 of one digit pair has 16 bars; text of a few letters has fewer
const FINE_SHARE = 0.1
const GRAY_SHARE = 1 / 3 // a line with more gray than this is of a photo
const BLACK_BELOW = 56
const WHITE_ABOVE = 199

/** Measures the finest bars of a picture while its rows go by. */
export interface BarMeter {
  /** `count` equal rows, 1 by default, the first at `y`. */
  take(row: Uint8Array, y: number, count?: number): void
  /** Pixels, or undefined when the picture has nothing like bars. */
  finest(): number | undefined
}

/**
 * Counts how long the dark runs are in rows and columns that have many of them. The finest bars are as wide as the
 * tenth part of these runs at most; text counts like bars.
 */
export function createBarMeter({ width, height }: Size): BarMeter {
  const counts = new Uint32Array(LENGTHS)
  const across = new Line()
  const step = Math.max(EVERY, Math.ceil(width / COLUMNS_MAX))
  const down = new Lines(Math.ceil(width / step))
  return {
    take(row, y, count = 1) {
      down.take(row, step, count)
      if (y + count === height) down.end(counts, height)
      const sampled = Math.ceil((y + count) / EVERY) - Math.ceil(y / EVERY)
      if (sampled === 0) return
      across.count(row, counts, sampled)
    },
    finest: () => findFinest(counts),
  }
}

function findFinest(counts: Uint32Array): number | undefined {
  const all = counts.reduce((sum, count) => sum + count, 0)
  if (all === 0) return undefined
  let seen = 0
  const finest = counts.findIndex((count) => {
    seen += count
    return seen >= all * FINE_SHARE
  })
  return finest
}

/** A row at once: the lengths of its dark runs. */
class Line {
  readonly #lengths = new Uint32Array(LENGTHS)

  /** Adds the row to `counts` if it is busy enough, `times`. */
  count(row: Uint8Array, counts: Uint32Array, times: number): void {
    const lengths = this.#lengths.fill(0)
    let runs = 0
    let run = 0
    let gray = 0
    for (let x = 0; x <= row.length; x++) {
      const luma = x < row.length ? (row[x] as number) : 255
      if (isGray(luma)) gray++
      if (luma < MIDDLE) run++
      else if (run > 0) {
        const length = Math.min(run, LONGEST)
        lengths[length] = (lengths[length] as number) + 1
        runs++
        run = 0
      }
    }
    if (runs < BUSY_RUNS || gray > row.length * GRAY_SHARE) return
    for (let length = 0; length < LENGTHS; length++) {
      counts[length] = (counts[length] as number) + times * (lengths[length] as number)
    }
  }
}

/** Columns side by side: the lengths of their dark runs. */
class Lines {
  /** By line and length. */
  readonly #lengths: Uint32Array
  readonly #runs: Uint32Array
  readonly #run: Uint32Array
  readonly #gray: Uint32Array

  constructor(lines: number) {
    this.#lengths = new Uint32Array(lines * LENGTHS)
    this.#runs = new Uint32Array(lines)
    this.#run = new Uint32Array(lines)
    this.#gray = new Uint32Array(lines)
  }

  /** The next `count` pixels of all lines: every pixel of the row that is a multiple of `step`. */
  take(row: Uint8Array, step: number, count: number): void {
    const run = this.#run
    const gray = this.#gray
    for (let x = 0, line = 0; x < row.length; x += step, line++) {
      const luma = row[x] as number
      if (isGray(luma)) gray[line] = (gray[line] as number) + count
      if (luma < MIDDLE) run[line] = (run[line] as number) + count
      else if (run[line] !== 0) this.#close(line)
    }
  }

  /** Adds the lines that are busy enough to `counts`. */
  end(counts: Uint32Array, pixels: number): void {
    for (let line = 0; line < this.#runs.length; line++) {
      if (this.#run[line] !== 0) this.#close(line)
      const gray = this.#gray[line] as number
      if ((this.#runs[line] as number) < BUSY_RUNS || gray > pixels * GRAY_SHARE) continue
      for (let length = 0, at = line * LENGTHS; length < LENGTHS; length++, at++) {
        counts[length] = (counts[length] as number) + (this.#lengths[at] as number)
      }
    }
  }

  #close(line: number): void {
    const at = line * LENGTHS + Math.min(this.#run[line] as number, LONGEST)
    this.#lengths[at] = (this.#lengths[at] as number) + 1
    this.#runs[line] = (this.#runs[line] as number) + 1
    this.#run[line] = 0
  }
}

/** White is asked for first: most of a label is. */
function isGray(luma: number): boolean {
  return luma <= WHITE_ABOVE && luma >= BLACK_BELOW
}
