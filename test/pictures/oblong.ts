import { Buffer } from 'node:buffer'
import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import { orientPlane, type Plane } from '../../src/labels/plane.ts'
import { segment } from './make-jpeg.ts'
import { makePng } from './make-png.ts'
import { makePwg } from './make-raster.ts'

/** A file's notation of the resolution of its picture. */
export interface Pixels {
  /** Along its rows and columns as stored, per inch. */
  readonly across: number
  readonly down: number
  /** `none`: how they relate is said, not how large they are. */
  readonly unit: 'inch' | 'metric' | 'none'
  readonly orientation: number
}

export const OBLONG_FORMATS = ['png', 'png-exif', 'jpeg', 'jpeg-exif', 'tiff', 'pwg'] as const
export type OblongFormat = (typeof OBLONG_FORMATS)[number]

/** A picture as a program stores it that was made upright with square pixels of `dpi`; `said`: what the file says of it. */
export async function storeOblong(
  upright: Plane,
  dpi: number,
  format: OblongFormat,
  pixels: Pixels,
  said = pixels,
): Promise<Buffer> {
  const back = { 6: 8, 8: 6 }[pixels.orientation] ?? pixels.orientation
  const { width, height, luma } = orientPlane(upright, back)
  const size = {
    width: Math.round((width * pixels.across) / dpi),
    height: Math.round((height * pixels.down) / dpi),
  }
  const stored = await sharp(luma, { raw: { width, height, channels: 1 } })
    .resize({ ...size, fit: 'fill', kernel: 'lanczos3' })
    .toColorspace('b-w')
    .raw()
    .toBuffer()
  return await encode({ ...size, luma: stored }, format, said)
}

async function encode(plane: Plane, format: OblongFormat, pixels: Pixels): Promise<Buffer> {
  switch (format) {
    case 'tiff':
      return makeTiff(plane, pixels)
    case 'jpeg':
    case 'jpeg-exif':
      return await makeJpeg(plane, pixels, format === 'jpeg-exif')
    case 'pwg': {
      const { width, height, luma: samples } = plane
      const page = { width, height, dpi: 203, space: 18, bitsPerPixel: 8, samples }
      const file = makePwg(page)
      file.writeUInt32BE(Math.round(pixels.across), 4 + 276)
      file.writeUInt32BE(Math.round(pixels.down), 4 + 280)
      return file
    }
    default:
      return makeOblongPng(plane, pixels, format === 'png-exif')
  }
}

function makeOblongPng(plane: Plane, pixels: Pixels, isInExif: boolean): Buffer {
  const { width, height, luma } = plane
  const samples = (x: number, y: number): readonly number[] => [luma[y * width + x] ?? 255]
  const plain = makePng({ width, height, color: 0, depth: 8, samples })
  const exif = pngChunk('eXIf', makeExif(pixels, isInExif))
  const physical = Buffer.alloc(9)
  const perUnit = pixels.unit === 'none' ? 1 : 39.37
  physical.writeUInt32BE(Math.round(pixels.across * perUnit), 0)
  physical.writeUInt32BE(Math.round(pixels.down * perUnit), 4)
  physical[8] = pixels.unit === 'none' ? 0 : 1
  const head = plain.subarray(0, 33)
  const more = isInExif ? [exif] : [pngChunk('pHYs', physical), exif]
  return Buffer.concat([head, ...more, plain.subarray(33)])
}

function pngChunk(type: string, data: Uint8Array): Buffer {
  const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from(type, 'latin1'), data, Buffer.alloc(4)])
  chunk.writeUInt32BE(data.length, 0)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length)
  return chunk
}

async function makeJpeg(plane: Plane, pixels: Pixels, isInExif: boolean): Promise<Buffer> {
  const { width, height, luma } = plane
  const file = await sharp(luma, { raw: { width, height, channels: 1 } })
    .jpeg({ quality: 95 })
    .toBuffer()
  const units = { inch: 1, metric: 2, none: 0 }[pixels.unit]
  const perInch = units === 2 ? 2.54 : 1
  const density = (value: number): readonly number[] => {
    const number = Math.round(value / perInch)
    return [number >> 8, number & 255]
  }
  const jfif = isInExif
    ? [...Buffer.from('JFIF\0'), 1, 2, 0, 0, 1, 0, 1, 0, 0]
    : [
        ...Buffer.from('JFIF\0'),
        1,
        2,
        units,
        ...density(pixels.across),
        ...density(pixels.down),
        0,
        0,
      ]
  const exif = [...Buffer.from('Exif\0\0'), ...makeExif(pixels, isInExif)]
  // Its own JFIF segment has 18 bytes.
  const rest = file.subarray(file.readUInt16BE(2) === 0xffe0 ? 20 : 2)
  return Buffer.concat([file.subarray(0, 2), segment(0xe0, jfif), segment(0xe1, exif), rest])
}

type Entry = readonly [tag: number, type: 3 | 4 | 5, value: number]

const resolutionOf = ({ across, down, unit }: Pixels): readonly Entry[] => {
  const perInch = unit === 'metric' ? 2.54 : 1
  return [
    [282, 5, across / perInch],
    [283, 5, down / perInch],
    [296, 3, { none: 1, inch: 2, metric: 3 }[unit]],
  ]
}

function makeExif(pixels: Pixels, hasResolution: boolean): Buffer {
  return makeDirectory([
    [274, 3, pixels.orientation],
    ...(hasResolution ? resolutionOf(pixels) : []),
  ])
}

function makeTiff({ width, height, luma }: Plane, pixels: Pixels): Buffer {
  const entries = (at: number): readonly Entry[] => [
    [256, 4, width],
    [257, 4, height],
    [258, 3, 8],
    [259, 3, 1],
    [262, 3, 1],
    [273, 4, at],
    [274, 3, pixels.orientation],
    [277, 3, 1],
    [278, 4, height],
    [279, 4, luma.length],
    ...resolutionOf(pixels),
  ]
  const head = makeDirectory(entries(0))
  return Buffer.concat([makeDirectory(entries(head.length)), luma])
}

/** A TIFF of one directory: rational values behind it. */
function makeDirectory(entries: readonly Entry[]): Buffer {
  const start = 8 + 2 + 12 * entries.length + 4
  const file = Buffer.alloc(start + 8 * entries.length)
  file.write('II*\0', 'latin1')
  file.writeUInt32LE(8, 4)
  file.writeUInt16LE(entries.length, 8)
  for (const [n, [tag, type, value]] of entries.entries()) {
    const at = 10 + 12 * n
    file.writeUInt16LE(tag, at)
    file.writeUInt16LE(type, at + 2)
    file.writeUInt32LE(1, at + 4)
    if (type === 3) file.writeUInt16LE(value, at + 8)
    else if (type === 4) file.writeUInt32LE(value, at + 8)
    else {
      file.writeUInt32LE(start + 8 * n, at + 8)
      file.writeUInt32LE(Math.round(value * 1000), start + 8 * n)
      file.writeUInt32LE(1000, start + 8 * n + 4)
    }
  }
  return file
}
