import t from 'tap'
import { renderStartLabel } from '../../../src/labels/documents/start-label.ts'
import type { Raster } from '../../../src/labels/languages/raster.ts'
import { interpretEpl } from '../../interpreters/epl.ts'
import { readSymbols } from '../../interpreters/symbols.ts'
import { interpretTspl } from '../../interpreters/tspl.ts'
import { renderZpl } from '../../interpreters/zpl.ts'
import { makeTarget } from '../make-target.ts'

const LABEL = {
  name: 'printserver-1a2b.local',
  url: 'http://192.168.178.123/',
  alias: 'http://printserver.local/',
  pin: '12345678',
  fingerprint: Array.from({ length: 32 }, (_, index) =>
    (index + 160).toString(16).toUpperCase(),
  ).join(':'),
  version: '0.1.0',
}

function countDots(raster: Raster): number {
  return raster.bits.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0)
}

t.test('its code leads to the page, in each language and on every stock', async (t) => {
  for (const [labelWidth, labelHeight, dpi] of [
    [4, 6, 203],
    [4, 6, 300],
    [2.25, 1.25, 203],
    [3, 2, 203],
    [4, 4, 203],
  ] as const) {
    const stock = {
      width: Math.round(labelWidth * dpi),
      height: Math.round(labelHeight * dpi),
      dpi,
    }
    const target = { labelWidth, labelHeight, dpi }
    const zpl = await renderZpl((await renderStartLabel(LABEL, makeTarget(target))).bytes, stock)
    t.same(
      await readSymbols(zpl, ['QRCode']),
      { QRCode: LABEL.url },
      `${labelWidth} x ${labelHeight} at ${dpi}`,
    )
  }
  const stock = { width: 812, height: 1218, dpi: 203 }
  const [epl] = interpretEpl(
    (await renderStartLabel(LABEL, makeTarget({ language: 'epl' }))).bytes,
    stock,
  )
  t.same(await readSymbols(epl?.raster as Raster, ['QRCode']), { QRCode: LABEL.url })
  const [tspl] = interpretTspl(
    (await renderStartLabel(LABEL, makeTarget({ language: 'tspl' }))).bytes,
    203,
  )
  t.same(await readSymbols(tspl?.raster as Raster, ['QRCode']), { QRCode: LABEL.url })
})

t.test('nobody sees the PIN on the page: there is no preview', async (t) => {
  t.equal((await renderStartLabel(LABEL, makeTarget())).preview, undefined)
})

t.test('without a network it says so and has no code; without a PIN it tells none', async (t) => {
  const stock = { width: 812, height: 1218, dpi: 203 }
  const lost = { ...LABEL, url: '', alias: '' }
  const drawn = await renderZpl((await renderStartLabel(lost, makeTarget())).bytes, stock)
  t.same(await readSymbols(drawn, ['QRCode']), {})
  const bare = { ...lost, pin: '', fingerprint: '' }
  const less = await renderZpl((await renderStartLabel(bare, makeTarget())).bytes, stock)
  t.ok(countDots(less) < countDots(drawn) && countDots(less) > 0)
})

t.test('a printer whose language is unknown gets EPL text', async (t) => {
  const target = makeTarget({ language: undefined })
  const text = Buffer.from((await renderStartLabel(LABEL, target)).bytes).toString('latin1')
  t.match(
    text,
    /^\nN\nA30,20,.*"LABEL PRINT SERVER"\n.*"http:\/\/192.168.178.123\/"\n.*"printserver-1a2b.local"\n.*"PIN 12345678"\nP1\n$/,
  )
  const odd = Buffer.from(
    (await renderStartLabel({ ...LABEL, url: '', pin: '', name: 'a"b' }, target)).bytes,
  )
  t.match(odd.toString('latin1'), /"NO NETWORK"\n.*"a\?b"\nP1/)
})
