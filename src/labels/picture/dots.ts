import { type Raster, rowBytes } from '../languages/raster.ts'
import type { Size } from '../plane.ts'

/** Excess length up to which rows that repeat are dropped; more would be seen. */
export const SQUEEZED_MOST = 0.02
/** Rows alike in a row from which one may go: 3 mm at 203 dpi; no bar is as thick. */
const RUN_LEAST = 24

/**
 * Makes dots that are a little too large fit without scaling them, which would thin letters and bars: rows and columns go
 * that repeat their neighbors many times over, paper or the length of bars. Undefined when there are not enough.
 */
export function squeeze(dots: Raster, canvas: Size): Raster | undefined {
  const shorter = dropRows(dots, dots.height - canvas.height)
  if (shorter === undefined || dots.width <= canvas.width) return shorter
  const lying = dropRows(transpose(shorter), dots.width - canvas.width)
  return lying && transpose(lying)
}

function dropRows(dots: Raster, surplus: number): Raster | undefined {
  if (surplus <= 0) return dots
  const runs = findRuns(dots)
  const dropped = new Set<number>()
  // One of each run in turn, so that no place is squeezed more than others.
  for (let round = 0; dropped.size < surplus; round++) {
    const giving = runs.filter(({ length }) => length - round > RUN_LEAST)
    if (giving.length === 0) return undefined
    for (const { start } of giving) if (dropped.size < surplus) dropped.add(start + round)
  }
  const stride = rowBytes(dots.width)
  const height = dots.height - surplus
  const bits = new Uint8Array(stride * height)
  let to = 0
  for (let y = 0; y < dots.height; y++) {
    if (dropped.has(y)) continue
    bits.set(dots.bits.subarray(y * stride, (y + 1) * stride), to)
    to += stride
  }
  return { width: dots.width, height, bits }
}

interface DotRun {
  readonly start: number
  readonly length: number
}

/** Rows that are alike and follow each other. */
function findRuns({ width, height, bits }: Raster): readonly DotRun[] {
  const stride = rowBytes(width)
  const runs: DotRun[] = []
  let start = 0
  for (let y = 1; y <= height; y++) {
    if (y < height && isSame(bits, start * stride, y * stride, stride)) continue
    runs.push({ start, length: y - start })
    start = y
  }
  return runs
}

function isSame(bits: Uint8Array, one: number, other: number, length: number): boolean {
  for (let n = 0; n < length; n++) if (bits[one + n] !== bits[other + n]) return false
  return true
}

/** Rows as columns. */
function transpose({ width, height, bits }: Raster): Raster {
  const stride = rowBytes(width)
  const turned = rowBytes(height)
  const to = new Uint8Array(turned * width)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const byte = bits[y * stride + (x >> 3)] as number
      if (byte === 0) x |= 7
      else if ((byte & (0x80 >> (x & 7))) !== 0) {
        const at = x * turned + (y >> 3)
        to[at] = (to[at] as number) | (0x80 >> (y & 7))
      }
    }
  }
  return { width: height, height: width, bits: to }
}

// 101.6 x 152.4 mm at 8 dots/mm rounds up to 813x1220 dots; a canvas of 4x6 inches has 812x1218.
export const ROUNDING_DOTS = 2

/** Lays a picture onto a canvas of the label's size; `cut` says whether black dots fell off. */
export function drawOnCanvas(
  picture: Raster,
  canvas: Size,
  at: { readonly x: number; readonly y: number },
): { raster: Raster; cut: boolean } {
  const bits = new Uint8Array(rowBytes(canvas.width) * canvas.height)
  const raster = { ...canvas, bits }
  const isInside =
    at.x >= 0 &&
    at.y >= 0 &&
    at.x + picture.width <= canvas.width &&
    at.y + picture.height <= canvas.height
  if (isInside) {
    shiftRows(picture, raster, at.x, at.y)
    return { raster, cut: false }
  }
  return { raster, cut: drawDots(picture, raster, at.x, at.y) }
}

/** Whole bytes, moved to the right by the bits that `x` is beyond a byte. */
function shiftRows(picture: Raster, raster: Raster, x: number, y: number): void {
  const fromStride = rowBytes(picture.width)
  const toStride = rowBytes(raster.width)
  const shift = x & 7
  for (let row = 0; row < picture.height; row++) {
    const from = row * fromStride
    let to = (y + row) * toStride + (x >> 3)
    if (shift === 0) {
      raster.bits.set(picture.bits.subarray(from, from + fromStride), to)
      continue
    }
    let carried = 0
    for (let n = from; n < from + fromStride; n++) {
      const byte = picture.bits[n] as number
      raster.bits[to++] = carried | (byte >> shift)
      carried = byte << (8 - shift)
    }
    // What is carried out of the last byte lies on the canvas, or is its padding of 0.
    if ((carried & 0xff) !== 0) raster.bits[to] = carried
  }
}

/** Dot by dot, for a picture that reaches beyond the canvas; returns whether black dots fell off. */
function drawDots(picture: Raster, raster: Raster, left: number, top: number): boolean {
  const fromStride = rowBytes(picture.width)
  let cut = false
  for (let y = 0; y < picture.height; y++) {
    for (let x = 0; x < picture.width; x++) {
      const byte = picture.bits[y * fromStride + (x >> 3)] as number
      if (byte === 0) x |= 7
      if ((byte & (0x80 >> (x & 7))) === 0) continue
      if (!drawDot(raster, x + left, y + top)) {
        cut ||= !isRounding(picture, raster, x + left, y + top)
      }
    }
  }
  return cut
}

/** False beyond the edges. */
function drawDot({ width, height, bits }: Raster, x: number, y: number): boolean {
  if (x < 0 || y < 0 || x >= width || y >= height) return false
  const at = y * rowBytes(width) + (x >> 3)
  bits[at] = (bits[at] as number) | (0x80 >> (x & 7))
  return true
}

function isRounding(picture: Size, canvas: Size, x: number, y: number): boolean {
  return (
    x >= 0 &&
    y >= 0 &&
    x < canvas.width + ROUNDING_DOTS &&
    y < canvas.height + ROUNDING_DOTS &&
    picture.width <= canvas.width + ROUNDING_DOTS &&
    picture.height <= canvas.height + ROUNDING_DOTS
  )
}

/** True when a raster has no black dot. */
export function isBlank(raster: Raster): boolean {
  for (let at = 0; at < raster.bits.length; at++) if (raster.bits[at] !== 0) return false
  return true
}
