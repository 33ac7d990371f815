import { Buffer } from 'node:buffer'
import { inflateSync } from 'node:zlib'
import pngjs from 'pngjs'
import { PlatenError } from '../../errors.ts'
import type { Decoder, TakeRow } from './decoder.ts'
import { lumaOfRgba } from './luma.ts'
import { type PngHeader, readPngHeader } from './png-header.ts'

/** PNG of every colour type and depth, by pngjs. */
export const png = {
  format: 'png',
  header: readPngHeader,
  decode: decodePng,
} as const satisfies Decoder<'png'>

// 8.2: first column, first row, and the step from one to the next, of each pass.
const STRAIGHT = [[0, 0, 1, 1]] as const
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

function decodePng(bytes: Uint8Array, take: TakeRow): void {
  const header = readPngHeader(bytes)
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, header.fileBytes)
  const { width, height, data } = readPixels(file, header)
  const row = new Uint8Array(width)
  for (let y = 0; y < height; y++) {
    lumaOfRgba(data, y * width * 4, row)
    take(row, y)
  }
}

function readPixels(file: Buffer, header: PngHeader) {
  try {
    checkData(file, header)
    return pngjs.PNG.sync.read(file)
  } catch (cause) {
    throw new PlatenError('PICTURE_BROKEN', `The PNG cannot be decoded: ${messageOf(cause)}.`, {
      cause,
    })
  }
}

/**
 * pngjs (lib/parser-sync.js, lib/sync-inflate.js) inflates interlaced pictures without a bound, and fills up straight
 * ones that are too short with whatever lay in memory before. So the data are measured first.
 */
function checkData(file: Buffer, header: PngHeader): void {
  const wanted = measureData(header)
  const data = Buffer.concat(header.data.map(([start, end]) => file.subarray(start, end)))
  const { length } = inflateSync(data, { maxOutputLength: wanted + 1 })
  if (length !== wanted)
    throw new RangeError(`holds ${length} bytes of picture data, wanted ${wanted}`)
}

/** Bytes of all rows of all passes, each with its filter byte (PNG, third edition, 8 and 9.2). */
function measureData({ width, height, channels, depth, isInterlaced }: PngHeader): number {
  let bytes = 0
  for (const [left, top, across, down] of isInterlaced ? ADAM7 : STRAIGHT) {
    const columns = Math.max(0, Math.ceil((width - left) / across))
    const rows = Math.max(0, Math.ceil((height - top) / down))
    if (columns > 0) bytes += rows * (1 + Math.ceil((columns * channels * depth) / 8))
  }
  return bytes
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
