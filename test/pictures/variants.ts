import type { GifPlan } from './make-gif.ts'
import type { PngPlan } from './make-png.ts'

/** Whole numbers from 0 below `sides`, the same ones for the same seed. */
export type Dice = (sides: number) => number

/** Mulberry32 (Tommy Ettinger, public domain). */
export function createDice(seed: number): Dice {
  let state = seed
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides
  }
}

type Color = readonly [number, number, number]

const KINDS = [
  ...([1, 2, 4, 8, 16] as const).map((depth) => ({ color: 0 as const, depth })),
  ...([8, 16] as const).map((depth) => ({ color: 2 as const, depth })),
  ...([1, 2, 4, 8] as const).map((depth) => ({ color: 3 as const, depth })),
  ...([8, 16] as const).map((depth) => ({ color: 4 as const, depth })),
  ...([8, 16] as const).map((depth) => ({ color: 6 as const, depth })),
]
const CHANNELS = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const

const rollPalette = (roll: Dice, size: number): Color[] =>
  Array.from({ length: size }, () => [roll(256), roll(256), roll(256)] as const)

/** A PNG of any kind and small size: noise, runs or even color, any filters, interlaced or not, tRNS or not. */
export function rollPng(roll: Dice): PngPlan {
  const { color, depth } = KINDS[roll(KINDS.length)] ?? { color: 0, depth: 8 }
  const [width, height] = [1 + roll(40), 1 + roll(30)]
  const size = 1 + roll(2 ** Math.min(depth, 8))
  const most = color === 3 ? size : 2 ** depth
  const run = 1 + roll(9)
  const values = Array.from({ length: 64 }, () => roll(most))
  const filter = roll(6)
  const samples = (x: number, y: number): number[] =>
    Array.from(
      { length: CHANNELS[color] },
      (_, n) => values[(Math.floor(x / run) * 7 + y * 13 + n * 29) % values.length] ?? 0,
    )
  return {
    width,
    height,
    color,
    depth,
    samples,
    interlaced: roll(3) === 0,
    ...(filter < 5 ? { filter: () => filter } : {}),
    ...(color === 3 ? { palette: rollPalette(roll, size) } : {}),
    ...rollTransparency(roll, color, depth, values, size),
  }
}

/** Opacities of palette colors, or the one gray or color that is transparent, which the picture holds. */
function rollTransparency(
  roll: Dice,
  color: PngPlan['color'],
  depth: PngPlan['depth'],
  values: readonly number[],
  size: number,
): { transparent?: readonly number[] } {
  // pngjs compares 16-bit keys after it has cut them to 8 bits.
  if (roll(2) === 0 || color === 4 || color === 6 || depth === 16) return {}
  if (color === 3) {
    return { transparent: Array.from({ length: 1 + roll(size) }, () => roll(256)) }
  }
  const key = values[roll(values.length)] ?? 0
  return { transparent: color === 0 ? [0, key] : [0, key, 0, key, 0, key] }
}

/** A GIF of any kind and small size: palettes of both sorts, a frame anywhere on its screen, interlaced, transparent. */
export function rollGif(roll: Dice): GifPlan {
  const [width, height] = [1 + roll(60), 1 + roll(40)]
  const isWhole = roll(2) === 0
  const [x, y] = isWhole ? [0, 0] : [roll(width), roll(height)]
  const bits = 1 + roll(8)
  const run = 1 + roll(12)
  const values = Array.from({ length: 128 }, () => roll(2 ** bits))
  const own = roll(2) === 0
  const palette = rollPalette(roll, 2 ** bits)
  const frame = {
    x,
    y,
    width: isWhole ? width : 1 + roll(width - x),
    height: isWhole ? height : 1 + roll(height - y),
    interlaced: roll(2) === 0,
    index: (column: number, row: number) =>
      values[(Math.floor(column / run) * 5 + row * 17) % values.length] ?? 0,
    ...(roll(2) === 0 ? { transparent: roll(2 ** bits) } : {}),
    ...(own ? { palette } : {}),
  }
  return { width, height, frames: [frame], ...(own ? {} : { palette }) }
}
