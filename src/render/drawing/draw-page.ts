import { findLanguage, type LanguageName } from '../../languages/index.ts'
import type { Raster } from '../../languages/raster.ts'
import { countCells } from '../font/cells.ts'
import type { Mark, TextMark } from '../pack-list/page.ts'
import type { Stock } from '../stock.ts'
import type { Target } from '../target.ts'
import { createCanvas, drawBars, fillBox, frameBox, type Pen, turnUpsideDown } from './canvas.ts'
import { type Code128, drawCode128 } from './code-128.ts'

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
  paper: Stock,
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
