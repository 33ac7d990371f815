import { type Raster, rowBytes } from '../raster.ts'

/** A box of a raster, in rows and byte columns; `bottom` and `right` are the first beyond it. */
export interface Band {
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
}

/**
 * Covers the black dots of a raster with boxes, one below the other, for languages that send dots as they are. A row
 * joins the box above it as long as that costs no more bytes than a box of its own, so blank rows, blank margins and
 * the white beside short lines are mostly not sent. A blank raster has no boxes.
 * @param headBytes bytes that one more box costs in the language; Infinity = one box around everything
 */
export function findBands(raster: Raster, headBytes: number): Band[] {
  const { bits, height } = raster
  const stride = rowBytes(raster.width)
  const bands: Band[] = []
  let [top, bottom, left, right] = [0, 0, 0, 0]
  for (let y = 0; y < height; y++) {
    const first = findInk(bits, y * stride, stride)
    if (first === stride) continue
    const end = findInkEnd(bits, y * stride, stride)
    const [outerLeft, outerRight] = [Math.min(left, first), Math.max(right, end)]
    const grown = (outerRight - outerLeft) * (y + 1 - top)
    if (bottom > 0 && grown - (right - left) * (bottom - top) <= end - first + headBytes) {
      left = outerLeft
      right = outerRight
    } else {
      if (bottom > 0) bands.push({ top, bottom, left, right })
      top = y
      left = first
      right = end
    }
    bottom = y + 1
  }
  if (bottom > 0) bands.push({ top, bottom, left, right })
  return bands
}

/** The dots of a box with 0 = black, as EPL and TSPL want them; the padding of our rows becomes white, as it must. */
export function invertBand(raster: Raster, band: Band): Uint8Array {
  const stride = rowBytes(raster.width)
  const out = new Uint8Array((band.bottom - band.top) * (band.right - band.left))
  let to = 0
  for (let y = band.top; y < band.bottom; y++) {
    const end = y * stride + band.right
    for (let from = y * stride + band.left; from < end; from++) {
      out[to++] = ~(raster.bits[from] as number)
    }
  }
  return out
}

/** First byte of a row that has a black dot; `stride` when there is none. */
export function findInk(bits: Uint8Array, start: number, stride: number): number {
  let column = 0
  while (column < stride && bits[start + column] === 0) column++
  return column
}

/** The byte after the last one of a row that has a black dot; 0 when there is none. */
export function findInkEnd(bits: Uint8Array, start: number, stride: number): number {
  let column = stride
  while (column > 0 && bits[start + column - 1] === 0) column--
  return column
}
