import jpegJs from 'jpeg-js'
import { LabelFault } from '../../fault.ts'
import type { TakeRow } from '../decoder.ts'
import { BYTES_PER_BLOCK, type JpegHeader, readJpegHeader } from '../jpeg/header.ts'

const CHANNELS = 3
const PRINTERS_COLORS = 4
const MB = 2 ** 20
// What jpeg-js counts, which is less than it takes: coefficients and samples of a block, a pixel's four colors and three,
// and the tables.
const COUNTED_PER_BLOCK = 256 + 64
const COUNTED_PER_PIXEL = 4 + 3
const COUNTED_TABLES = MB

/**
 * JPEG by jpeg-js, for what the streaming decoder leaves: pictures whose luma is stored at less than full resolution.
 * @throws LabelFault PICTURE_BROKEN
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
    row[x] =
      (77 * (rgb[at] as number) + 150 * (rgb[at + 1] as number) + 29 * (rgb[at + 2] as number)) >> 8
  }
}

function countMemory({ memoryBytes, pixels }: JpegHeader): number {
  const blocks = memoryBytes / BYTES_PER_BLOCK
  return blocks * COUNTED_PER_BLOCK + pixels * COUNTED_PER_PIXEL + COUNTED_TABLES
}

function readPixels(bytes: Uint8Array, header: JpegHeader) {
  // jpeg-js takes three colors for YCbCr whatever the file says, and reads the Adobe segment itself for four.
  const stored =
    header.isPlain && header.components < PRINTERS_COLORS ? { colorTransform: false } : {}
  try {
    return jpegJs.decode(bytes, {
      ...stored,
      useTArray: true,
      formatAsRGBA: false,
      // Tolerance is of blocks beyond the last, which its loop over restart intervals asks for (lib/decoder.js, decodeBlock).
      tolerantDecoding: true,
      // Rounded up: jpeg-js multiplies by a million, and 3.0624 million pixels come out as 3062399.9999.
      maxResolutionInMP: Math.ceil(header.pixels / 1e6),
      // It reads damaged files otherwise than our header does, and may come upon frames that the gate did not measure.
      maxMemoryUsageInMB: countMemory(header) / MB,
    })
  } catch (cause) {
    if (cause instanceof RangeError && /allocation/i.test(cause.message)) throw cause
    // jpeg-js throws raw TypeErrors of damaged files, so nothing finer can be said.
    throw new LabelFault('PICTURE_BROKEN', 'The JPEG cannot be decoded: its data are damaged.', {
      cause,
    })
  }
}
