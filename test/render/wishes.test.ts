import t from 'tap'
import { makeTarget as targetOf } from '../../src/jobs/drawing/target.ts'
import { pageOf } from '../../src/jobs/intake/picture-pages.ts'
import { drawLabel, listLabels } from '../../src/render/pdf/look.ts'
import { renderPage, renderPicture } from '../../src/render/render.ts'
import type { Area, Rendered, Target } from '../../src/render/target.ts'
import type { PrintOptions } from '../../src/request/fields.ts'
import { interpretZpl } from '../interpreters/zpl-graphics.ts'
import { makePrinter } from '../printers/make-printer.ts'
import { paperOf, pdfium } from './pdf/draw.ts'
import { difference, expected, FORMATS, type Format, fileOf, WISHES, type Wish } from './wishes.ts'

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

async function render(format: Format, target: Target): Promise<Rendered> {
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

t.test('of a part without ink nothing prints, and it is told', async (t) => {
  for (const format of FORMATS) {
    const target = targetOf(PRINTER, { area: '3x5-8' })
    const { bytes, notes } = await render(format, target)
    const [label] = interpretZpl(bytes, CANVAS)
    t.ok(label?.raster.bits.every((byte) => byte === 0) ?? true, format)
    t.match(notes, [/blank|nothing/i], format)
  }
})
