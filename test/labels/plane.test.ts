import { Buffer } from 'node:buffer'
import t from 'tap'
import { thresholdPlane } from '../../src/labels/picture/threshold.ts'
import {
  type Box,
  createInkFinder,
  orientBox,
  orientPlane,
  orientSize,
  type Plane,
  storeBox,
  turnPlane,
  turnSize,
} from '../../src/labels/plane.ts'

// abc
// def
const F: Plane = { width: 3, height: 2, luma: Uint8Array.from(Buffer.from('abcdef')) }

function show({ width, height, luma }: Plane): string[] {
  return Array.from({ length: height }, (_, y) =>
    Buffer.from(luma.subarray(y * width, (y + 1) * width)).toString(),
  )
}

t.test('each EXIF orientation is set upright', (t) => {
  const wanted = [
    ['abc', 'def'],
    ['cba', 'fed'],
    ['fed', 'cba'],
    ['def', 'abc'],
    ['ad', 'be', 'cf'],
    ['da', 'eb', 'fc'],
    ['fc', 'eb', 'da'],
    ['cf', 'be', 'ad'],
  ]
  for (const [n, rows] of wanted.entries()) {
    t.same(show(orientPlane(F, n + 1)), rows, `orientation ${n + 1}`)
    t.match(orientSize(F, n + 1), { width: rows[0]?.length, height: rows.length })
  }
  t.equal(orientPlane(F, 1), F, 'nothing to do, nothing copied')
  t.end()
})

t.test('turns are clockwise', (t) => {
  t.same(show(turnPlane(F, 0)), ['abc', 'def'])
  t.same(show(turnPlane(F, 90)), ['da', 'eb', 'fc'])
  t.same(show(turnPlane(F, 180)), ['fed', 'cba'])
  t.same(show(turnPlane(F, 270)), ['cf', 'be', 'ad'])
  t.same(turnSize(F, 90), { width: 2, height: 3 })
  t.same(turnSize(F, 180), { width: 3, height: 2 })
  t.end()
})

t.test('a part is found upright where its pixels come to lie, and back', (t) => {
  const stored = { width: 7, height: 5 }
  const part = { x: 1, y: 2, width: 3, height: 2 }
  const luma = new Uint8Array(35)
  for (let y = 2; y < 4; y++) luma.fill(1, y * 7 + 1, y * 7 + 4)
  for (let orientation = 1; orientation <= 8; orientation++) {
    const upright = orientPlane({ ...stored, luma }, orientation)
    const box = orientBox(part, stored, orientation)
    const inside = upright.luma.filter((_, n) => {
      const [x, y] = [n % upright.width, Math.floor(n / upright.width)]
      return x >= box.x && y >= box.y && x < box.x + box.width && y < box.y + box.height
    })
    t.same([...inside], [1, 1, 1, 1, 1, 1], `orientation ${orientation}`)
    t.same(storeBox(box, upright, orientation), part)
  }
  t.end()
})

/** `#` is black, `.` white, `o` just dark enough, `-` just too light. */
function draw(rows: readonly string[]): Plane {
  const luma: Record<string, number> = { '#': 0, '.': 255, o: 199, '-': 200 }
  return {
    width: rows[0]?.length ?? 0,
    height: rows.length,
    luma: Uint8Array.from([...rows.join('')].map((mark) => luma[mark] ?? 255)),
  }
}

function findInk({ width, height, luma }: Plane): Box | undefined {
  const finder = createInkFinder({ width, height })
  for (let y = 0; y < height; y++) finder.take(luma.subarray(y * width, (y + 1) * width), y, 1)
  return finder.box()
}

t.test('finds the box around what is dark', (t) => {
  const plane = draw(['........', '..ooo...', '..#.#...', '..ooo...', '--------'])
  // Row 2 and column 3 have two dark pixels only, but lie inside.
  t.same(findInk(plane), { x: 2, y: 1, width: 3, height: 3 })
  t.end()
})

t.test('leaves single specks out', (t) => {
  const plane = draw(['#......#', '...###..', '...###..', '...###..', '#.......', '........'])
  t.same(findInk(plane), { x: 3, y: 1, width: 3, height: 3 })
  t.end()
})

t.test('finds nothing on blank paper, nor in a hair line', (t) => {
  t.equal(findInk(draw(['....', '....'])), undefined)
  t.equal(findInk(draw(['....', '####'])), undefined)
  t.equal(findInk(draw(['#...', '#...', '#...'])), undefined)
  t.end()
})

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
  const { bits } = thresholdPlane(plane, 203).dots
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

t.test('what is no stroke gets no dots: edges of bars, gaps between them, faint dirt', (t) => {
  for (const [name, luma] of [['a faint line', (x: number) => (x === 20 ? 190 : 255)]] as const) {
    t.equal(dotsOf(luma).join('').trim(), '', name)
  }
  const bars = [255, 255, 150, 0, 0, 150, 255, 160, 0, 0, 150, 0, 0, 255]
  for (const row of dotsOf((x) => bars[x] ?? 255)) {
    t.equal(row.trimEnd(), '   ##   ## ##', 'edges and gaps of bars')
  }
  t.end()
})
