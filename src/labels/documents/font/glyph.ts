/** A character as dots, 1 = black, first dot of a row in the highest bit, rows padded to whole bytes. */
export interface Glyph {
  /** Dots. */
  readonly width: number
  /** Dots. */
  readonly height: number
  /** `(width + 7) >> 3` bytes a row, top row first. */
  readonly rows: Uint8Array
}

/** A font as `packaging/font/make.ts` writes it: the same characters in every face. */
export interface PackedFont {
  /** Code points in the order of the glyphs, `first-last` in hexadecimal. */
  readonly ranges: string
  readonly faces: readonly PackedFace[]
}

/** All glyphs of one size. */
export interface PackedFace {
  /** Dots. */
  readonly width: number
  /** Dots. */
  readonly height: number
  /** Base64 of the Brotli stream of the rows of all glyphs, one behind the other. */
  readonly glyphs: string
}

/** Heights in dots of the drawn faces; a cell is half as wide as high. Other sizes are whole multiples of these. */
export const FACE_HEIGHTS: readonly number[] = [16, 20, 24, 28, 32]

/** The face that a cell height is drawn from: the largest that goes into it a whole number of times. */
export function faceFor(height: number): number {
  return FACE_HEIGHTS.findLast((face) => height % face === 0) ?? 16
}

/** The largest cell height that exists and is not above the wanted one by more than a twentieth; never below the smallest face. */
export function nearestHeight(wanted: number): number {
  const limit = wanted * 1.05
  const heights = FACE_HEIGHTS.map((face) => face * Math.max(1, Math.floor(limit / face)))
  return Math.max(...heights.filter((height) => height <= limit), 16)
}

// Unicode's East_Asian_Width W and F (UAX #11), by block, and the pictographs, which are drawn as wide.
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f000, 0x1faff],
  [0x20000, 0x3fffd],
]

/** Cells that a character takes on paper: two for East Asian characters and pictographs, none for marks of direction, else one. */
export function cellsOf(codePoint: number): 0 | 1 | 2 {
  if (codePoint < 0x1100) return 1
  if (codePoint === 0x200e || codePoint === 0x200f) return 0
  return WIDE.some(([from, to]) => codePoint >= from && codePoint <= to) ? 2 : 1
}

/** Cells that a text takes. */
export function countCells(text: string): number {
  let cells = 0
  for (const character of text) cells += cellsOf(character.codePointAt(0) ?? 0)
  return cells
}

/** A frame that stands for a character which no font has, so that a reader sees that something is missing. */
export function drawNothing(width: number, height: number): Glyph {
  const rowLength = (width + 7) >> 3
  const rows = new Uint8Array(rowLength * height)
  const set = (x: number, y: number) => {
    const at = y * rowLength + (x >> 3)
    rows[at] = (rows[at] as number) | (0x80 >> (x & 7))
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

/** Blackness of a dot, 0 outside of the glyph. */
function dotAt(glyph: Glyph, x: number, y: number): number {
  if (x < 0 || y < 0 || x >= glyph.width || y >= glyph.height) return 0
  const byte = glyph.rows[y * ((glyph.width + 7) >> 3) + (x >> 3)] as number
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
        rows[at] = (rows[at] as number) | (0x80 >> (x & 7))
      }
    }
  }
  return { width, height, rows }
}
