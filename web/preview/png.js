/** @import { Paper } from './paper.js' */
import { packDots } from './paper.js'

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

/**
 * A picture of one bit a dot (PNG, third edition: gray, not interlaced, no filter).
 * @param {Paper} paper
 * @returns {Promise<Blob>}
 */
export async function toPng(paper) {
  const { width, height } = paper
  const bits = packDots(paper)
  const stride = (width + 7) >> 3
  const rows = new Uint8Array((stride + 1) * height)
  // In a gray picture 1 is white.
  for (let y = 0; y < height; y++) {
    for (let n = 0; n < stride; n++) {
      rows[y * (stride + 1) + 1 + n] = ~(bits[y * stride + n] ?? 0)
    }
  }
  const head = new DataView(new ArrayBuffer(13))
  head.setUint32(0, width)
  head.setUint32(4, height)
  head.setUint8(8, 1)
  const packed = new Blob([rows]).stream().pipeThrough(new CompressionStream('deflate'))
  const data = new Uint8Array(await new Response(packed).arrayBuffer())
  const parts = [
    chunk('IHDR', new Uint8Array(head.buffer)),
    chunk('IDAT', data),
    chunk('IEND', new Uint8Array(0)),
  ]
  return new Blob([new Uint8Array(SIGNATURE), ...parts], { type: 'image/png' })
}

/** @param {string} name @param {Uint8Array} data */
function chunk(name, data) {
  const bytes = new Uint8Array(data.length + 12)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, data.length)
  for (let n = 0; n < 4; n++) bytes[4 + n] = name.charCodeAt(n)
  bytes.set(data, 8)
  view.setUint32(data.length + 8, crc(bytes.subarray(4, data.length + 8)))
  return bytes
}

/** CRC-32 of a chunk's name and data. @param {Uint8Array} bytes */
function crc(bytes) {
  let value = 0xffffffff
  for (const byte of bytes) {
    value ^= byte
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  }
  return ~value >>> 0
}
