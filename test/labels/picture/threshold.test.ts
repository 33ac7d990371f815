import t from 'tap'
import { thresholdPlane } from '../../../src/labels/picture/threshold.ts'
import type { Plane } from '../../../src/labels/plane.ts'

function planeOf(width: number, height: number, luma: (x: number, y: number) => number): Plane {
  const pixels = Array.from({ length: width * height }, (_, n) =>
    luma(n % width, Math.floor(n / width)),
  )
  return { width, height, luma: Uint8Array.from(pixels) }
}

function countDots(plane: Plane): number {
  let count = 0
  for (const byte of thresholdPlane(plane, 203).dots.bits)
    count += byte.toString(2).replaceAll('0', '').length
  return count
}

t.test('below 128 is black, the first dot in the highest bit, the rest of the row blank', (t) => {
  const { dots } = thresholdPlane(
    planeOf(10, 2, (x, y) => (y === 0 ? ([0, 127, 128, 255][x % 4] ?? 0) : 255)),
    203,
  )
  t.same(dots, { width: 10, height: 2, bits: Uint8Array.of(0b11001100, 0b11000000, 0, 0) })
  t.end()
})

t.test('whatever the width, each dot is that of its pixel', (t) => {
  for (const width of [1, 7, 8, 9, 15, 16, 61, 64]) {
    const plane = planeOf(width, 9, (x, y) =>
      Math.imul(x * 7 + y * 13 + 5, 40_503) & 64 ? 0 : 255,
    )
    const { bits } = thresholdPlane(plane, 203).dots
    const stride = Math.ceil(width / 8)
    const wanted = new Uint8Array(stride * 9)
    for (const [n, luma] of plane.luma.entries()) {
      const [x, y] = [n % width, Math.floor(n / width)]
      if (luma === 0)
        wanted[y * stride + (x >> 3)] = (wanted[y * stride + (x >> 3)] ?? 0) | (128 >> (x & 7))
    }
    t.same(bits, wanted, `${width} wide`)
  }
  t.end()
})

t.test('bars are never dithered: sharp, blurred, faded or both', (t) => {
  const kinds: [string, (x: number) => number][] = [
    ['sharp', (x) => ((x >> 1) % 2 ? 0 : 255)],
    ['faded', (x) => ((x >> 1) % 2 ? 80 : 180)],
    ['blurred and faded', (x) => 130 + 60 * Math.sin((x * Math.PI) / 3)],
  ]
  for (const [name, luma] of kinds) {
    const plane = planeOf(64, 64, luma)
    const { bits } = thresholdPlane(plane, 203).dots
    const first = bits.subarray(0, 8)
    for (let y = 0; y < 64; y++) t.same(bits.subarray(y * 8, y * 8 + 8), first, `${name}, row ${y}`)
  }
  t.end()
})

t.test('an even gray is dithered to its share of black', (t) => {
  t.equal(countDots(planeOf(64, 64, () => 127)), 64 * 64 * 0.5)
  t.equal(countDots(planeOf(64, 64, () => 91)), 64 * 64 * 0.75)
  t.equal(countDots(planeOf(64, 64, () => 56)), 64 * 64)
  t.equal(countDots(planeOf(64, 64, () => 199)), 0)
  t.end()
})

t.test(
  'a photo without pure black and white is dithered, its edges at the sides of blocks too',
  (t) => {
    const photo = planeOf(50, 50, (x, y) => 60 + x + y)
    const dots = countDots(photo)
    t.ok(dots > 1450 && dots < 1650, `${dots} of 2500 dots`)
    t.end()
  },
)
