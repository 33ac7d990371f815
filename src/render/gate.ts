import { PlatenError } from '../errors.ts'
import type { Header } from './decode/decoder.ts'
import { findDecoder, type PictureFormat } from './decode/index.ts'

/** The most pixels a picture may have: a letter page at 600 dpi is 33.7 million, a phone's photo 12 to 24. */
export const PIXELS_MAX = 40_000_000

/** The longest side, 50 inches at 600 dpi: some steps hold something for every row or column. */
export const SIDE_MAX = 30_000

/**
 * The most bytes that decoding may hold. A worker's limits do not bound Buffers, so this is the only wall there is
 * inside the process. With it the thread adds 20 to 50 MB to the server, and the server stays below 140 MB.
 */
export const DECODE_BYTES_MAX = 20 * 2 ** 20

const MILLION = 1_000_000

/**
 * Reads the header of a picture and refuses what would not fit in memory, before anything is decoded.
 * @throws PlatenError PICTURE_TOO_LARGE, PICTURE_BROKEN, PICTURE_UNSUPPORTED
 */
export function checkPicture(bytes: Uint8Array, format: PictureFormat): Header {
  const header = findDecoder(format).header(bytes)
  const size = `The ${format.toUpperCase()} has ${header.width}x${header.height} pixels`
  if (Math.max(header.width, header.height) > SIDE_MAX) {
    throw new PlatenError('PICTURE_TOO_LARGE', `${size}; wanted at most ${SIDE_MAX} along a side.`)
  }
  const bytesPerPixel = header.memoryBytes / header.pixels
  const wanted = Math.min(PIXELS_MAX, Math.floor(DECODE_BYTES_MAX / bytesPerPixel))
  if (header.pixels > wanted) {
    throw new PlatenError(
      'PICTURE_TOO_LARGE',
      `${size}, ${millions(header.pixels, Math.ceil)} million to decode; wanted at most ${millions(wanted, Math.floor)} million for a picture of its kind.`,
    )
  }
  return header
}

function millions(pixels: number, round: (value: number) => number): string {
  return (round((pixels / MILLION) * 10) / 10).toFixed(1)
}
