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
    if (header.isInterlaced) checkInflated(file, header)
    return pngjs.PNG.sync.read(file)
  } catch (cause) {
    throw new PlatenError('PICTURE_BROKEN', `The PNG cannot be decoded: ${messageOf(cause)}.`, {
      cause,
    })
  }
}

/** pngjs inflates interlaced pictures without a bound (lib/parser-sync.js), so a small lie would fill the memory. */
function checkInflated(file: Buffer, header: PngHeader): void {
  const data = Buffer.concat(header.data.map(([start, end]) => file.subarray(start, end)))
  // Seven passes: each may add a filter byte to every row, and pad every row to a whole byte.
  const rowBytes = Math.ceil((header.width * header.channels * header.depth) / 8)
  inflateSync(data, { maxOutputLength: (rowBytes + 14) * (header.height + 7) })
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
