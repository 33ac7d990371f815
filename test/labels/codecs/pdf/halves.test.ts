import t from 'tap'
import { findArea, findLabels } from '../../../../src/labels/pages/layout.ts'
import type { Box, Plane, Size } from '../../../../src/labels/plane.ts'

/** Dots at 100 dpi. */
const LETTER = { width: 850, height: 1_100 }
const LYING = { width: 1_100, height: 850 }
const SHEET = { width: 827, height: 1_169 }
const SQUARE = { width: 1_000, height: 1_000 }
const STOCK = { width: 400, height: 600 }

/** Bars with spaces between them, a solid square, or a line of dashes. */
type Ink = Box & { readonly kind: 'bars' | 'solid' | 'dashes' }

const PAPER: Readonly<Record<Ink['kind'], (x: number) => boolean>> = {
  bars: (x) => x % 8 >= 4,
  solid: () => false,
  dashes: (x) => x % 12 >= 8,
}

function draw({ width, height }: Size, ...inks: readonly Ink[]): Plane {
  const luma = new Uint8Array(width * height).fill(255)
  for (const { kind, ...box } of inks) {
    for (let y = 0; y < box.height; y += 1) {
      for (let x = 0; x < box.width; x += 1) {
        if (!PAPER[kind](x)) luma[(box.y + y) * width + box.x + x] = 0
      }
    }
  }
  return { width, height, luma }
}

const boxOf = (x: number, y: number, width: number, height: number): Box => {
  return { x, y, width, height }
}
const bars = (...box: Parameters<typeof boxOf>): Ink => ({ kind: 'bars', ...boxOf(...box) })
const solid = (...box: Parameters<typeof boxOf>): Ink => ({ kind: 'solid', ...boxOf(...box) })

t.test('the label is the ink, or the halves of the page that hold bars', (t) => {
  const cases: readonly [name: string, page: Size, inks: readonly Ink[], areas: string][] = [
    ['blank', LETTER, [], ''],
    ['narrow', LETTER, [bars(40, 40, 396, 580)], 'page'],
    ['a little wider than the stock', LETTER, [bars(40, 40, 420, 900)], 'page'],
    ['wide, without bars', LETTER, [solid(40, 40, 700, 400), solid(40, 700, 700, 300)], 'page'],
    ['above text', LETTER, [bars(40, 40, 596, 396), solid(40, 700, 700, 300)], 'top'],
    ['below text', LETTER, [solid(40, 40, 700, 400), bars(40, 660, 596, 396)], 'bottom'],
    [
      'one above the other',
      LETTER,
      [bars(40, 40, 596, 396), bars(40, 660, 596, 396)],
      'top bottom',
    ],
    [
      'joined at the edge',
      LETTER,
      [bars(40, 40, 596, 396), bars(40, 660, 596, 396), solid(0, 40, 8, 1_000)],
      'page',
    ],
    ['above text, lying', LYING, [bars(40, 40, 900, 300), solid(40, 500, 900, 300)], 'top'],
    ['beside text', LYING, [bars(40, 40, 396, 596), solid(640, 40, 400, 700)], 'left'],
    ['side by side', LYING, [bars(40, 40, 396, 596), bars(640, 40, 396, 596)], 'left right'],
    [
      'four on a square page',
      SQUARE,
      [0, 1, 2, 3].map((n) => bars(40 + (n % 2) * 520, 40 + (n >> 1) * 520, 396, 396)),
      'top-left top-right bottom-left bottom-right',
    ],
    [
      'three, one of them alone in its row',
      SHEET,
      [bars(20, 20, 388, 544), bars(430, 20, 388, 544), bars(430, 600, 388, 544)],
      'top-left top-right bottom',
    ],
    [
      'two in a row',
      SHEET,
      [bars(20, 600, 388, 544), bars(430, 600, 388, 544)],
      'bottom-left bottom-right',
    ],
    ['two in a column', SHEET, [bars(20, 20, 388, 544), bars(20, 600, 388, 544)], 'top bottom'],
    [
      'one long label of two parts',
      { width: 440, height: 840 },
      [bars(20, 20, 400, 380), bars(20, 430, 400, 380)],
      'page',
    ],
    ['one label of two parts', SHEET, [bars(20, 20, 340, 544), bars(430, 20, 388, 544)], 'top'],
    [
      'one label of two like parts, each narrower than the stock',
      SHEET,
      [bars(100, 20, 300, 440), bars(430, 20, 300, 440)],
      'top',
    ],
    ['a label beside text', SHEET, [bars(20, 20, 388, 544), solid(430, 20, 388, 544)], 'top'],
    [
      'four on a lying page',
      { width: SHEET.height, height: SHEET.width },
      [0, 1, 2, 3].map((n) => bars(20 + (n % 2) * 580, 20 + (n >> 1) * 410, 548, 388)),
      'top-left top-right bottom-left bottom-right',
    ],
    [
      'three on a lying page, row by row',
      { width: SHEET.height, height: SHEET.width },
      [bars(20, 20, 440, 388), bars(700, 20, 440, 388), bars(20, 430, 440, 388)],
      'top-left right bottom-left',
    ],
    ['not parted', LETTER, [bars(40, 40, 596, 500), solid(40, 540, 700, 500)], 'page'],
  ]
  for (const [name, page, inks, areas] of cases) {
    const found = findLabels(draw(page, ...inks), STOCK)
    t.equal(found.map(({ area }) => area).join(' '), areas, name)
  }
  t.end()
})

t.test('a cut line belongs to neither half', (t) => {
  const line: Ink = { kind: 'dashes', ...boxOf(0, 530, 850, 1) }
  const page = draw(LETTER, bars(40, 40, 600, 470), line, solid(40, 560, 700, 400))
  t.same(findArea(page, 'top'), boxOf(40, 40, 596, 470))
  t.same(findArea(page, 'bottom'), boxOf(40, 560, 700, 400))
  t.end()
})

t.test('a frame in the middle of the page is of its label', (t) => {
  const framed = (y: number) => [
    ...[y, y + 397].map((line) => solid(60, line, 700, 3)),
    ...[60, 757].map((line) => solid(line, y, 3, 400)),
  ]
  const page = draw(LETTER, ...framed(120), ...framed(580))
  t.same(findArea(page, 'top'), boxOf(60, 120, 700, 400))
  t.same(findArea(page, 'bottom'), boxOf(60, 580, 700, 400))
  const lower = draw(LETTER, solid(60, 40, 700, 300), ...framed(550))
  t.same(findArea(lower, 'bottom'), boxOf(60, 550, 700, 400))
  t.end()
})

t.test('a line within a label near the middle of the page is of its label', (t) => {
  const frame = [
    ...[130, 480].map((line) => solid(60, line, 700, 3)),
    ...[60, 757].map((line) => solid(line, 130, 3, 353)),
  ]
  const row = [solid(60, 460, 700, 3), solid(80, 468, 60, 6)]
  const wanted = [{ area: 'top', box: boxOf(60, 130, 700, 353) }]
  const framed = [bars(80, 150, 400, 280), ...frame, ...row, solid(40, 700, 700, 300)]
  t.match(findLabels(draw(LETTER, ...framed), STOCK), wanted)
  const notes = [solid(0, 550, 850, 1), solid(40, 560, 700, 400)]
  const open = draw(LETTER, bars(60, 130, 704, 280), ...row, ...notes)
  t.match(findLabels(open, STOCK), [{ area: 'top', box: boxOf(60, 130, 700, 344) }])
  const form = [0, 547, 1_097].map((line) => solid(0, line, 850, 3))
  const sides = [0, 847].map((line) => solid(line, 0, 3, 1_100))
  const page = draw(LETTER, bars(40, 40, 596, 396), bars(40, 660, 596, 396), ...form, ...sides)
  t.match(findLabels(page, STOCK), [{ area: 'top' }, { area: 'bottom' }], 'two in one frame')
  t.end()
})

t.test('a quarter that somebody asked for is that of the cuts, else of the middles', (t) => {
  const inks = [0, 1, 2, 3].map((n) => solid(20 + (n % 2) * 420, 20 + (n >> 1) * 560, 380, 520))
  for (const [n, area] of (
    ['top-left', 'top-right', 'bottom-left', 'bottom-right'] as const
  ).entries()) {
    const box = boxOf(20 + (n % 2) * 420, 20 + (n >> 1) * 560, 380, 520)
    t.same(findArea(draw(SHEET, ...inks), area), box, area)
    const alone = draw(SHEET, ...inks.filter((_, other) => other === n))
    t.same(findArea(alone, area), box, `${area} alone`)
  }
  t.same(findArea(draw(SHEET, solid(20, 20, 780, 1_100)), 'top-left'), boxOf(20, 20, 393, 564))
  t.end()
})

t.test('a half that somebody asked for is that of the cut, else of the middle', (t) => {
  const parted = draw(LETTER, solid(40, 40, 300, 450), solid(500, 640, 300, 400))
  t.same(findArea(parted, 'top'), boxOf(40, 40, 300, 450))
  t.same(findArea(parted, 'bottom'), boxOf(500, 640, 300, 400))
  t.same(findArea(parted, 'left'), boxOf(40, 40, 300, 450))
  t.same(findArea(parted, 'right'), boxOf(500, 640, 300, 400))
  t.same(findArea(parted, 'page'), boxOf(40, 40, 760, 1_000))
  const whole = draw(LETTER, solid(40, 40, 700, 1_000))
  t.same(findArea(whole, 'top'), boxOf(40, 40, 700, 510))
  t.same(findArea(whole, 'bottom'), boxOf(40, 550, 700, 490))
  t.same(findArea(whole, 'left'), boxOf(40, 40, 385, 1_000))
  t.same(findArea(whole, 'right'), boxOf(425, 40, 315, 1_000))
  t.equal(findArea(draw(LETTER, solid(40, 40, 700, 300)), 'bottom'), undefined)
  t.end()
})

t.test('what counts as a bar code: 14 long edges that are alike', (t) => {
  const isCode = (page: Plane): boolean => findLabels(page, STOCK)[0]?.hasBars === true
  const upright = (width: number, height: number) => draw(LETTER, bars(40, 40, width, height))
  const eight = 7 * 8 + 4
  t.ok(isCode(upright(eight, 12)))
  t.notOk(isCode(upright(eight - 8, 12)), 'seven bars, whose outer edges are those of the ink')
  t.notOk(isCode(upright(eight, 11)), 'short bars')
  const { width, height, luma } = upright(eight, 40)
  t.ok(isCode({ width, height, luma: luma.map((one) => (one === 0 ? 100 : 141)) }))
  t.notOk(isCode({ width, height, luma: luma.map((one) => (one === 0 ? 100 : 140)) }), 'faint')
  const lying = new Uint8Array(LETTER.width * LETTER.height).map((_, at) => {
    const [x, y] = [at % LETTER.width, Math.floor(at / LETTER.width)]
    return x >= 40 && x < 60 && y >= 40 && y < 40 + eight && (y - 40) % 8 < 4 ? 0 : 255
  })
  t.ok(isCode({ ...LETTER, luma: lying }))
  const places = [0, 1, 2, 3, 4, 5, 6, 7]
  const stairs = (step: number) =>
    draw(LETTER, ...places.map((n) => solid(40 + n * 8, 40 + n * step, 4, 60)))
  t.ok(isCode(stairs(2)), 'middles that are near each other')
  t.notOk(isCode(stairs(3)))
  const apart = (gap: number) => draw(LETTER, ...places.map((n) => solid(40 + n * gap, 40, 4, 60)))
  t.ok(isCode(apart(12)), '80 dots across')
  t.notOk(isCode(apart(13)), '87 dots across')
  t.end()
})

t.test('how wide a gap is, and how near to the middle', (t) => {
  const areas = (top: number, bottom: number, more: readonly Ink[] = []): string => {
    const page = draw(
      LETTER,
      bars(40, 40, 596, top - 40),
      bars(40, bottom, 596, 1_060 - bottom),
      ...more,
    )
    return findLabels(page, STOCK)
      .map(({ area }) => area)
      .join(' ')
  }
  const isParted = (...gap: Parameters<typeof areas>) => areas(...gap) === 'top bottom'
  t.ok(isParted(500, 508))
  t.notOk(isParted(500, 507))
  // 41 % to 59 % of 1,100 dots.
  t.ok(isParted(400, 459))
  t.notOk(isParted(400, 458))
  t.ok(isParted(641, 700))
  t.notOk(isParted(642, 700))
  const dashes = (y: number): Ink => ({ kind: 'dashes', ...boxOf(0, y, 850, 1) })
  t.ok(isParted(500, 510, [dashes(505)]), 'a line in the gap')
  t.notOk(isParted(500, 503, [dashes(501)]), 'a line that touches')
  const wide = (width: number) => [solid(40, 200, width, 20)]
  const narrow = (width: number) =>
    findLabels(draw(LETTER, bars(40, 40, 300, 400), bars(40, 600, 300, 400), ...wide(width)), STOCK)
  t.same(
    narrow(420).map(({ area }) => area),
    ['page'],
  )
  t.same(
    narrow(421).map(({ area }) => area),
    ['top', 'bottom'],
  )
  t.end()
})

t.test(
  'a strip that stands apart at an edge of a half goes where the label would shrink for it',
  (t) => {
    const below = bars(100, 660, 436, 380)
    const boxOfTop = (...inks: readonly Ink[]) =>
      findLabels(draw(LETTER, below, ...inks), STOCK).find(({ area }) => area === 'top')?.box
    // 436 by 380 dots fit the stock when they lie; bars end in a gap of 4.
    const lying = bars(100, 110, 440, 380)
    const standing = bars(120, 60, 384, 430)
    const [own, ownStanding] = [boxOf(100, 110, 436, 380), boxOf(120, 60, 380, 430)]
    const cases: readonly (readonly [string, readonly Ink[], Box])[] = [
      ['alone', [lying], own],
      ['above', [lying, solid(100, 60, 436, 20)], own],
      ['above, at a gap of 8 dots', [lying, solid(100, 57, 436, 45)], own],
      ['above, at a gap of 7', [lying, solid(100, 58, 436, 45)], boxOf(100, 58, 436, 432)],
      ['above, 46 dots thick', [lying, solid(100, 56, 436, 46)], boxOf(100, 56, 436, 434)],
      ['below', [lying, solid(100, 510, 436, 30)], own],
      ['below, at a gap of 7', [lying, solid(100, 497, 436, 40)], boxOf(100, 110, 436, 427)],
      ['above, which fits', [bars(100, 130, 440, 360), solid(100, 110, 436, 8)], own],
      ['alone, standing', [standing], ownStanding],
      ['on the left', [standing, solid(60, 60, 20, 430)], ownStanding],
      ['on the right', [standing, solid(515, 60, 40, 430)], ownStanding],
      ['on both sides', [standing, solid(60, 60, 20, 430), solid(515, 60, 40, 430)], ownStanding],
      [
        'above a label that shrinks without it too',
        [bars(40, 110, 740, 380), solid(40, 60, 300, 20)],
        boxOf(40, 60, 740, 430),
      ],
    ]
    for (const [what, inks, wanted] of cases) t.same(boxOfTop(...inks), wanted, what)
    t.end()
  },
)
