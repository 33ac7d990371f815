import type { Size } from './plane.ts'

const MIDDLE = 128
const EVERY = 4 // looking at every fourth row and column is enough to meet any bar code
const COLUMNS_MAX = 1000 // of very wide pictures at fewer
const LONGEST = 32 // runs longer than this are no fine bars
const LENGTHS = LONGEST + 1
const BUSY_RUNS = 20 // a Code 128 of one digit pair has 16 bars; text of a few letters has fewer
const FINE_SHARE = 0.1
const GREY_SHARE = 1 / 3 // a line with more grey than this is of a photo
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
    let grey = 0
    for (let x = 0; x <= row.length; x++) {
      const luma = x < row.length ? (row[x] as number) : 255
      if (isGrey(luma)) grey++
      if (luma < MIDDLE) run++
      else if (run > 0) {
        const length = Math.min(run, LONGEST)
        lengths[length] = (lengths[length] as number) + 1
        runs++
        run = 0
      }
    }
    if (runs < BUSY_RUNS || grey > row.length * GREY_SHARE) return
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
  readonly #grey: Uint32Array

  constructor(lines: number) {
    this.#lengths = new Uint32Array(lines * LENGTHS)
    this.#runs = new Uint32Array(lines)
    this.#run = new Uint32Array(lines)
    this.#grey = new Uint32Array(lines)
  }

  /** The next `count` pixels of all lines: every pixel of the row that is a multiple of `step`. */
  take(row: Uint8Array, step: number, count: number): void {
    const run = this.#run
    const grey = this.#grey
    for (let x = 0, line = 0; x < row.length; x += step, line++) {
      const luma = row[x] as number
      if (isGrey(luma)) grey[line] = (grey[line] as number) + count
      if (luma < MIDDLE) run[line] = (run[line] as number) + count
      else if (run[line] !== 0) this.#close(line)
    }
  }

  /** Adds the lines that are busy enough to `counts`. */
  end(counts: Uint32Array, pixels: number): void {
    for (let line = 0; line < this.#runs.length; line++) {
      if (this.#run[line] !== 0) this.#close(line)
      const grey = this.#grey[line] as number
      if ((this.#runs[line] as number) < BUSY_RUNS || grey > pixels * GREY_SHARE) continue
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
function isGrey(luma: number): boolean {
  return luma <= WHITE_ABOVE && luma >= BLACK_BELOW
}
