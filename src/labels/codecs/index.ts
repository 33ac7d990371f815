import { LabelFault } from '../fault.ts'
import type { Decoder, Header } from './decoder.ts'
import { readGifHeader } from './gif/header.ts'
import { readJpegHeader } from './jpeg/header.ts'
import { readPngHeader } from './png/header.ts'
import { listRasterPages, PWG, type RasterKind, readRasterHeader, URF } from './pwg/header.ts'
import { listTiffPages, readTiffHeader } from './tiff/header.ts'

/** PNG of every color type and depth. Gamma and color profiles are not obeyed: labels are drawn for screens. */
export const png = {
  format: 'png',
  signs: ['\x89PNG\r\n\x1a\n'],
  header: readPngHeader,
  async decode(bytes, _divisor, take) {
    const { decodePng } = await import('./png/decode.ts')
    await decodePng(bytes, readPngHeader(bytes), take)
  },
  async decodeBits(bytes, take) {
    const { decodePngBits } = await import('./png/decode.ts')
    await decodePngBits(bytes, readPngHeader(bytes), take)
  },
} as const satisfies Decoder<'png'>

/** Baseline and progressive JPEG of 8 bits a sample, in gray, color and CMYK; of all of them luma alone is decoded. */
export const jpeg = {
  format: 'jpeg',
  signs: ['\xff\xd8\xff'],
  header: readJpegHeader,
  async decode(bytes, divisor, take) {
    if (readJpegHeader(bytes).isStreamed) {
      const { decodeJpeg } = await import('./jpeg/decode.ts')
      decodeJpeg(bytes, divisor, take)
      return
    }
    const { decodeByJpegJs } = await import('./fallback/jpeg-js.ts')
    decodeByJpegJs(bytes, take)
  },
} as const satisfies Decoder<'jpeg'>

/** The first picture of a GIF on its screen; what it leaves open is transparent, so white. */
export const gif = {
  format: 'gif',
  signs: ['GIF87a', 'GIF89a'],
  header: readGifHeader,
  async decode(bytes, _divisor, take) {
    const { decodeGif } = await import('./gif/decode.ts')
    decodeGif(bytes, readGifHeader(bytes), take)
  },
} as const satisfies Decoder<'gif'>

/** TIFF in strips: black and white (fax G3 and G4 too), gray, palette and RGB; each page is a label of its own. */
export const tiff = {
  format: 'tiff',
  signs: ['II*\0', 'MM\0*'],
  header: (bytes) => readTiffHeader(bytes),
  pages: listTiffPages,
  isShared: true,
  async decode(bytes, _divisor, take) {
    const { decodeTiff } = await import('./tiff/decode.ts')
    decodeTiff(bytes, readTiffHeader(bytes), take)
  },
  async decodeBits(bytes, take) {
    const { decodeTiffBits } = await import('./tiff/decode.ts')
    decodeTiffBits(bytes, readTiffHeader(bytes), take)
  },
} as const satisfies Decoder<'tiff'>

/** PWG Raster, which print dialogs make of a page: CUPS, Android and Windows. */
export const pwg = rasterDecoder('pwg', PWG)

/** Apple Raster (URF), which iPhones and Macs make of a page. */
export const urf = rasterDecoder('urf', URF)

function rasterDecoder<F extends string>(format: F, kind: RasterKind) {
  return {
    format,
    signs: [kind.sign],
    header: (bytes) => readRasterHeader(kind, bytes),
    pages: (bytes, most) => listRasterPages(kind, bytes, most),
    async decode(bytes, _divisor, take) {
      const { decodeRaster } = await import('./pwg/decode.ts')
      decodeRaster(bytes, readRasterHeader(kind, bytes), take)
    },
    async decodeBits(bytes, take) {
      const { decodeRasterBits } = await import('./pwg/decode.ts')
      decodeRasterBits(bytes, readRasterHeader(kind, bytes), take)
    },
  } as const satisfies Decoder<F>
}

/** Every picture format that can be printed. */
export const decoders = [png, jpeg, gif, tiff, pwg, urf] as const

/** The name of a picture format, e.g. `png`. */
export type PictureFormat = (typeof decoders)[number]['format']

/** In the order of the list. */
export const pictureFormats: readonly PictureFormat[] = decoders.map(({ format }) => format)

const byFormat: ReadonlyMap<string, Decoder<PictureFormat>> = new Map(
  decoders.map((decoder) => [decoder.format, decoder]),
)

/** The decoder of a format; undefined when it is not a picture's. */
export function findDecoder(format: PictureFormat): Decoder<PictureFormat>
export function findDecoder(format: string): Decoder<PictureFormat> | undefined
export function findDecoder(format: string): Decoder<PictureFormat> | undefined {
  return byFormat.get(format)
}

/** True when the format is a picture's, so that rendering has to draw it. */
export function isPicture(format: string): format is PictureFormat {
  return byFormat.has(format)
}

/** The most pixels a picture may have: a letter page at 600 dpi is 33.7 million, a phone's photo 12 to 24. */
const PIXELS_MAX = 40_000_000

/** The longest side, 50 inches at 600 dpi: some steps hold something for every row or column. */
const SIDE_MAX = 30_000

/**
 * The most bytes that decoding may hold. A worker's limits do not bound Buffers, so this is the only wall there is
 * inside the process. With it the thread adds 20 to 50 MB to the server, and the server stays below 140 MB.
 */
export const DECODE_BYTES_MAX = 20 * 2 ** 20

const MILLION = 1_000_000

/**
 * Reads the header of a picture and refuses what would not fit in memory, before anything is decoded.
 * @throws LabelFault PICTURE_TOO_LARGE, PICTURE_BROKEN, PICTURE_UNSUPPORTED
 */
export function checkPicture(bytes: Uint8Array, format: PictureFormat): Header {
  return checkHeader(findDecoder(format).header(bytes), format)
}

/** Checks a header that was read. @throws LabelFault PICTURE_TOO_LARGE */
export function checkHeader(header: Header, format: PictureFormat): Header {
  const size = `The ${format.toUpperCase()} has ${header.width}x${header.height} pixels`
  if (Math.max(header.width, header.height) > SIDE_MAX) {
    throw new LabelFault('PICTURE_TOO_LARGE', `${size}; wanted at most ${SIDE_MAX} along a side.`)
  }
  const bytesPerPixel = header.memoryBytes / header.pixels
  const wanted = Math.min(PIXELS_MAX, Math.floor(DECODE_BYTES_MAX / bytesPerPixel))
  if (header.pixels > wanted) {
    throw new LabelFault(
      'PICTURE_TOO_LARGE',
      `${size}, ${millions(header.pixels, Math.ceil)} million to decode; wanted at most ${millions(wanted, Math.floor)} million for a picture of its kind.`,
    )
  }
  return header
}

function millions(pixels: number, round: (value: number) => number): string {
  return (round((pixels / MILLION) * 10) / 10).toFixed(1)
}
