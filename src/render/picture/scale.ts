import type { Plane, Size } from './plane.ts'

/** Takes a picture row by row, top to bottom, and gives it back in another size. */
export interface Scaler {
  /** `row` holds one byte a pixel and may be reused after the call; `count` is how many times it comes, 1 by default. */
  take(row: Uint8Array, count?: number): void
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
  if (from.width === to.width && from.height === to.height) return createCopier(plane)
  // A source row is to.height units high, a row of the result from.height; across likewise. Sums stay below 2^53.
  const area = from.width * from.height
  const spread = makeSpread(from.width, to.width)
  const line = new Float64Array(to.width)
  const sums = new Float64Array(to.width)
  let room = from.height // units that the present row of the result still wants
  let at = 0
  return {
    plane,
    take(row, count = 1) {
      spread(row, line)
      for (let left = to.height * count; left > 0; ) {
        const part = Math.min(left, room)
        addRow(sums, line, part)
        left -= part
        room -= part
        if (room > 0) continue
        at = writeRow(luma, at, sums, area)
        room = from.height
      }
    },
  }
}

function createCopier(plane: Plane): Scaler {
  let at = 0
  return {
    plane,
    take(row, count = 1) {
      for (let n = 0; n < count; n++, at += plane.width) plane.luma.set(row, at)
    },
  }
}

/** Writes the means of a whole row and begins the next one. */
function writeRow(luma: Uint8Array, from: number, sums: Float64Array, area: number): number {
  let at = from
  for (let x = 0; x < sums.length; x++) luma[at++] = (sums[x] as number) / area + 0.5
  sums.fill(0)
  return at
}

function addRow(sums: Float64Array, line: Float64Array, weight: number): void {
  for (let x = 0; x < sums.length; x++) {
    sums[x] = (sums[x] as number) + weight * (line[x] as number)
  }
}

/**
 * Makes what spreads a row over a line: a pixel is `toWidth` units wide, a sum of the line takes `width` units. Each sum
 * is a part of its first pixel, all of those between, and a part of its last one; the parts are computed once.
 */
function makeSpread(width: number, toWidth: number) {
  const first = new Uint32Array(toWidth)
  const last = new Uint32Array(toWidth)
  const firstPart = new Float64Array(toWidth)
  const lastPart = new Float64Array(toWidth)
  for (let x = 0; x < toWidth; x++) {
    const left = x * width
    const right = left + width
    const from = Math.floor(left / toWidth)
    const to = Math.ceil(right / toWidth) - 1
    first[x] = from
    last[x] = to
    firstPart[x] = Math.min(right, (from + 1) * toWidth) - left
    lastPart[x] = from === to ? 0 : right - to * toWidth
  }
  return (row: Uint8Array, line: Float64Array): void => {
    for (let x = 0; x < toWidth; x++) {
      const from = first[x] as number
      const to = last[x] as number
      let between = 0
      for (let n = from + 1; n < to; n++) between += row[n] as number
      line[x] =
        (firstPart[x] as number) * (row[from] as number) +
        toWidth * between +
        (lastPart[x] as number) * (row[to] as number)
    }
  }
}
