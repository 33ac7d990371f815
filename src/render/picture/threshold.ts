import { type Raster, rowBytes } from '../raster.ts'
import type { Box, Plane } from './plane.ts'

const MIDDLE = 128 // of 100, 128 and 160 the most bar codes stayed readable with this
const BLOCK = 16

// LPrint's bounds (lprint-common.c): below is black, above is white, whatever the neighbours are.
const BLACK_BELOW = 56
const WHITE_ABOVE = 199

// A block of grey is a photo or a shade when it is even, or when many of its pixels lie in the middle third between its
// darkest and lightest. Bars that were blurred do not: of a sine wave 22 to 33 % lie there, of noise 68 %.
const EVEN_RANGE = 48
const MIDDLE_SHARE = 0.4

// The 8x8 ordered pattern (Bayer, 1973).
const PATTERN = makePattern(3)
const PATTERN_SIDE = 8

/**
 * Turns grey into dots. Text and bars by a threshold; only blocks of 16x16 without any pure black or white that look
 * like a photo are dithered, since dithered bars do not scan (154 of 240 against 229).
 */
export function thresholdPlane(plane: Plane): Raster {
  const stride = rowBytes(plane.width)
  const bits = new Uint8Array(stride * plane.height)
  for (let y = 0; y < plane.height; y += BLOCK) {
    for (let x = 0; x < plane.width; x += BLOCK) {
      const box = {
        x,
        y,
        width: Math.min(BLOCK, plane.width - x),
        height: Math.min(BLOCK, plane.height - y),
      }
      drawBlock(plane, box, isPhoto(plane, box), bits, stride)
    }
  }
  return { width: plane.width, height: plane.height, bits }
}

function drawBlock(plane: Plane, box: Box, isDithered: boolean, bits: Uint8Array, stride: number) {
  for (let y = box.y; y < box.y + box.height; y++) {
    for (let x = box.x; x < box.x + box.width; x++) {
      const limit = isDithered ? limitAt(x, y) : MIDDLE
      if ((plane.luma[y * plane.width + x] ?? 255) >= limit) continue
      const at = y * stride + (x >> 3)
      bits[at] = (bits[at] ?? 0) | (0x80 >> (x & 7))
    }
  }
}

function limitAt(x: number, y: number): number {
  return PATTERN[(y % PATTERN_SIDE) * PATTERN_SIDE + (x % PATTERN_SIDE)] ?? MIDDLE
}

function isPhoto(plane: Plane, box: Box): boolean {
  const grey = findGrey(plane, box)
  if (grey === undefined) return false
  const range = grey.lightest - grey.darkest
  if (range < EVEN_RANGE) return true
  const between = countBetween(plane, box, grey.darkest + range / 3, grey.lightest - range / 3)
  return between >= MIDDLE_SHARE * box.width * box.height
}

/** The darkest and lightest pixel, or undefined when one is pure black or white. */
function findGrey(plane: Plane, box: Box): { darkest: number; lightest: number } | undefined {
  let darkest = 255
  let lightest = 0
  for (let y = box.y; y < box.y + box.height; y++) {
    const from = y * plane.width + box.x
    for (const luma of plane.luma.subarray(from, from + box.width)) {
      if (luma < BLACK_BELOW || luma > WHITE_ABOVE) return undefined
      darkest = Math.min(darkest, luma)
      lightest = Math.max(lightest, luma)
    }
  }
  return { darkest, lightest }
}

function countBetween(plane: Plane, box: Box, low: number, high: number): number {
  let count = 0
  for (let y = box.y; y < box.y + box.height; y++) {
    const from = y * plane.width + box.x
    for (const luma of plane.luma.subarray(from, from + box.width)) {
      if (luma >= low && luma <= high) count++
    }
  }
  return count
}

/** Limits between black and white in the order of the pattern of 2^n dots a side. */
function makePattern(n: number): Uint8Array {
  let ranks = [0]
  for (let step = 0, side = 1; step < n; step++, side *= 2) {
    const wider = new Array<number>(4 * side * side)
    for (let y = 0; y < side; y++) {
      for (let x = 0; x < side; x++) {
        const rank = 4 * (ranks[y * side + x] ?? 0)
        wider[y * 2 * side + x] = rank
        wider[(y + side) * 2 * side + x + side] = rank + 1
        wider[y * 2 * side + x + side] = rank + 2
        wider[(y + side) * 2 * side + x] = rank + 3
      }
    }
    ranks = wider
  }
  const range = WHITE_ABOVE - BLACK_BELOW
  return Uint8Array.from(
    ranks,
    (rank) => BLACK_BELOW + Math.round(((rank + 0.5) / ranks.length) * range),
  )
}
