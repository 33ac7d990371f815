import type { Size } from '../plane.ts'

const MIDDLE = 128
const EVERY = 4 // looking at every fourth row and column is enough to meet any bar code
const COLUMNS_MAX = 1000 // of very wide pictures at fewer
const LONGEST = 32 // longer runs are not fine bars, longer gaps are between symbols
const LENGTHS = LONGEST + 1
const BARS_LEAST = 13 // of a Code 128 of one digit pair
const FINE_SHARE = 0.1
// A line through a symbol is half dark: on labels of UPS and DPD 0.43 to 0.53 of one through bars, 0.40 to 0.48 of most
// through an Aztec or MaxiCode, 0.17 to 0.28 of most through text.
const DARK_LEAST = 0.39
const DARK_MOST = 0.61
const GRAY_SHARE = 1 / 3 // what has more gray than this is a photo
const BLACK_BELOW = 56
const WHITE_ABOVE = 199
// The next line through a symbol begins and ends about where this one does; that of a text is seldom half dark as well.
const LIKE = 24

/** Measures the finest bars of a picture while its rows go by. */
export interface BarMeter {
  /** `count` equal rows, 1 by default, the first at `y`. */
  take(row: Uint8Array, y: number, count?: number): void
  /** Pixels, or undefined when the picture has nothing like bars. */
  finest(): number | undefined
}

/**
 * Counts how long the dark runs are where many of them stand side by side and take half the place, line after line, as
 * bars and the modules of symbols do and letters do not. The finest bars are as wide as the tenth part of these runs at
 * most.
 */
export function createBarMeter({ width, height }: Size): BarMeter {
  const step = Math.max(EVERY, Math.ceil(width / COLUMNS_MAX))
  const across = new ScanLines(1)
  const down = new ScanLines(Math.ceil(width / step))
  return {
    take(row, y, count = 1) {
      for (let x = 0, line = 0; x < width; x += step, line++) {
        down.take(line, row[x] as number, y, count)
      }
      if (y + count === height) down.end(height)
      const first = Math.ceil(y / EVERY)
      const times = Math.ceil((y + count) / EVERY) - first
      if (times === 0) return
      across.place(first, times)
      for (let x = 0; x < width; x++) across.take(0, row[x] as number, x, 1)
      across.end(width)
    },
    finest: () => findFinest([...findSymbols(across.groups), ...findSymbols(down.groups)]),
  }
}

/** Dark runs side by side on a line, or on several that are alike. */
interface RunGroup {
  readonly line: number
  readonly times: number
  readonly start: number
  readonly end: number
  /** Number of runs of each length. */
  readonly lengths: Uint32Array
}

/** Groups that have their like on the lines before and after. */
function findSymbols(groups: readonly RunGroup[]): readonly RunGroup[] {
  const [before, after] = [new Map<number, RunGroup[]>(), new Map<number, RunGroup[]>()]
  for (const group of groups) {
    const { line, times } = group
    before.set(line + times, [...(before.get(line + times) ?? []), group])
    after.set(line - 1, [...(after.get(line - 1) ?? []), group])
  }
  return groups.filter((group) => {
    const isLike = ({ start, end }: RunGroup): boolean =>
      Math.abs(start - group.start) <= LIKE && Math.abs(end - group.end) <= LIKE
    const isBefore = before.get(group.line)?.some(isLike) ?? false
    const isAfter = after.get(group.line + group.times - 1)?.some(isLike) ?? false
    return group.times > 2 || (isBefore && isAfter)
  })
}

function findFinest(groups: readonly RunGroup[]): number | undefined {
  const counts = Array.from({ length: LENGTHS }, (_, length) =>
    groups.reduce((sum, { times, lengths }) => sum + times * (lengths[length] as number), 0),
  )
  const all = counts.reduce((sum, count) => sum + count, 0)
  if (all === 0) return undefined
  let seen = 0
  return counts.findIndex((count) => {
    seen += count
    return seen >= all * FINE_SHARE
  })
}

/** Rows or columns side by side: of each the group of dark runs that is going by, and all that were symbols'. */
class ScanLines {
  readonly groups: RunGroup[] = []
  #first = 0
  #times = 1
  /** Lengths of the group's runs, by line and length. */
  readonly #lengths: Uint32Array
  readonly #runs: Uint32Array
  readonly #dark: Uint32Array
  readonly #gray: Uint32Array
  readonly #start: Uint32Array
  /** End of the last run. */
  readonly #end: Uint32Array
  /** Pixels of the run that is going by. */
  readonly #run: Uint32Array

  constructor(lines: number) {
    this.#lengths = new Uint32Array(lines * LENGTHS)
    this.#runs = new Uint32Array(lines)
    this.#dark = new Uint32Array(lines)
    this.#gray = new Uint32Array(lines)
    this.#start = new Uint32Array(lines)
    this.#end = new Uint32Array(lines)
    this.#run = new Uint32Array(lines)
  }

  /** The lines that come are these: `first`, and so many in all that are alike. */
  place(first: number, times: number): void {
    this.#first = first
    this.#times = times
  }

  /** The next `count` pixels of a line, the first of them at `at`. */
  take(line: number, luma: number, at: number, count: number): void {
    const run = this.#run
    if (luma < MIDDLE) {
      if (run[line] === 0) this.#begin(line, at)
      run[line] = (run[line] as number) + count
    } else if (run[line] !== 0) this.#close(line, at)
    // White is asked for first: most of a label is.
    if (luma <= WHITE_ABOVE && luma >= BLACK_BELOW) {
      this.#gray[line] = (this.#gray[line] as number) + count
    }
  }

  /** All lines end at `at`. */
  end(at: number): void {
    for (let line = 0; line < this.#runs.length; line++) {
      if (this.#run[line] !== 0) this.#close(line, at)
      this.#endGroup(line)
    }
  }

  #begin(line: number, at: number): void {
    if (this.#runs[line] !== 0 && at - (this.#end[line] as number) <= LONGEST) return
    this.#endGroup(line)
    this.#start[line] = at
  }

  #close(line: number, at: number): void {
    const run = this.#run[line] as number
    const slot = line * LENGTHS + Math.min(run, LONGEST)
    this.#lengths[slot] = (this.#lengths[slot] as number) + 1
    this.#runs[line] = (this.#runs[line] as number) + 1
    this.#dark[line] = (this.#dark[line] as number) + run
    this.#end[line] = at
    this.#run[line] = 0
  }

  #endGroup(line: number): void {
    const lengths = this.#lengths.subarray(line * LENGTHS, (line + 1) * LENGTHS)
    if (this.#isHalfDark(line)) {
      this.groups.push({
        line: this.#first + line,
        times: this.#times,
        start: this.#start[line] as number,
        end: this.#end[line] as number,
        lengths: lengths.slice(),
      })
    }
    if (this.#runs[line] !== 0) lengths.fill(0)
    this.#runs[line] = 0
    this.#dark[line] = 0
    this.#gray[line] = 0
  }

  #isHalfDark(line: number): boolean {
    if ((this.#runs[line] as number) < BARS_LEAST) return false
    const length = (this.#end[line] as number) - (this.#start[line] as number)
    const dark = (this.#dark[line] as number) / length
    const gray = (this.#gray[line] as number) / length
    return dark >= DARK_LEAST && dark <= DARK_MOST && gray <= GRAY_SHARE
  }
}
