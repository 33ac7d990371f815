import { Buffer } from 'node:buffer'
import omggif from 'omggif'
import { PlatenError } from '../../errors.ts'
import type { Decoder, TakeRow } from './decoder.ts'
import { readGifHeader } from './gif-header.ts'
import { lumaOfRgba } from './luma.ts'
import { checkLzw } from './lzw.ts'

/** The first picture of a GIF on its screen, by omggif; what it leaves open is transparent, so white. */
export const gif = {
  format: 'gif',
  header: readGifHeader,
  decode: decodeGif,
} as const satisfies Decoder<'gif'>

const CHANNELS = 4

function decodeGif(bytes: Uint8Array, take: TakeRow): void {
  const { width, height, firstFrame } = readGifHeader(bytes)
  // omggif loops for ever on some damaged data and reports short data on the console only, so they stop here.
  checkLzw(bytes, firstFrame.dataStart, firstFrame.width * firstFrame.height)
  const pixels = readPixels(bytes, width * height * CHANNELS)
  const row = new Uint8Array(width)
  for (let y = 0; y < height; y++) {
    lumaOfRgba(pixels, y * width * CHANNELS, row)
    take(row, y)
  }
}

function readPixels(bytes: Uint8Array, length: number): Uint8Array {
  const pixels = new Uint8Array(length)
  try {
    const reader = new omggif.GifReader(
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    )
    reader.decodeAndBlitFrameRGBA(0, pixels)
  } catch (cause) {
    const what = cause instanceof Error ? cause.message : String(cause)
    throw new PlatenError('PICTURE_BROKEN', `The GIF cannot be decoded: ${what}.`, { cause })
  }
  return pixels
}
