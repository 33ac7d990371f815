import { Buffer } from 'node:buffer'
import { crc32, deflateSync } from 'node:zlib'
import { type Raster, rowBytes } from '../languages/raster.ts'

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const LEVEL = 6 // level 1 makes labels 20 to 40 % longer, level 9 takes longer for next to nothing

/** A PNG of one bit a pixel, gray (PNG, third edition: 11.2.1, color type 0), black where the raster has dots. */
export function encodePng({ width, height, bits }: Raster): Uint8Array {
  const stride = rowBytes(width)
  const spare = 0xff >> (width & 7) // the bits of the last byte that are not dots
  const rows = Buffer.alloc((stride + 1) * height) // every row begins with its filter, 0 = none
  for (let y = 0, from = 0, to = 0; y < height; y++) {
    to++
    for (let n = 0; n < stride; n++) rows[to++] = ~(bits[from++] ?? 0)
    if ((width & 7) !== 0) rows[to - 1] = (rows[to - 1] ?? 0) & ~spare
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 1 // bits a sample
  return Buffer.concat([
    SIGNATURE,
    makeChunk('IHDR', header),
    makeChunk('IDAT', deflateSync(rows, { level: LEVEL })),
    makeChunk('IEND', Buffer.alloc(0)),
  ])
}

/** 5.3: length, type, data, CRC of type and data. */
function makeChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + data.length)
  chunk.writeUInt32BE(data.length, 0)
  chunk.write(type, 4, 'latin1')
  data.copy(chunk, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length)
  return chunk
}
