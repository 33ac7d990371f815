import fc from 'fast-check'
import sharp from 'sharp'
import t from 'tap'
import { drawLabel, listLabels } from '../../../../src/labels/pages/look.ts'
import { renderPage, renderPicture } from '../../../../src/labels/render.ts'
import {
  encodePng,
  type RenderedLabel,
  type Rotate,
  type Target,
} from '../../../../src/labels/target.ts'
import { makePng } from '../../../pictures/make-png.ts'
import { makePwg, makeUrf } from '../../../pictures/make-raster.ts'
import { storeOblong } from '../../../pictures/oblong.ts'
import { tries } from '../../../random.ts'
import { inWords } from '../../in-words.ts'
import { makeTarget } from '../../make-target.ts'
import { drawAll, paperOf, pdfium } from './draw.ts'
import { INCH, makePdf, type Page } from './make-pdf.ts'

t.setTimeout(300_000)

const DPI = 203

/** Blocks that tell every turn and place, as shares of the page: left, bottom, width, height. */
const BLOCKS = [
  [0.02, 0.9, 0.3, 0.08],
  [0.75, 0.85, 0.2, 0.1],
  [0.05, 0.02, 0.1, 0.2],
  [0.5, 0.45, 0.08, 0.06],
] as const

/** A page of so many units, with a frame at its edges. */
function pageOf(width: number, height: number, more = ''): Page {
  const blocks = BLOCKS.map(([x, y, wide, high]) =>
    [x * width, y * height, wide * width, high * height].join(' '),
  )
  const edge = 0.01 * Math.min(width, height)
  const frame = `${edge} w ${edge} ${edge} ${width - 2 * edge} ${height - 2 * edge} re S`
  return { width, height, more, content: [...blocks.map((one) => `${one} re f`), frame].join('\n') }
}

async function dotsOf({ preview }: RenderedLabel) {
  const { data, info } = await sharp(preview)
    .grayscale()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

/** Dots that are black on one alone, in thousandths. */
async function differenceOf(one: RenderedLabel, other: RenderedLabel): Promise<number> {
  const [a, b] = [await dotsOf(one), await dotsOf(other)]
  t.same([a.width, a.height], [b.width, b.height])
  let count = 0
  for (const [n, luma] of a.data.entries()) if (luma < 128 !== (b.data[n] ?? 0) < 128) count++
  return (1000 * count) / a.data.length
}

function render(pdf: Uint8Array, more: Partial<Target>): readonly RenderedLabel[] {
  return drawAll(pdf, more)
}

t.test(
  'a page that is not scaled lies where the same picture lies, and is cut as it is',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 30, max: 110 }),
        fc.integer({ min: 30, max: 110 }),
        fc.constantFrom<Rotate>('auto', 0, 90, 180, 270),
        fc.constantFrom(0, 0, 25, -30),
        fc.constantFrom(0, 0, 40, -18),
        async (wide, high, rotate, startingPointX, startingPointY) => {
          const [width, height] = [(wide / 10) * INCH, (high / 10) * INCH]
          const pdf = makePdf([pageOf(width, height)])
          const wish = { rotate, startingPointX, startingPointY, scaling: 'none' } as const
          const [printed] = render(pdf, wish)
          pdfium.open(pdf)
          const picture = await storeOblong(pdfium.draw(1, DPI), DPI, 'png', {
            across: DPI,
            down: DPI,
            unit: 'inch',
            orientation: 1,
          })
          const wanted = await renderPicture(picture, 'png', makeTarget(wish))
          const what = JSON.stringify([wide, high, wish])
          const found = await differenceOf(printed as RenderedLabel, wanted)
          t.ok(found < 4, `${what}: ${found}`)
          const isCut = wanted.notes.length > 0 && !inWords(wanted.notes).join().includes('only')
          const cut = inWords(printed?.notes).filter((note) => !note.includes('only')).length
          t.equal(cut > 0, isCut, `${what}: ${printed?.notes} | ${wanted.notes}`)
        },
      ),
      { numRuns: tries(80), seed: 921 },
    )
  },
)

t.test('a letter page whose label has room is not cut, and a part that is asked for is', (t) => {
  const bars = Array.from({ length: 40 }, (_, n) => `${40 + n * 5} 600 2.5 60 re f`).join('\n')
  const content = `${bars}\n2 w 30 380 260 400 re S`
  const pdf = makePdf([{ width: 612, height: 792, content }])
  const target = makeTarget({ scaling: 'none' })
  pdfium.open(pdf)
  const plain = drawLabel(pdfium, { page: 1, area: undefined }, paperOf(makeTarget()))
  const unscaled = drawLabel(pdfium, { page: 1, area: undefined }, paperOf(target))
  const one = renderPage({ ...plain.plane, notes: plain.notes }, makeTarget())
  const other = renderPage({ ...unscaled.plane, ...unscaled }, target)
  t.same(other.preview, one.preview, 'as it was printed before')
  t.same(other.notes, [])
  const half = drawLabel(
    pdfium,
    { page: 1, area: 'top' },
    paperOf(makeTarget({ scaling: 'none', labelWidth: 2 })),
  )
  t.match(inWords(half.notes), [
    /larger than the label of 2x6 inches: what extends beyond it was cut off/,
  ])
  t.end()
})

t.test('units of the page itself', async (t) => {
  const [plain] = render(makePdf([pageOf(288, 432)]), {})
  for (const unit of [2, 72, 0.5, 1.5, 10, 75, 0.1]) {
    for (const rotate of [0, 90, 180, 270, -90, 450]) {
      const more = `/UserUnit ${unit} /Rotate ${rotate}`
      const [printed] = render(makePdf([pageOf(288 / unit, 432 / unit, more)]), { rotate: 0 })
      const lying = rotate % 180 !== 0
      const [wanted] = render(makePdf([pageOf(288, 432, `/Rotate ${rotate}`)]), { rotate: 0 })
      const found = await differenceOf(printed as RenderedLabel, wanted as RenderedLabel)
      t.ok(found < 4, `${more}: ${found}`)
      if (!lying) t.same(printed?.notes, [], more)
    }
  }
  for (const unit of ['0', '-2', '(x)', 'null', '/Name', '[2]']) {
    const [printed] = render(makePdf([pageOf(288, 432, `/UserUnit ${unit}`)]), {})
    t.same(printed?.bytes, plain?.bytes, `UserUnit ${unit} says nothing`)
  }
  const [indirect] = render(makePdf([pageOf(144, 216, '/UserUnit 6 0 R')], { others: ['2'] }), {})
  t.ok((await differenceOf(indirect as RenderedLabel, plain as RenderedLabel)) < 4, 'a reference')
  t.throws(() => render(makePdf([pageOf(288, 432, '/UserUnit 1000')]), {}), {
    code: 'PICTURE_TOO_LARGE',
    message: '4000x6000 inches',
  })
})

t.test('boxes that do not begin at 0, of any sign, and crop boxes', async (t) => {
  const [plain] = render(makePdf([pageOf(288, 432)]), {})
  const shifted = (x: number, y: number, more: string): Page => {
    const { content } = pageOf(288, 432)
    return { width: 1, height: 1, content: `1 0 0 1 ${x} ${y} cm\n${content}`, more }
  }
  for (const [x, y] of [
    [100, 50],
    [-288, -432],
    [-30.5, 700],
  ] as const) {
    const box = `[${x} ${y} ${x + 288} ${y + 432}]`
    const turned = `[${x + 288} ${y + 432} ${x} ${y}]`
    const wide = `[${x - 200} ${y - 90} ${x + 600} ${y + 900}]`
    for (const more of [
      `/MediaBox ${box}`,
      `/MediaBox ${turned}`,
      `/MediaBox ${wide} /CropBox ${box}`,
    ]) {
      // The first MediaBox of the dictionary is that of makePdf; the last one counts.
      const [printed] = render(makePdf([shifted(x, y, more)]), {})
      const found = await differenceOf(printed as RenderedLabel, plain as RenderedLabel)
      t.ok(found < 4, `${more}: ${found}`)
    }
  }
})

t.test(
  'a page that counts inches, millimeters or dots as points is the label, and it is told',
  async (t) => {
    const stocks = [
      [4, 6],
      [4, 3],
      [2.25, 1.25],
      [4, 8],
    ] as const
    const units: readonly (readonly [string, number])[] = [
      ['inches as points', 1],
      ['inches as millimeters', 72 / 25.4],
      ['millimeters as points', 25.4],
      ['dots of 203 dpi as points', 203],
      ['dots of 300 dpi as points', 300],
      ['dots of 203 dpi as those of a screen', 152.25],
    ]
    for (const [labelWidth, labelHeight] of stocks) {
      const [wanted] = render(makePdf([pageOf(labelWidth * INCH, labelHeight * INCH)]), {
        labelWidth,
        labelHeight,
      })
      for (const [name, points] of units) {
        if (points * labelHeight > 50 * INCH) continue
        const [width, height] = [labelWidth * points, labelHeight * points]
        const pdf = makePdf([pageOf(width, height)])
        const [printed] = render(pdf, { labelWidth, labelHeight })
        const what = `${name} on ${labelWidth}x${labelHeight}`
        t.ok((await differenceOf(printed as RenderedLabel, wanted as RenderedLabel)) < 12, what)
        t.match(
          inWords(printed?.notes),
          [`printed as a label of ${inInches(labelWidth)}x${inInches(labelHeight)} inches`],
          what,
        )
        const [turned] = render(makePdf([pageOf(width, height, '/Rotate 90')]), {
          labelWidth,
          labelHeight,
        })
        t.equal(turned?.notes.length, 1, `${what}, lying`)
      }
    }
  },
)

function inInches(inches: number): number {
  return Math.round(inches * 10) / 10
}

t.test('a page of less than a third of the label prints at its size, and it is told', (t) => {
  const notesOf = (width: number, height: number): readonly string[] =>
    inWords(render(makePdf([pageOf(width * INCH, height * INCH)]), {})[0]?.notes)
  t.match(notesOf(1, 0.5), [
    'only 1x0.5 inches large and was printed at that size on a label of 4x6',
  ])
  t.same(notesOf(2, 1), [])
  t.same(notesOf(1.3, 3), [])
  t.end()
})

t.test(
  'a picture that comes out far smaller than it was meant prints, and it is told',
  async (t) => {
    const square = (_x: number, _y: number): readonly number[] => [0]
    const notesOf = async (
      inches: readonly [number, number],
      dpi: number,
      more: Partial<Target>,
    ): Promise<readonly string[]> => {
      const [width, height] = inches.map((side) => Math.round(side * dpi)) as [number, number]
      const perMetre = Math.round(dpi * 39.37)
      const file = makePng({ width, height, color: 0, depth: 1, samples: square, perMetre })
      return inWords((await renderPicture(file, 'png', makeTarget(more))).notes)
    }
    const tiny = /^The picture was printed only (\S+) inches large on a label of 4x6 inches/
    for (const [inches, dpi] of [
      [[1, 1.5], 203],
      [[1.2, 0.5], 300],
      [[0.5, 1.9], 600],
      [[1.3, 1.9], 203],
    ] as const) {
      const said = inches.join('x')
      t.equal(tiny.exec((await notesOf(inches, dpi, { scaling: 'none' })).join())?.[1], said)
      t.equal(tiny.exec((await notesOf(inches, dpi, { pictureDpi: dpi })).join())?.[1], said)
      t.same(await notesOf(inches, dpi, {}), [], 'it fills the label')
    }
    for (const inches of [
      [1.4, 1.9],
      [1, 2.1],
      [4, 6],
    ] as const)
      t.same(await notesOf(inches, 203, { scaling: 'none' }), [])
    const reduced = /^The picture was reduced to (\d+) % of its size to fit the label/
    for (const [inches, dpi, percent] of [
      [[8.5, 11], 300, 14],
      [[4, 11], 300, 20],
      [[12, 5], 600, 18],
    ] as const) {
      const small = { labelWidth: 2.25, labelHeight: 1.25 }
      const found = reduced.exec((await notesOf(inches, dpi, small)).join())?.[1]
      t.ok(Math.abs(Number(found) - percent) <= 2, `${inches}: ${found}`)
      t.same(await notesOf(inches, dpi, { labelWidth: 8.5, labelHeight: 11, rotate: 0 }), [])
    }
  },
)

t.test('a label that lies small on its page is turned by a wish and fills the label', async (t) => {
  // 3.6 by 2.4 inches of ink, lying on a page of 4 by 6.
  const ink = '2 w 15 250 259 172 re S\n20 260 60 20 re f'
  const pdf = makePdf([{ width: 288, height: 432, content: ink }])
  const extentOf = async (rendered: RenderedLabel | undefined): Promise<readonly number[]> => {
    const { data, width } = await dotsOf(rendered as RenderedLabel)
    const places = [...data.entries()].flatMap(([n, luma]) => (luma < 128 ? [n] : []))
    const xs = places.map((n) => n % width)
    const ys = places.map((n) => Math.floor(n / width))
    const span = (values: readonly number[]): number =>
      values.reduce((most, value) => Math.max(most, value), 0) -
      values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY)
    return [span(xs), span(ys)]
  }
  const inked = { width: 812, height: 1218 }
  for (const rotate of [90, 270] as const) {
    const [wide = 0, high = 0] = await extentOf(render(pdf, { rotate })[0])
    t.ok(wide > 0.93 * inked.width && high > 0.93 * inked.height, `PDF ${rotate}: ${wide}x${high}`)
    pdfium.open(pdf)
    const { width, height, luma } = pdfium.draw(1, DPI)
    const bits = new Uint8Array(Math.ceil(width / 8) * height)
    for (const [n, value] of luma.entries()) {
      const at = Math.floor(n / width) * Math.ceil(width / 8) + ((n % width) >> 3)
      if (value < 128) bits[at] = (bits[at] ?? 0) | (0x80 >> ((n % width) & 7))
    }
    const picture = encodePng({ width, height, bits })
    const printed = await renderPicture(picture, 'png', makeTarget({ rotate }))
    const [across = 0, down = 0] = await extentOf(printed)
    t.ok(across > 0.93 * inked.width && down > 0.93 * inked.height, `PNG: ${across}x${down}`)
    const page = { width, height, dpi: DPI, bitsPerPixel: 8, samples: luma }
    for (const [format, file] of [
      ['pwg', makePwg({ ...page, space: 18 })],
      ['urf', makeUrf({ ...page, space: 0 })],
    ] as const) {
      const [wide = 0, high = 0] = await extentOf(
        await renderPicture(file, format, makeTarget({ rotate })),
      )
      t.ok(wide > 0.93 * inked.width && high > 0.93 * inked.height, `${format}: ${wide}x${high}`)
    }
  }
  pdfium.open(pdf)
  t.equal(
    listLabels(pdfium, { pages: undefined, area: undefined }, paperOf(makeTarget())).length,
    1,
  )
})

t.test('what must shrink names the size of the stock', (t) => {
  const pdf = makePdf([pageOf(612, 792)])
  pdfium.open(pdf)
  const paper = paperOf(makeTarget({ labelWidth: 2.25, labelHeight: 1.25 }))
  const { notes } = drawLabel(pdfium, { page: 1, area: 'page' }, paper)
  t.match(inWords(notes), [/printed at \d+ %: .* Ask for the label at 2\.3x1\.3 inches/])
  t.end()
})
