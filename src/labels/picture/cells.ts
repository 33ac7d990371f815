import type { Plane } from '../plane.ts'

export const CELL_BITS = 4
export const CELL = 1 << CELL_BITS

// Ink and paper: a pixel between them that has both nearby is an edge, which the threshold draws.
export const INK_BELOW = 100
export const PAPER_FROM = 200
// Nobody tells what is darker from black, or what is lighter from white.
export const DARKEST = 32
export const LIGHTEST = 230
const RADIUS = 2

/** The cells of a plane, 16 pixels a side: how many there are across, and a mark for each. */
export interface Cells {
  readonly across: number
  readonly marks: Uint8Array
}

const ALL_WHITE = -1
/** Set in a word of four pixels of which one is not black. */
const BLACK_BITS = 0xe0e0e0e0 | 0
const ALIKE = 8
const SEEN_LEAST = 4

/**
 * The cells with more than a few pixels that are not an edge between ink and paper and as dark as one beside them, and those around
 * them; undefined when there are none.
 */
export function findToned(plane: Plane): Cells | undefined {
  const { width, height, luma } = plane
  const across = Math.ceil(width / CELL)
  const counts = new Uint8Array(across * Math.ceil(height / CELL))
  const lightest = findPaper(luma)
  const words = new DataView(luma.buffer, luma.byteOffset, luma.length)
  for (let y = 0; y < height; y++) {
    const row = (y >> CELL_BITS) * across
    for (let x = 0; x < width; x += 4) {
      const at = y * width + x
      // Nearly all are paper, and most others ink.
      const isPure = x + 4 <= width && isBlackOrWhite(words.getInt32(at, true))
      if (isPure || counts[row + (x >> CELL_BITS)] === SEEN_LEAST) continue
      countToned(plane, x, y, lightest, counts, row + (x >> CELL_BITS))
    }
  }
  return counts.includes(SEEN_LEAST) ? { across, marks: grow(counts, across) } : undefined
}

function isBlackOrWhite(word: number): boolean {
  return word === ALL_WHITE || (word & BLACK_BITS) === 0
}

/** Counts toned pixels, up to four side by side. */
function countToned(
  plane: Plane,
  x: number,
  y: number,
  lightest: number,
  counts: Uint8Array,
  cell: number,
): void {
  const { width, luma } = plane
  const end = Math.min(width, x + 4)
  for (let u = x; u < end && (counts[cell] as number) < SEEN_LEAST; u++) {
    const value = luma[y * width + u] as number
    if (value > lightest || value < DARKEST) continue
    if (hasLike(plane, u, y) && !isEdge(plane, u, y)) counts[cell] = (counts[cell] as number) + 1
  }
}

/** Tells whether the pixel to the right, or below, is about as dark. */
function hasLike({ width, height, luma }: Plane, x: number, y: number): boolean {
  const at = y * width + x
  const isLike = (other: number): boolean =>
    Math.abs((luma[other] as number) - (luma[at] as number)) <= ALIKE
  return (x + 1 < width && isLike(at + 1)) || (y + 1 < height && isLike(at + width))
}

const PAPER_SHARE = 0.25
const PAPER_SPREAD = 12

/** Finds the threshold of paper: of a photo of a label, too, whose paper is gray. */
function findPaper(luma: Uint8Array): number {
  const counts = new Uint32Array(256)
  const step = 7
  for (let at = 0; at < luma.length; at += step) {
    const value = luma[at] as number
    counts[value] = (counts[value] as number) + 1
  }
  const light = counts.subarray(PAPER_FROM)
  let most = 0
  for (let n = 0; n < light.length; n++)
    if ((light[n] as number) > (light[most] as number)) most = n
  const around = light.subarray(Math.max(0, most - PAPER_SPREAD), most + PAPER_SPREAD + 1)
  const share = around.reduce((sum, count) => sum + count, 0) * step
  return share < luma.length * PAPER_SHARE
    ? LIGHTEST
    : Math.min(LIGHTEST, PAPER_FROM + most - PAPER_SPREAD)
}

/** The cells that were seen, and those around them. */
function grow(counts: Uint8Array, across: number): Uint8Array {
  const marks = new Uint8Array(counts.length)
  for (let cell = 0; cell < counts.length; cell++) {
    if (counts[cell] !== SEEN_LEAST) continue
    for (const one of cellsAround(cell, across, counts.length)) marks[one] = 1
  }
  return marks
}

/** A cell and its eight neighbors, as far as there are any. */
export function cellsAround(cell: number, across: number, all: number): readonly number[] {
  const x = cell % across
  const columns = [0, ...(x > 0 ? [-1] : []), ...(x + 1 < across ? [1] : [])]
  return [-across, 0, across]
    .flatMap((down) => columns.map((right) => cell + down + right))
    .filter((one) => one >= 0 && one < all)
}

/** Tells whether a pixel has ink and paper nearby. */
function isEdge({ width, height, luma }: Plane, x: number, y: number): boolean {
  let [darkest, lightest] = [255, 0]
  const right = Math.min(width - 1, x + RADIUS)
  const bottom = Math.min(height - 1, y + RADIUS)
  for (let v = Math.max(0, y - RADIUS); v <= bottom; v++) {
    for (let u = Math.max(0, x - RADIUS); u <= right; u++) {
      const value = luma[v * width + u] as number
      if (value < darkest) darkest = value
      if (value > lightest) lightest = value
    }
  }
  return darkest < INK_BELOW && lightest >= PAPER_FROM
}
