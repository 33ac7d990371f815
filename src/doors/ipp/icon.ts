import { rowBytes } from '../../languages/raster.ts'
import { encodePng } from '../../render/png.ts'

/** Sides of the icons in pixels (PWG 5100.13, 5.6.22). */
export const ICON_SIDES = [48, 128, 512] as const

/** Of the sides of an icon: the label's edge, and its bars, from left to right. */
const EDGE = 1 / 16
const BARS: readonly (readonly [from: number, to: number])[] = [
  [4, 5],
  [6, 6.5],
  [7.5, 9],
  [10, 10.5],
  [11, 12],
]
const SIXTEENTHS = 16

/** A label with a bar code, as PNG. */
export function drawIcon(side: number): Uint8Array {
  const bits = new Uint8Array(rowBytes(side) * side)
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      if (!isInk(x / side, y / side)) continue
      const at = y * rowBytes(side) + (x >> 3)
      bits[at] = (bits[at] as number) | (0x80 >> (x & 7))
    }
  }
  return encodePng({ width: side, height: side, bits })
}

function isInk(x: number, y: number): boolean {
  if (x < 2 * EDGE || x >= 1 - 2 * EDGE) return false
  if (y < EDGE || y >= 1 - EDGE || x < 3 * EDGE || x >= 1 - 3 * EDGE) return true
  const isBar = BARS.some(([from, to]) => x * SIXTEENTHS >= from && x * SIXTEENTHS < to)
  return isBar && y >= 0.5 && y < 1 - 3 * EDGE
}
