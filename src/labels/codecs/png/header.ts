import { Buffer } from 'node:buffer'
import { LabelFault } from '../../fault.ts'
import { describePixels, type Header, heldBytes } from '../decoder.ts'
import { type Exif, readExif } from '../exif.ts'
import { bilevelColors, type Colors } from './samples.ts'

/** Contents of IHDR and order of the chunks. Sections below are those of PNG, third edition (W3C). */
export interface PngHeader extends Header {
  /** Bits a sample: 1, 2, 4, 8, 16. */
  readonly depth: number
  /** Color type (11.2.1): 0 gray, 2 color, 3 palette, 4 gray and alpha, 6 color and alpha. */
  readonly color: number
  /** Samples a pixel. */
  readonly channels: number
  readonly isInterlaced: boolean
  /** Contents of PLTE and tRNS. */
  readonly colors: Colors
}

/** Takes a chunk's name, and where its data begin and end; the CRC follows. */
export type TakeChunk = (type: string, start: number, end: number) => void

/** Range of a chunk's data. */
interface ChunkRange {
  readonly start: number
  readonly end: number
}

const SIGNATURE_BYTES = 8
const LENGTH_AND_NAME_BYTES = 8
const CRC_BYTES = 4
const IHDR_BYTES = 13
const PHYS_BYTES = 9
const CHUNKS_MAX = 50_000 // of all kinds; an encoder that writes 1 KB at a time needs 16,000 for the largest body
const SIDE_MAX = 0x7fffffff // 7.1: four-byte unsigned integers are limited to 2^31-1
const INCHES_PER_METRE = 39.37

// 11.2.1, table 11.1: color type -> samples a pixel, allowed depths.
const COLORS: Readonly<Record<number, { channels: number; depths: readonly number[] }>> = {
  0: { channels: 1, depths: [1, 2, 4, 8, 16] },
  2: { channels: 3, depths: [8, 16] },
  3: { channels: 1, depths: [1, 2, 4, 8] },
  4: { channels: 2, depths: [8, 16] },
  6: { channels: 4, depths: [8, 16] },
}
const PALETTE = 3

/** A chunk's name as the number that it is in the file: a text for each would take twice as long as all the rest. */
const code = (name: string): number => Buffer.from(name, 'latin1').readUInt32BE(0)

// Others are decoration.
const NEEDED: ReadonlyMap<number, string> = new Map(
  ['IHDR', 'PLTE', 'tRNS', 'pHYs', 'eXIf', 'IDAT', 'IEND'].map((name) => [code(name), name]),
)
const IDAT = code('IDAT')
const EXIF = code('eXIf')
const IEND = code('IEND')

// Inflating holds pieces in both directions, beside the rows.
const INFLATE_BYTES = 2 * 2 ** 20

/**
 * Reads IHDR and walks over the chunks, whose data stay unread. What is kept of them does not grow with the file.
 * @throws LabelFault PICTURE_BROKEN, PICTURE_UNSUPPORTED
 */
export function readPngHeader(bytes: Uint8Array): PngHeader {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const { hasData, palette, transparency, physical, exif } = readChunks(file)
  const image = readImageHeader(file, SIGNATURE_BYTES + LENGTH_AND_NAME_BYTES)
  if (!hasData) throw broken('has no picture data (IDAT)')
  if (image.color === PALETTE && palette === undefined) {
    throw broken('has palette colors but no palette (PLTE)')
  }
  const { width, height, depth, channels, isInterlaced } = image
  const rowBytes = Math.ceil((width * channels * depth) / 8)
  const shown = exif && readExif(file.subarray(exif.start, exif.end))
  const colors = {
    palette: palette && file.subarray(palette.start, palette.end),
    transparency: transparency && file.subarray(transparency.start, transparency.end),
  }
  return {
    width,
    height,
    pixels: width * height,
    orientation: shown?.orientation ?? 1,
    memoryBytes:
      INFLATE_BYTES + 2 * rowBytes + width + (isInterlaced ? heldBytes(width, height) : 0),
    ...readPixels(file, physical, shown),
    divisors: [1],
    isBilevel: !isInterlaced && bilevelColors(image.color, depth, colors) !== undefined,
    depth,
    color: image.color,
    channels,
    isInterlaced,
    colors,
  }
}

/** First chunk of each kind that the header needs. */
interface PngChunks {
  palette?: ChunkRange
  transparency?: ChunkRange
  physical?: ChunkRange
  exif?: ChunkRange
  hasData: boolean
}

function readChunks(file: Buffer): PngChunks {
  const found: PngChunks = { hasData: false }
  walkChunks(file, (type, start, end) => {
    if (type === 'IDAT') found.hasData = true
    else if (type === 'PLTE') found.palette ??= { start, end }
    else if (type === 'tRNS') found.transparency ??= { start, end }
    else if (type === 'pHYs' && end - start === PHYS_BYTES) found.physical ??= { start, end }
    else if (type === 'eXIf') found.exif ??= { start, end }
  })
  return found
}

/**
 * Calls `take` for the chunks that decoding needs, IHDR first and IDAT among them, in their order (5.3: length, type, data,
 * CRC). The CRC is checked when the picture is decoded. A file that ends after its picture data, without IEND, is as whole
 * as viewers and pngjs want it; whether the data are whole shows when they are decoded.
 * @throws LabelFault PICTURE_BROKEN
 */
export function walkChunks(file: Buffer, take: TakeChunk): void {
  let at = SIGNATURE_BYTES
  let last = 0
  for (let count = 0; last !== IEND; count++) {
    if (endsAt(file, at, last)) return
    if (count === 0) checkFirst(file)
    if (count === CHUNKS_MAX) throw broken(`has more than ${CHUNKS_MAX} chunks`)
    const start = at + LENGTH_AND_NAME_BYTES
    const end = start + file.readUInt32BE(at)
    const number = file.readUInt32BE(at + 4)
    const type = NEEDED.get(number)
    if (type !== undefined) {
      // It may come behind the picture data, which are whole without it.
      if (number !== EXIF) last = number
      take(type, start, end)
    }
    at = end + CRC_BYTES
  }
}

/** 11.2.1: IHDR comes first. */
function checkFirst(file: Buffer): void {
  const type = nameAt(file, SIGNATURE_BYTES)
  if (type === 'IHDR' && file.readUInt32BE(SIGNATURE_BYTES) === IHDR_BYTES) return
  throw broken(`begins with the chunk ${type}; wanted IHDR of ${IHDR_BYTES} bytes`)
}

/** True where the file ends after its picture data, the last chunk that was needed. @throws LabelFault PICTURE_BROKEN */
function endsAt(file: Buffer, at: number, last: number): boolean {
  const fault = faultAt(file, at)
  if (fault === undefined) return false
  if (last === IDAT && nameAt(file, at) !== 'IDAT') return true
  throw broken(fault)
}

/** Explains why no chunk can be read at an offset. */
function faultAt(file: Buffer, at: number): string | undefined {
  if (at + 12 > file.length) return `ends after ${file.length} bytes without IEND`
  for (let n = at + 4; n < at + LENGTH_AND_NAME_BYTES; n++) {
    if (!isLetter(file[n] as number)) return `has no chunk at byte ${at}`
  }
  const end = at + 12 + file.readUInt32BE(at)
  return end > file.length
    ? `ends after ${file.length} bytes, inside ${nameAt(file, at)}, which needs ${end}`
    : undefined
}

/** A to Z and a to z differ in one bit. */
function isLetter(byte: number): boolean {
  const small = byte | 0x20
  return small >= 0x61 && small <= 0x7a
}

function nameAt(file: Buffer, at: number): string {
  return file.toString('latin1', at + 4, at + 8)
}

function readImageHeader(file: Buffer, at: number) {
  const width = file.readUInt32BE(at)
  const height = file.readUInt32BE(at + 4)
  const depth = file.readUInt8(at + 8)
  const color = file.readUInt8(at + 9)
  const [compression, filter, interlace] = [10, 11, 12].map((field) => file.readUInt8(at + field))
  if (width < 1 || height < 1 || width > SIDE_MAX || height > SIDE_MAX) {
    throw broken(`says ${width}x${height} pixels`)
  }
  const kind = COLORS[color]
  if (kind === undefined || !kind.depths.includes(depth)) {
    throw broken(`says ${depth} bits of color type ${color}, which PNG does not have`)
  }
  if (compression !== 0 || filter !== 0 || (interlace !== 0 && interlace !== 1)) {
    throw new LabelFault(
      'PICTURE_UNSUPPORTED',
      `The PNG says compression ${compression}, filter ${filter}, interlace ${interlace}; wanted 0, 0, and 0 or 1.`,
    )
  }
  return { width, height, depth, color, channels: kind.channels, isInterlaced: interlace === 1 }
}

/** 11.3.4.3: pixels a unit, across and down; unit 1 is the metre, 0 says how they relate. Without it Exif counts. */
function readPixels(
  file: Buffer,
  physical: ChunkRange | undefined,
  exif: Exif | undefined,
): Pick<Header, 'dpi' | 'stretch'> {
  if (physical === undefined) return describePixels(exif?.across ?? 0, exif?.down ?? 0, 1)
  const { start } = physical
  const perInch = file[start + 8] === 1 ? 1 / INCHES_PER_METRE : 0
  return describePixels(file.readUInt32BE(start), file.readUInt32BE(start + 4), perInch)
}

function broken(what: string): LabelFault {
  return new LabelFault('PICTURE_BROKEN', `The PNG ${what}.`)
}
