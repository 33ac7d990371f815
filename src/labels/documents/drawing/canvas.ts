import { findLanguage, type LanguageName } from '../../languages/index.ts'
import { type Raster, rowBytes } from '../../languages/raster.ts'
import type { StockDots, Target } from '../../target.ts'
import type { Font } from '../font/font.ts'
import {
  cellsOf,
  countCells,
  faceFor,
  type Glyph,
  nearestHeight,
  scaleGlyph,
} from '../font/glyph.ts'
import { type Code128, drawCode128 } from './barcodes.ts'
import { orderForPaper } from './right-to-left.ts'

/** Something printed at a place: dots from the left and the top of the paper, or of its row before the pages are made. */
export type Mark = TextMark | BoxMark | FrameMark | BarsMark

/** A line of text. */
export interface TextMark {
  readonly kind: 'text'
  /** The left end, the right end or the middle, as `align` says. */
  readonly x: number
  /** The top of the line. */
  readonly y: number
  readonly text: string
  readonly style: TextStyle
  readonly align: 'left' | 'right' | 'center'
}

/** A black rectangle, such as a rule. */
export interface BoxMark {
  readonly kind: 'box'
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The outline of a rectangle, `line` dots thick, inwards. */
export interface FrameMark {
  readonly kind: 'frame'
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly line: number
}

/** A Code 128 symbol. */
export interface BarsMark {
  readonly kind: 'bars'
  readonly x: number
  readonly y: number
  readonly height: number
  /** Dots of the narrowest bar. */
  readonly module: number
  readonly code: Code128
}

/** White paper of so many dots. */
export function createCanvas(width: number, height: number): Raster {
  return { width, height, bits: new Uint8Array(rowBytes(width) * height) }
}

/** Blackens a rectangle, clipped to the paper. */
export function fillBox(raster: Raster, x: number, y: number, width: number, height: number): void {
  const bytes = rowBytes(raster.width)
  const [left, right] = [Math.max(x, 0), Math.min(x + width, raster.width)]
  const [top, bottom] = [Math.max(y, 0), Math.min(y + height, raster.height)]
  for (let row = top; row < bottom; row += 1) {
    for (let dot = left; dot < right; dot += 1) {
      const at = row * bytes + (dot >> 3)
      raster.bits[at] = (raster.bits[at] as number) | (0x80 >> (dot & 7))
    }
  }
}

/** Draws the four sides of a rectangle, `line` dots thick, inwards. */
export function frameBox(
  raster: Raster,
  box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
  line: number,
): void {
  const { x, y, width, height } = box
  fillBox(raster, x, y, width, line)
  fillBox(raster, x, y + height - line, width, line)
  fillBox(raster, x, y, line, height)
  fillBox(raster, x + width - line, y, line, height)
}

/** Draws the bars of a one-dimensional code: widths in modules, black first, and returns the dots it took. */
export function drawBars(
  raster: Raster,
  at: { readonly x: number; readonly y: number; readonly module: number; readonly height: number },
  widths: readonly number[],
): number {
  let x = at.x
  for (const [index, modules] of widths.entries()) {
    const width = modules * at.module
    if (index % 2 === 0) fillBox(raster, x, at.y, width, at.height)
    x += width
  }
  return x - at.x
}

/** Blackens dots of one byte, where the byte lies on the paper. */
function layByte(raster: Raster, column: number, y: number, bits: number): void {
  const bytes = rowBytes(raster.width)
  if (column < 0 || column >= bytes || y < 0 || y >= raster.height) return
  const at = y * bytes + column
  raster.bits[at] = (raster.bits[at] as number) | bits
}

/** Draws a glyph over the canvas, clipped to the paper. */
function layGlyph(raster: Raster, glyph: Glyph, x: number, y: number): void {
  const bytes = (glyph.width + 7) >> 3
  const [column, shift] = [x >> 3, x & 7]
  for (const [index, bits] of glyph.rows.entries()) {
    if (bits === 0) continue
    const row = y + Math.floor(index / bytes)
    layByte(raster, column + (index % bytes), row, bits >> shift)
    layByte(raster, column + (index % bytes) + 1, row, (bits << (8 - shift)) & 0xff)
  }
}

/** Whitens the padding at the end of each row, into which a glyph at the right edge may have run. */
function trimRows(raster: Raster): void {
  const [bytes, used] = [rowBytes(raster.width), raster.width & 7]
  if (used === 0) return
  const mask = (0xff << (8 - used)) & 0xff
  for (let at = bytes - 1; at < raster.bits.length; at += bytes) {
    raster.bits[at] = (raster.bits[at] as number) & mask
  }
}

/** Size of a line of text; all text is bold, since fine strokes fade on thermal paper. */
export interface TextStyle {
  /** Dots of the cell from line to line; one that `nearestHeight` gives. */
  readonly height: number
}

/** The style that is as large as a cell of so many dots on a head of 203 dpi, as near as the faces allow. */
export function styleAt203(dots: number, dpi: number): TextStyle {
  return { height: nearestHeight((dots * dpi) / 203) }
}

/** Writes text; it keeps the glyphs that it has scaled, so one pen serves a whole job. */
export interface Pen {
  /** Writes one line with its top left corner at x, y, and returns its width in dots. */
  write(raster: Raster, text: string, x: number, y: number, style: TextStyle): number
}

/** A pen for a font. */
export function createPen(font: Font): Pen {
  const scaled = new Map<string, Glyph>()
  const find = (character: string, style: TextStyle): Glyph => {
    const key = `${character}${style.height}`
    const known = scaled.get(key)
    if (known !== undefined) return known
    const point = character.codePointAt(0) ?? 0
    const glyph = scaleGlyph(
      font.glyph(point, faceFor(style.height)),
      (cellsOf(point) * style.height) / 2,
      style.height,
    )
    scaled.set(key, glyph)
    return glyph
  }
  return {
    write: (raster, text, x, y, style) => {
      let right = x
      for (const character of orderForPaper(text)) {
        const glyph = find(character, style)
        layGlyph(raster, glyph, right, y)
        right += glyph.width
      }
      trimRows(raster)
      return right - x
    },
  }
}

/** Turns dots upside down, as a printer that feeds the other way round needs them. */
export function turnUpsideDown(raster: Raster): Raster {
  const turned = createCanvas(raster.width, raster.height)
  const bytes = rowBytes(raster.width)
  for (const [at, bits] of raster.bits.entries()) {
    if (bits === 0) continue
    const y = raster.height - 1 - Math.floor(at / bytes)
    for (let bit = 0; bit < 8; bit += 1) {
      if (((bits << bit) & 0x80) === 0) continue
      const x = raster.width - 1 - ((at % bytes) * 8 + bit)
      layByte(turned, x >> 3, y, 0x80 >> (x & 7))
    }
  }
  return turned
}

/** Draws the bars of a code: widths in modules, a bar first. */
export type FindBars = (code: Code128) => readonly number[]

/** Draws the barcodes of some pages beforehand, since loading their maker is asynchronous. */
export async function drawAllBars(pages: readonly (readonly Mark[])[]): Promise<FindBars> {
  const drawn = new Map<Code128, readonly number[]>()
  for (const mark of pages.flat()) {
    if (mark.kind === 'bars') drawn.set(mark.code, await drawCode128(mark.code))
  }
  return (code) => drawn.get(code) ?? []
}

function drawText(raster: Raster, mark: TextMark, pen: Pen): void {
  const width = (countCells(mark.text) * mark.style.height) / 2
  const before = { left: 0, center: Math.round(width / 2), right: width }
  pen.write(raster, mark.text, mark.x - before[mark.align], mark.y, mark.style)
}

/** Draws one page as dots. */
export function drawPage(
  marks: readonly Mark[],
  paper: StockDots,
  pen: Pen,
  findBars: FindBars,
): Raster {
  const raster = createCanvas(paper.width, paper.height)
  for (const mark of marks) {
    switch (mark.kind) {
      case 'text':
        drawText(raster, mark, pen)
        break
      case 'box':
        fillBox(raster, mark.x, mark.y, mark.width, mark.height)
        break
      case 'frame':
        frameBox(raster, mark, mark.line)
        break
      case 'bars':
        drawBars(raster, mark, findBars(mark.code))
        break
    }
  }
  return raster
}

/** A drawn page as a job in a printer's language; turned by 180 degrees where the printer's entry says so. */
export function encodeDrawing(raster: Raster, language: LanguageName, target: Target): Uint8Array {
  const turned = target.rotate === 180 ? turnUpsideDown(raster) : raster
  return findLanguage(language).encode(turned, {
    widthDots: raster.width,
    heightDots: raster.height,
    dpi: target.dpi,
    darkness: target.darkness,
    speed: target.speed,
    z64: target.z64,
  })
}
