import { Buffer } from 'node:buffer'
import { crc32, deflateSync } from 'node:zlib'
import { LabelFault, type Remark, reason, refuseField } from './fault.ts'
import type { LanguageName } from './languages/index.ts'
import { type Raster, rowBytes } from './languages/raster.ts'

/** Parts of a page. */
export type Side = 'top' | 'bottom' | 'left' | 'right'

/** A label of a sheet: its columns and rows, and its number in reading order. */
export type CellArea = `${number}x${number}-${number}`

/** Part of a page or picture that prints. */
export type Area = 'page' | Side | `${'top' | 'bottom'}-${'left' | 'right'}` | CellArea

/** @throws LabelFault FIELD_INVALID for a label that its sheet does not have */
export function readCell(area: Area) {
  const [, ...found] = /^(\d+)x(\d+)-(\d+)$/.exec(area) ?? []
  if (found.length === 0) return undefined
  const [columns = 0, rows = 0, number = 0] = found.map(Number)
  const most = columns * rows
  if (number >= 1 && number <= most) return { columns, rows, number }
  throw refuseField('area', area, `a label from 1 to ${most} of the sheet`)
}

/** Turn applied to a picture; `auto` = to portrait or landscape, whichever the stock is. Clockwise degrees. */
export type Rotate = 'auto' | 0 | 90 | 180 | 270

/** A printer and a request, all defaults filled in: all that rendering may know. */
export interface Target {
  /** Undefined = the printer's language is not known. */
  readonly language: LanguageName | undefined
  /** Dots per inch of the head. */
  readonly dpi: number
  /** Inches. */
  readonly labelWidth: number
  /** Inches. */
  readonly labelHeight: number
  /** Resolution of the picture and of the starting point, when the request gave one (200 is already 203). */
  readonly pictureDpi: number | undefined
  /** Dots of `pictureDpi`, or of the head when that is undefined. */
  readonly startingPointX: number
  readonly startingPointY: number
  readonly rotate: Rotate
  /** `none`: a picture keeps the size that it states, and what is beyond the label is cut; left out, it fits. */
  readonly scaling?: 'none' | undefined
  /** The part of a picture that prints; left out: all of it. The labels of a PDF have their own. */
  readonly area?: Area | undefined
  /** 0..100 or undefined. */
  readonly darkness: number | undefined
  /** Inches per second or undefined. */
  readonly speed: number | undefined
  readonly z64: boolean
}

/** Result of rendering. */
export interface RenderedLabel {
  /** Ready for the printer. */
  readonly bytes: Uint8Array
  /** PNG of the first page as printed, or undefined when no picture of it exists. */
  readonly preview: Uint8Array | undefined
  /** Notes, e.g. that the picture was larger than the label. */
  readonly notes: readonly Remark[]
}

/** A label in dots of the head. */
export interface StockDots {
  readonly width: number
  readonly height: number
}

const DOTS_MAX = 40_000_000 // a 600 dpi head 4 inches wide, on 27 inches of stock

/**
 * Size of the label in dots.
 * @throws LabelFault FIELD_INVALID for a label beyond all measure
 */
export function measureStock({ labelWidth, labelHeight, dpi }: Target): StockDots {
  const width = Math.round(labelWidth * dpi)
  const height = Math.round(labelHeight * dpi)
  if (!(width >= 1 && height >= 1 && width * height <= DOTS_MAX)) {
    throw new LabelFault(
      'FIELD_INVALID',
      `A label of ${labelWidth}x${labelHeight} inches at ${dpi} dpi has ${width}x${height} dots; wanted 1 to ${DOTS_MAX}.`,
    )
  }
  return { width, height }
}

/** A size as people write it: `4x6`. */
export function inInches(width: number, height: number): string {
  const tidy = (inches: number): number =>
    inches < 1 ? Math.round(inches * 100) / 100 : Math.round(inches * 10) / 10
  return `${tidy(width)}x${tidy(height)}`
}

const TINY = 1 / 3

/** Less than a third of the label both ways, which hardly anybody means. */
export function isTiny(drawn: StockDots, canvas: StockDots): boolean {
  return drawn.width < TINY * canvas.width && drawn.height < TINY * canvas.height
}

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const LEVEL = 6 // level 1 makes labels 20 to 40 % longer, level 9 takes longer for next to nothing

/** A PNG of one bit a pixel, gray (PNG, third edition: 11.2.1, color type 0), black where the raster has dots. */
export function encodePng({ width, height, bits }: Raster): Uint8Array {
  const stride = rowBytes(width)
  const spare = 0xff >> (width & 7) // the bits of the last byte that are not dots
  const rows = Buffer.alloc((stride + 1) * height) // every row begins with its filter, 0 = none
  for (let y = 0, from = 0, to = 0; y < height; y++) {
    to++
    for (let n = 0; n < stride; n++) rows[to++] = ~(bits[from++] as number)
    if ((width & 7) !== 0) rows[to - 1] = (rows[to - 1] as number) & ~spare
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 1 // bits a sample
  return Buffer.concat([
    SIGNATURE,
    makeChunk('IHDR', header),
    makeChunk('IDAT', deflateSync(rows, { level: LEVEL })),
    makeChunk('IEND', Buffer.alloc(0)),
  ])
}

/** 5.3: length, type, data, CRC of type and data. */
function makeChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + data.length)
  chunk.writeUInt32BE(data.length, 0)
  chunk.write(type, 4, 'latin1')
  data.copy(chunk, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length)
  return chunk
}

/** Pages of one file that are printed at most. */
const PAGES_MAX = 50

const LIST = /^\s*\d{1,10}(\s*-\s*\d{1,10})?(\s*,\s*\d{1,10}(\s*-\s*\d{1,10})?)*\s*$/

/**
 * The pages that print, from 1, in their order: `2`, `1-3`, `1,3`; all when nothing is said.
 * @throws LabelFault FIELD_INVALID for a page that is not there; PICTURE_TOO_LARGE for too many
 */
export function listPages(
  wish: string | undefined,
  count: number,
  kind = 'PDF',
): readonly number[] {
  const pages = wish === undefined ? range(1, count) : readPages(wish, count, kind)
  if (pages.length > PAGES_MAX) {
    const told = { n: pages.length, most: PAGES_MAX }
    throw new LabelFault('PICTURE_TOO_LARGE', reason('tooManyPages', told), {
      advice: reason('printInParts', { most: PAGES_MAX, next: PAGES_MAX + 1 }),
      detail: `The ${kind} has ${pages.length} pages to print; wanted at most ${PAGES_MAX}.`,
    })
  }
  return pages
}

function readPages(wish: string, count: number, kind: string): readonly number[] {
  const wrong = (wanted: string): LabelFault => refuseField('pages', wish, wanted)
  if (!LIST.test(wish)) throw wrong('pages as in 2, 1-3 or 1,3')
  return wish.split(',').flatMap((part) => {
    const [from = 0, to = from] = part.split('-').map(Number)
    if (from < 1 || to < from || from > count) {
      throw wrong(count === 1 ? `page 1, for the ${kind} has no other` : `pages from 1 to ${count}`)
    }
    // A range may end beyond the last page (RFC 8011, 5.2.7).
    return range(from, Math.min(to, count))
  })
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n)
}
