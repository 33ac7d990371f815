import fc from 'fast-check'
import t from 'tap'
import { pageOf } from '../../src/core/drawing/picture-pages.ts'
import { makeTarget as targetOf } from '../../src/core/drawing/target.ts'
import type { PrintOptions } from '../../src/core/request/fields.ts'
import { drawLabel, listLabels } from '../../src/labels/pages/look.ts'
import { renderPage, renderPicture } from '../../src/labels/render.ts'
import type { Area, RenderedLabel, Target } from '../../src/labels/target.ts'
import { makePrinter } from '../core/printers/make-printer.ts'
import { interpretZpl } from '../interpreters/zpl-graphics.ts'
import { OBLONG_FORMATS, type OblongFormat, storeOblong } from '../pictures/oblong.ts'
import { tries } from '../random.ts'
import { paperOf, pdfium } from './codecs/pdf/draw.ts'
import { inWords } from './in-words.ts'
import {
  difference,
  expected,
  FORMATS,
  type Format,
  fileOf,
  planeOf,
  WISHES,
  type Wish,
} from './wishes.ts'

// On a busy machine.
t.setTimeout(240_000)

const CANVAS = { width: 812, height: 1218 }
const PRINTER = makePrinter('A', { uri: 'file:a', language: 'zpl' })

function optionsOf(wish: Wish): PrintOptions {
  const { dpi, darkness, starting_point_x: x, starting_point_y: y, ...words } = wish
  return {
    ...words,
    ...(dpi === undefined ? {} : { dpi: Number(dpi) }),
    ...(darkness === undefined ? {} : { darkness: Number(darkness) }),
    ...(x === undefined ? {} : { startingPointX: Number(x) }),
    ...(y === undefined ? {} : { startingPointY: Number(y) }),
  }
}

async function render(format: Format, target: Target): Promise<RenderedLabel> {
  const file = await fileOf(format)
  if (format === 'pages') {
    const options = { pages: '2' }
    return await renderPicture(pageOf(file, { format: 'tiff', options }), 'tiff', target)
  }
  if (format !== 'pdf') return await renderPicture(file, format, target)
  pdfium.open(file)
  const paper = paperOf(target)
  const [label] = listLabels(pdfium, { pages: undefined, area: target.area as Area }, paper)
  if (label === undefined) throw new Error('no label')
  const { plane, ...drawn } = drawLabel(pdfium, label, paper)
  return renderPage({ ...plane, ...drawn }, target)
}

/** The look for a part is coarse by some dots, and labels of a sheet are as large as the largest of them. */
function mostOf({ area }: Wish): number {
  if (area === undefined) return 3
  return /^\d/.test(area) ? 12 : 4
}

for (const format of FORMATS) {
  t.test(`each wish means the same for ${format}`, async (t) => {
    for (const wish of WISHES) {
      const what = JSON.stringify(wish)
      const { bytes, notes } = await render(format, targetOf(PRINTER, optionsOf(wish)))
      const [label] = interpretZpl(bytes, CANVAS)
      if (label === undefined) throw new Error(`${what}: nothing came out`)
      const off = difference(label.raster, expected(wish, format, CANVAS))
      t.ok(off < mostOf(wish), `${what}: ${off} ${notes}`)
      const dark = /^~SD(\d+)/.exec(Buffer.from(bytes).toString('latin1'))?.[1]
      const wanted = wish.darkness && String(Math.round(Number(wish.darkness) * 0.3))
      t.equal(dark, wanted?.padStart(2, '0'), what)
    }
  })
}

t.test('a part of a picture that lies on its side, or whose pixels are not square', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...OBLONG_FORMATS),
      fc.integer({ min: 1, max: 8 }),
      fc.constantFrom([203, 203], [150, 203], [200, 100], [150, 150]),
      fc.constantFrom('top', 'bottom', 'left', 'right', 'top-left', 'bottom-right'),
      fc.constantFrom<'0' | '90' | '180' | '270'>('0', '90', '180', '270'),
      async (format, mark, [across = 203, down = 203], area, rotate) => {
        // Page rasters have no mark.
        const orientation = format === 'pwg' ? 1 : mark
        const pixels = { across, down, unit: 'inch', orientation } as const
        const file = await storeOblong(planeOf(150), 150, format, pixels)
        const wish = { scaling: 'none', area, rotate } as const
        const kind = decoderOf(format)
        const { bytes } = await renderPicture(file, kind, targetOf(PRINTER, optionsOf(wish)))
        const [label] = interpretZpl(bytes, CANVAS)
        const off = label && difference(label.raster, expected(wish, 'png', CANVAS))
        t.ok(
          off !== undefined && off < 6,
          `${format} ${orientation} ${across}x${down} ${area} ${rotate}: ${off}`,
        )
      },
    ),
    { numRuns: tries(60), seed: 922 },
  )
})

function decoderOf(format: OblongFormat): 'png' | 'jpeg' | 'tiff' | 'pwg' {
  if (format === 'tiff' || format === 'pwg') return format
  return format.startsWith('png') ? 'png' : 'jpeg'
}

t.test('of a part without ink nothing prints, and it is told', async (t) => {
  for (const format of FORMATS) {
    const target = targetOf(PRINTER, { area: '3x5-8' })
    const { bytes, notes } = await render(format, target)
    const [label] = interpretZpl(bytes, CANVAS)
    t.ok(label?.raster.bits.every((byte) => byte === 0) ?? true, format)
    t.match(inWords(notes), [/blank|nothing/i], format)
  }
})
