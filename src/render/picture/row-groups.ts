import { Buffer } from 'node:buffer'
import type { TakeRow } from '../decode/decoder.ts'

/** Takes `count` equal rows at once, the first of them at `y`. The row is reused after the call. */
export type TakeRows = (row: Uint8Array, y: number, count: number) => void

/** Rows in, groups of equal neighbours out. */
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
