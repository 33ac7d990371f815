import { Buffer } from 'node:buffer'
import type { DataFault } from './unpack.ts'

/** From the name of a long box on; its length follows. */
const LONG_BOX = 12
const [SOC, SOT, EOC] = [0xff4f, 0xff90, 0xffd9]
const SOT_BYTES = 12

/** Tells whether the tiles of a JPEG 2000 picture are all there (ISO 15444-1, annexes A and I). */
export function checkJpeg2000(data: Uint8Array): DataFault | undefined {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  const start = findCodestream(bytes)
  if (start === undefined) return 'damaged'
  let at = start + 2
  while (at + 4 <= bytes.length && bytes.readUInt16BE(at) !== EOC) {
    const length = segmentLength(bytes, at)
    if (length < 4) return 'cut'
    at += length
  }
  // Some programs leave the mark of the end away.
  return at > bytes.length ? 'cut' : undefined
}

/** Length of a segment, or of a part of a tile; less than 4 when it is cut. The last tile may reach to the end. */
function segmentLength(bytes: Buffer, at: number): number {
  if (bytes.readUInt16BE(at) !== SOT) return 2 + bytes.readUInt16BE(at + 2)
  if (at + SOT_BYTES > bytes.length) return 0
  const length = bytes.readUInt32BE(at + 6)
  return length === 0 && hasEnd(bytes) ? bytes.length - at : length
}

function hasEnd(bytes: Buffer): boolean {
  return bytes.lastIndexOf('ffd9', undefined, 'hex') !== -1
}

/** In a box, or at the beginning. */
function findCodestream(bytes: Buffer): number | undefined {
  const box = bytes.indexOf('jp2c', 0, 'latin1')
  return [0, box + 4, box + LONG_BOX].find((at) => isCodestream(bytes, at))
}

function isCodestream(bytes: Buffer, at: number): boolean {
  return at + 2 <= bytes.length && bytes.readUInt16BE(at) === SOC
}

const [END_OF_PAGE, KINDS_MOST] = [49, 62]
const REGIONS = new Set([4, 6, 7, 20, 22, 23, 36, 38, 39, 40, 42, 43])
const UNKNOWN_LENGTH = 0xffffffff

/** Tells whether the segments of a JBIG2 picture, or of what several share, are all there (ITU-T T.88, 7.2). */
export function checkJbig2(data: Uint8Array, isPage: boolean): DataFault | undefined {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  let hasRegion = !isPage
  for (let at = 0; at < bytes.length; ) {
    const segment = readSegment(bytes, at)
    if (segment === undefined) return 'cut'
    const { kind, length, from } = segment
    if (kind > KINDS_MOST) return 'damaged'
    hasRegion ||= REGIONS.has(kind)
    if (kind === END_OF_PAGE || length === UNKNOWN_LENGTH) break
    at = from + length
    if (at > bytes.length) return 'cut'
  }
  return hasRegion ? undefined : 'cut'
}

const SEGMENT_HEAD = 11
const [REFERRED_MANY, REFERRED_MASK, LONG_PAGE] = [7, 0x1fffffff, 0x40]

function readSegment(bytes: Buffer, at: number) {
  if (at + SEGMENT_HEAD > bytes.length) return undefined
  const number = bytes.readUInt32BE(at)
  const flags = bytes[at + 4] as number
  const few = (bytes[at + 5] as number) >> 5
  const isMany = few === REFERRED_MANY
  const referred = isMany ? bytes.readUInt32BE(at + 5) & REFERRED_MASK : few
  const counted = isMany ? 4 + ((referred + 8) >> 3) : 1
  const width = number <= 256 ? 1 : number <= 65536 ? 2 : 4
  const from = at + 5 + counted + referred * width + (flags & LONG_PAGE ? 4 : 1)
  if (from + 4 > bytes.length) return undefined
  return { kind: flags & 0x3f, length: bytes.readUInt32BE(from), from: from + 4 }
}
