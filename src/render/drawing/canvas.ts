import { type Raster, rowBytes } from '../../languages/raster.ts'
import { cellsOf } from '../font/cells.ts'
import type { Font } from '../font/font.ts'
import { faceFor, type Glyph } from '../font/glyph.ts'
import { scaleGlyph } from '../font/scale.ts'
import { orderForPaper } from './bidi.ts'

/** White paper of so many dots. */
export function createCanvas(width: number, height: number): Raster {
  return { width, height, bits: new Uint8Array(rowBytes(width) * height) }
}

/** Blackens a rectangle; what lies beyond the paper is left out. */
export function fillBox(raster: Raster, x: number, y: number, width: number, height: number): void {
  const bytes = rowBytes(raster.width)
  const [left, right] = [Math.max(x, 0), Math.min(x + width, raster.width)]
  const [top, bottom] = [Math.max(y, 0), Math.min(y + height, raster.height)]
  for (let row = top; row < bottom; row += 1) {
    for (let dot = left; dot < right; dot += 1) {
      const at = row * bytes + (dot >> 3)
      raster.bits[at] = (raster.bits[at] ?? 0) | (0x80 >> (dot & 7))
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
  raster.bits[at] = (raster.bits[at] ?? 0) | bits
}

/** Lays a glyph over what is there; what lies beyond the paper is left out. */
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
    raster.bits[at] = (raster.bits[at] ?? 0) & mask
  }
}

/** Size of a line of text; all text is bold, since fine strokes fade on thermal paper. */
export interface TextStyle {
  /** Dots of the cell from line to line; one that `nearestHeight` gives. */
  readonly height: number
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

/** The same dots upside down, as a printer that feeds the other way round needs them. */
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
