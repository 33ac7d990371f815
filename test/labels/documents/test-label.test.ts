import t from 'tap'
import { renderTestLabel, TEST_CODE } from '../../../src/labels/documents/test-label.ts'
import type { Raster } from '../../../src/labels/languages/raster.ts'
import type { Target } from '../../../src/labels/target.ts'
import { interpretEpl } from '../../interpreters/epl.ts'
import { readSymbols } from '../../interpreters/symbols.ts'
import { interpretTspl } from '../../interpreters/tspl.ts'
import { renderZpl } from '../../interpreters/zpl.ts'
import { fromPng } from '../../label-makers/files.ts'
import { toRaster } from '../../label-makers/gray.ts'
import { makeTarget } from '../make-target.ts'

const LABEL = {
  printer: 'Bench 2 – Zebra ZD421',
  host: 'printserver.local',
  at: '2026-11-21 03:40:12',
}

const render = (target: Partial<Target>) => renderTestLabel(LABEL, makeTarget(target))

function previewOf(bytes: Uint8Array | undefined): Raster {
  return toRaster(fromPng(Buffer.from(bytes ?? [])))
}

/** True when a dot is black. */
function isBlack(raster: Raster, x: number, y: number): boolean {
  const byte = raster.bits[y * Math.ceil(raster.width / 8) + (x >> 3)] ?? 0
  return ((byte >> (7 - (x & 7))) & 1) === 1
}

t.test('each language gets the same picture, and its barcode scans', async (t) => {
  const { bytes, preview } = await render({})
  const stock = { width: 812, height: 1218, dpi: 203 }
  const zpl = await renderZpl(bytes, stock)
  const drawn = previewOf(preview)
  t.same(zpl, drawn)
  t.same(await readSymbols(zpl, ['Code128']), { Code128: TEST_CODE })
  const [epl] = interpretEpl((await render({ language: 'epl' })).bytes, stock)
  t.same(await readSymbols(epl?.raster as Raster, ['Code128']), { Code128: TEST_CODE })
  const [tspl] = interpretTspl((await render({ language: 'tspl' })).bytes, 203)
  t.same(await readSymbols(tspl?.raster as Raster, ['Code128']), { Code128: TEST_CODE })
})

t.test('the frame stands on the edge of the label and the rulers count inches', async (t) => {
  for (const [labelWidth, labelHeight, dpi] of [
    [4, 6, 203],
    [2.25, 1.25, 203],
    [4, 6, 300],
  ] as const) {
    const { preview } = await render({ labelWidth, labelHeight, dpi })
    const raster = previewOf(preview)
    t.equal(raster.width, Math.round(labelWidth * dpi))
    t.equal(raster.height, Math.round(labelHeight * dpi))
    for (let x = 0; x < raster.width; x += 7) {
      if (!isBlack(raster, x, 0) || !isBlack(raster, x, raster.height - 1))
        t.fail(`no frame at ${x}`)
    }
    const inch = Math.round(dpi / 8) - 1
    t.ok(isBlack(raster, dpi, inch) && !isBlack(raster, dpi - 2, inch), 'a long mark at one inch')
    t.ok(isBlack(raster, inch, dpi))
    t.same(
      await readSymbols(raster, ['Code128']),
      { Code128: TEST_CODE },
      `${labelWidth} at ${dpi}`,
    )
  }
})

t.test('any label and any name will do', async (t) => {
  for (const [labelWidth, labelHeight] of [
    [1, 0.5],
    [1.5, 1],
    [3, 2],
    [6, 4],
    [0.2, 0.2],
  ] as const) {
    const rendered = await render({ labelWidth, labelHeight })
    t.ok(rendered.preview, `${labelWidth}x${labelHeight}`)
  }
  const [read, iso] = await Promise.all(
    ['2026-11-21 03:40:12 UTC', '2026-11-21T03:40:12.345Z'].map((at) =>
      renderTestLabel({ ...LABEL, at }, makeTarget()),
    ),
  )
  t.same(iso, read, 'the time is written for people')
  const names = ['x'.repeat(10_000), '', '^XZ~JA "\\', 'プリンター 😀', 'a\nb\u0000']
  for (const printer of names) {
    const { bytes } = await renderTestLabel({ ...LABEL, printer }, makeTarget())
    t.same(
      await readSymbols(await renderZpl(bytes, { width: 812, height: 1218, dpi: 203 }), [
        'Code128',
      ]),
      {
        Code128: TEST_CODE,
      },
    )
  }
})

t.test(
  'a printer that feeds the other way round gets it upside down, the preview as people read it',
  async (t) => {
    const [up, down] = [await render({}), await render({ rotate: 180 })]
    t.same(up.preview, down.preview)
    t.not(Buffer.compare(up.bytes, down.bytes), 0)
  },
)

t.test('a printer of unknown language gets EPL text, its name escaped', async (t) => {
  const printer = 'a "b" \\c é\n'
  const rendered = await renderTestLabel({ ...LABEL, printer }, makeTarget({ language: undefined }))
  t.equal(rendered.preview, undefined)
  t.equal(
    Buffer.from(rendered.bytes).toString('latin1'),
    '\nN\nA30,20,0,4,1,1,N,"PLATEN TEST"\nA30,60,0,2,1,1,N,"a \\"b\\" \\\\c ??"\n' +
      'B30,90,0,1,2,4,60,B,"PLATEN01"\nP1\n',
  )
  const long = await renderTestLabel(
    { ...LABEL, printer: 'x'.repeat(99) },
    makeTarget({ language: undefined }),
  )
  t.match(Buffer.from(long.bytes).toString('latin1'), `"${'x'.repeat(32)}"`)
})
