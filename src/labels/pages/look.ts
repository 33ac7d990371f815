import type { PdfReader } from '../codecs/pdf/pdfium.ts'
import { checkPages, type PdfDoubt } from '../codecs/pdf/whole.ts'
import { type FaultData, LabelFault, type Remark, reason } from '../fault.ts'
import { cropToCanvas, EDGE_MM, type PlacementTarget, placePicture } from '../picture/placement.ts'
import { type Box, type Plane, type Size, turnSize } from '../plane.ts'
import { type Area, inInches, isTiny, listPages, type Rotate, readCell } from '../target.ts'
import { LOOK_DPI } from './cut.ts'
import { findArea, findLabels, fitOf, hasBars, type PageLabel } from './layout.ts'
import { findSheet, type Sheet, type SheetEvidence } from './sheet.ts'

/** The label's stock as a page is drawn for it. */
export interface Paper {
  /** Dots of the head. */
  readonly canvas: Size
  readonly dpi: number
  readonly rotate: Rotate
  /** The scaling in `Target`. */
  readonly scaling?: 'none' | undefined
  /** Position of the left and top edge, in dots of the head; left out or 0: centered. */
  readonly start?: { readonly x: number; readonly y: number } | undefined
}

/** A label that a PDF holds. */
export interface PdfLabel {
  /** From 1. */
  readonly page: number
  /** Undefined = the page as it is, or the one label on it. */
  readonly area: Area | undefined
  /** A page of paper without any bar code: a list, an invoice, instructions. */
  readonly isDocument: boolean
  /** Doubt that somebody has to decide or to look at. */
  readonly doubt?: PdfDoubt | undefined
  /** Blank pages of a PDF that do not print, with its first label. */
  readonly leftOut?: readonly number[]
  /** The reason why it should not print on this stock. */
  readonly misfit?: Misfit
}

/** Nobody would want it printed so. */
export type Misfit =
  /** A sheet of so many labels of another size than the stock, in inches. */
  | {
      readonly kind: 'sheet'
      readonly count: number
      readonly size: string
      readonly stock: string
    }
  /** It would be printed so small. */
  | { readonly kind: 'small'; readonly percent: number; readonly stock: string }

/** A PDF page as it was drawn. */
export interface DrawnPage {
  readonly plane: Plane
  readonly notes: readonly Remark[]
  /** Placement of a page that was cut to the label. */
  readonly placed?: PagePlacement | undefined
}

/** Turn and place on the canvas. */
export type PagePlacement = Pick<ReturnType<typeof placePicture>, 'turn' | 'x' | 'y'>

const PAGE_INCHES_MAX = 50
/** A page that is this much larger than the stock is meant to be it. */
const NEARLY = 1.05
/** Dots that come from rounding sizes in millimeters. */
const ROUNDING_DOTS = 2
const MM_PER_INCH = 25.4
const SMALL = 0.8
/** Below this nothing on the label can be read. */
const UNREADABLE = 1 / 3
/** Share of the label below which a turned page is enlarged to it. */
const FILLS = 0.9
/** A label of a sheet that takes less of the stock was not made for it. */
const SHARE_LEAST = 0.24
const POINTS_PER_INCH = 72
/**
 * Points that programs make of an inch when they mean inches, inches in a unit of millimeters, millimeters, and dots of
 * printers and of screens at 96 dpi.
 */
const POINTS_BY_MISTAKE = [1, 72 / 25.4, 25.4, 150, 152.25, 200, 203, 225, 300, 305, 600]
const LIKE_A_UNIT = 0.02

/**
 * The labels of a PDF for a stock, in the order in which they print; blank pages are left out.
 * @throws LabelFault PICTURE_*, FIELD_INVALID, LABEL_EMPTY when all of its pages are blank
 */
export function listLabels(
  pdf: PdfReader,
  wish: { readonly pages: string | undefined; readonly area: Area | undefined },
  paper: Paper,
): readonly PdfLabel[] {
  if (pdf.pages < 1) throw new LabelFault('PICTURE_BROKEN', 'The PDF has no pages.')
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
  if (area !== undefined) {
    readCell(area)
    return [{ page, area, isDocument: false }]
  }
  const size = sizeOf(pdf, page)
  if (isNearly(size, paper) || isInOddUnits(size, paper)) return [{ page, area, isDocument: false }]
  return listLarge(pdf.draw(page, LOOK_DPI), page, paper)
}

/** The labels on a page that is larger than the stock. */
function listLarge(look: Plane, page: number, paper: Paper): readonly PdfLabel[] {
  const stock = lookSize(paper)
  const found = findLabels(look, stock)
  const scale = Math.min(1, ...found.map(({ box }) => fitOf(box, stock)))
  const sheet = lookForSheet(look, stock, found, scale)
  if (sheet !== undefined) return listSheet(sheet, page, paper)
  const isSmall = scale < UNREADABLE && paper.scaling !== 'none'
  const misfit: Misfit | undefined = isSmall
    ? { kind: 'small', percent: Math.round(scale * 100), stock: stockOf(paper) }
    : undefined
  if (found.length < 2) {
    const isDocument = found[0]?.hasBars === false
    return [{ page, area: undefined, isDocument, ...(misfit && !isDocument && { misfit }) }]
  }
  return found.map(({ area }) => ({ page, area, isDocument: false, ...(misfit && { misfit }) }))
}

/** Only where what was found so far has to shrink, or is several labels or none. */
function lookForSheet(
  look: Plane,
  stock: Size,
  found: readonly PageLabel[],
  scale: number,
): Sheet | undefined {
  const evidence = evidenceFor(found, scale)
  return evidence && findSheet(look, stock, evidence, (box) => hasBars(look, box))
}

function evidenceFor(found: readonly PageLabel[], scale: number): SheetEvidence | undefined {
  if (found.length === 0) return undefined
  if (found[0]?.hasBars === false) return 'stock'
  if (scale < SMALL) return 'usual'
  return found.length > 1 ? 'strong' : undefined
}

function listSheet(
  { columns, rows, pitch, cells }: Sheet,
  page: number,
  paper: Paper,
): readonly PdfLabel[] {
  const stock = lookSize(paper)
  const isOfSize = cells.every(({ box }) => fitOf(box, stock) >= SMALL)
  const share = (pitch.width * pitch.height) / (stock.width * stock.height)
  if (isOfSize && share >= SHARE_LEAST) {
    return cells.map(({ number }) => ({
      page,
      area: `${columns}x${rows}-${number}` as const,
      isDocument: false,
    }))
  }
  const size = inInches(pitch.width / LOOK_DPI, pitch.height / LOOK_DPI)
  const misfit = { kind: 'sheet', count: cells.length, size, stock: stockOf(paper) } as const
  return [{ page, area: 'page', isDocument: false, misfit }]
}

/**
 * Draws a label at the head's resolution so that it fits the stock, upright or turned by a quarter; or at its own size.
 * @throws LabelFault PICTURE_*
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
  if (area === undefined && paper.scaling !== 'none' && isInOddUnits(size, paper)) {
    const meant = dpi * Math.min(scaleFor(size, paper, 0), unitsOf(size, paper))
    return { plane: pdf.draw(page, meant), notes: [...noteUnits(page, size, paper), ...notes] }
  }
  if (area === undefined && fits(dots, paper)) {
    return { plane: pdf.draw(page, dpi), notes: [...noteTiny(page, size, paper), ...notes] }
  }
  const look = pdf.draw(page, LOOK_DPI)
  const found = area === undefined ? choose(look, size, paper) : findArea(look, area)
  if (found === undefined) return { plane: blank(canvas), notes }
  if (paper.scaling === 'none') {
    const drawn = drawAtOwnSize(
      pdf,
      page,
      { look, size, found, hasArea: area !== undefined },
      paper,
    )
    return { ...drawn, notes: [...drawn.notes, ...notes] }
  }
  const box = grow(found, look)
  const inches = { width: box.width / LOOK_DPI, height: box.height / LOOK_DPI }
  const natural = scaleFor(inches, paper, 0)
  const isEnlarged = area === undefined && isTurnedOver(size, paper) && natural > 1 / FILLS
  const scale = natural >= 1 && !isEnlarged ? 1 : scaleFor(inches, paper, EDGE_MM / MM_PER_INCH)
  const part = boxAt(box, dpi * scale)
  return {
    plane: pdf.draw(page, dpi * scale, part),
    notes: [...noteScale(page, scale, paper), ...notes],
  }
}

/** A box of the look in dots. */
function boxAt(box: Box, dpi: number): Box {
  const at = (value: number): number => Math.round((value / LOOK_DPI) * dpi)
  return {
    x: at(box.x),
    y: at(box.y),
    width: Math.max(1, at(box.width)),
    height: Math.max(1, at(box.height)),
  }
}

interface UnscaledPage {
  readonly look: Plane
  /** Size of the page in inches. */
  readonly size: Size
  readonly found: Box
  /** Somebody asked for a part of the page. */
  readonly hasArea: boolean
}

/**
 * Draws at its own size. What is not to be scaled is cut evenly on both sides, as pictures are: the whole page, unless a part of it is the label
 * or all of its ink has room when it is moved.
 */
function drawAtOwnSize(
  pdf: PdfReader,
  page: number,
  { look, size, found, hasArea }: UnscaledPage,
  paper: Paper,
): DrawnPage {
  const { canvas, dpi, start = { x: 0, y: 0 } } = paper
  const place: PlacementTarget = {
    dpi,
    pictureDpi: dpi,
    rotate: paper.rotate,
    scaling: 'none',
    startingPointX: start.x,
    startingPointY: start.y,
  }
  const wholeDots = {
    x: 0,
    y: 0,
    width: Math.max(1, Math.round(size.width * dpi)),
    height: Math.max(1, Math.round(size.height * dpi)),
  }
  const ink = boxAt(found, dpi)
  const cutOut = (box: Box) => {
    const placed = cropToCanvas(placePicture(box, canvas, place), canvas)
    const { window } = placed
    const part = { ...window, x: box.x + window.x, y: box.y + window.y }
    return { placed, part, isWhole: isWithin(ink, part, (2 * dpi) / LOOK_DPI) }
  }
  const own = boxAt(grow(found, look), dpi)
  const isPart =
    hasArea || (!isNearly(size, paper) && findLabels(look, lookSize(paper))[0]?.area !== 'page')
  const whole = cutOut(isPart ? own : wholeDots)
  const moved = whole.isWhole || isPart ? whole : cutOut(own)
  const { placed, part, isWhole } = moved.isWhole ? moved : whole
  const { turn, x, y } = placed
  const notes = isWhole
    ? []
    : [reason('pageCut', { page, size: inInches(size.width, size.height), label: stockOf(paper) })]
  return { plane: pdf.draw(page, dpi, part), notes, placed: { turn, x, y } }
}

/** The look is coarse: `by` dots may be missing. */
function isWithin(part: Box, { x, y, width, height }: Box, by: number): boolean {
  const isAcross = part.x >= x - by && part.x + part.width <= x + width + by
  return isAcross && part.y >= y - by && part.y + part.height <= y + height + by
}

function stockOf({ canvas, dpi }: Paper): string {
  return inInches(canvas.width / dpi, canvas.height / dpi)
}

/** Inches of the stock for one of the page, for a page in a unit that is another than it says; 1 of others. */
function unitsOf(size: Size, { canvas, dpi }: Paper): number {
  const stock = { width: canvas.width / dpi, height: canvas.height / dpi }
  for (const points of POINTS_BY_MISTAKE) {
    const units = POINTS_PER_INCH / points
    const isLike = [stock, turnSize(stock, 90)].some(({ width, height }) =>
      [(size.width * units) / width, (size.height * units) / height].every(
        (ratio) => Math.abs(ratio - 1) <= LIKE_A_UNIT,
      ),
    )
    if (isLike) return units
  }
  return 1
}

function isInOddUnits(size: Size, paper: Paper): boolean {
  return unitsOf(size, paper) !== 1
}

/** A page of the size of the stock that somebody turned by a quarter, because the label on it lies. */
function isTurnedOver(size: Size, paper: Paper): boolean {
  return (paper.rotate === 90 || paper.rotate === 270) && isNearly(size, paper)
}

function noteUnits(page: number, size: Size, paper: Paper): readonly Remark[] {
  return [
    reason('pageUnits', { page, size: inInches(size.width, size.height), label: stockOf(paper) }),
  ]
}

function noteTiny(page: number, size: Size, paper: Paper): readonly Remark[] {
  const { canvas, dpi } = paper
  if (!isTiny({ width: size.width * dpi, height: size.height * dpi }, canvas)) return []
  return [
    reason('pageTiny', { page, size: inInches(size.width, size.height), label: stockOf(paper) }),
  ]
}

function noteScale(page: number, scale: number, paper: Paper): readonly Remark[] {
  if (scale >= SMALL) return []
  const percent = Math.round(scale * 100)
  return [
    [reason('pageReduced', { page, percent }), reason('askForSize', { label: stockOf(paper) })],
  ]
}

function noteLetters(page: number, letters: readonly string[]): readonly Remark[] {
  if (letters.length === 0) return []
  const named = letters.filter((letter) => letter !== '').join(' ')
  return [
    `Page ${page} of the PDF uses letters without bringing their font${named === '' ? '' : ` (${named})`}: they are missing or wrong on the label. Ask for a PDF with its fonts embedded.`,
  ]
}

/** @throws LabelFault PICTURE_TOO_LARGE */
function sizeOf(pdf: PdfReader, page: number): Size {
  const size = pdf.size(page)
  if (Math.max(size.width, size.height) <= PAGE_INCHES_MAX) return size
  const [width, height] = [size.width, size.height].map((inches) => Math.round(inches))
  throw new LabelFault(
    'PICTURE_TOO_LARGE',
    `Page ${page} of the PDF is ${width}x${height} inches large; wanted at most ${PAGE_INCHES_MAX} along a side.`,
  )
}

/** The ink of a page that is nearly as large as the stock, else the first label on it. */
function choose(look: Plane, size: Size, paper: Paper): Box | undefined {
  if (isNearly(size, paper)) return findArea(look, 'page')
  const found: readonly PageLabel[] = findLabels(look, lookSize(paper))
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

/** Question to the child; bytes come with the first question about a document. */
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
  | { readonly fault: FaultData }
