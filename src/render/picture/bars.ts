import type { Size } from './plane.ts'

const MIDDLE = 128
const EVERY = 4 // looking at every fourth row and column is enough to meet any bar code
const COLUMNS_MAX = 1000 // of very wide pictures at fewer
const LONGEST = 32 // runs longer than this are no fine bars
const BUSY_RUNS = 20 // a Code 128 of one digit pair has 16 bars; text of a few letters has fewer
const FINE_SHARE = 0.1
const GREY_SHARE = 1 / 3 // a line with more grey than this is of a photo
const BLACK_BELOW = 56
const WHITE_ABOVE = 199

/** Measures the finest bars of a picture while its rows go by. */
export interface BarMeter {
  take(row: Uint8Array, y: number): void
  /** Pixels, or undefined when the picture has nothing like bars. */
  finest(): number | undefined
}

/**
 * Counts how long the dark runs are in rows and columns that have many of them. The finest bars are as wide as the
 * tenth part of these runs at most; text counts like bars.
 */
export function createBarMeter({ width, height }: Size): BarMeter {
  const counts = new Uint32Array(LONGEST + 1)
  const line = new Line()
  const step = Math.max(EVERY, Math.ceil(width / COLUMNS_MAX))
  const columns = Array.from({ length: Math.ceil(width / step) }, () => new Line())
  return {
    take(row, y) {
      for (const [n, column] of columns.entries()) column.take(row[n * step] ?? 255)
      if (y === height - 1) for (const column of columns) column.end(counts)
      if (y % EVERY !== 0) return
      for (const luma of row) line.take(luma)
      line.end(counts)
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

/** One row or column: the lengths of its dark runs. */
class Line {
  readonly #lengths = new Uint16Array(LONGEST + 1)
  #runs = 0
  #run = 0
  #grey = 0
  #pixels = 0

  take(luma: number): void {
    this.#pixels++
    if (luma >= BLACK_BELOW && luma <= WHITE_ABOVE) this.#grey++
    if (luma < MIDDLE) this.#run++
    else if (this.#run > 0) this.#close()
  }

  /** Adds the line to `counts` if it is busy enough, and begins a new one. */
  end(counts: Uint32Array): void {
    if (this.#run > 0) this.#close()
    if (this.#runs >= BUSY_RUNS && this.#grey <= this.#pixels * GREY_SHARE) {
      for (const [length, count] of this.#lengths.entries()) {
        counts[length] = (counts[length] ?? 0) + count
      }
    }
    this.#lengths.fill(0)
    this.#runs = 0
    this.#grey = 0
    this.#pixels = 0
  }

  #close(): void {
    const length = Math.min(this.#run, LONGEST)
    this.#lengths[length] = (this.#lengths[length] ?? 0) + 1
    this.#runs++
    this.#run = 0
  }
}
