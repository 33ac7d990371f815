import sharp from 'sharp'
import type { Raster } from '../../src/labels/languages/raster.ts'
import type { Box, Plane, Size } from '../../src/labels/plane.ts'
import { makePwg, makeUrf } from '../pictures/make-raster.ts'
import { INCH, makePdf } from './codecs/pdf/make-pdf.ts'

const DPI = 203
/** Size of the page on which the marks are, in inches. */
const PAGE = { width: 3, height: 5 }
/** Black boxes that tell every turn, place and part of the page. */
const MARKS: readonly Box[] = [
  { x: 0.2, y: 0.3, width: 0.8, height: 0.4 },
  { x: 2, y: 0.5, width: 0.5, height: 0.3 },
  { x: 0.3, y: 3.5, width: 0.4, height: 1 },
  { x: 1.8, y: 4.2, width: 0.9, height: 0.4 },
]
/** The marks in each part. */
const PARTS: Readonly<Record<string, readonly number[]>> = {
  page: [0, 1, 2, 3],
  top: [0, 1],
  bottom: [2, 3],
  left: [0, 2],
  right: [1, 3],
  'top-left': [0],
  'bottom-right': [3],
  '2x2-2': [1],
  '2x2-3': [2],
}

/** The options of a request, by the names of fields. */
export interface Wish {
  readonly scaling?: 'none'
  readonly rotate?: '0' | '90' | '180' | '270'
  readonly area?: string
  readonly darkness?: string
  readonly dpi?: string
  readonly starting_point_x?: string
  readonly starting_point_y?: string
}

/** All kinds of wishes, of which each leaves the page at its own size. */
export const WISHES: readonly Wish[] = [
  { scaling: 'none' },
  { dpi: '203' },
  { dpi: '203', rotate: '180' },
  ...(['0', '90', '180', '270'] as const).map((rotate) => ({ scaling: 'none', rotate }) as const),
  ...['150', '200', '300', '406'].map((dpi) => ({ scaling: 'none', dpi }) as const),
  { scaling: 'none', starting_point_x: '-60', starting_point_y: '80' },
  { scaling: 'none', dpi: '406', starting_point_x: '100', starting_point_y: '-50' },
  { scaling: 'none', rotate: '90', starting_point_y: '30' },
  ...Object.keys(PARTS).map((area) => ({ scaling: 'none', area }) as const),
  { dpi: '203', area: 'bottom' },
  { scaling: 'none', area: 'right', rotate: '270' },
  { scaling: 'none', area: 'top', dpi: '300', rotate: '90' },
  ...['0', '40', '100'].map((darkness) => ({ scaling: 'none', darkness }) as const),
]

export const FORMATS = ['png', 'jpeg', 'gif', 'tiff', 'pages', 'pwg', 'urf', 'pdf'] as const
export type Format = (typeof FORMATS)[number]

const made = new Map<Format, Promise<Buffer>>()

/** The page as a file; of `pages` it is the second one of a TIFF. */
export function fileOf(format: Format): Promise<Buffer> {
  const known = made.get(format) ?? makeFile(format)
  made.set(format, known)
  return known
}

async function makeFile(format: Format): Promise<Buffer> {
  const size = { width: PAGE.width * DPI, height: PAGE.height * DPI }
  const luma = paint(size, DPI)
  const picture = sharp(luma, { raw: { ...size, channels: 1 } }).withMetadata({ density: DPI })
  const page = { ...size, dpi: DPI, bitsPerPixel: 8, samples: luma }
  switch (format) {
    case 'png':
    case 'jpeg':
    case 'gif':
      return await picture.toFormat(format).toBuffer()
    case 'tiff':
      return await picture
        .tiff({ compression: 'lzw', xres: DPI / 25.4, yres: DPI / 25.4 })
        .toBuffer()
    case 'pages': {
      const pages = [
        await sharp(luma, { raw: { ...size, channels: 1 } })
          .negate()
          .png()
          .toBuffer(),
        await picture.png().toBuffer(),
      ]
      return await sharp(pages, { join: { animated: true } })
        .tiff({ compression: 'lzw', xres: DPI / 25.4, yres: DPI / 25.4 })
        .toBuffer()
    }
    case 'pwg':
      return makePwg({ ...page, space: 18 })
    case 'urf':
      return makeUrf({ ...page, space: 0 })
    case 'pdf': {
      const boxes = MARKS.map(({ x, y, width, height }) =>
        [x, PAGE.height - y - height, width, height].map((inches) => inches * INCH).join(' '),
      )
      const content = boxes.map((box) => `${box} re f`).join('\n')
      const [width, height] = [PAGE.width * INCH, PAGE.height * INCH]
      return Buffer.from(makePdf([{ width, height, content }]))
    }
  }
}

/** The page as it is meant, in square pixels of `dpi`. */
export function planeOf(dpi: number): Plane {
  const size = { width: PAGE.width * dpi, height: PAGE.height * dpi }
  return { ...size, luma: paint(size, dpi) }
}

function paint({ width, height }: Size, dpi: number): Buffer {
  const luma = Buffer.alloc(width * height, 255)
  for (const mark of MARKS) fill(luma, { width, height }, scaled(mark, dpi))
  return luma
}

function scaled({ x, y, width, height }: Box, by: number): Box {
  const [left, top] = [Math.round(x * by), Math.round(y * by)]
  return {
    x: left,
    y: top,
    width: Math.round((x + width) * by) - left,
    height: Math.round((y + height) * by) - top,
  }
}

function fill(luma: Uint8Array, { width, height }: Size, box: Box): void {
  for (let y = Math.max(0, box.y); y < Math.min(height, box.y + box.height); y++) {
    const left = Math.max(0, box.x)
    const right = Math.min(width, box.x + box.width)
    if (right > left) luma.fill(0, y * width + left, y * width + right)
  }
}

/** Draws where the marks must lie on a label of 4 x 6 inches, dot by dot in gray. */
export function expected(wish: Wish, format: Format, canvas: Size): Uint8Array {
  const { rotate = '0', area = 'page', dpi = '203' } = wish
  const stated = dpi === '200' ? DPI : Number(dpi)
  // A PDF has a size of its own.
  const scale = format === 'pdf' ? DPI : (DPI * DPI) / stated
  const marks = MARKS.filter((_, n) => PARTS[area]?.includes(n))
  const isWhole = area === 'page' && (format !== 'pdf' || wish.area === undefined)
  const window = isWhole ? { x: 0, y: 0, ...PAGE } : windowOf(area, marks)
  const turned = marks.map((mark) => turn(mark, window, Number(rotate)))
  const isLying = rotate === '90' || rotate === '270'
  const drawn = isLying ? [window.height, window.width] : [window.width, window.height]
  const start = (given: string | undefined, room: number, inches = 0): number =>
    given === undefined
      ? Math.floor((room - inches * scale) / 2)
      : Math.round((Number(given) * DPI) / stated)
  const x = start(wish.starting_point_x, canvas.width, drawn[0])
  const y = start(wish.starting_point_y, canvas.height, drawn[1])
  const luma = new Uint8Array(canvas.width * canvas.height).fill(255)
  for (const mark of turned) {
    const box = scaled(mark, scale)
    fill(luma, canvas, { ...box, x: box.x + x, y: box.y + y })
  }
  return luma
}

/** Labels of a sheet are as large as the largest of them, so that all are printed at the same place. */
function windowOf(area: string, marks: readonly Box[]): Box {
  const ink = around(marks)
  if (!/^\d/.test(area)) return ink
  const width = Math.max(...MARKS.map((mark) => mark.width))
  return { ...ink, width, height: Math.max(...MARKS.map((mark) => mark.height)) }
}

function around(boxes: readonly Box[]): Box {
  const [x, y] = [Math.min(...boxes.map((box) => box.x)), Math.min(...boxes.map((box) => box.y))]
  const right = Math.max(...boxes.map((box) => box.x + box.width))
  const bottom = Math.max(...boxes.map((box) => box.y + box.height))
  return { x, y, width: right - x, height: bottom - y }
}

/** A box of a window once that is turned clockwise, from the window's own corner. */
function turn(box: Box, window: Box, degrees: number): Box {
  const [left, top] = [box.x - window.x, box.y - window.y]
  const right = window.width - left - box.width
  const below = window.height - top - box.height
  const { width, height } = box
  switch (degrees) {
    case 90:
      return { x: below, y: left, width: height, height: width }
    case 180:
      return { x: right, y: below, width, height }
    case 270:
      return { x: top, y: right, width: height, height: width }
    default:
      return { x: left, y: top, width, height }
  }
}

/** Dots that are black on one alone, in thousandths of the label. */
export function difference(raster: Raster, wanted: Uint8Array): number {
  const stride = Math.ceil(raster.width / 8)
  let count = 0
  for (let y = 0; y < raster.height; y++) {
    for (let x = 0; x < raster.width; x++) {
      const byte = raster.bits[y * stride + (x >> 3)] ?? 0
      const isBlack = ((byte << (x & 7)) & 0x80) !== 0
      if (isBlack !== (wanted[y * raster.width + x] ?? 255) < 128) count += 1
    }
  }
  return (1000 * count) / (raster.width * raster.height)
}
