import { type Raster, rowBytes } from '../../languages/raster.ts'
import type { Size } from './plane.ts'

/** What is at most so much too long loses rows that repeat; more would be seen. */
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

interface Run {
  readonly start: number
  readonly length: number
}

/** Rows that are alike and follow each other. */
function findRuns({ width, height, bits }: Raster): readonly Run[] {
  const stride = rowBytes(width)
  const runs: Run[] = []
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
