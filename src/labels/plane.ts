import { Buffer } from 'node:buffer'

/** Width and height in pixels or dots. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** A part of a picture; `x` and `y` are its top left. */
export interface Box extends Size {
  readonly x: number
  readonly y: number
}

/** A picture in gray: one byte a pixel, 0 black to 255 white, top row first. */
export interface Plane extends Size {
  readonly luma: Uint8Array
}

/** Quarter turns, clockwise degrees. */
export type QuarterTurn = 0 | 90 | 180 | 270

/** The size after a turn. */
export function turnSize({ width, height }: Size, turn: QuarterTurn): Size {
  return turn === 90 || turn === 270 ? { width: height, height: width } : { width, height }
}

/** The size that a picture has once its EXIF orientation is obeyed: 5 to 8 lie on their side. */
export function orientSize({ width, height }: Size, orientation: number): Size {
  return orientation >= 5 ? { width: height, height: width } : { width, height }
}

/** Finds where a part of a stored picture lies once its EXIF orientation is obeyed; `stored` is the size of the picture. */
export function orientBox(box: Box, stored: Size, orientation: number): Box {
  const { x, y } = box
  const right = stored.width - x - box.width
  const below = stored.height - y - box.height
  const size = orientSize(box, orientation)
  switch (orientation) {
    case 2:
      return { ...size, x: right, y }
    case 3:
      return { ...size, x: right, y: below }
    case 4:
      return { ...size, x, y: below }
    case 5:
      return { ...size, x: y, y: x }
    case 6:
      return { ...size, x: below, y: x }
    case 7:
      return { ...size, x: below, y: right }
    case 8:
      return { ...size, x: y, y: right }
    default:
      return box
  }
}

/**
 * Finds where a part of an upright picture is stored, the reverse of `orientBox`. Quarter turns undo each other, all else undoes itself.
 */
export function storeBox(box: Box, upright: Size, orientation: number): Box {
  const back = { 6: 8, 8: 6 }[orientation] ?? orientation
  return orientBox(box, upright, back)
}

/** Finds where a part of a picture lies once that is turned clockwise. */
export function turnBox(box: Box, picture: Size, turn: QuarterTurn): Box {
  return orientBox(box, picture, TURN_AS_ORIENTATION[turn])
}

/** Turns a box back. */
export function unturnBox(box: Box, turned: Size, turn: QuarterTurn): Box {
  return storeBox(box, turned, TURN_AS_ORIENTATION[turn])
}

/** Turned clockwise. */
export function turnPlane(plane: Plane, turn: QuarterTurn): Plane {
  return orientPlane(plane, TURN_AS_ORIENTATION[turn])
}

// Exif 2.3, 4.6.4, tag 274: 6 is shown right by a quarter turn clockwise, 3 by half a turn, 8 by three quarters.
const TURN_AS_ORIENTATION = { 0: 1, 90: 6, 180: 3, 270: 8 } as const

/** Set upright by EXIF orientation 1 to 8. The plane itself when there is nothing to do. */
export function orientPlane(plane: Plane, orientation: number): Plane {
  if (orientation === 1) return plane
  const { width, height } = orientSize(plane, orientation)
  const { start, acrossStep, downStep } = readingOrder(plane, orientation)
  const luma = new Uint8Array(width * height)
  let to = 0
  for (let y = 0; y < height; y++) {
    let from = start + y * downStep
    for (let x = 0; x < width; x++, from += acrossStep) luma[to++] = plane.luma[from] as number
  }
  return { width, height, luma }
}

/** Finds where the upright picture's first pixel lies in the stored one, and how far its neighbors to the right and below. */
function readingOrder({ width, height }: Size, orientation: number) {
  const right = (height - 1) * width // first pixel of the last row
  const last = width * height - 1
  switch (orientation) {
    case 2: // mirrored
      return { start: width - 1, acrossStep: -1, downStep: width }
    case 3: // half a turn
      return { start: last, acrossStep: -1, downStep: -width }
    case 4: // upside down in a mirror
      return { start: right, acrossStep: 1, downStep: -width }
    case 5: // rows are columns
      return { start: 0, acrossStep: width, downStep: 1 }
    case 6: // a quarter turn clockwise
      return { start: right, acrossStep: -width, downStep: 1 }
    case 7: // rows are columns, half a turn
      return { start: last, acrossStep: -width, downStep: -1 }
    case 8: // a quarter turn back
      return { start: width - 1, acrossStep: width, downStep: -1 }
    default:
      return { start: 0, acrossStep: 1, downStep: width }
  }
}

/** Takes `count` equal rows at once, the first of them at `y`. The row is reused after the call. */
export type TakeRows = (row: Uint8Array, y: number, count: number) => void

/** Rows in, groups of equal neighbors out. */
interface RowGroups {
  readonly take: (row: Uint8Array, y: number) => void
  /** Hands on the last group. */
  end(): void
}

/**
 * Puts equal rows together. Bars, frames and paper are the same row many times over, so whoever counts or scales rows
 * has most of a label's work done once; comparing costs next to nothing.
 */
export function groupRows(width: number, take: TakeRows): RowGroups {
  const held = new Uint8Array(width)
  let first = 0
  let count = 0
  const end = (): void => {
    if (count > 0) take(held, first, count)
    count = 0
  }
  return {
    take(row, y) {
      if (count > 0 && Buffer.compare(row, held) === 0) {
        count++
        return
      }
      end()
      held.set(row)
      first = y
      count = 1
    },
    end,
  }
}

const PAPER = 200 // luma from which a pixel is paper
const SPECK = 3 // fewer dark pixels in a row or column are dust

/** Finds where a picture has ink while its rows go by. */
export interface InkFinder {
  readonly take: TakeRows
  /**
   * The box around everything darker than paper, single specks left out, or undefined when there is nothing. Rows and
   * columns with fewer than three dark pixels do not count.
   */
  box(): Box | undefined
}

/** For a picture of this size. */
export function createInkFinder({ width, height }: Size): InkFinder {
  const columns = new Uint32Array(width)
  // Only columns beyond those known to hold ink can still move the ends, so only they are counted.
  let [left, right] = [width, -1]
  let [top, bottom] = [height, -1]
  const count = (row: Uint8Array, from: number, to: number, times: number): void => {
    for (let x = from; x < to; x++) {
      if ((row[x] as number) >= PAPER) continue
      const dark = (columns[x] as number) + times
      columns[x] = dark
      if (dark < SPECK) continue
      left = Math.min(left, x)
      right = Math.max(right, x)
    }
  }
  return {
    take(row, y, times) {
      const [from, to] = [left, right + 1]
      count(row, 0, from, times)
      if (to < width) count(row, Math.max(from, to), width, times)
      if (!hasInk(row)) return
      top = Math.min(top, y)
      bottom = y + times - 1
    },
    box() {
      if (top > bottom || left > right) return undefined
      return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 }
    },
  }
}

/** True of a row with more than specks. */
export function hasInk(row: Uint8Array): boolean {
  let dark = 0
  for (let x = 0; x < row.length; x++) {
    if ((row[x] as number) < PAPER && ++dark === SPECK) return true
  }
  return false
}
