import jpegJs from 'jpeg-js'
import { PlatenError } from '../../errors.ts'
import type { Decoder, TakeRow } from './decoder.ts'
import { type JpegHeader, readJpegHeader } from './jpeg-header.ts'
import { lumaOfRgb } from './luma.ts'

/** Baseline and progressive JPEG of 8 bits a sample, in grey, colour and CMYK, by jpeg-js. */
export const jpeg = {
  format: 'jpeg',
  header: readJpegHeader,
  decode: decodeJpeg,
} as const satisfies Decoder<'jpeg'>

const CHANNELS = 3
const PRINTERS_COLOURS = 4
const UNUSED_MB = 4096 // the gate bounds memory; a second, guessed limit would only refuse good pictures

function decodeJpeg(bytes: Uint8Array, take: TakeRow): void {
  const header = readJpegHeader(bytes)
  const { width, height, data } = readPixels(bytes, header)
  const row = new Uint8Array(width)
  for (let y = 0; y < height; y++) {
    lumaOfRgb(data, y * width * CHANNELS, row)
    take(row, y)
  }
}

function readPixels(bytes: Uint8Array, header: JpegHeader) {
  // jpeg-js takes three colours for YCbCr whatever the file says, and reads the Adobe segment itself for four.
  const stored =
    header.isPlain && header.components < PRINTERS_COLOURS ? { colorTransform: false } : {}
  try {
    return jpegJs.decode(bytes, {
      ...stored,
      useTArray: true,
      formatAsRGBA: false,
      // Tolerance is of blocks beyond the last, which its loop over restart intervals asks for (lib/decoder.js, decodeBlock).
      tolerantDecoding: true,
      // Rounded up: jpeg-js multiplies by a million, and 3.0624 million pixels come out as 3062399.9999.
      maxResolutionInMP: Math.ceil(header.pixels / 1e6),
      maxMemoryUsageInMB: UNUSED_MB,
    })
  } catch (cause) {
    // jpeg-js throws raw TypeErrors of damaged files, so nothing finer can be said.
    const what = cause instanceof Error ? cause.message : String(cause)
    throw new PlatenError('PICTURE_BROKEN', `The JPEG cannot be decoded: ${what}.`, { cause })
  }
}
