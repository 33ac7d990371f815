import jpegJs from 'jpeg-js'
import { PlatenError } from '../../../errors.ts'
import type { TakeRow } from '../decoder.ts'
import { type JpegHeader, readJpegHeader } from '../jpeg-header.ts'

const CHANNELS = 3
const PRINTERS_COLOURS = 4
const UNUSED_MB = 4096 // the gate bounds memory; a second, guessed limit would only refuse good pictures

/**
 * JPEG by jpeg-js, for what the streaming decoder leaves: pictures whose luma is stored at less than full resolution.
 * @throws PlatenError PICTURE_BROKEN
 */
export function decodeByJpegJs(bytes: Uint8Array, take: TakeRow): void {
  const header = readJpegHeader(bytes)
  const { width, height, data } = readPixels(bytes, header)
  const row = new Uint8Array(width)
  for (let y = 0; y < height; y++) {
    lumaOfRgb(data, y * width * CHANNELS, row)
    take(row, y)
  }
}

/** Rec. 601 in integers; the three weights make 256, so white stays 255. */
function lumaOfRgb(rgb: Uint8Array, from: number, row: Uint8Array): void {
  for (let x = 0, at = from; x < row.length; x++, at += CHANNELS) {
    row[x] = (77 * (rgb[at] ?? 0) + 150 * (rgb[at + 1] ?? 0) + 29 * (rgb[at + 2] ?? 0)) >> 8
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
    if (cause instanceof RangeError && /allocation/i.test(cause.message)) throw cause
    // jpeg-js throws raw TypeErrors of damaged files, so nothing finer can be said.
    throw new PlatenError('PICTURE_BROKEN', 'The JPEG cannot be decoded: its data are damaged.', {
      cause,
    })
  }
}
