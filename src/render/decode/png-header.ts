import { Buffer } from 'node:buffer'
import { PlatenError } from '../../errors.ts'
import type { Header } from './decoder.ts'
import { heldBytes } from './memory.ts'
import { bilevelColours, type Colours } from './png/samples.ts'

/** What IHDR and the order of the chunks say. Sections below are those of PNG, third edition (W3C). */
export interface PngHeader extends Header {
  /** Bits a sample: 1, 2, 4, 8, 16. */
  readonly depth: number
  /** Colour type (11.2.1): 0 grey, 2 colour, 3 palette, 4 grey and alpha, 6 colour and alpha. */
  readonly colour: number
  /** Samples a pixel. */
  readonly channels: number
  readonly isInterlaced: boolean
  /** The chunks that decoding needs, IDAT among them, in their order. */
  readonly chunks: readonly Chunk[]
  /** What PLTE and tRNS hold. */
  readonly colours: Colours
}

/** A chunk's name, and where its data begin and end; the CRC follows. */
export interface Chunk {
  readonly type: string
  readonly start: number
  readonly end: number
}

const SIGNATURE_BYTES = 8
const IHDR_BYTES = 13
const CHUNKS_MAX = 50_000 // an encoder that writes 1 KB at a time needs 16,000 for the largest body
const SIDE_MAX = 0x7fffffff // 7.1: four-byte unsigned integers are limited to 2^31-1
const INCHES_PER_METRE = 39.37

// 11.2.1, table 11.1: colour type -> samples a pixel, allowed depths.
const COLOURS: Readonly<Record<number, { channels: number; depths: readonly number[] }>> = {
  0: { channels: 1, depths: [1, 2, 4, 8, 16] },
  2: { channels: 3, depths: [8, 16] },
  3: { channels: 1, depths: [1, 2, 4, 8] },
  4: { channels: 2, depths: [8, 16] },
  6: { channels: 4, depths: [8, 16] },
}
const PALETTE = 3

// Others are decoration, and a file may hold millions of them.
const NEEDED = ['IHDR', 'PLTE', 'tRNS', 'pHYs', 'IDAT', 'IEND']

// Inflating holds pieces in both directions, beside the rows.
const INFLATE_BYTES = 2 * 2 ** 20

/**
 * Reads IHDR and walks over the chunks, whose data stay unread.
 * @throws PlatenError PICTURE_BROKEN, PICTURE_UNSUPPORTED
 */
export function readPngHeader(bytes: Uint8Array): PngHeader {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const chunks = readChunks(file)
  const [first, ...rest] = chunks
  if (first?.type !== 'IHDR' || first.end - first.start !== IHDR_BYTES) {
    throw broken(`begins with the chunk ${first?.type ?? 'none'}; wanted IHDR of 13 bytes`)
  }
  const image = readImageHeader(file, first.start)
  const data = rest.filter((chunk) => chunk.type === 'IDAT')
  if (data.length === 0) throw broken('has no picture data (IDAT)')
  if (image.colour === PALETTE && !rest.some((chunk) => chunk.type === 'PLTE')) {
    throw broken('has palette colours but no palette (PLTE)')
  }
  const { width, height, depth, channels, isInterlaced } = image
  const rowBytes = Math.ceil((width * channels * depth) / 8)
  const colours = {
    palette: findData(file, rest, 'PLTE'),
    transparency: findData(file, rest, 'tRNS'),
  }
  return {
    width,
    height,
    orientation: 1,
    pixels: width * height,
    memoryBytes:
      INFLATE_BYTES + 2 * rowBytes + width + (isInterlaced ? heldBytes(width, height) : 0),
    dpi: readResolution(file, rest),
    divisors: [1],
    isBilevel: !isInterlaced && bilevelColours(image.colour, depth, colours) !== undefined,
    depth,
    colour: image.colour,
    channels,
    isInterlaced,
    chunks,
    colours,
  }
}

function findData(file: Buffer, chunks: readonly Chunk[], type: string): Uint8Array | undefined {
  const found = chunks.find((chunk) => chunk.type === type)
  return found && file.subarray(found.start, found.end)
}

/**
 * 5.3: length, type, data, CRC. The CRC is checked when the picture is decoded. A file that ends after its picture data,
 * without IEND, is as whole as viewers and pngjs want it; whether the data are whole shows when they are decoded.
 */
function readChunks(file: Buffer): Chunk[] {
  const chunks: Chunk[] = []
  let at = SIGNATURE_BYTES
  for (let type = ''; type !== 'IEND'; ) {
    const fault = faultAt(file, at)
    if (fault !== undefined) {
      const isDataCut = nameAt(file, at) === 'IDAT'
      if (chunks.at(-1)?.type === 'IDAT' && !isDataCut) break
      throw broken(fault)
    }
    const start = at + 8
    const end = start + file.readUInt32BE(at)
    type = nameAt(file, at)
    if (chunks.length === 0 || NEEDED.includes(type)) chunks.push({ type, start, end })
    if (chunks.length > CHUNKS_MAX) throw broken(`has more than ${CHUNKS_MAX} chunks`)
    at = end + 4
  }
  return chunks
}

/** Why no chunk can be read there. */
function faultAt(file: Buffer, at: number): string | undefined {
  if (at + 12 > file.length) return `ends after ${file.length} bytes without IEND`
  const type = nameAt(file, at)
  if (!/^[A-Za-z]{4}$/.test(type)) return `has no chunk at byte ${at}`
  const end = at + 12 + file.readUInt32BE(at)
  return end > file.length
    ? `ends after ${file.length} bytes, inside ${type}, which needs ${end}`
    : undefined
}

function nameAt(file: Buffer, at: number): string {
  return file.toString('latin1', at + 4, at + 8)
}

function readImageHeader(file: Buffer, at: number) {
  const width = file.readUInt32BE(at)
  const height = file.readUInt32BE(at + 4)
  const depth = file.readUInt8(at + 8)
  const colour = file.readUInt8(at + 9)
  const [compression, filter, interlace] = [10, 11, 12].map((field) => file.readUInt8(at + field))
  if (width < 1 || height < 1 || width > SIDE_MAX || height > SIDE_MAX) {
    throw broken(`says ${width}x${height} pixels`)
  }
  const kind = COLOURS[colour]
  if (kind === undefined || !kind.depths.includes(depth)) {
    throw broken(`says ${depth} bits of colour type ${colour}, which PNG does not have`)
  }
  if (compression !== 0 || filter !== 0 || (interlace !== 0 && interlace !== 1)) {
    throw new PlatenError(
      'PICTURE_UNSUPPORTED',
      `The PNG says compression ${compression}, filter ${filter}, interlace ${interlace}; wanted 0, 0, and 0 or 1.`,
    )
  }
  return { width, height, depth, colour, channels: kind.channels, isInterlaced: interlace === 1 }
}

/** 11.3.4.3: pixels a unit; unit 1 is the metre. */
function readResolution(file: Buffer, chunks: readonly Chunk[]): number {
  const chunk = chunks.find(({ type, start, end }) => type === 'pHYs' && end - start === 9)
  if (chunk === undefined || file[chunk.start + 8] !== 1) return 0
  return Math.round(file.readUInt32BE(chunk.start) / INCHES_PER_METRE)
}

function broken(what: string): PlatenError {
  return new PlatenError('PICTURE_BROKEN', `The PNG ${what}.`)
}
