import { type Raster, rowBytes } from '../raster.ts'
import type { Size } from './plane.ts'

const ROUNDING_DOTS = 2 // as in placement: two columns or rows too many are of the rounding of inches

/** Lays a picture onto a canvas of the label's size; `cut` says whether black dots fell off. */
export function drawOnCanvas(
  picture: Raster,
  canvas: Size,
  at: { readonly x: number; readonly y: number },
): { raster: Raster; cut: boolean } {
  const fromStride = rowBytes(picture.width)
  const toStride = rowBytes(canvas.width)
  const bits = new Uint8Array(toStride * canvas.height)
  let cut = false
  for (let y = 0; y < picture.height; y++) {
    for (let x = 0; x < picture.width; x++) {
      if (((picture.bits[y * fromStride + (x >> 3)] ?? 0) & (0x80 >> (x & 7))) === 0) continue
      const toX = x + at.x
      const toY = y + at.y
      if (toX < 0 || toY < 0 || toX >= canvas.width || toY >= canvas.height) {
        cut ||= !isRounding(picture, canvas, toX, toY)
        continue
      }
      const to = toY * toStride + (toX >> 3)
      bits[to] = (bits[to] ?? 0) | (0x80 >> (toX & 7))
    }
  }
  return { raster: { ...canvas, bits }, cut }
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
  return raster.bits.every((byte) => byte === 0)
}
