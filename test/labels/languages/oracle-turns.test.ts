import t from 'tap'
import { Bench, inkOf, isSame } from '../../interpreters/paper.ts'
import {
  CARRIER_SYMBOLS,
  carrierLabel,
  letterPage,
  sidewaysLabel,
} from '../../label-makers/carrier.ts'
import { toGif, toPng } from '../../label-makers/files.ts'
import { toRaster, turn } from '../../label-makers/gray.ts'
import { printEverywhere } from './press.ts'

t.setTimeout(300_000)
const bench = new Bench()

t.test('a label on its side or its head comes upright when the printer is told how', async (t) => {
  const label = carrierLabel()
  const meant = toRaster(label)
  for (const [rotate, lies] of [
    [0, 0],
    [90, 270],
    [180, 180],
    [270, 90],
  ] as const) {
    const file = toPng(turn(label, lies))
    for (const { raster, language } of await printEverywhere(bench, file, 'png', { rotate })) {
      t.ok(isSame(raster, meant), `turned by ${rotate} in ${language}`)
      t.same(await bench.scan(raster), CARRIER_SYMBOLS, 'and scans')
    }
  }
})

t.test('a label on its side comes upright by itself', async (t) => {
  const label = carrierLabel()
  const file = toGif(turn(label, 270))
  for (const { raster, language } of await printEverywhere(bench, file, 'gif')) {
    t.ok(isSame(raster, toRaster(label)), language)
  }
})

t.test('a label on its side stays so on stock that lies', async (t) => {
  const lying = turn(carrierLabel(), 270)
  const stock = { labelWidth: 6, labelHeight: 4 }
  for (const { raster, language } of await printEverywhere(bench, toPng(lying), 'png', stock)) {
    t.ok(isSame(raster, toRaster(lying)), language)
    t.same(await bench.scan(raster), CARRIER_SYMBOLS, 'and scans')
  }
})

t.test('the 1400x800 GIF with a blank tail is printed dot for dot, upright', async (t) => {
  const meant = inkOf(toRaster(carrierLabel({ width: 800, height: 1200 })))
  for (const { raster, language } of await printEverywhere(bench, toGif(sidewaysLabel()), 'gif')) {
    t.ok(isSame(inkOf(raster), meant), language)
    t.same(await bench.scan(raster), CARRIER_SYMBOLS, 'and scans')
  }
})

t.test('the label on a letter page is found and printed dot for dot', async (t) => {
  const meant = inkOf(toRaster(carrierLabel()))
  const file = toPng(letterPage())
  for (const { raster } of await printEverywhere(bench, file, 'png', {}, ['zpl'])) {
    t.ok(isSame(inkOf(raster), meant))
    t.same(await bench.scan(raster), CARRIER_SYMBOLS, 'and scans')
  }
})
