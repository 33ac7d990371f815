import { type FailureCode, PlatenError } from '../../errors.ts'
import { EDGE_MM } from '../picture/placement.ts'
import { type Box, type Plane, type Size, turnSize } from '../picture/plane.ts'
import { listPages, type Rotate } from '../target.ts'
import { LOOK_DPI } from './cut.ts'
import { type Area, type Found, findArea, findLabels, fitOf } from './layout.ts'
import type { PdfReader } from './pdfium.ts'
import { checkPages, type PdfDoubt } from './whole.ts'

/** The label's stock as a page is drawn for it. */
export interface Paper {
  /** Dots of the head. */
  readonly canvas: Size
  readonly dpi: number
  readonly rotate: Rotate
}

/** A label that a PDF holds. */
export interface PdfLabel {
  /** From 1. */
  readonly page: number
  /** Undefined = the page as it is, or the one label on it. */
  readonly area: Area | undefined
  /** A page of paper without any bar code: a list, an invoice, instructions. */
  readonly isDocument: boolean
  /** What somebody has to decide or to look at. */
  readonly doubt?: PdfDoubt | undefined
  /** Of the first label of a PDF: its pages that are blank and do not print. */
  readonly leftOut?: readonly number[]
}

/** What a PDF page is drawn as. */
export interface DrawnPage {
  readonly plane: Plane
  readonly notes: readonly string[]
}

const PAGE_INCHES_MAX = 50
/** A page that is this much larger than the stock is meant to be it. */
const NEARLY = 1.05
/** Dots that come from rounding sizes in millimeters. */
const ROUNDING_DOTS = 2
const MM_PER_INCH = 25.4
const SMALL = 0.8

/**
 * The labels of a PDF for a stock, in the order in which they print; blank pages are left out.
 * @throws PlatenError PICTURE_*, FIELD_INVALID, LABEL_EMPTY when all of its pages are blank
 */
export function listLabels(
  pdf: PdfReader,
  wish: { readonly pages: string | undefined; readonly area: Area | undefined },
  paper: Paper,
): readonly PdfLabel[] {
  if (pdf.pages < 1) throw new PlatenError('PICTURE_BROKEN', 'The PDF has no pages.')
  const wanted = listPages(wish.pages, pdf.pages)
  const { pages, blank } = checkPages(pdf, wanted)
  const labels = pages.flatMap(({ page, doubt }) =>
    labelsOf(pdf, page, wish.area, paper).map((label) => ({ ...label, doubt })),
  )
  return labels.map((label, n) =>
    n === 0 && blank.length > 0 ? { ...label, leftOut: blank } : label,
  )
}

function labelsOf(
  pdf: PdfReader,
  page: number,
  area: Area | undefined,
  paper: Paper,
): readonly PdfLabel[] {
  const size = sizeOf(pdf, page)
  if (area !== undefined || isNearly(size, paper)) return [{ page, area, isDocument: false }]
  const found = findLabels(pdf.draw(page, LOOK_DPI), lookSize(paper))
  if (found.length < 2) return [{ page, area, isDocument: found[0]?.hasBars === false }]
  return found.map((one) => ({ page, area: one.area, isDocument: false }))
}

/**
 * One label, drawn at the head's resolution so that it fits the stock, upright or turned by a quarter.
 * @throws PlatenError PICTURE_*
 */
export function drawLabel(
  pdf: PdfReader,
  { page, area }: { readonly page: number; readonly area: Area | undefined },
  paper: Paper,
): DrawnPage {
  const { canvas, dpi } = paper
  const size = sizeOf(pdf, page)
  const dots = { width: Math.round(size.width * dpi), height: Math.round(size.height * dpi) }
  const notes = noteLetters(page, pdf.missingLetters(page))
  if (area === undefined && fits(dots, paper)) return { plane: pdf.draw(page, dpi), notes }
  const look = pdf.draw(page, LOOK_DPI)
  const found = area === undefined ? choose(look, size, paper) : findArea(look, area)
  if (found === undefined) return { plane: blank(canvas), notes }
  const box = grow(found, look)
  const inches = { width: box.width / LOOK_DPI, height: box.height / LOOK_DPI }
  const natural = scaleFor(inches, paper, 0)
  const scale = natural >= 1 ? 1 : scaleFor(inches, paper, EDGE_MM / MM_PER_INCH)
  const drawnDpi = dpi * scale
  const at = (value: number): number => Math.round((value / LOOK_DPI) * drawnDpi)
  const part = {
    x: at(box.x),
    y: at(box.y),
    width: Math.max(1, at(box.width)),
    height: Math.max(1, at(box.height)),
  }
  return { plane: pdf.draw(page, drawnDpi, part), notes: [...noteScale(page, scale), ...notes] }
}

function noteScale(page: number, scale: number): readonly string[] {
  if (scale >= SMALL) return []
  return [
    `Page ${page} of the PDF is larger than the label and was printed at ${Math.round(scale * 100)} %: bar codes may not scan. Ask for the label at 4x6 inches, or print one half of the page (field "area").`,
  ]
}

function noteLetters(page: number, letters: readonly string[]): readonly string[] {
  if (letters.length === 0) return []
  const named = letters.filter((letter) => letter !== '').join(' ')
  return [
    `Page ${page} of the PDF uses letters without bringing their font${named === '' ? '' : ` (${named})`}: they are missing or wrong on the label. Ask for a PDF with its fonts embedded.`,
  ]
}

/** @throws PlatenError PICTURE_TOO_LARGE */
function sizeOf(pdf: PdfReader, page: number): Size {
  const size = pdf.size(page)
  if (Math.max(size.width, size.height) <= PAGE_INCHES_MAX) return size
  const [width, height] = [size.width, size.height].map((inches) => Math.round(inches))
  throw new PlatenError(
    'PICTURE_TOO_LARGE',
    `Page ${page} of the PDF is ${width}x${height} inches large; wanted at most ${PAGE_INCHES_MAX} along a side.`,
  )
}

/** The ink of a page that is nearly as large as the stock, else the first label on it. */
function choose(look: Plane, size: Size, paper: Paper): Box | undefined {
  if (isNearly(size, paper)) return findArea(look, 'page')
  const found: readonly Found[] = findLabels(look, lookSize(paper))
  return found[0]?.box
}

function lookSize({ canvas, dpi }: Paper): Size {
  return { width: (canvas.width / dpi) * LOOK_DPI, height: (canvas.height / dpi) * LOOK_DPI }
}

function isNearly(size: Size, { canvas, dpi }: Paper): boolean {
  return fitOf(size, { width: canvas.width / dpi, height: canvas.height / dpi }) * NEARLY >= 1
}

function fits(dots: Size, { canvas, rotate }: Paper): boolean {
  const isInside = ({ width, height }: Size): boolean =>
    width <= canvas.width + ROUNDING_DOTS && height <= canvas.height + ROUNDING_DOTS
  return turnsOf(rotate).some((turn) => isInside(turnSize(dots, turn)))
}

/** The factor at which so many inches fill the stock less its margin. */
function scaleFor(inches: Size, { canvas, dpi, rotate }: Paper, margin: number): number {
  const room = {
    width: canvas.width / dpi - 2 * margin,
    height: canvas.height / dpi - 2 * margin,
  }
  return Math.max(
    ...turnsOf(rotate).map((turn) => {
      const { width, height } = turnSize(inches, turn)
      return Math.min(room.width / width, room.height / height)
    }),
  )
}

function turnsOf(rotate: Rotate): readonly (0 | 90)[] {
  if (rotate === 'auto') return [0, 90]
  return rotate % 180 === 0 ? [0] : [90]
}

/** A dot around what was found: the look is coarse. */
function grow(box: Box, { width, height }: Size): Box {
  const [x, y] = [Math.max(0, box.x - 1), Math.max(0, box.y - 1)]
  return {
    x,
    y,
    width: Math.min(width, box.x + box.width + 1) - x,
    height: Math.min(height, box.y + box.height + 1) - y,
  }
}

function blank({ width, height }: Size): Plane {
  return { width, height, luma: new Uint8Array(width * height).fill(255) }
}

/** What the child is asked; bytes come with the first question about a document. */
export interface PdfQuestion {
  readonly pdf: Uint8Array | undefined
  readonly paper: Paper
  readonly ask:
    | { readonly list: { readonly pages: string | undefined; readonly area: Area | undefined } }
    | { readonly draw: { readonly page: number; readonly area: Area | undefined } }
}

/** The one answer to a question. */
export type PdfAnswer =
  | { readonly labels: readonly PdfLabel[] }
  | { readonly drawn: DrawnPage }
  | {
      readonly error: {
        readonly code: FailureCode
        readonly message: string
        readonly hint: string
        readonly detail: string
      }
    }
