import {
  type Box,
  orientSize,
  type QuarterTurn,
  type Size,
  turnBox,
  turnSize,
  unturnBox,
} from '../plane.ts'
import type { Target } from '../target.ts'
import { ROUNDING_DOTS } from './dots.ts'

/** Placement of a picture on the label. All of a picture is meant upright, its EXIF orientation obeyed. Decision `trimming`. */
export interface Placement {
  /** The part that is drawn, in pixels. */
  readonly window: Box
  /** Dots that the window takes before it is turned. */
  readonly size: Size
  readonly turn: QuarterTurn
  /** Left edge of the picture on the canvas, in dots; beyond the edge is cut. */
  readonly x: number
  readonly y: number
  /** The factor by which the window would just fill the canvas. */
  readonly fit: number
  /** It was made to fit by a factor that is neither its natural one nor even. */
  readonly isFitted: boolean
  /** Something of it is beyond the label and is not drawn at all. */
  readonly isCropped?: boolean
}

/** Fields of a target that decide the placement. */
export type PlacementTarget = Pick<
  Target,
  'dpi' | 'pictureDpi' | 'rotate' | 'scaling' | 'startingPointX' | 'startingPointY'
>

// A picture that fills nine tenths of the label is meant to be it: drawn dot for dot, never stretched (800 to 812).
const FILLS = 0.9
// Labels of the same shape are the same label at another resolution, so their margins belong to them.
const SAME_SHAPE = 0.04
// Bars stay even with these factors; one is taken when it is at most 4 % smaller than what would fit.
const EVEN_FACTORS = [1 / 3, 1 / 2, 2 / 3, 3 / 4, 1, 3 / 2, 2, 3]
const EVEN_LOSS = 0.04
const HAIR = 1e-9
/** Blank space smaller than this share of a side does not count as a tail. */
const TAIL = 0.1
/** Dots of what is drawn before it is cut: at its natural size a picture of few dots an inch is a poster of gigabytes. */
const DRAWN_DOTS_MOST = 20_000_000
/** Margin of what is made to fit: a gap sensor is that much off. */
export const EDGE_MM = 1
const MM_PER_INCH = 25.4

/**
 * True when the placement depends on where the ink is: the picture is larger than the label and has another shape (a
 * letter page with a label in it, a carrier's blank tail), or is a little larger and may just have wide margins; or it would
 * be enlarged and may have a tail.
 */
export function needsInk(picture: Size, canvas: Size, place: PlacementTarget): boolean {
  if (place.scaling === 'none') return false
  const turned = turnSize(picture, chooseTurn(picture, canvas, place))
  const fit = naturalFit(turned, canvas, place)
  if (fit >= 1) return mayGrow(fit, place) && !isSameShape(turned, canvas)
  return !isSameShape(turned, canvas) || fit >= FILLS
}

/** A picture whose resolution nobody told is enlarged until it fills the label. */
function mayGrow(fit: number, { pictureDpi }: PlacementTarget): boolean {
  return pictureDpi === undefined && fit > 1
}

/**
 * Decides part, turn, size and place of a picture on the canvas. Without `ink` the whole picture is drawn.
 * @param ink the box around what is not blank, when `needsInk` asked for it
 * @param inside the same box, which stays off the edges of the label when the picture is made to fit
 */
export function placePicture(
  picture: Size,
  canvas: Size,
  place: PlacementTarget,
  ink?: Box,
  inside = ink,
): Placement {
  const window = ink === undefined ? wholeOf(picture) : trim(picture, canvas, place, ink)
  const whole = chooseTurn(picture, canvas, place)
  const isWhole = naturalFit(turnSize(picture, whole), canvas, place) >= 1
  // Without its tail a picture lies no other way than with it.
  const turn = isWhole ? whole : chooseTurn(window, canvas, place)
  const extent = inside && turnSize(extentOf(inside, window), turn)
  const upright = turnSize(window, turn)
  const fixed = chooseFactor(upright, canvas, place)
  const fit = fitOf(upright, canvas)
  const scale =
    fixed ?? Math.min(fit, extent === undefined ? fit : fitInside(extent, canvas, place))
  const size = {
    width: Math.max(1, Math.round(window.width * scale)),
    height: Math.max(1, Math.round(window.height * scale)),
  }
  const drawn = turnSize(size, turn)
  const dotsPerStep = naturalScale(place)
  const placed = {
    window,
    size,
    turn,
    x: startOf(place.startingPointX * dotsPerStep, canvas.width - drawn.width, place),
    y: startOf(place.startingPointY * dotsPerStep, canvas.height - drawn.height, place),
    fit,
    isFitted: fixed === undefined,
  }
  return size.width * size.height <= DRAWN_DOTS_MOST ? placed : crop(placed, canvas, scale)
}

/** Crops a picture that is drawn dot for dot to the canvas. */
export function cropToCanvas(placed: Placement, canvas: Size): Placement {
  return crop(placed, canvas, 1)
}

/** Leaves out the pixels that do not come onto the canvas. */
function crop(placed: Placement, canvas: Size, scale: number): Placement {
  const { window, size, turn, x, y } = placed
  const drawn = turnSize(size, turn)
  const [left, width] = overlap(-x, canvas.width, drawn.width)
  const [top, height] = overlap(-y, canvas.height, drawn.height)
  const seen = unturnBox({ x: left, y: top, width, height }, drawn, turn)
  const [across, wide] = pixelsUnder(seen.x, seen.width, scale, window.width)
  const [down, high] = pixelsUnder(seen.y, seen.height, scale, window.height)
  const dots = (pixels: number): number => Math.round(pixels * scale)
  const part = { x: dots(across), y: dots(down), width: dots(wide), height: dots(high) }
  const turned = turnBox(part, size, turn)
  return {
    ...placed,
    window: { x: window.x + across, y: window.y + down, width: wide, height: high },
    size: { width: Math.max(1, part.width), height: Math.max(1, part.height) },
    x: x + turned.x,
    y: y + turned.y,
    isCropped: true,
  }
}

/** Gives the part of a stretch within 0 to `limit`; one dot at least. */
function overlap(from: number, length: number, limit: number): [number, number] {
  const start = Math.min(Math.max(0, from), limit - 1)
  return [start, Math.min(Math.max(start + 1, from + length), limit) - start]
}

/** The pixels that a stretch of dots is drawn from. */
function pixelsUnder(from: number, length: number, scale: number, limit: number): [number, number] {
  const start = Math.min(Math.floor(from / scale), limit - 1)
  return [start, Math.max(start + 1, Math.min(Math.ceil((from + length) / scale), limit)) - start]
}

/** Gives the extent of ink in a window when its margins are as wide on both sides as on the narrower one. */
function extentOf(ink: Box, window: Box): Size {
  const along = (from: number, length: number, start: number, room: number): number =>
    room - 2 * Math.max(0, Math.min(from - start, start + room - from - length))
  return {
    width: along(ink.x, ink.width, window.x, window.width),
    height: along(ink.y, ink.height, window.y, window.height),
  }
}

/** The factor at which so many pixels keep a margin on all sides. */
function fitInside(extent: Size, canvas: Size, { dpi }: PlacementTarget): number {
  const edges = 2 * Math.ceil((EDGE_MM * dpi) / MM_PER_INCH)
  return fitOf(extent, {
    width: Math.max(1, canvas.width - edges),
    height: Math.max(1, canvas.height - edges),
  })
}

/** A starting point other than 0 switches centering off on its axis. What is not scaled is cut evenly on both sides. */
function startOf(dots: number, spare: number, { scaling }: PlacementTarget): number {
  if (dots !== 0) return Math.round(dots)
  const start = Math.floor(spare / 2)
  return scaling === 'none' ? start : Math.max(0, start)
}

/** Dots of the head for a pixel, as the request says; 1 when it does not. */
function naturalScale({ dpi, pictureDpi }: PlacementTarget): number {
  return pictureDpi === undefined ? 1 : dpi / pictureDpi
}

/** Fits a picture drawn at its natural size; a hair's breadth counts as fitting. */
function naturalFit(picture: Size, canvas: Size, place: PlacementTarget): number {
  const fit = fitOf(picture, canvas) / naturalScale(place)
  return Math.abs(fit - 1) < HAIR ? 1 : fit
}

/** The factor that makes a picture just fit; below 1 it is too large. */
function fitOf(picture: Size, canvas: Size): number {
  return Math.min(fitAlong(picture.width, canvas.width), fitAlong(picture.height, canvas.height))
}

function fitAlong(pixels: number, dots: number): number {
  const isRounding = pixels > dots && pixels <= dots + ROUNDING_DOTS
  return isRounding ? 1 : dots / pixels
}

/** Alike but for rounding: the same label at another resolution. */
export function isSameShape(picture: Size, canvas: Size): boolean {
  const ratio = (picture.width * canvas.height) / (picture.height * canvas.width)
  return Math.abs(ratio - 1) <= SAME_SHAPE
}

/** `auto` turns clockwise when the picture lies and the stock stands, or the reverse, and more of the stock gets used. */
function chooseTurn(picture: Size, canvas: Size, place: PlacementTarget): QuarterTurn {
  if (place.rotate !== 'auto') return place.rotate
  const fit = naturalFit(picture, canvas, place)
  const isRightAlready = fit >= 1 && (place.pictureDpi !== undefined || fit <= 1 / FILLS)
  const lies = picture.width > picture.height
  if (isRightAlready || lies === canvas.width > canvas.height) return 0
  return naturalFit(turnSize(picture, 90), canvas, place) > fit ? 90 : 0
}

/** Dot for dot when it fits and fills the label, else an even factor close to the best fit, else undefined. */
function chooseFactor(picture: Size, canvas: Size, place: PlacementTarget): number | undefined {
  if (place.scaling === 'none') return naturalScale(place)
  const natural = naturalFit(picture, canvas, place)
  if (natural >= 1 && (place.pictureDpi !== undefined || natural <= 1 / FILLS)) {
    return naturalScale(place)
  }
  const fit = fitOf(picture, canvas)
  const even = EVEN_FACTORS.findLast((factor) => factor <= fit + HAIR)
  return even !== undefined && even >= fit * (1 - EVEN_LOSS) ? even : undefined
}

/** A picture of the shape of the label that somebody turned by a quarter, because what is on it lies. */
function isTurnedOver(picture: Size, canvas: Size, { rotate }: PlacementTarget): boolean {
  return (rotate === 90 || rotate === 270) && isSameShape(picture, canvas)
}

/**
 * Cuts blank margins away. When the ink fits dot for dot, as much margin stays as the label has room for; else, of a
 * page or of a label with a tail, the ink alone is drawn.
 */
function trim(picture: Size, canvas: Size, place: PlacementTarget, ink: Box): Box {
  const upright = turnSize(picture, chooseTurn(picture, canvas, place))
  if (naturalFit(upright, canvas, place) >= 1) return cutTail(picture, ink)
  const turn = chooseTurn(ink, canvas, place)
  const fit = naturalFit(turnSize(ink, turn), canvas, place)
  if (mayGrow(fit, place) && isTurnedOver(picture, canvas, place)) return ink
  if (fit >= 1) {
    const room = turnSize(canvas, turn)
    const [x, width] = widen(ink.x, ink.width, pixelsIn(room.width, place), picture.width)
    const [y, height] = widen(ink.y, ink.height, pixelsIn(room.height, place), picture.height)
    return { x, y, width, height }
  }
  return isSameShape(upright, canvas) ? wholeOf(picture) : ink
}

/**
 * A picture without the blank that carriers leave on its right or below: UPS's labels fill 1200 of 1400 pixels, those of
 * Labelary's 4x8 canvas three quarters. What is blank on all sides is a margin and stays.
 */
function cutTail({ width, height }: Size, ink: Box): Box {
  return {
    x: 0,
    y: 0,
    width: endOfInk(width, ink.x, ink.width),
    height: endOfInk(height, ink.y, ink.height),
  }
}

function endOfInk(length: number, margin: number, inked: number): number {
  const blank = length - margin - inked
  return blank >= TAIL * length && blank >= 3 * margin ? length - blank + margin : length
}

/** Pixels at their natural size that so many dots have room for. */
function pixelsIn(dots: number, place: PlacementTarget): number {
  return Math.floor(dots / naturalScale(place) + HAIR)
}

/** Widens a stretch evenly on both sides to `wanted`, within 0 to `limit`. */
function widen(from: number, length: number, wanted: number, limit: number): [number, number] {
  const wide = Math.min(limit, Math.max(length, wanted))
  const start = from - Math.floor((wide - length) / 2)
  return [Math.min(Math.max(0, start), limit - wide), wide]
}

/** The box around all of it. */
export function wholeOf({ width, height }: Size): Box {
  return { x: 0, y: 0, width, height }
}

/** The dots that a whole picture takes as it is stored, before orientation and turn. */
export function storedSize(placement: Placement, orientation: number): Size {
  return orientSize(placement.size, orientation)
}
