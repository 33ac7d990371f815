import {
  type Decoder,
  type Divisor,
  type Header,
  makeMemory,
  type TakeRow,
} from '../codecs/decoder.ts'
import { freeMemory } from '../memory.ts'
import {
  type Box,
  createInkFinder,
  groupRows,
  hasInk,
  type InkFinder,
  orientBox,
  orientPlane,
  orientSize,
  type Plane,
  type Size,
  storeBox,
  type TakeRows,
  turnPlane,
} from '../plane.ts'
import { type BarMeter, createBarMeter } from './bar-meter.ts'
import {
  needsInk,
  type Placement,
  type PlacementTarget,
  placePicture,
  storedSize,
  wholeOf,
} from './placement.ts'
import { createScaler } from './scale.ts'

// Up to here a picture whose ink must be found first is held in gray, at one byte a pixel, since decoding it twice takes
// 22 ms more for a letter page at 300 dpi. Beyond, the second decoding is the cheaper of the two on a small box.
const HELD_PIXELS_MAX = 9_000_000

/** A picture label, its header read. */
export interface OpenPicture {
  readonly label: Uint8Array
  readonly decoder: Decoder
  readonly header: Header
}

/** A picture in gray, ready for the threshold. */
export interface GrayPicture {
  /** Upright and turned: as it comes onto the label. */
  readonly plane: Plane
  readonly placement: Placement
  /** Width of the finest bars as printed, in dots; undefined when nothing became smaller. */
  readonly finestDots: number | undefined
}

/**
 * Decodes, trims, scales and turns a picture for the canvas.
 * @throws LabelFault PICTURE_BROKEN, PICTURE_UNSUPPORTED
 */
export function drawPicture(
  picture: OpenPicture,
  canvas: Size,
  place: PlacementTarget,
): Promise<GrayPicture> {
  const { header } = picture
  const upright = orientSize(squareSize(header), header.orientation)
  return needsInk(upright, canvas, place)
    ? drawPart(picture, canvas, place)
    : drawWhole(picture, canvas, place)
}

/** All of a picture, upright, in this size. */
export async function drawSmall(picture: OpenPicture, size: Size): Promise<Plane> {
  const { header } = picture
  const stored = orientSize(size, header.orientation)
  const divisor = chooseDivisor(header, header, stored)
  const from = divide(header, divisor)
  const scaler = createScaler(from, stored)
  await decodeGroups(picture, divisor, from.width, (row, _y, count) => {
    scaler.take(row, count)
  })
  return orientPlane(scaler.plane, header.orientation)
}

/** A part of a picture, upright and in square pixels, as a picture of its own. */
export function cropPicture({ label, decoder, header }: OpenPicture, part: Box): OpenPicture {
  const upright = orientSize(squareSize(header), header.orientation)
  const box = pixelsOf(part, upright, header)
  const own: Header = { ...header, width: box.width, height: box.height, divisors: [1] }
  const bottom = box.y + box.height
  return {
    label,
    header: own,
    decoder: {
      format: decoder.format,
      signs: decoder.signs,
      header: () => own,
      async decode(bytes, divisor, take) {
        await decoder.decode(bytes, divisor, (row, y) => {
          if (y < box.y || y >= bottom) return
          take(row.subarray(box.x, box.x + box.width), y - box.y)
        })
      },
    },
  }
}

/** The size of a picture as it is meant, in square pixels; that of most. Placements are made for it. */
export function squareSize({ width, height, stretch }: Header): Size {
  if (stretch === undefined) return { width, height }
  return {
    width: Math.max(1, Math.round(width * stretch.across)),
    height: Math.max(1, Math.round(height * stretch.down)),
  }
}

/** A box of the picture as stored, in square pixels. */
function squareBox(box: Box, { stretch }: Header): Box {
  if (stretch === undefined) return box
  const [x, y] = [Math.round(box.x * stretch.across), Math.round(box.y * stretch.down)]
  return {
    x,
    y,
    width: Math.round((box.x + box.width) * stretch.across) - x,
    height: Math.round((box.y + box.height) * stretch.down) - y,
  }
}

/** The stored pixels that a part of the upright picture, in square ones, is drawn from. */
function pixelsOf(part: Box, upright: Size, { width, height, stretch, orientation }: Header): Box {
  const box = storeBox(part, upright, orientation)
  if (stretch === undefined) return box
  const [x, y] = [Math.floor(box.x / stretch.across), Math.floor(box.y / stretch.down)]
  return {
    x,
    y,
    width: Math.min(width, Math.ceil((box.x + box.width) / stretch.across)) - x,
    height: Math.min(height, Math.ceil((box.y + box.height) / stretch.down)) - y,
  }
}

/**
 * Row by row: the picture itself is never held. It is scaled as it is stored and turned when it is small. One that is made
 * to fit and has ink up to its edges gets a margin: that shows in the first row, or else it is drawn once more.
 */
async function drawWhole(
  picture: OpenPicture,
  canvas: Size,
  place: PlacementTarget,
): Promise<GrayPicture> {
  const { header } = picture
  const { orientation } = header
  const square = squareSize(header)
  const upright = orientSize(square, orientation)
  const keepInside = (box: Box): Placement => {
    const inside = orientBox(squareBox(box, header), square, orientation)
    return placePicture(upright, canvas, place, undefined, inside)
  }
  const whole = placePicture(upright, canvas, place)
  const window = pixelsOf(whole.window, upright, header)
  const divisor = chooseDivisor(header, window, storedSize(whole, orientation))
  const size = divide(header, divisor)
  const finder = whole.isFitted || whole.isCropped ? createInkFinder(size) : undefined
  const begin = (placement: Placement): PictureSink =>
    createPainter(divideBox(window, divisor), placement, orientation)
  const paint = async (painter: PictureSink, find?: InkFinder): Promise<PictureSink> => {
    await decodeGroups(picture, divisor, size.width, (row, y, count) => {
      if (y === 0 && find !== undefined && hasInk(row)) {
        painter = begin(keepInside(wholeOf(header)))
      }
      find?.take(row, y, count)
      painter.take(row, y, count)
    })
    return painter
  }
  const drawn = (await paint(begin(whole), finder)).finish()
  const ink = finder && multiply(finder.box(), divisor, header)
  if (whole.isCropped) {
    const isCropped = ink !== undefined && !isWithin(ink, window)
    return { ...drawn, placement: { ...drawn.placement, isCropped } }
  }
  const inside = ink && keepInside(ink)
  if (inside === undefined || inside.size.width >= drawn.placement.size.width) return drawn
  return (await paint(begin(inside))).finish()
}

/**
 * Draws a part. Where the ink lies decides what is drawn, so that the rows go by twice: once for the ink, at a size just above the
 * label's, and once to be drawn, out of memory or, of a very large picture, by decoding it again. Of one that is not
 * held the whole is drawn at once: a photo or scan has ink up to its edges, and then that was it.
 */
async function drawPart(
  picture: OpenPicture,
  canvas: Size,
  place: PlacementTarget,
): Promise<GrayPicture> {
  const { header } = picture
  const { orientation } = header
  const square = squareSize(header)
  const upright = orientSize(square, orientation)
  const coarse = chooseDivisor(header, header, orientSize(canvas, orientation))
  const size = divide(header, coarse)
  const held = size.width * size.height <= HELD_PIXELS_MAX ? createHolder(size) : undefined
  let guess = held === undefined ? guessWhole(picture, canvas, place, coarse) : undefined
  const finder = createInkFinder(size)
  await decodeGroups(picture, coarse, size.width, (row, y, count) => {
    finder.take(row, y, count)
    held?.take(row, y, count)
    if (y === 0 && !hasInk(row)) guess = undefined
    guess?.take(row, y, count)
  })
  const ink = multiply(finder.box(), coarse, header)
  const inked = ink && orientBox(squareBox(ink, header), square, orientation)
  const placement = placePicture(upright, canvas, place, inked)
  const window = pixelsOf(placement.window, upright, header)
  if (guess?.placement.size.width === placement.size.width && isWhole(window, header)) {
    return guess.finish()
  }
  const fine = chooseDivisor(header, window, storedSize(placement, orientation))
  if (held !== undefined && fine >= coarse) {
    const painter = createPainter(divideBox(window, coarse), placement, orientation)
    held.replay(painter.take)
    held.free()
    return painter.finish()
  }
  held?.free()
  const painter = createPainter(divideBox(window, fine), placement, orientation)
  await decodeGroups(picture, fine, divide(header, fine).width, painter.take)
  return painter.finish()
}

/** A painter for the case that the whole picture will be drawn; undefined when it wants more rows than come by. */
function guessWhole(
  { header }: OpenPicture,
  canvas: Size,
  place: PlacementTarget,
  coarse: Divisor,
): PictureSink | undefined {
  const { width, height, orientation } = header
  const whole = wholeOf({ width, height })
  const upright = wholeOf(orientSize(squareSize(header), orientation))
  const placement = placePicture(upright, canvas, place, upright)
  if (chooseDivisor(header, whole, storedSize(placement, orientation)) < coarse) return undefined
  return createPainter(divideBox(whole, coarse), placement, orientation)
}

function isWithin(part: Box, { x, y, width, height }: Box): boolean {
  const isAcross = part.x >= x && part.x + part.width <= x + width
  return isAcross && part.y >= y && part.y + part.height <= y + height
}

function isWhole(window: Box, { width, height }: Size): boolean {
  return window.width === width && window.height === height
}

interface PictureSink {
  readonly placement: Placement
  readonly take: TakeRows
  finish(): GrayPicture
}

/** Draws the part `window` of rows as they are stored. */
function createPainter(window: Box, placement: Placement, orientation: number): PictureSink {
  const stored = storedSize(placement, orientation)
  const scaler = createScaler(window, stored)
  const isSmaller = placement.size.width < placement.window.width
  const meter = isSmaller ? createBarMeter(window) : undefined
  const bottom = window.y + window.height
  return {
    placement,
    take(row, y, count) {
      const from = Math.max(y, window.y)
      const to = Math.min(y + count, bottom)
      if (from >= to) return
      const part = row.subarray(window.x, window.x + window.width)
      scaler.take(part, to - from)
      meter?.take(part, from - window.y, to - from)
    },
    finish() {
      const plane = turnPlane(orientPlane(scaler.plane, orientation), placement.turn)
      return { plane, placement, finestDots: finestDots(meter, scaleOf(stored, window)) }
    },
  }
}

/** Gives the scale; of pixels that are not square the finer direction counts. */
function scaleOf(dots: Size, pixels: Size): number {
  const [across, down] = [dots.width / pixels.width, dots.height / pixels.height]
  return down < 0.97 * across ? down : across
}

function finestDots(meter: BarMeter | undefined, scale: number): number | undefined {
  const pixels = meter?.finest()
  return pixels === undefined ? undefined : pixels * scale
}

/** Keeps a picture in gray, to be gone through once more; of rows that repeat one is kept. */
function createHolder({ width, height }: Size) {
  const luma = new Uint8Array(makeMemory(width * height), 0, width * height)
  const counts: number[] = []
  return {
    take(row: Uint8Array, _y: number, count: number): void {
      luma.set(row, counts.length * width)
      counts.push(count)
    },
    free: () => freeMemory(luma),
    replay(take: TakeRows): void {
      let y = 0
      for (const [n, count] of counts.entries()) {
        take(luma.subarray(n * width, (n + 1) * width), y, count)
        y += count
      }
    },
  }
}

async function decodeGroups(
  { label, decoder }: OpenPicture,
  divisor: Divisor,
  width: number,
  take: TakeRows,
): Promise<void> {
  const groups = groupRows(width, take)
  const takeRow: TakeRow = groups.take
  await decoder.decode(label, divisor, takeRow)
  groups.end()
}

/** The largest divisor that leaves a part of the picture at least as large as it will be drawn. */
function chooseDivisor({ divisors }: Header, part: Size, drawn: Size): Divisor {
  const fits = (divisor: Divisor): boolean =>
    part.width / divisor >= drawn.width && part.height / divisor >= drawn.height
  return divisors.findLast(fits) ?? 1
}

function divide({ width, height }: Size, divisor: Divisor): Size {
  return { width: Math.ceil(width / divisor), height: Math.ceil(height / divisor) }
}

function divideBox(box: Box, divisor: Divisor): Box {
  const [x, y] = [Math.floor(box.x / divisor), Math.floor(box.y / divisor)]
  return {
    x,
    y,
    width: Math.ceil((box.x + box.width) / divisor) - x,
    height: Math.ceil((box.y + box.height) / divisor) - y,
  }
}

/** A box of the divided picture, in pixels of the whole one. */
function multiply(box: Box | undefined, by: Divisor, { width, height }: Size): Box | undefined {
  if (box === undefined) return undefined
  const [x, y] = [box.x * by, box.y * by]
  return {
    x,
    y,
    width: Math.min(box.width * by, width - x),
    height: Math.min(box.height * by, height - y),
  }
}
