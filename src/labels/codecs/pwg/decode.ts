import type { TakeRow } from '../decoder.ts'
import { drawnGroups, type RasterHeader, REST_IS_WHITE, samplesOf, storedGroups } from './header.ts'

/** Rows in gray. Rows that repeat are unpacked once. */
export function decodeRaster(bytes: Uint8Array, page: RasterHeader, take: TakeRow): void {
  const { space, bitsPerPixel } = page
  // Most pages: a row is its luma already.
  if (space === 'gray' && bitsPerPixel === 8) {
    eachRow(bytes, page, take)
    return
  }
  const luma = new Uint8Array(page.width)
  eachRow(bytes, page, (packed, y, isRepeated) => {
    if (!isRepeated) spread(packed, page, luma)
    take(luma, y)
  })
}

/** Rows of one bit a pixel, 1 black. */
export function decodeRasterBits(bytes: Uint8Array, page: RasterHeader, take: TakeRow): void {
  const turned = page.space === 'black' ? 0 : 0xff
  const spare = page.width & 7
  const row = new Uint8Array(page.bytesPerLine)
  eachRow(bytes, page, (packed, y) => {
    for (let n = 0; n < row.length; n++) row[n] = (packed[n] as number) ^ turned
    if (spare !== 0) row[row.length - 1] = (row[row.length - 1] as number) & (0xff << (8 - spare))
    take(row, y)
  })
}

function eachRow(
  bytes: Uint8Array,
  { bytesPerLine, height, start, bitsPerPixel, space }: RasterHeader,
  take: (packed: Uint8Array, y: number, isRepeated: boolean) => void,
): void {
  const group = Math.ceil(bitsPerPixel / 8)
  const white = space === 'gray' || space === 'rgb' ? 0xff : 0
  const row = new Uint8Array(bytesPerLine)
  let at = start
  for (let y = 0; y < height; ) {
    const end = Math.min(height, y + (bytes[at] as number) + 1)
    at = unpackRow(bytes, at + 1, row, { group, white })
    take(row, y++, false)
    while (y < end) take(row, y++, true)
  }
}

/** Gives where the next row begins. */
function unpackRow(
  bytes: Uint8Array,
  from: number,
  row: Uint8Array,
  { group, white }: { readonly group: number; readonly white: number },
): number {
  let at = from
  for (let x = 0; x < row.length; ) {
    const code = bytes[at++] as number
    if (code === REST_IS_WHITE) {
      row.fill(white, x)
      return at
    }
    const stored = storedGroups(code) * group
    const drawn = drawnGroups(code) * group
    if (stored === 1) row.fill(bytes[at] as number, x, x + drawn)
    else {
      copy(bytes, at, row, x, stored)
      repeat(row, x, stored, drawn)
    }
    at += stored
    x += drawn
  }
  return at
}

/** Most runs are short: a view of each would cost more than its bytes. */
function copy(bytes: Uint8Array, at: number, row: Uint8Array, x: number, count: number): void {
  if (count > 32) row.set(bytes.subarray(at, at + count), x)
  else for (let n = 0; n < count; n++) row[x + n] = bytes[at + n] as number
}

/** Fills `length` bytes with the first `size` of them, doubling what is there already. */
function repeat(row: Uint8Array, from: number, size: number, length: number): void {
  for (let done = size; done < length; done *= 2) {
    row.copyWithin(from + done, from, from + Math.min(done, length - done))
  }
}

/** Rec. 601 luma; of 16 bits the higher byte, which comes first, is enough. */
function spread(packed: Uint8Array, { space, bitsPerPixel }: RasterHeader, luma: Uint8Array): void {
  if (bitsPerPixel === 1) {
    const one = space === 'black' ? 0 : 255
    for (let x = 0; x < luma.length; x++) {
      luma[x] = ((packed[x >> 3] as number) & (0x80 >> (x & 7))) !== 0 ? one : 255 - one
    }
    return
  }
  const samples = samplesOf(space)
  const size = bitsPerPixel / samples / 8
  const sampleAt = (x: number, n: number): number => packed[(x * samples + n) * size] as number
  const colorAt = (x: number): number =>
    (77 * sampleAt(x, 0) + 150 * sampleAt(x, 1) + 29 * sampleAt(x, 2)) >> 8
  const toLuma: Readonly<Record<typeof space, (x: number) => number>> = {
    gray: (x) => sampleAt(x, 0),
    black: (x) => 255 - sampleAt(x, 0),
    rgb: colorAt,
    cmyk: (x) => Math.max(0, 255 - colorAt(x) - sampleAt(x, 3)),
  }
  const lumaAt = toLuma[space]
  for (let x = 0; x < luma.length; x++) luma[x] = lumaAt(x)
}
