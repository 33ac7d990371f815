import { freeMemory } from '../../../system/memory.ts'
import type { TakeRow } from '../decoder.ts'
import type { GifHeader } from '../gif-header.ts'
import { makeMemory, splitBands } from '../memory.ts'
import { decodeLzw } from './lzw.ts'

const WHITE = 255

/** The four passes of an interlaced picture (GIF89a, appendix E): first row and step. */
const PASSES = [
  [0, 8],
  [4, 8],
  [2, 4],
  [1, 2],
] as const

/**
 * Decodes the first picture on its screen; what it leaves open, and what is transparent, is white paper. Holds a row;
 * of an interlaced picture, whose rows come out of order, a band of them.
 * @throws PlatenError PICTURE_BROKEN
 */
export function decodeGif(bytes: Uint8Array, header: GifHeader, take: TakeRow): void {
  const { width, height, firstFrame } = header
  const { x, y: top, isInterlaced } = firstFrame
  const row = new Uint8Array(width).fill(WHITE)
  for (let y = 0; y < top; y++) take(row, y)
  let y = top
  const put = (luma: Uint8Array): void => {
    row.set(luma, x)
    take(row, y++)
  }
  if (isInterlaced) {
    for (const luma of readInterlaced(bytes, header)) put(luma)
  } else readRows(bytes, header, put)
  row.fill(WHITE)
  while (y < height) take(row, y++)
}

/** Rows of the picture as stored; each is reused after the call. */
function readRows(bytes: Uint8Array, header: GifHeader, put: (luma: Uint8Array) => void): void {
  const { width, height, dataStart } = header.firstFrame
  const table = lumaTable(bytes, header)
  const row = new Uint8Array(width)
  let filled = 0
  decodeLzw(bytes, dataStart, width * height, (indices) => {
    for (let at = 0; at < indices.length; ) {
      const count = Math.min(width - filled, indices.length - at)
      for (let n = 0; n < count; n++) row[filled + n] = table[indices[at + n] as number] as number
      at += count
      filled += count
      if (filled < width) return
      put(row)
      filled = 0
    }
  })
}

/** A large picture is decoded again for each band of it that fits. */
function* readInterlaced(bytes: Uint8Array, header: GifHeader): Generator<Uint8Array> {
  const { width, height } = header.firstFrame
  const order = interlacedOrder(height)
  for (const { top, bottom } of splitBands(width, height)) {
    const length = width * (bottom - top)
    const held = new Uint8Array(makeMemory(length), 0, length)
    let stored = 0
    readRows(bytes, header, (row) => {
      const y = order[stored++] as number
      if (y >= top && y < bottom) held.set(row, (y - top) * width)
    })
    for (let y = top; y < bottom; y++) yield held.subarray((y - top) * width, (y - top + 1) * width)
    freeMemory(held)
  }
}

function lumaTable(bytes: Uint8Array, { palette, firstFrame }: GifHeader): Uint8Array {
  // Colours beyond the palette are undefined in GIF89a; they are black, as in most viewers.
  const table = new Uint8Array(256)
  const [from, to] = palette
  for (let at = from, n = 0; at < to; at += 3, n++) {
    table[n] = (77 * (bytes[at] ?? 0) + 150 * (bytes[at + 1] ?? 0) + 29 * (bytes[at + 2] ?? 0)) >> 8
  }
  if (firstFrame.transparent !== undefined) table[firstFrame.transparent] = WHITE
  return table
}

/** Where each row of the file belongs. */
function interlacedOrder(height: number): Uint32Array {
  const order = new Uint32Array(height)
  let stored = 0
  for (const [first, step] of PASSES) {
    for (let y = first; y < height; y += step) order[stored++] = y
  }
  return order
}
