import { rowBytes } from '../../languages/raster.ts'
import { beginZpl, packRunLengths } from '../../languages/zpl/encode.ts'
import type { StockDots, Target } from '../../target.ts'
import { countCells } from '../font/glyph.ts'
import { type BarsMark, createCanvas, type Mark, type Pen, type TextMark } from './canvas.ts'
import { measureLine, ZPL_HEIGHT, ZPL_WIDTH } from './lines.ts'

/** Part of the cell, from its top, that lies above the foot of the letters in our font (26 of 32 dots), and in ZPL's. */
const OUR_FOOT = 26 / 32
const ZPL_FOOT = 0.75 * ZPL_HEIGHT

/** The characters of Windows-1252, which every ^A0 has: ASCII, Latin-1 and the typographic ones. */
const IN_FONT_0 = /^[ -~\u00a0-\u00ffŒœŠšŽžŸƒˆ˜–—‘’‚“”„†‡•…‰‹›€™]*$/

/** Field data for ^FH: what could end the field, or the escape itself, goes as hexadecimal, all else as UTF-8. */
function escapeField(text: string): string {
  return text.replace(
    /[\p{Cc}^~_\\]/gu,
    (character) => `_${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
}

/** A line that the printer's own font cannot write, drawn by ours. */
function writeAsPicture(mark: TextMark, pen: Pen): string {
  const { text, style } = mark
  const width = (countCells(text) * style.height) / 2
  const raster = createCanvas(width, style.height)
  pen.write(raster, text, 0, 0, style)
  const before = { left: 0, center: Math.round(width / 2), right: width }
  const x = Math.max(0, mark.x - before[mark.align])
  const stride = rowBytes(width)
  const data = Buffer.from(packRunLengths(raster.bits, stride)).toString('latin1')
  const count = stride * style.height
  return `^FO${x},${mark.y}^GFA,${count},${count},${stride},${data}^FS`
}

function writeText(mark: TextMark, pen: Pen): string {
  if (!IN_FONT_0.test(mark.text)) return writeAsPicture(mark, pen)
  const { height } = mark.style
  const size = Math.round(height * ZPL_HEIGHT)
  const y = mark.y + Math.round(height * (OUR_FOOT - ZPL_FOOT))
  const font = `^A0N,${size},${Math.round(height * ZPL_WIDTH)}`
  const data = `^FH^FD${escapeField(mark.text)}^FS`
  if (mark.align === 'left') return `^FO${mark.x},${y}${font}${data}`
  // ^FB knows the true width of the letters; one cell of slack keeps a wider font from wrapping the line.
  const width = measureLine(mark.text, mark.style) + height
  const isRight = mark.align === 'right'
  const x = Math.max(0, mark.x - (isRight ? width : Math.round(width / 2)))
  return `^FO${x},${y}${font}^FB${isRight ? mark.x - x : (mark.x - x) * 2},1,0,${isRight ? 'R' : 'C'}${data}`
}

function writeBars(mark: BarsMark): string {
  return `^FO${mark.x},${mark.y}^BY${mark.module}^BCN,${mark.height},N,N,N,N^FH^FD${escapeField(mark.code.zpl)}^FS`
}

function writeMark(mark: Mark, pen: Pen): string {
  switch (mark.kind) {
    case 'text':
      return writeText(mark, pen)
    case 'box':
      // A box as thick as its shorter side is full.
      return `^FO${mark.x},${mark.y}^GB${mark.width},${mark.height},${Math.min(mark.width, mark.height)}^FS`
    case 'frame':
      return `^FO${mark.x},${mark.y}^GB${mark.width},${mark.height},${mark.line}^FS`
    case 'bars':
      return writeBars(mark)
  }
}

/** Writes one page as ZPL II: text in the printer's font 0, its own barcodes, and pictures for what the font lacks. */
export function writePage(
  marks: readonly Mark[],
  paper: StockDots,
  pen: Pen,
  target: Target,
): string {
  const fields = marks.map((mark) => writeMark(mark, pen))
  const { darkness, speed } = target
  const size = { widthDots: paper.width, heightDots: paper.height }
  // What other labels left behind is undone, as in picture labels.
  const begin = beginZpl({ ...size, darkness, speed }, target.rotate === 180 ? 'I' : 'N')
  return `${begin}${fields.join('\n')}\n^XZ\n`
}
