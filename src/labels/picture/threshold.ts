import { type Raster, rowBytes } from '../languages/raster.ts'
import type { Plane } from '../plane.ts'
import { printTones, type Tones } from './tones.ts'

const MIDDLE = 128 // of 100, 128 and 160 the most bar codes stayed readable with this

/** A picture as it prints. */
export interface BilevelPicture extends Tones {
  readonly dots: Raster
}

/**
 * Turns gray into dots. Text and bars that are black on white by a threshold; bars are never dithered, since dithered ones do not
 * scan (154 of 240 against 229). What has other tones is drawn by `printTones`.
 */
export function thresholdPlane(plane: Plane, dpi: number): BilevelPicture {
  const { width, height } = plane
  const bits = new Uint8Array(rowBytes(width) * height)
  packRows(plane, bits)
  const dots = { width, height, bits }
  keepStrokes(plane, dots)
  return { dots, ...printTones(plane, dots, dpi) }
}

/** All by the one threshold: below 128 is a luma without its highest bit. */
function packRows({ width, height, luma }: Plane, bits: Uint8Array): void {
  const words = new DataView(luma.buffer, luma.byteOffset, luma.length)
  const whole = width & ~7
  for (let y = 0, at = 0, to = 0; y < height; y++) {
    for (const end = at + whole; at < end; at += 8) {
      const light = (gather(words.getInt32(at, true)) << 4) | gather(words.getInt32(at + 4, true))
      bits[to++] = ~light
    }
    if (whole === width) continue
    let byte = 0
    for (let x = whole; x < width; x++) {
      if ((luma[at++] as number) < MIDDLE) byte |= 0x80 >> (x & 7)
    }
    bits[to++] = byte
  }
}

/**
 * The highest bits of four bytes side by side, the first byte's leftmost: the product moves them to bits 31 to 28, and
 * nothing else comes there.
 */
function gather(four: number): number {
  return Math.imul((four >>> 7) & 0x01010101, 0x80402010) >>> 28
}

const WHITE_ENOUGH = 199 // as for dithering: above is white
const RANGE_LEAST = 64 // less is a shade, not ink on paper
const OUTLIERS = 0.01

/**
 * Stretches a faded picture (a scan or a photo of a label, its paper gray) to black and white; all others are given
 * back as they are. Gray paper would be dithered, and dots in the quiet zone keep bars from scanning.
 */
export function stretchLevels(plane: Plane): Plane {
  if (hasWhite(plane.luma)) return plane
  const { black, white } = findLevels(plane.luma)
  const range = white - black
  if (range < RANGE_LEAST) return plane
  const stretched = Uint8ClampedArray.from({ length: 256 }, (_, luma) =>
    Math.round(((luma - black) * 255) / range),
  )
  return { ...plane, luma: plane.luma.map((luma) => stretched[luma] as number) }
}

/** The quick answer for nearly all labels: more than a hundredth is white, and the first rows show it. */
function hasWhite(luma: Uint8Array): boolean {
  const few = luma.length * OUTLIERS
  let white = 0
  for (let at = 0; at < luma.length && white <= few; at++) {
    if ((luma[at] as number) > WHITE_ENOUGH) white++
  }
  return white > few
}

/** The luma that a hundredth of the pixels lie below, and above. */
function findLevels(luma: Uint8Array): { black: number; white: number } {
  const counts = new Uint32Array(256)
  for (const value of luma) counts[value] = (counts[value] as number) + 1
  const few = luma.length * OUTLIERS
  let below = 0
  let above = 0
  return {
    black: counts.findIndex((count) => {
      below += count
      return below > few
    }),
    white: counts.findLastIndex((count) => {
      above += count
      return above > few
    }),
  }
}

// 72 % instead of 50: with this the small print of DPD's and UPS's pictures stays whole when they are made smaller.
const FAINT_BELOW = 184
/** Difference in luma of a stroke from the paper on both sides of it. */
const RIDGE = 32
const WHITE_WORD = -1
const HIGH_BITS = 0x80808080 | 0

/**
 * Adds the middle of strokes that are thinner than a dot to dots that were made by a threshold. Letters lose such strokes
 * and fall apart; bars never have them, since a bar of a dot and more is dark somewhere across.
 */
function keepStrokes({ width, luma }: Plane, { bits }: Raster): void {
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

/** Tells whether a pixel is the darkest across a line that is lighter on both sides within two pixels. */
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
