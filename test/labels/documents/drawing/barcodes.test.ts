import fc from 'fast-check'
import t from 'tap'
import {
  drawCode128,
  planCode128,
  QUIET_MODULES,
} from '../../../../src/labels/documents/drawing/barcodes.ts'
import { createCanvas, drawBars } from '../../../../src/labels/documents/drawing/canvas.ts'
import { readSymbols } from '../../../interpreters/symbols.ts'
import { renderZpl } from '../../../interpreters/zpl.ts'

t.test('digits that lead go in pairs, all else one by one', (t) => {
  t.equal(planCode128('123456')?.zpl, '>;123456')
  t.same(planCode128('123456')?.words, [105, 12, 34, 56])
  t.equal(planCode128('1234567')?.zpl, '>:1234567')
  t.same(planCode128('1234567')?.words, [104, 17, 18, 19, 20, 21, 22, 23])
  t.equal(planCode128('1234-A')?.zpl, '>;1234>6-A')
  t.equal(planCode128('12-A')?.zpl, '>:12-A')
  t.equal(planCode128('12')?.zpl, '>;12')
  t.equal(planCode128('7')?.zpl, '>:7')
  t.equal(planCode128('A>B^C~D')?.zpl, '>:A>0B><C>=D')
  t.end()
})

t.test('what Code 128 does not have is not planned', (t) => {
  for (const text of ['', 'Ä', 'a\nb', 'a\u0000', '№5', '😀']) t.equal(planCode128(text), undefined)
  t.end()
})

t.test('the drawn bars read back, and are as wide as planned', async () => {
  const text = fc.string({
    unit: fc.constantFrom(...'0123456789AZaz-_/ ^~>\\#'),
    minLength: 1,
    maxLength: 24,
  })
  await fc.assert(
    fc.asyncProperty(text, async (text) => {
      const code = planCode128(text)
      if (code === undefined) throw new Error('it was not planned')
      const raster = createCanvas((code.modules + 2 * QUIET_MODULES) * 2, 60)
      const place = { x: QUIET_MODULES * 2, y: 5, module: 2, height: 50 }
      const width = drawBars(raster, place, await drawCode128(code))
      if (width !== code.modules * 2) throw new Error(`${width} dots for ${code.modules} modules`)
      const found = await readSymbols(raster, ['Code128'])
      if (found['Code128'] !== text) throw new Error(`${JSON.stringify(found)} for ${text}`)
    }),
    { numRuns: 40 },
  )
})

t.test('the field data of ^BC gives the same bars as the drawing', async (t) => {
  for (const text of ['1000234567', '1234567', 'SO-2026-0001', '2026-A', 'A>B^C~']) {
    const code = planCode128(text)
    if (code === undefined) throw new Error('it was not planned')
    const stock = { width: 812, height: 100, dpi: 203 }
    const data = code.zpl.replace('^', '_5E').replace('~', '_7E')
    const printed = await renderZpl(`^XA^FO40,10^BY2^BCN,60,N,N,N,N^FH^FD${data}^FS^XZ`, stock)
    const drawn = createCanvas(stock.width, stock.height)
    drawBars(drawn, { x: 40, y: 10, module: 2, height: 60 }, await drawCode128(code))
    t.ok(Buffer.from(printed.bits).equals(drawn.bits), text)
    t.same(await readSymbols(printed, ['Code128']), { Code128: text })
  }
})
