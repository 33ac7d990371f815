import type { Plane } from '../plane.ts'
import { DARKEST, LIGHTEST, PAPER_FROM } from './cells.ts'
import { AS_IS, BLACK, MIXED, type Painter, TONE, WHITE } from './painter.ts'
import { Runs } from './runs.ts'
import {
  CONTRAST,
  type Contrast,
  contrastAt,
  DARK,
  FLAT,
  KIND,
  measure,
  NOT_SEEN,
  RADIUS,
  SHARP,
} from './states.ts'

/** The largest step between neighbors of a region: what is shaded is one, too. */
const STEP = 6
/** Thickness below which a region is a stroke, or a bar: of those of carriers the widest have 0.1 inches. */
const THICK_INCH = 0.15
/** Width or height up to which a mark on a box is a stroke; else it is a box of its own. */
const STROKE_INCH = 0.06
/** Pale strokes that are thicker are the background's. */
const PALE_INCH = 0.03

/** Pixels that are as light as their neighbors and hang together: a box, or the inside of a stroke. */
interface Region {
  area: number
  sum: number
  darkest: number
  lightest: number
  /** Side of the largest square in it. */
  square: number
  /** Ends of its rows beyond which it is lighter, or darker. */
  outLight: number
  outDark: number
  /** Number of these that are not the last, with a stroke beyond. */
  inLight: number
  inDark: number
  lastRow: number
  lastEnd: number
  level: number
  isThick: boolean
  /** Too pale and too large to be made black. */
  isPale: boolean
  paint: number
}

/** Flat, connected regions. */
interface Regions {
  readonly runs: Runs
  /** Region of each run. */
  readonly of: readonly Region[]
  /** Dots of all that is too pale. */
  readonly palest: number
}

/** Finds the regions of what is neither black nor white, and decides how each prints. */
export function findRegions(
  plane: Plane,
  states: Uint8Array,
  noise: Contrast | undefined,
  dpi: number,
): Regions {
  const { width, luma } = plane
  const step = noise === undefined ? STEP : CONTRAST
  const joins = (at: number, by: number): boolean =>
    Math.abs((luma[at] as number) - (luma[at - by] as number)) <= step
  const runs = new Runs(markFlat(luma, states), width, joins)
  const of = runs.group(makeRegion)
  measureAreas(plane, runs, of)
  measureSquares(plane, runs, of)
  lookAround(plane, runs, of, noise, Math.round(STROKE_INCH * dpi))
  const thick = Math.round(THICK_INCH * dpi)
  let palest = 0
  for (const region of new Set(of)) {
    region.level = Math.round(region.sum / region.area)
    region.isThick = region.square + 2 >= thick
    region.paint = choosePaint(region, noise !== undefined, dpi)
    if (region.isPale) palest += region.area
  }
  return { runs, of, palest }
}

function markFlat(luma: Uint8Array, states: Uint8Array): Uint8Array {
  const mask = new Uint8Array(states.length)
  for (let at = 0; at < states.length; at++) {
    if (((states[at] as number) & KIND) !== FLAT) continue
    const value = luma[at] as number
    if (value <= LIGHTEST && value >= DARKEST) mask[at] = 1
  }
  return mask
}

function makeRegion(): Region {
  return {
    area: 0,
    sum: 0,
    darkest: 255,
    lightest: 0,
    square: 0,
    outLight: 0,
    outDark: 0,
    inLight: 0,
    inDark: 0,
    lastRow: -1,
    lastEnd: 0,
    level: 0,
    isThick: false,
    isPale: false,
    paint: AS_IS,
  }
}

function measureAreas({ width, luma }: Plane, runs: Runs, of: readonly Region[]): void {
  runs.each((run, y, start, end) => {
    const region = of[run] as Region
    region.area += end - start
    for (let x = start; x < end; x++) {
      const value = luma[y * width + x] as number
      region.sum += value
      if (value < region.darkest) region.darkest = value
      if (value > region.lightest) region.lightest = value
    }
  })
}

/** The square that ends at a pixel is by one larger than the smallest of those that end left, above and between. */
function measureSquares({ width }: Plane, runs: Runs, of: readonly Region[]): void {
  let [before, now] = [new Uint16Array(width + 1), new Uint16Array(width + 1)]
  let [above, here] = [new Int32Array(width + 1), new Int32Array(width + 1)]
  let row = -1
  runs.each((run, y, start, end) => {
    for (; row < y; row++) {
      ;[before, now] = [now, before.fill(0)]
      ;[above, here] = [here, above.fill(-1)]
    }
    const region = of[run] as Region
    const root = runs.root(run)
    for (let x = start; x < end; x++) {
      const isWithin = here[x] === root && above[x] === root && above[x + 1] === root
      const around = Math.min(now[x] as number, before[x] as number, before[x + 1] as number)
      const side = isWithin ? around + 1 : 1
      now[x + 1] = side
      here[x + 1] = root
      if (side > region.square) region.square = side
    }
  })
}

/** Counts what lies beyond the ends of rows. */
function lookAround(
  plane: Plane,
  runs: Runs,
  of: readonly Region[],
  noise: Contrast | undefined,
  narrow: number,
): void {
  const beyond = (x: number, y: number, step: number): EndNeighbor =>
    look(plane, y, x, step, { narrow, beside: Math.max(BESIDE, contrastAt(noise, x, y)) })
  runs.each((run, y, start, end) => {
    const region = of[run] as Region
    const left = beyond(start, y, -1)
    const right = beyond(end - 1, y, 1)
    for (const { side } of [left, right]) {
      if (side > 0) region.outLight++
      else if (side < 0) region.outDark++
    }
    if (region.lastRow === y) {
      countStrokes(region, [left, beyond(region.lastEnd - 1, y, 1)])
    }
    region.lastRow = y
    region.lastEnd = end
  })
}

/** Neighbor beyond an end: something lighter (1), darker (-1) or nothing, and whether it is a stroke. */
interface EndNeighbor {
  readonly side: number
  readonly isStroke: boolean
}

function countStrokes(region: Region, found: readonly EndNeighbor[]): void {
  for (const { side, isStroke } of found) {
    if (!isStroke) continue
    if (side > 0) region.inLight++
    else if (side < 0) region.inDark++
  }
}

const NOTHING: EndNeighbor = { side: 0, isStroke: false }
const BESIDE = 24
const FAR = 4
const INSIDE = 3

/** A stroke is as narrow as this; what is beside by less is noise. */
interface StrokeWidths {
  readonly narrow: number
  readonly beside: number
}

function look(
  plane: Plane,
  y: number,
  x: number,
  step: number,
  { narrow, beside }: StrokeWidths,
): EndNeighbor {
  const { width, height, luma } = plane
  const row = y * width
  const own = luma[row + x] as number
  const room = step > 0 ? width - 1 - x : x
  for (let n = 1; n <= Math.min(FAR, room); n++) {
    const at = row + x + n * step
    const difference = (luma[at] as number) - own
    if (Math.abs(difference) < beside) continue
    const side = Math.sign(difference)
    const isIn = (one: number): boolean => ((luma[one] as number) - own) * side >= BESIDE / 2
    if (count(isIn, at, step, room - n + 1, narrow) <= narrow) return { side, isStroke: true }
    const inside = at + INSIDE * step
    const down = count(isIn, inside, width, height - y, narrow)
    const up = count(isIn, inside, -width, y + 1, narrow)
    return { side, isStroke: down + up <= narrow + 1 }
  }
  return NOTHING
}

/** Counts the pixels of a line that are in, up to one more than `most`. */
function count(
  isIn: (at: number) => boolean,
  from: number,
  step: number,
  room: number,
  most: number,
): number {
  let n = 0
  while (n <= most && n < room && isIn(from + n * step)) n++
  return n
}

const VOTES_LEAST = 3
const AREA_LEAST = 12
/** Darker boxes are black, whatever stands on them. */
const BLACK_BELOW = 56
const UNEVEN = 40
const PALE = 215
const PALE_AREA = 60
/** Strokes on a pale box, without which it stays white. */
const LIGHT_LEAST = 6

function choosePaint(region: Region, isNoisy: boolean, dpi: number): number {
  const { level, inDark, inLight, outDark, outLight, area } = region
  if (level < BLACK_BELOW) return inDark > 3 * inLight + VOTES_LEAST ? WHITE : AS_IS
  if (area < AREA_LEAST && outLight + outDark === 0) return AS_IS
  if (level >= PAPER_FROM) return choosePale(region, isNoisy, dpi)
  return chooseTone(region)
}

function chooseTone(region: Region): number {
  const { isThick, inDark, inLight, outDark, outLight } = region
  if (isThick && isOfBoth(region)) return region.lightest - region.darkest > UNEVEN ? TONE : MIXED
  if (inDark >= VOTES_LEAST && inDark > inLight) return WHITE
  if (inLight >= VOTES_LEAST) return BLACK
  if (isThick) return TONE
  return outLight >= outDark ? BLACK : WHITE
}

/** Tells whether dark and light strokes stand on a box, neither of them only the noise of the others. */
function isOfBoth({ inDark, inLight }: Region): boolean {
  return Math.min(inDark, inLight) >= VOTES_LEAST && inDark * 3 > inLight && inLight * 3 > inDark
}

/** Boxes become paper; strokes are drawn when they are small, as words are, and large ones are the background's. */
function choosePale(region: Region, isNoisy: boolean, dpi: number): number {
  const { level, isThick, inDark, inLight, outDark, outLight } = region
  if (isThick) return inLight >= LIGHT_LEAST && inDark === 0 && !isNoisy ? BLACK : WHITE
  const isStroke = outLight > 2 * outDark
  if (level > PALE && region.square + 2 > PALE_INCH * dpi) {
    region.isPale = isStroke && region.area >= PALE_AREA
    region.isThick = true
    return WHITE
  }
  return isStroke ? BLACK : AS_IS
}

/** Added to the paint of a pixel's region when that is a box and not a stroke. */
export const BOX = 8

const EVEN = 24
const STRIP_AREA = 40

/** Draws boxes, and gives back the paint of each pixel of theirs and of strokes. */
export function drawRegions(plane: Plane, { runs, of }: Regions, painter: Painter): Uint8Array {
  const { width, height, luma } = plane
  const paints = new Uint8Array(width * height)
  runs.each((run, y, start, end) => {
    const region = of[run] as Region
    const { paint } = region
    if (paint === AS_IS) return
    const row = y * width
    paints.fill(isBox(region) ? BOX + paint : paint, row + start, row + end)
    if (!isBox(region)) return
    const isEven = region.lightest - region.darkest <= EVEN
    for (let x = start; x < end; x++) {
      painter.put(x, y, paint, isEven ? region.level : (luma[row + x] as number))
    }
  })
  return paints
}

/** Thick, or low and with dark words on it. */
function isBox({ isThick, paint, inDark, area }: Region): boolean {
  return isThick || (paint !== BLACK && inDark >= VOTES_LEAST && area >= STRIP_AREA)
}

/** Draws what is a part of a box and lies beside its edge. */
export function drawRims(
  plane: Plane,
  states: Uint8Array,
  paints: Uint8Array,
  painter: Painter,
  noise: Contrast | undefined,
): void {
  const { width, luma } = plane
  for (let at = 0; at < states.length; at++) {
    const state = (states[at] as number) & KIND
    if (state === FLAT || state === NOT_SEEN) continue
    const y = Math.floor(at / width)
    const x = at - y * width
    const box = findBox(plane, states, paints, noise, x, y)
    if (box >= 0) painter.put(x, y, (paints[box] as number) - BOX, luma[box] as number)
  }
}

const NEAR = 10

/** A pixel of the box that one beside it is a part of, or -1. */
function findBox(
  plane: Plane,
  states: Uint8Array,
  paints: Uint8Array,
  noise: Contrast | undefined,
  x: number,
  y: number,
): number {
  const { width, height, luma } = plane
  const state = (states[y * width + x] as number) & KIND
  const bottom = Math.min(height - 1, y + RADIUS)
  const right = Math.min(width - 1, x + RADIUS)
  for (let v = Math.max(0, y - RADIUS); v <= bottom; v++) {
    for (let u = Math.max(0, x - RADIUS); u <= right; u++) {
      const at = v * width + u
      if (!hasRim(paints[at] as number)) continue
      const near = noise === undefined ? NEAR : contrastAt(noise, x, y) / 2
      if (isRim(plane, x, y, state, luma[at] as number, near)) return at
    }
  }
  return -1
}

/** Tells whether a paint has clear rims: marks on a box of both keep them. */
function hasRim(paint: number): boolean {
  return paint > BOX && paint !== BOX + MIXED
}

/** Tells whether a pixel beside a box is a part of it: as light, or on its side of an edge. */
function isRim(
  plane: Plane,
  x: number,
  y: number,
  state: number,
  own: number,
  near: number,
): boolean {
  const value = plane.luma[y * plane.width + x] as number
  if (Math.abs(value - own) <= near) return true
  const around = measure(plane, x, y, RADIUS)
  const [low, high] = [around & 0xff, around >> 8]
  const isDark = state === DARK || (state === SHARP && 2 * value <= low + high)
  return isDark ? low >= own - near : high <= own + near
}
