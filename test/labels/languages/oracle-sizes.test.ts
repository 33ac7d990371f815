import t from 'tap'
import { renderPicture } from '../../../src/labels/render.ts'
import { Bench, countDifferent, isSame } from '../../interpreters/paper.ts'
import { CARRIER_SYMBOLS, carrierLabel } from '../../label-makers/carrier.ts'
import { fromPng, toPng } from '../../label-makers/files.ts'
import { toRaster } from '../../label-makers/gray.ts'
import { FILES, printEverywhere, target } from './press.ts'

// A picture goes in at one end, as a file; out of the other come dots, drawn by printers that know nothing of us, and a
// scanner reads them.

t.setTimeout(300_000)
const bench = new Bench()

t.test('a label of the size of the stock at 203 dpi is printed dot for dot', async (t) => {
  const label = carrierLabel()
  const meant = toRaster(label)
  for (const [format, write] of FILES) {
    // JPEG may move a dot at an edge; PNG and GIF may not.
    const allowed = format === 'jpeg' ? 100 : 0
    for (const sheet of await printEverywhere(bench, write(label), format)) {
      const title = `${format} in ${sheet.language}`
      t.ok(countDifferent(sheet.raster, meant) <= allowed, title)
      t.same(await bench.scan(sheet.raster), CARRIER_SYMBOLS, `${title} scans`)
    }
  }
})

t.test('a label of the size of the stock at 300 dpi is printed dot for dot', async (t) => {
  const label = carrierLabel({ width: 1200, height: 1800 })
  for (const sheet of await printEverywhere(bench, toPng(label), 'png', { dpi: 300 })) {
    t.ok(isSame(sheet.raster, toRaster(label)), sheet.language)
    t.same(await bench.scan(sheet.raster), CARRIER_SYMBOLS, `${sheet.language} scans`)
  }
})

t.test('a label of 300 dpi scans after it was made smaller for 203 dpi', async (t) => {
  const label = carrierLabel({ width: 1200, height: 1800 })
  for (const [format, write] of FILES) {
    for (const sheet of await printEverywhere(bench, write(label), format, {}, ['tspl'])) {
      t.same(await bench.scan(sheet.raster), CARRIER_SYMBOLS, format)
    }
  }
})

t.test('a label of 203 dpi scans after it was made larger for 300 dpi', async (t) => {
  for (const sheet of await printEverywhere(bench, toPng(carrierLabel()), 'png', { dpi: 300 }, [
    'epl',
  ])) {
    t.same(await bench.scan(sheet.raster), CARRIER_SYMBOLS)
  }
})

t.test('the picture of a label shows what is printed', async (t) => {
  const file = toPng(carrierLabel())
  for (const sheet of await printEverywhere(bench, file, 'png', { startingPointX: 12 })) {
    const preview = toRaster(fromPng(sheet.rendered.preview ?? new Uint8Array()))
    t.ok(isSame(preview, sheet.raster), sheet.language)
  }
})

t.test('Z64 carries the same dots', async (t) => {
  const to = target('zpl', { z64: true })
  const label = carrierLabel()
  const raster = await bench.print((await renderPicture(toPng(label), 'png', to)).bytes, to)
  t.ok(isSame(raster, toRaster(label)))
})
