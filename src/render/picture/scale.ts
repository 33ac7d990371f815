import type { Plane, Size } from './plane.ts'

/** Takes a picture row by row, top to bottom, and gives it back in another size. */
export interface Scaler {
  /** `row` holds one byte a pixel and may be reused after the call. */
  take(row: Uint8Array): void
  /** The scaled picture, once all rows were taken. */
  readonly plane: Plane
}

/**
 * Area average: every dot of the result is the mean of what it covers, so whole factors stay sharp and bars keep
 * their share of ink (of eight ways tried, the most bar codes stayed readable with this one). The arithmetic is in
 * whole numbers, so the same picture gives the same dots on every machine.
 */
export function createScaler(from: Size, to: Size): Scaler {
  const luma = new Uint8Array(to.width * to.height)
  const plane = { width: to.width, height: to.height, luma }
  if (from.width === to.width && from.height === to.height) {
    let at = 0
    return {
      plane,
      take(row) {
        luma.set(row, at)
        at += to.width
      },
    }
  }
  // A source row is to.height units high, a row of the result from.height; across likewise. Sums stay below 2^53.
  const area = from.width * from.height
  const line = new Float64Array(to.width)
  const sums = new Float64Array(to.width)
  let room = from.height // units that the present row of the result still wants
  let at = 0
  return {
    plane,
    take(row) {
      addAcross(row, line, from.width)
      for (let left = to.height; left > 0; ) {
        const part = Math.min(left, room)
        addRow(sums, line, part)
        left -= part
        room -= part
        if (room > 0) continue
        for (let x = 0; x < to.width; x++) luma[at++] = Math.round((sums[x] ?? 0) / area)
        sums.fill(0)
        room = from.height
      }
    },
  }
}

/** Spreads a row over `line`: each of its pixels is `line.length` units wide, each sum takes `width` units. */
function addAcross(row: Uint8Array, line: Float64Array, width: number): void {
  line.fill(0)
  let x = 0
  let room = width
  for (const luma of row) {
    for (let left = line.length; left > 0; ) {
      const part = Math.min(left, room)
      line[x] = (line[x] ?? 0) + part * luma
      left -= part
      room -= part
      if (room === 0) {
        x++
        room = width
      }
    }
  }
}

function addRow(sums: Float64Array, line: Float64Array, weight: number): void {
  for (let x = 0; x < sums.length; x++) sums[x] = (sums[x] ?? 0) + weight * (line[x] ?? 0)
}
