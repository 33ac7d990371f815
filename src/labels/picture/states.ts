import type { Plane } from '../plane.ts'
import { CELL, CELL_BITS, type Cells, cellsAround, INK_BELOW, PAPER_FROM } from './cells.ts'

/** Radius of the neighborhood of a pixel. */
export const RADIUS = 2

/** State of a pixel nobody looked at: the threshold is right. */
export const NOT_SEEN = 0
/** Like all of its neighbors. */
export const FLAT = 1
/** On the dark, or light, side of an edge that has no ink or no paper beside it. */
export const DARK = 2
export const LIGHT = 3
/** Near ink and paper, where the threshold is right unless a box begins here. */
export const SHARP = 4
/** These, without the marks. */
export const KIND = 7
/** Marks: the darkest, or lightest, of its neighbors. */
export const LOWEST = 8
export const HIGHEST = 16

const SOFT = 8
const HARD = 24

/** JPEG leaves small steps beside the large ones; what was drawn and saved otherwise has next to none. */
export function isNoisy(plane: Plane, { across, marks }: Cells, photos: Uint8Array): boolean {
  const steps = { soft: 0, hard: 0 }
  for (let cell = 0; cell < marks.length; cell++) {
    if (marks[cell] === 0 || photos[cell] !== 0) continue
    countSteps(plane, (cell % across) * CELL, Math.floor(cell / across) * CELL, steps)
  }
  return steps.soft > steps.hard
}

function countSteps(
  { width, height, luma }: Plane,
  left: number,
  top: number,
  steps: { soft: number; hard: number },
): void {
  const right = Math.min(width - 1, left + CELL)
  for (let y = top; y < Math.min(height, top + CELL); y += 2) {
    for (let at = y * width + left; at < y * width + right; at++) {
      const step = Math.abs((luma[at] as number) - (luma[at + 1] as number))
      if (step > HARD) steps.hard++
      else if (step > 0 && step <= SOFT) steps.soft++
    }
  }
}

const BLOCK_BITS = 3
const BLOCK = 1 << BLOCK_BITS

/** Contrast: the difference of the darkest and the lightest in a block of 8 dots and those around it. */
export interface Contrast {
  readonly across: number
  readonly range: Uint8Array
}

export function measureContrast({ width, height, luma }: Plane): Contrast {
  const across = Math.ceil(width / BLOCK)
  const low = new Uint8Array(across * Math.ceil(height / BLOCK)).fill(255)
  const high = new Uint8Array(low.length)
  for (let y = 0, at = 0; y < height; y++) {
    const row = (y >> BLOCK_BITS) * across
    for (let x = 0; x < width; x++, at++) {
      const block = row + (x >> BLOCK_BITS)
      const value = luma[at] as number
      if (value < (low[block] as number)) low[block] = value
      if (value > (high[block] as number)) high[block] = value
    }
  }
  const range = Uint8Array.from(low, (_, block) => {
    const blocks = cellsAround(block, across, low.length)
    const lightest = Math.max(...blocks.map((one) => high[one] as number))
    return lightest - Math.min(...blocks.map((one) => low[one] as number))
  })
  return { across, range }
}

/** Less is not an edge. */
export const CONTRAST = 20
const NOISY_CONTRAST = 24
const NOISE_SHARE = 0.25

/** Gives the least contrast of an edge at a pixel: beside strong ones JPEG makes weak ones. */
export function contrastAt(noise: Contrast | undefined, x: number, y: number): number {
  if (noise === undefined) return CONTRAST
  const range = noise.range[(y >> BLOCK_BITS) * noise.across + (x >> BLOCK_BITS)] as number
  return Math.max(NOISY_CONTRAST, range * NOISE_SHARE)
}

/** Finds the state of each pixel of the cells that are marked and not of a photo. */
export function findStates(
  plane: Plane,
  { across, marks }: Cells,
  photos: Uint8Array,
  noise: Contrast | undefined,
): Uint8Array {
  const { width, height } = plane
  const states = new Uint8Array(width * height)
  for (let y = 0; y < height; y++) {
    const row = (y >> CELL_BITS) * across
    for (let x = 0; x < width; x++) {
      const cell = row + (x >> CELL_BITS)
      if (marks[cell] === 0 || photos[cell] !== 0) x |= CELL - 1
      else states[y * width + x] = stateAt(plane, x, y, contrastAt(noise, x, y))
    }
  }
  return states
}

/** The darkest around a pixel, and 256 times the lightest. */
export function measure(
  { width, height, luma }: Plane,
  x: number,
  y: number,
  radius: number,
): number {
  let low = 255
  let high = 0
  const left = Math.max(0, x - radius)
  const right = Math.min(width - 1, x + radius)
  const bottom = Math.min(height - 1, y + radius)
  for (let v = Math.max(0, y - radius); v <= bottom; v++) {
    for (let u = left; u <= right; u++) {
      const value = luma[v * width + u] as number
      if (value < low) low = value
      if (value > high) high = value
    }
  }
  return (high << 8) | low
}

function stateAt(plane: Plane, x: number, y: number, contrast: number): number {
  const near = measure(plane, x, y, 1)
  const [darkest, lightest] = [near & 0xff, near >> 8]
  const value = plane.luma[y * plane.width + x] as number
  const marks = (value === darkest ? LOWEST : 0) | (value === lightest ? HIGHEST : 0)
  if (lightest - darkest < CONTRAST) return FLAT | marks
  const around = measure(plane, x, y, RADIUS)
  const [low, high] = [around & 0xff, around >> 8]
  if (low < INK_BELOW && high >= PAPER_FROM) return SHARP | marks
  if (high - low < contrast) return FLAT | marks
  const bent = bendAt(plane, x, y, Math.max(RIDGE_LEAST, (high - low) / 4))
  if (bent !== 0) return (bent > 0 ? LIGHT : DARK) | marks
  return (2 * value <= low + high ? DARK : LIGHT) | marks
}

const RIDGE_LEAST = 12

/** Positive on a ridge of light, negative on one of dark. */
function bendAt({ width, height, luma }: Plane, x: number, y: number, least: number): number {
  const at = y * width + x
  const across = x >= 2 && x < width - 2 ? bend(luma, at, 1, least) : 0
  const down = y >= 2 && y < height - 2 ? bend(luma, at, width, least) : 0
  return across + down
}

/** 1 on a ridge of light a pixel or two wide, -1 on one of dark, else 0. */
function bend(luma: Uint8Array, at: number, step: number, least: number): number {
  const value = luma[at] as number
  const before = luma[at - step] as number
  const after = luma[at + step] as number
  const farBefore = luma[at - 2 * step] as number
  const farAfter = luma[at + 2 * step] as number
  if (before > value && after >= value) {
    const paper = value + least
    return Math.max(before, farBefore) >= paper && Math.max(after, farAfter) >= paper ? -1 : 0
  }
  if (before < value && after <= value) {
    const ink = value - least
    return Math.min(before, farBefore) <= ink && Math.min(after, farAfter) <= ink ? 1 : 0
  }
  return 0
}
