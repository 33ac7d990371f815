import { type Raster, rowBytes } from '../../languages/raster.ts'
import type { Plane } from './plane.ts'

const MIDDLE = 128
// 72 % instead of 50: with this the small print of DPD's and UPS's pictures stays whole when they are made smaller.
const FAINT_BELOW = 184
/** How much darker a stroke is than the paper on both sides of it. */
const RIDGE = 32
const WHITE_WORD = -1
const HIGH_BITS = 0x80808080 | 0

/**
 * Adds the middle of strokes that are thinner than a dot to dots that were made by a threshold. Letters lose such strokes
 * and fall apart; bars never have them, since a bar of a dot and more is dark somewhere across.
 */
export function keepStrokes({ width, luma }: Plane, { bits }: Raster): void {
  const stride = rowBytes(width)
  const words = new DataView(luma.buffer, luma.byteOffset, luma.length)
  const whole = luma.length & ~3
  const keep = (from: number, to: number): void => {
    for (let at = from; at < to; at++) {
      if (!isFaint(luma[at] as number)) continue
      const y = Math.floor(at / width)
      const x = at - y * width
      const isAcross = x > 0 && x < width - 1 && isRidge(luma, at, 1)
      if (!isAcross && !isRidge(luma, at, width)) continue
      const byte = y * stride + (x >> 3)
      bits[byte] = (bits[byte] as number) | (0x80 >> (x & 7))
    }
  }
  for (let at = 0; at < whole; at += 4) {
    const word = words.getInt32(at, true)
    // Nearly all words are paper, and most others ink.
    if (word !== WHITE_WORD && (word & HIGH_BITS) !== 0) keep(at, at + 4)
  }
  keep(whole, luma.length)
}

/** Too light for the threshold. */
function isFaint(luma: number): boolean {
  return luma >= MIDDLE && luma < FAINT_BELOW
}

/** Whether a pixel is the darkest across a line that is lighter on both sides within two pixels. */
function isRidge(luma: Uint8Array, at: number, step: number): boolean {
  const value = luma[at] as number
  const before = luma[at - step] ?? 0
  const after = luma[at + step] ?? 0
  if (before <= value || after < value) return false
  const paper = value + RIDGE
  return (
    (before >= paper || (luma[at - 2 * step] ?? 0) >= paper) &&
    (after >= paper || (luma[at + 2 * step] ?? 0) >= paper)
  )
}
