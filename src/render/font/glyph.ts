/** One character as dots, 1 = black, first dot of a row in the highest bit, rows padded to whole bytes. */
export interface Glyph {
  /** Dots. */
  readonly width: number
  /** Dots. */
  readonly height: number
  /** `(width + 7) >> 3` bytes a row, top row first. */
  readonly rows: Uint8Array
}

/** A font as `font/make.ts` writes it: the same characters in every face. */
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
