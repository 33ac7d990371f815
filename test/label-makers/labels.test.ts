import t from 'tap'
import { interpretEpl } from '../interpreters/epl.ts'
import { readSymbols } from '../interpreters/symbols.ts'
import { interpretTspl } from '../interpreters/tspl.ts'
import { renderZpl } from '../interpreters/zpl.ts'
import { CARRIER_SYMBOLS, carrierLabel, letterPage, sidewaysLabel } from './carrier.ts'
import { fromPng, toPng } from './files.ts'
import { createGray, fromRaster, type Gray, place, toRaster, turn } from './gray.ts'
import { eplLabel, fedexLikeZpl, RAW_SYMBOLS, tsplLabel, upsLikeZpl } from './raw.ts'

t.setTimeout(300_000)
const stock = { width: 812, height: 1218, dpi: 203 }

t.test('a scanner reads the four symbols of every drawn label', async (t) => {
  for (const [name, label] of Object.entries({
    '203 dpi': carrierLabel(),
    '300 dpi': carrierLabel({ width: 1200, height: 1800 }),
    'on its side': sidewaysLabel(),
    'on a letter page': letterPage(),
  })) {
    t.same(await readSymbols(toRaster(label)), CARRIER_SYMBOLS, name)
  }
})

t.test('a scanner reads the symbols of the written ZPL labels', async (t) => {
  const fedex = await renderZpl(fedexLikeZpl, stock)
  t.same(await readSymbols(fedex), { Code128: RAW_SYMBOLS.fedex, PDF417: RAW_SYMBOLS.pdf417 })
  const ups = await renderZpl(upsLikeZpl, stock)
  t.match(await readSymbols(ups, ['Code128']), { Code128: RAW_SYMBOLS.ups })
  // MaxiCode is found in a crop only.
  const crop = createGray(260, 240)
  const page = fromRaster(ups)
  for (let y = 0; y < 215; y++) {
    const row = page.luma.subarray((y + 362) * 812 + 20, (y + 362) * 812 + 260)
    place(crop, { width: 240, height: 1, luma: row }, 10, y + 10)
  }
  t.match(await readSymbols(toRaster(crop), ['MaxiCode']), { MaxiCode: /AUSTIN/ })
})

t.test('the written EPL and TSPL labels are ones that the pretended printers understand', (t) => {
  const [epl, ...moreEpl] = interpretEpl(eplLabel, stock)
  t.match(epl, { copies: 1, settings: { q: '795', S: '4', D: '12' } })
  t.same(moreEpl, [])
  const [tspl, ...moreTspl] = interpretTspl(tsplLabel, 203)
  t.match(tspl, { copies: 1, raster: { width: 812, height: 1218 }, settings: { DENSITY: '8' } })
  t.same(moreTspl, [])
  t.end()
})

t.test('turning four times and packing lose no dot', (t) => {
  const label = carrierLabel()
  // Compared as bytes: a comparison by elements takes a second for a million of them.
  const isLabel = (other: Gray) =>
    other.width === label.width && Buffer.compare(other.luma, label.luma) === 0
  t.ok(isLabel(turn(turn(label, 90), 270)))
  t.ok(isLabel(turn(turn(label, 180), 180)))
  t.ok(isLabel(turn(turn(turn(label, 90), 90), 180)))
  t.ok(isLabel(fromRaster(toRaster(label))))
  t.ok(isLabel(fromPng(toPng(label))))
  t.end()
})
