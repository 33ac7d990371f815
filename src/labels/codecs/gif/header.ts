import { Buffer } from 'node:buffer'
import { LabelFault } from '../../fault.ts'
import { type Header, heldBytes } from '../decoder.ts'

type ByteRange = readonly [number, number]

/** The first picture of a GIF and where it lies on its screen. Sections below are those of GIF89a (CompuServe, 1990). */
export interface GifFrame {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** Range of its own palette. */
  readonly palette: ByteRange | undefined
  readonly isInterlaced: boolean
  /** Start of the LZW data, at the byte with the code size. */
  readonly dataStart: number
  /** Index of the color that is transparent. */
  readonly transparent: number | undefined
}

/** Descriptors of a GIF's screen and first picture; its picture data are unread. */
export interface GifHeader extends Header {
  readonly firstFrame: GifFrame
  /** Range of the first picture's colors. */
  readonly palette: ByteRange
}

const SCREEN_AT = 6 // after GIF87a or GIF89a
const SCREEN_BYTES = 7
const FRAME_BYTES = 9
const EXTENSION = 0x21
const FRAME = 0x2c
const TRAILER = 0x3b
const CONTROL = 0xf9
// Before the first picture stand a control block, a loop count and a comment or two.
const EXTENSIONS_MAX = 4096

/**
 * Reads the descriptors of the screen and of the first picture (sections 18, 20), and walks over the blocks between and
 * over the picture's own. What comes after it is not looked at: it is not decoded either, and may be broken or missing.
 * @throws LabelFault PICTURE_BROKEN
 */
export function readGifHeader(bytes: Uint8Array): GifHeader {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (file.length < SCREEN_AT + SCREEN_BYTES) throw broken(`ends after ${file.length} bytes`)
  const screen = [file.readUInt16LE(SCREEN_AT), file.readUInt16LE(SCREEN_AT + 2)] as const
  const firstFrame = findFirstFrame(file)
  // A screen too small for its first picture, or of 0x0, grows, as in Chrome (wuffs) and libnsgif: nothing of a label is lost.
  const width = Math.max(screen[0], firstFrame.x + firstFrame.width)
  const height = Math.max(screen[1], firstFrame.y + firstFrame.height)
  const palette = firstFrame.palette ?? paletteAt(file, SCREEN_AT + 4, SCREEN_AT + SCREEN_BYTES)
  if (palette === undefined) throw broken('has no palette')
  return {
    width,
    height,
    pixels: width * height,
    orientation: 1,
    // Rows come and go, but those of an interlaced picture come out of order.
    memoryBytes:
      width +
      firstFrame.width +
      (firstFrame.isInterlaced ? heldBytes(firstFrame.width, firstFrame.height) : 0),
    dpi: 0,
    divisors: [1],
    firstFrame,
    palette,
  }
}

function findFirstFrame(file: Buffer): GifFrame {
  let transparent: number | undefined
  let at = SCREEN_AT + SCREEN_BYTES + paletteBytes(file[SCREEN_AT + 4] ?? 0)
  for (let count = 0; file[at] === EXTENSION; count++) {
    if (count === EXTENSIONS_MAX) throw broken(`has more than ${EXTENSIONS_MAX} extensions`)
    if (file[at + 1] === CONTROL) transparent = readTransparent(file, at + 2)
    at = skipSubBlocks(file, at + 2)
  }
  if (file[at] === TRAILER) throw broken('holds no picture')
  if (file[at] !== FRAME) throw noBlock(file, at)
  const frame = readFrame(file, at + 1, transparent)
  skipSubBlocks(file, frame.dataStart + 1)
  return frame
}

function noBlock(file: Buffer, at: number): LabelFault {
  return file[at] === undefined
    ? broken(`ends after ${file.length} bytes without a trailer`)
    : broken(`has no block at byte ${at}`)
}

/** Section 23: size 4, flags, delay, the index of the transparent color. */
function readTransparent(file: Buffer, at: number): number | undefined {
  return file[at] === 4 && ((file[at + 1] as number) & 1) === 1 ? file[at + 4] : undefined
}

function readFrame(file: Buffer, at: number, transparent: number | undefined): GifFrame {
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
  const isInterlaced = (packed & 0x40) !== 0
  const palette = paletteAt(file, at + 8, at + FRAME_BYTES)
  return { x, y, width, height, palette, isInterlaced, dataStart, transparent }
}

function paletteAt(file: Buffer, flags: number, from: number): ByteRange | undefined {
  const bytes = paletteBytes(file[flags] ?? 0)
  return bytes === 0 ? undefined : [from, from + bytes]
}

/** Sections 18 and 20: a table of 3 * 2^(n+1) bytes when the highest bit is set. */
function paletteBytes(packed: number): number {
  return (packed & 0x80) === 0 ? 0 : 3 * 2 ** ((packed & 7) + 1)
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

export function broken(what: string): LabelFault {
  return new LabelFault('PICTURE_BROKEN', `The GIF ${what}.`)
}
