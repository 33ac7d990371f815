import { type Raster, rowBytes } from '../../languages/raster.ts'
import type { Size } from './plane.ts'

const ROUNDING_DOTS = 2 // as in placement: two columns or rows too many are of the rounding of inches

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
