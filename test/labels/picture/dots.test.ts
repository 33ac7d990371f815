import t from 'tap'
import type { Raster } from '../../../src/labels/languages/raster.ts'
import { drawOnCanvas, isBlank } from '../../../src/labels/picture/dots.ts'
import { makeRandom } from '../../random.ts'

/** A raster by what its dots are; what is behind the width of a row is blank. */
function rasterOf(
  width: number,
  height: number,
  isBlack: (x: number, y: number) => boolean,
): Raster {
  const stride = Math.ceil(width / 8)
  const bits = new Uint8Array(stride * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * stride + (x >> 3)
      if (isBlack(x, y)) bits[at] = (bits[at] ?? 0) | (0x80 >> (x & 7))
    }
  }
  return { width, height, bits }
}

const full = (width: number, height: number): Raster => rasterOf(width, height, () => true)

function isBlackAt({ width, height, bits }: Raster, x: number, y: number): boolean {
  if (x < 0 || y < 0 || x >= width || y >= height) return false
  return ((bits[y * Math.ceil(width / 8) + (x >> 3)] ?? 0) & (0x80 >> (x & 7))) !== 0
}

t.test('each dot of a picture comes to its place on the canvas, wherever that is', (t) => {
  const random = makeRandom(7)
  for (const width of [1, 7, 8, 9, 16, 19]) {
    for (const [x, y] of [0, 1, 3, 7, 8, 13, -1, -9, 20].flatMap((x) =>
      [0, 2, -1, 6].map((y) => [x, y] as const),
    )) {
      const dots = Array.from({ length: width * 5 }, () => random() < 0.4)
      const picture = rasterOf(width, 5, (x, y) => dots[y * width + x] === true)
      const canvas = { width: 29, height: 9 }
      const { raster } = drawOnCanvas(picture, canvas, { x, y })
      const wanted = rasterOf(29, 9, (column, row) => isBlackAt(picture, column - x, row - y))
      t.same(raster, wanted, `${width} wide at ${x},${y}`)
    }
  }
  t.end()
})

t.test('black dots that fall off are told, but for two of rounding at the far edges', (t) => {
  const cases: readonly (readonly [string, Raster, number, number, boolean])[] = [
    ['inside', full(20, 10), 0, 0, false],
    ['in a corner', full(4, 4), 16, 6, false],
    ['two dots wider', full(22, 10), 0, 0, false],
    ['two dots higher', full(20, 12), 0, 0, false],
    ['three dots wider', full(23, 10), 0, 0, true],
    ['three dots higher', full(20, 13), 0, 0, true],
    ['beyond the left', full(4, 4), -1, 0, true],
    ['beyond the top', full(4, 4), 0, -1, true],
    ['two dots beyond the right', full(4, 4), 18, 0, false],
    ['three dots beyond the right', full(4, 4), 19, 0, true],
    ['two dots beyond the bottom', full(4, 4), 0, 8, false],
    ['three dots beyond the bottom', full(4, 4), 0, 9, true],
    ['white beyond the left', rasterOf(4, 4, (x) => x > 0), -1, 0, false],
    ['white beyond the right', rasterOf(30, 4, (x) => x < 20), 0, 0, false],
    ['one dot beyond the right', rasterOf(30, 4, (x, y) => x === 20 && y === 3), 0, 0, true],
  ]
  for (const [what, picture, x, y, wanted] of cases) {
    const { cut, raster } = drawOnCanvas(picture, { width: 20, height: 10 }, { x, y })
    t.equal(cut, wanted, what)
    t.same([raster.width, raster.height, raster.bits.length], [20, 10, 30])
  }
  t.end()
})

t.test('a raster is blank without any dot, whichever one it is', (t) => {
  t.equal(isBlank(full(0, 0)), true)
  t.equal(isBlank(rasterOf(17, 3, () => false)), true)
  for (const [x, y] of [
    [0, 0],
    [16, 0],
    [16, 2],
    [3, 1],
  ]) {
    t.equal(isBlank(rasterOf(17, 3, (column, row) => column === x && row === y)), false)
  }
  t.end()
})
