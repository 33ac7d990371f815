import t from 'tap'
import type { Plane } from '../../../src/render/picture/plane.ts'
import { thresholdPlane } from '../../../src/render/picture/threshold.ts'

const WIDTH = 64

/** Dots of a picture as text, `#` for ink. */
function dotsOf(luma: (x: number, y: number) => number, height = 16): readonly string[] {
  const plane: Plane = {
    width: WIDTH,
    height,
    luma: Uint8Array.from({ length: WIDTH * height }, (_, at) =>
      luma(at % WIDTH, Math.floor(at / WIDTH)),
    ),
  }
  const { bits } = thresholdPlane(plane)
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: WIDTH }, (_, x) =>
      ((bits[y * (WIDTH >> 3) + (x >> 3)] as number) & (0x80 >> (x & 7))) === 0 ? ' ' : '#',
    ).join(''),
  )
}

t.test('a stroke thinner than a dot stays one dot wide: upright, lying, across two dots', (t) => {
  const inner = (x: number, y: number): boolean => x > 8 && x < 56 && y > 2 && y < 13
  for (const [name, luma, dots] of [
    ['upright', (x: number) => (x === 20 ? 150 : 255), 10],
    ['lying', (_: number, y: number) => (y === 7 ? 170 : 255), 47],
    ['across two', (x: number) => (x === 20 ? 160 : x === 21 ? 150 : 255), 10],
    ['across two alike', (x: number) => (x === 20 || x === 21 ? 160 : 255), 10],
    ['slanting', (x: number, y: number) => (x === 20 + y ? 150 : 255), 10],
  ] as const) {
    const rows = dotsOf((x, y) => (inner(x, y) ? luma(x, y) : 255))
    t.equal(rows.join('').replaceAll(' ', '').length, dots, `${name}\n${rows.join('\n')}`)
  }
  t.end()
})

t.test(
  'what is no stroke gets no dots: shades, edges of bars, gaps between them, faint dirt',
  (t) => {
    for (const [name, luma] of [
      ['a shade', (x: number, y: number) => (x > 20 && x < 30 && y > 4 && y < 12 ? 170 : 255)],
      ['a faint line', (x: number) => (x === 20 ? 190 : 255)],
    ] as const) {
      t.equal(dotsOf(luma).join('').trim(), '', name)
    }
    const bars = [255, 255, 150, 0, 0, 150, 255, 160, 0, 0, 150, 0, 0, 255]
    for (const row of dotsOf((x) => bars[x] ?? 255)) {
      t.equal(row.trimEnd(), '   ##   ## ##', 'edges and gaps of bars')
    }
    t.end()
  },
)
