import type { Glyph } from './glyph.ts'

/** Blackness of a dot, 0 outside of the glyph. */
function dotAt(glyph: Glyph, x: number, y: number): number {
  if (x < 0 || y < 0 || x >= glyph.width || y >= glyph.height) return 0
  const byte = glyph.rows[y * ((glyph.width + 7) >> 3) + (x >> 3)] ?? 0
  return (byte >> (7 - (x & 7))) & 1
}

/** Blackness between dots, 0 to 1, by the four nearest. */
function blend(glyph: Glyph, x: number, y: number): number {
  const [left, top] = [Math.floor(x), Math.floor(y)]
  const [right, low] = [x - left, y - top]
  const above = dotAt(glyph, left, top) * (1 - right) + dotAt(glyph, left + 1, top) * right
  const below = dotAt(glyph, left, top + 1) * (1 - right) + dotAt(glyph, left + 1, top + 1) * right
  return above * (1 - low) + below * low
}

/** Up to three times as large, straight edges blend to 1/4 or 1/3 at most outside of a stroke, inner corners to 3/8. */
const FILL = 0.36

/** A glyph drawn larger, its staircases smoothed: straight strokes keep their edges, diagonals lose their corners. */
export function scaleGlyph(glyph: Glyph, width: number, height: number): Glyph {
  if (width === glyph.width && height === glyph.height) return glyph
  const rowLength = (width + 7) >> 3
  const rows = new Uint8Array(rowLength * height)
  const limit = height <= 3 * glyph.height ? FILL : 0.5
  for (let y = 0; y < height; y += 1) {
    const fromY = ((y + 0.5) * glyph.height) / height - 0.5
    for (let x = 0; x < width; x += 1) {
      const fromX = ((x + 0.5) * glyph.width) / width - 0.5
      if (blend(glyph, fromX, fromY) > limit) {
        const at = y * rowLength + (x >> 3)
        rows[at] = (rows[at] ?? 0) | (0x80 >> (x & 7))
      }
    }
  }
  return { width, height, rows }
}
