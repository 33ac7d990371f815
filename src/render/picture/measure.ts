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
