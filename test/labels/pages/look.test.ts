import t from 'tap'
import { drawLabel, listLabels, type Paper } from '../../../src/labels/pages/look.ts'
import type { Rotate } from '../../../src/labels/target.ts'
import { pdfium } from '../codecs/pdf/draw.ts'
import { INCH, LABEL, LETTER, makePdf } from '../codecs/pdf/make-pdf.ts'
import { inWords } from '../in-words.ts'

const DPI = 50
/** 4 by 6 inches. */
const paperOf = (rotate: Rotate = 'auto'): Paper => ({
  canvas: { width: 4 * DPI, height: 6 * DPI },
  dpi: DPI,
  rotate,
})
const BOTH = { pages: undefined, area: undefined }

/** A filled box, in inches from the lower left. */
function fill(x: number, y: number, width: number, height: number): string {
  return `${[x, y, width, height].map((inches) => inches * INCH).join(' ')} re f`
}

/** Bars like those of a code, an inch high, in inches from the lower left. */
function bars(x: number, y: number): string {
  return Array.from({ length: 55 }, (_, n) => fill(x + n * 0.1, y, 0.05, 1)).join('\n')
}

const sized = (width: number, height: number, content = ''): Parameters<typeof makePdf>[0][0] => ({
  width: width * INCH,
  height: height * INCH,
  content,
})

function open(...pages: Parameters<typeof makePdf>[0]): typeof pdfium {
  pdfium.open(makePdf(pages))
  return pdfium
}

t.test('which labels a PDF holds', (t) => {
  const text = fill(1, 1, 6, 9)
  const halves = `${bars(1, 2)} ${bars(1, 8)}`
  const one = { page: 1, area: undefined, isDocument: false }
  const cases: readonly (readonly [string, Parameters<typeof makePdf>[0][0], object])[] = [
    ['of the stock', sized(4, 6, text), [one]],
    ['of the stock, lying', sized(6, 4, text), [one]],
    ['smaller', sized(2, 1, fill(0, 0, 1, 1)), [one]],
    ['5 % larger, as PDF makers round', sized(4.19, 6.28, text), [one]],
    ['more than 5 % larger', sized(4.21, 6.32, text), [{ ...one, isDocument: true }]],
    ['of paper, without bars', { ...LETTER, content: text }, [{ ...one, isDocument: true }]],
    ['of paper, one code', { ...LETTER, content: bars(1, 2) }, [one]],
    [
      'of paper, two codes apart',
      { ...LETTER, content: halves },
      [
        { ...one, area: 'top' },
        { ...one, area: 'bottom' },
      ],
    ],
  ]
  for (const [what, page, wanted] of cases) {
    t.same(listLabels(open(page), BOTH, paperOf()), wanted, `a page ${what}`)
  }
  const pdf = open(...[1, 2, 3].map(() => ({ ...LETTER, content: halves })))
  t.same(
    listLabels(pdf, { pages: '2-3', area: 'left' }, paperOf()),
    [2, 3].map((page) => ({ page, area: 'left', isDocument: false })),
    'what is asked for goes before what is seen',
  )
  t.throws(() => listLabels(open(), BOTH, paperOf()), {
    code: 'PICTURE_BROKEN',
    message: 'The PDF has no pages.',
  })
  t.end()
})

t.test('a page is at most 50 inches long', (t) => {
  t.equal(listLabels(open(sized(50, 1, fill(0, 0, 1, 1))), BOTH, paperOf()).length, 1)
  for (const [width, height] of [
    [51, 1],
    [2, 60],
  ] as const) {
    const pdf = open(sized(width, height))
    const wanted = {
      code: 'PICTURE_TOO_LARGE',
      message: `Page 1 of the PDF is ${width}x${height} inches large; wanted at most 50 along a side.`,
    }
    t.throws(() => listLabels(pdf, BOTH, paperOf()), wanted)
    t.throws(() => drawLabel(pdf, { page: 1, area: undefined }, paperOf()), wanted)
  }
  t.end()
})

t.test('a page that fits its stock is drawn as it is, upright or turned as is allowed', (t) => {
  const upright = [4, 6] as const
  const lying = [6, 4] as const
  const cases: readonly (readonly [readonly [number, number], Rotate, boolean])[] = [
    [upright, 'auto', true],
    [upright, 0, true],
    [upright, 180, true],
    [upright, 90, false],
    [upright, 270, false],
    [lying, 'auto', true],
    [lying, 90, true],
    [lying, 270, true],
    [lying, 0, false],
    [lying, 180, false],
    [[2, 1], 'auto', true],
    [[4.04, 6.04], 'auto', true], // two dots more: sizes in millimeters are rounded
    [[4.06, 6], 'auto', false],
    [[4, 6.06], 'auto', false],
  ]
  for (const [[width, height], rotate, isAsIs] of cases) {
    const content = fill(0.5, 0.5, width - 1, height - 1)
    const pdf = open(sized(width, height, content))
    const { plane, notes } = drawLabel(pdf, { page: 1, area: undefined }, paperOf(rotate))
    const size = { width: Math.round(width * DPI), height: Math.round(height * DPI) }
    const isWhole = plane.width === size.width && plane.height === size.height
    t.equal(isWhole, isAsIs, `${width}x${height}, turned ${rotate}`)
    if (isAsIs) t.same(notes, [])
  }
  t.end()
})

t.test('of a larger page the ink is drawn, in its own size where it fits', (t) => {
  const draw = (content: string, area?: 'page' | 'top' | 'bottom', rotate: Rotate = 'auto') =>
    drawLabel(open({ ...LETTER, content }), { page: 1, area }, paperOf(rotate))
  // 3 by 2 inches and a hundredth around, of which a look at 100 dpi cannot tell whether it holds ink.
  const small = draw(fill(1, 1, 3, 2))
  t.same([small.plane.width, small.plane.height], [151, 101])
  const inked = small.plane.luma.filter((luma) => luma < 128).length
  t.ok(Math.abs(inked - 150 * 100) < 300, `${inked} dots are black`)
  t.same(small.notes, [])
  // At the edges of the page there is nothing around.
  const corner = draw(fill(0, 0, 3.01, 2.01)).plane
  t.same([corner.width, corner.height], [151, 101])
  const top = draw(fill(5.49, 8.99, 3.01, 2.01)).plane
  t.same([top.width, top.height], [151, 101])
  // Two halves of 3 by 2 and of 2 by 1 inches.
  const halves = `${fill(1, 8, 3, 2)} ${fill(1, 2, 2, 1)}`
  const sizeOf = ({ plane: { width, height } }: ReturnType<typeof draw>) => [width, height]
  t.same(sizeOf(draw(halves, 'top')), [151, 101])
  t.same(sizeOf(draw(halves, 'bottom')), [101, 51])
  // A hair is a dot wide and high at least.
  const hair = draw(fill(1, 1, 0.02, 0.02)).plane
  t.ok(hair.width >= 1 && hair.height >= 1)
  for (const area of [undefined, 'page', 'top'] as const) {
    const { plane, notes } = draw('', area)
    t.same(plane, { width: 200, height: 300, luma: new Uint8Array(60_000).fill(255) }, 'blank')
    t.same(notes, [])
  }
  t.end()
})

t.test(
  'ink that is larger than the stock shrinks to it less a margin of 1 mm, and says so below 80 %',
  (t) => {
    const margin = 2 / 25.4
    const room = { width: 4 - margin, height: 6 - margin }
    const cases: readonly (readonly [number, number, Rotate])[] = [
      [4.2, 6, 'auto'],
      [4.8, 7, 'auto'],
      [4.9, 7.4, 'auto'],
      [8, 10, 'auto'],
      [8, 3, 'auto'],
      [8, 3, 0],
      [8, 3, 180],
      [3, 8, 90],
      [3, 8, 0],
    ]
    for (const [width, height, rotate] of cases) {
      const pdf = open(sized(10, 12, fill(1, 1, width, height)))
      const fit = (across: number, down: number) =>
        Math.min(room.width / across, room.height / down)
      const [across, down] = [width + 0.02, height + 0.02]
      const [upright, turned] = [fit(across, down), fit(down, across)]
      const scale = rotate === 'auto' ? Math.max(upright, turned) : rotate === 90 ? turned : upright
      const { plane, notes } = drawLabel(pdf, { page: 1, area: undefined }, paperOf(rotate))
      const what = `${width}x${height}, turned ${rotate}`
      t.ok(Math.abs(plane.width - across * scale * DPI) <= 1, `${what}: ${plane.width} wide`)
      t.ok(Math.abs(plane.height - down * scale * DPI) <= 1, `${what}: ${plane.height} high`)
      t.equal(notes.length, scale < 0.8 ? 1 : 0, `${what}: ${notes}`)
      if (scale < 0.8) t.match(inWords(notes), [`printed at ${Math.round(scale * 100)} %`])
      const shares = plane.luma.filter((luma) => luma < 128).length / plane.luma.length
      t.ok(shares > 0.94, `${what}: ${shares} is ink`)
    }
    t.end()
  },
)

t.test(
  'a page a little larger than its stock prints all of its ink, not the first label on it',
  (t) => {
    const content = `${fill(0.2, 0.2, 1, 1)} ${fill(3, 5, 1, 1)}`
    const { plane } = drawLabel(
      open({ ...LABEL, width: 4.1 * INCH, height: 6.1 * INCH, content }),
      { page: 1, area: undefined },
      paperOf(),
    )
    t.same([plane.width, plane.height], [191, 291])
    t.end()
  },
)
