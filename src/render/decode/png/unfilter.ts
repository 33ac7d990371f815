import { PlatenError } from '../../../errors.ts'

/**
 * Undoes the filter of one row in place (PNG, third edition, 9.2). `row` and `above` hold the filter byte at 0 and the
 * samples from 1; `above` is the row before, all 0 for the first; `step` is the bytes of one whole pixel, at least 1.
 * @throws PlatenError PICTURE_BROKEN
 */
export function unfilter(row: Uint8Array, above: Uint8Array, step: number): void {
  const filter = row[0] as number
  if (filter > 4) {
    throw new PlatenError(
      'PICTURE_BROKEN',
      `The PNG has a row with the filter ${filter}; wanted 0 to 4.`,
    )
  }
  if (filter === 1) addLeft(row, step)
  else if (filter === 2) addAbove(row, above)
  else if (filter === 3) addMean(row, above, step)
  else if (filter === 4) addPaeth(row, above, step)
}

function addLeft(row: Uint8Array, step: number): void {
  for (let i = step + 1; i < row.length; i++)
    row[i] = (row[i] as number) + (row[i - step] as number)
}

function addAbove(row: Uint8Array, above: Uint8Array): void {
  for (let i = 1; i < row.length; i++) row[i] = (row[i] as number) + (above[i] as number)
}

function addMean(row: Uint8Array, above: Uint8Array, step: number): void {
  const first = Math.min(step + 1, row.length)
  for (let i = 1; i < first; i++) row[i] = (row[i] as number) + ((above[i] as number) >> 1)
  for (let i = first; i < row.length; i++) {
    row[i] = (row[i] as number) + (((row[i - step] as number) + (above[i] as number)) >> 1)
  }
}

function addPaeth(row: Uint8Array, above: Uint8Array, step: number): void {
  const first = Math.min(step + 1, row.length)
  for (let i = 1; i < first; i++) row[i] = (row[i] as number) + (above[i] as number)
  for (let i = first; i < row.length; i++) {
    const guess = paeth(row[i - step] as number, above[i] as number, above[i - step] as number)
    row[i] = (row[i] as number) + guess
  }
}

/** Of left, above and upper left the one nearest to left + above - upper left. */
function paeth(left: number, up: number, corner: number): number {
  const toLeft = Math.abs(up - corner)
  const toUp = Math.abs(left - corner)
  const toCorner = Math.abs(left + up - 2 * corner)
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}
