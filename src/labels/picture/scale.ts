import type { Plane, Size } from '../plane.ts'

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
  const line = new Int32Array(to.width)
  const sums = new Float64Array(to.width)
  let room = from.height // units that the present row of the result still wants
  let at = 0
  return {
    plane,
    take(row, count = 1) {
      spread(row, line)
      let left = to.height * count
      if (left < room) {
        addRow(sums, line, left)
        room -= left
        return
      }
      left -= room
      for (let part = room; ; part = 0) {
        const next = Math.min(left, from.height)
        finishRow(luma.subarray(at, at + to.width), sums, line, { part, next, area })
        at += to.width
        left -= next
        room = from.height - next
        if (room > 0) return
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

/** Adds `part` units of a line, writes the means of the whole row, and begins the next one with `next` units. */
function finishRow(
  luma: Uint8Array,
  sums: Float64Array,
  line: Int32Array,
  { part, next, area }: { readonly part: number; readonly next: number; readonly area: number },
): void {
  // Rounded as a division would: a quarter away from a whole number no product is off, and it costs a third.
  const half = area / 2 + 0.25
  const share = 1 / area
  for (let x = 0; x < luma.length; x++) {
    const value = line[x] as number
    luma[x] = ((sums[x] as number) + part * value + half) * share
    sums[x] = next * value
  }
}

function addRow(sums: Float64Array, line: Int32Array, part: number): void {
  for (let x = 0; x < sums.length; x++) {
    sums[x] = (sums[x] as number) + part * (line[x] as number)
  }
}

type Spread = (row: Uint8Array, line: Int32Array) => void

/**
 * Makes what spreads a row over a line: a pixel is `toWidth` units wide, a sum of the line takes `width` units. What each
 * sum takes of which pixels is computed once.
 */
function makeSpread(width: number, toWidth: number): Spread {
  return width >= TAPS && width <= (TAPS - 1) * toWidth
    ? spreadFew(width, toWidth)
    : spreadMany(width, toWidth)
}

const TAPS = 4
const ALL_WHITE = -1

/** A sum that takes of at most four pixels reads them as one word; on a label most are white. */
function spreadFew(width: number, toWidth: number): Spread {
  const taps = new Int32Array(toWidth * (1 + TAPS))
  for (let x = 0, to = 0; x < toWidth; x++) {
    const left = x * width
    const first = Math.min(Math.floor(left / toWidth), width - TAPS)
    taps[to++] = first
    for (let n = first; n < first + TAPS; n++) {
      const [from, until] = [Math.max(left, n * toWidth), Math.min(left + width, (n + 1) * toWidth)]
      taps[to++] = Math.max(0, until - from)
    }
  }
  const white = 255 * width
  return (row, line) => spreadWords(new DataView(row.buffer, row.byteOffset), line, taps, white)
}

function spreadWords(row: DataView, line: Int32Array, taps: Int32Array, white: number): void {
  for (let x = 0, n = 0; x < line.length; x++, n += 1 + TAPS) {
    const four = row.getInt32(taps[n] as number, true)
    line[x] =
      four === ALL_WHITE
        ? white
        : Math.imul(taps[n + 1] as number, four & 0xff) +
          Math.imul(taps[n + 2] as number, (four >> 8) & 0xff) +
          Math.imul(taps[n + 3] as number, (four >> 16) & 0xff) +
          Math.imul(taps[n + 4] as number, four >>> 24)
  }
}

/** A sum is a part of its first pixel, all of those between, and a part of its last one. */
function spreadMany(width: number, toWidth: number): Spread {
  const first = new Uint32Array(toWidth)
  const last = new Uint32Array(toWidth)
  const firstPart = new Int32Array(toWidth)
  const lastPart = new Int32Array(toWidth)
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
  return (row, line) => {
    for (let x = 0; x < toWidth; x++) {
      const from = first[x] as number
      const to = last[x] as number
      let between = 0
      for (let n = from + 1; n < to; n++) between += row[n] as number
      line[x] =
        Math.imul(firstPart[x] as number, row[from] as number) +
        Math.imul(toWidth, between) +
        Math.imul(lastPart[x] as number, row[to] as number)
    }
  }
}
