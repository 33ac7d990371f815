/** Test for a pixel belonging to the same as the one before it in the row (`step` 1) or above it (`step` width). */
type PixelJoin = (at: number, step: number) => boolean

/**
 * Pixels that hang together, as runs of rows: letters and boxes are few runs, so that no plane of numbers is needed. A run may
 * jump over `gap` pixels that do not belong to it.
 */
export class Runs {
  readonly starts: number[] = []
  readonly ends: number[] = []
  /** The first run of each row, and the end of all. */
  readonly rows: Uint32Array
  readonly #parents: number[] = []

  /** Collects the runs of pixels that are 1 in `mask`. */
  constructor(mask: Uint8Array, width: number, joins: PixelJoin, gap = 0) {
    const height = mask.length / width
    this.rows = new Uint32Array(height + 1)
    for (let y = 0; y < height; y++) {
      this.rows[y] = this.starts.length
      this.#readRow(mask.subarray(y * width, (y + 1) * width), y * width, joins, gap)
      if (y > 0) this.#join(y, width, joins, gap)
    }
    this.rows[height] = this.starts.length
  }

  get count(): number {
    return this.starts.length
  }

  /** The run that stands for all that hang together with this one. */
  root(run: number): number {
    const parents = this.#parents
    let at = run
    while (parents[at] !== at) {
      parents[at] = parents[parents[at] as number] as number
      at = parents[at] as number
    }
    return at
  }

  /** All runs, row by row. */
  each(visit: (run: number, y: number, start: number, end: number) => void): void {
    for (let run = 0, y = 0; run < this.count; run++) {
      while (run >= (this.rows[y + 1] as number)) y++
      visit(run, y, this.starts[run] as number, this.ends[run] as number)
    }
  }

  /** Groups connected runs and gives for each run what was made for its group. */
  group<T>(make: () => T): readonly T[] {
    const byRoot = new Map<number, T>()
    return this.starts.map((_, run) => {
      const root = this.root(run)
      const found = byRoot.get(root) ?? make()
      byRoot.set(root, found)
      return found
    })
  }

  #readRow(mask: Uint8Array, row: number, joins: PixelJoin, gap: number): void {
    let end = -1
    for (let x = mask.indexOf(1); x >= 0 && x < mask.length; x++) {
      if (mask[x] === 0) {
        x = mask.indexOf(1, x)
        if (x < 0) return
      }
      if (end >= 0 && x - end <= gap && (x > end || joins(row + x, 1))) {
        end = x + 1
        this.ends[this.ends.length - 1] = end
        continue
      }
      this.#parents.push(this.starts.length)
      this.starts.push(x)
      end = x + 1
      this.ends.push(end)
    }
  }

  /** Runs of a row with those above it. */
  #join(y: number, width: number, joins: PixelJoin, gap: number): void {
    const { starts, ends, rows } = this
    let above = rows[y - 1] as number
    const first = rows[y] as number
    for (let run = first; run < starts.length; run++) {
      const [start, end] = [starts[run] as number, ends[run] as number]
      while (above < first && (ends[above] as number) <= start) above++
      for (let other = above; other < first && (starts[other] as number) < end; other++) {
        const from = Math.max(start, starts[other] as number)
        const to = Math.min(end, ends[other] as number)
        if (gap > 0 || joinsAbove(joins, y * width, from, to, width)) {
          this.#parents[this.root(run)] = this.root(other)
        }
      }
    }
  }
}

function joinsAbove(
  joins: PixelJoin,
  row: number,
  from: number,
  to: number,
  width: number,
): boolean {
  for (let x = from; x < to; x++) if (joins(row + x, width)) return true
  return false
}
