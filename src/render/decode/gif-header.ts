import { Buffer } from 'node:buffer'
import { PlatenError } from '../../errors.ts'
import type { Header } from './decoder.ts'

/** The first picture of a GIF and where it lies on its screen. Sections below are those of GIF89a (CompuServe, 1990). */
export interface GifFrame {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** It has a palette of its own. */
  readonly hasPalette: boolean
  /** Where the LZW data begin, at the byte with the code size. */
  readonly dataStart: number
}

/** What the descriptors of a GIF say, its picture data unread. */
export interface GifHeader extends Header {
  readonly firstFrame: GifFrame
}

const SCREEN_AT = 6 // after GIF87a or GIF89a
const SCREEN_BYTES = 7
const FRAME_BYTES = 9
const EXTENSION = 0x21
const FRAME = 0x2c
const TRAILER = 0x3b
const FRAMES_MAX = 10_000 // omggif keeps an object for each; a label has one

// omggif holds four bytes a pixel of the screen and one a pixel of the frame (omggif.js, decodeAndBlitFrameRGBA).
const BYTES_PER_SCREEN_PIXEL = 4

/**
 * Reads the screen and every frame's descriptor (sections 18, 20), and walks over the blocks between.
 * @throws PlatenError PICTURE_BROKEN
 */
export function readGifHeader(bytes: Uint8Array): GifHeader {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (file.length < SCREEN_AT + SCREEN_BYTES) throw broken(`ends after ${file.length} bytes`)
  const width = file.readUInt16LE(SCREEN_AT)
  const height = file.readUInt16LE(SCREEN_AT + 2)
  if (width === 0 || height === 0) throw broken(`says ${width}x${height} pixels`)
  const { firstFrame, largest } = readFrames(file)
  if (firstFrame === undefined) throw broken('holds no picture')
  if (!firstFrame.hasPalette && !hasPalette(file.readUInt8(SCREEN_AT + 4))) {
    throw broken('has no palette')
  }
  if (firstFrame.x + firstFrame.width > width || firstFrame.y + firstFrame.height > height) {
    throw broken(
      `says ${width}x${height} pixels, but its first picture is ${firstFrame.width}x${firstFrame.height} at ${firstFrame.x},${firstFrame.y}`,
    )
  }
  const pixels = Math.max(width * height, largest)
  return {
    width,
    height,
    orientation: 1,
    pixels,
    memoryBytes: width * height * BYTES_PER_SCREEN_PIXEL + largest,
    dpi: 0,
    firstFrame,
  }
}

/** The first frame, and the pixels of the largest. */
function readFrames(file: Buffer): { firstFrame: GifFrame | undefined; largest: number } {
  let firstFrame: GifFrame | undefined
  let largest = 0
  let count = 0
  let at = SCREEN_AT + SCREEN_BYTES + paletteBytes(file[SCREEN_AT + 4] ?? 0)
  for (let block = file[at]; block !== TRAILER; block = file[at]) {
    if (block === EXTENSION) {
      at = skipSubBlocks(file, at + 2)
      continue
    }
    if (block !== FRAME) throw noBlock(file, at)
    const frame = readFrame(file, at + 1)
    firstFrame ??= frame
    largest = Math.max(largest, frame.width * frame.height)
    count++
    if (count > FRAMES_MAX) throw broken(`holds more than ${FRAMES_MAX} pictures`)
    at = skipSubBlocks(file, frame.dataStart + 1)
  }
  return { firstFrame, largest }
}

function noBlock(file: Buffer, at: number): PlatenError {
  return at < file.length
    ? broken(`has no block at byte ${at}`)
    : broken(`ends after ${file.length} bytes without a trailer`)
}

function readFrame(file: Buffer, at: number): GifFrame {
  if (at + FRAME_BYTES > file.length)
    throw broken(`ends after ${file.length} bytes, in a picture's head`)
  const [x, y, width, height] = [
    file.readUInt16LE(at),
    file.readUInt16LE(at + 2),
    file.readUInt16LE(at + 4),
    file.readUInt16LE(at + 6),
  ]
  if (width === 0 || height === 0) throw broken(`holds a picture of ${width}x${height} pixels`)
  const packed = file.readUInt8(at + 8)
  const dataStart = at + FRAME_BYTES + paletteBytes(packed)
  return { x, y, width, height, hasPalette: hasPalette(packed), dataStart }
}

/** Sections 18 and 20: a table of 3 * 2^(n+1) bytes when the highest bit is set. */
function paletteBytes(packed: number): number {
  return hasPalette(packed) ? 3 * 2 ** ((packed & 7) + 1) : 0
}

function hasPalette(packed: number): boolean {
  return (packed & 0x80) !== 0
}

/** Section 15: sub-blocks begin with their length and end with an empty one. */
function skipSubBlocks(file: Buffer, from: number): number {
  let at = from
  for (;;) {
    const length = file[at]
    if (length === undefined) throw broken(`ends after ${file.length} bytes, inside a block`)
    at += length + 1
    if (length === 0) return at
  }
}

function broken(what: string): PlatenError {
  return new PlatenError('PICTURE_BROKEN', `The GIF ${what}.`)
}
