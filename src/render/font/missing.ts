import type { Glyph } from './glyph.ts'

/** A frame that stands for a character which no font has, so that a reader sees that something is missing. */
export function drawNothing(width: number, height: number): Glyph {
  const rowLength = (width + 7) >> 3
  const rows = new Uint8Array(rowLength * height)
  const set = (x: number, y: number) => {
    const at = y * rowLength + (x >> 3)
    rows[at] = (rows[at] ?? 0) | (0x80 >> (x & 7))
  }
  const [left, right] = [1, width - 2]
  const [top, bottom] = [Math.round(height * 0.2), Math.round(height * 0.8)]
  for (let x = left; x <= right; x += 1) {
    set(x, top)
    set(x, bottom)
  }
  for (let y = top; y <= bottom; y += 1) {
    set(left, y)
    set(right, y)
  }
  return { width, height, rows }
}
