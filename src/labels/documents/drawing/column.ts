import { nearestHeight } from '../font/glyph.ts'
import type { Mark, TextStyle } from './canvas.ts'
import { shortenLine } from './lines.ts'

/** A part of the label, in dots. */
export interface MarkArea {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** Marks set one below the other in a place; what no longer fits is left out. */
export class MarkColumn {
  readonly marks: Mark[] = []
  readonly place: MarkArea
  /** Vertical position of the next mark. */
  y: number

  constructor(place: MarkArea) {
    this.place = place
    this.y = place.top
  }

  get width(): number {
    return this.place.right - this.place.left
  }

  /** All of the lines or none: half an address is none. False = they do not fit. */
  addLines(lines: readonly string[], style: TextStyle): boolean {
    if (this.y + lines.length * style.height > this.place.bottom) return false
    const x = this.place.left
    for (const text of lines) {
      this.marks.push({ kind: 'text', x, y: this.y, text, style, align: 'left' })
      this.y += style.height
    }
    return true
  }

  /** Adds a line, shortened to the width of the place. */
  addLine(text: string, style: TextStyle): void {
    this.addLines([shortenLine(text, this.width, style)], style)
  }
}

/** A frame on the very edge of the label with a ruler inside, and the place that is left for other things. */
export interface Rulers {
  readonly marks: readonly Mark[]
  readonly inside: MarkArea
}

const EIGHTHS = 8

/** Length in dots of a mark: an inch, a half, an eighth. */
function tickLength(eighth: number, dpi: number): number {
  if (eighth % EIGHTHS === 0) return Math.round(dpi / 8)
  return Math.round(eighth % (EIGHTHS / 2) === 0 ? dpi / 12 : dpi / 24)
}

/**
 * Marks every eighth of an inch along the four edges and numbers the inches, so that a printer set to another stock or
 * resolution is seen at once: the frame is cut off or does not reach the edge.
 */
export function drawRulers(
  paper: { readonly width: number; readonly height: number },
  dpi: number,
): Rulers {
  const { width, height } = paper
  const line = Math.max(2, Math.round(dpi / 80))
  const style = { height: nearestHeight(dpi / 10) }
  const marks: Mark[] = [{ kind: 'frame', x: 0, y: 0, width, height, line }]
  const inset = Math.round(dpi / 8) + Math.round(dpi / 50)
  for (let eighth = 1; (eighth * dpi) / EIGHTHS < width; eighth += 1) {
    const x = Math.round((eighth * dpi) / EIGHTHS)
    const length = tickLength(eighth, dpi)
    marks.push({ kind: 'box', x, y: 0, width: line, height: length })
    marks.push({ kind: 'box', x, y: height - length, width: line, height: length })
    if (eighth % EIGHTHS === 0 && x + style.height < width) {
      const text = String(eighth / EIGHTHS)
      marks.push({ kind: 'text', x: x + line * 2, y: line * 2, text, style, align: 'left' })
    }
  }
  for (let eighth = 1; (eighth * dpi) / EIGHTHS < height; eighth += 1) {
    const y = Math.round((eighth * dpi) / EIGHTHS)
    const length = tickLength(eighth, dpi)
    marks.push({ kind: 'box', x: 0, y, width: length, height: line })
    marks.push({ kind: 'box', x: width - length, y, width: length, height: line })
    if (eighth % EIGHTHS === 0 && y + style.height < height - inset) {
      const text = String(eighth / EIGHTHS)
      marks.push({ kind: 'text', x: line * 3, y: y + line * 2, text, style, align: 'left' })
    }
  }
  const inside = { left: inset, right: width - inset, top: inset, bottom: height - inset }
  return { marks, inside }
}
