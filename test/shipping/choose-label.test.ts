import t from 'tap'
import type { KnownPrinter } from '../../src/printers/printer.ts'
import { chooseLabel } from '../../src/shipping/print.ts'
import { makePrinter } from '../printers/make-printer.ts'

const printer = (more: Partial<KnownPrinter>): KnownPrinter => ({
  ...{ ...makePrinter('Bench 1'), isDefault: true, isPaused: false },
  status: { state: 'idle', reasons: ['none'], message: '', hint: '' },
  ...more,
})

t.test('a label is asked for in what its printer understands', (t) => {
  const of = (more: Partial<KnownPrinter>, params = {}) => chooseLabel(params, printer(more))
  t.same(of({}), { format: 'ZPL', dpi: 203, isPrinted: true })
  t.same(of({ dpi: 300 }), { format: 'ZPL', dpi: 300, isPrinted: true })
  t.match(of({ dpi: 305 }), { format: 'ZPL', dpi: 300 })
  const picture = { format: 'PNG', dpi: 300, isPrinted: true }
  for (const dpi of [406, 600]) t.same(of({ dpi }), picture, 'carriers write no finer')
  t.match(of({ dpi: 152, language: 'epl' }), { format: 'PNG', dpi: 203 })
  t.match(of({ dpi: 600 }, { image_type: 'ZPL' }), { format: 'ZPL' }, 'as it was asked for')
  t.match(of({ language: 'epl' }), { format: 'EPL' })
  t.match(of({ language: 'tspl' }), { format: 'PNG' })
  t.match(of({ language: 'epl', rasterOnly: true }), { format: 'PNG' })
  t.match(of({ language: 'tspl' }, { image_type: 'zplii', dpi: 300 }), { format: 'ZPL', dpi: 300 })
  t.end()
})

t.test('without a printer it is ZPL at 203 dpi, or what the request names', (t) => {
  const of = (params: object) => chooseLabel({ ...params }, undefined)
  const usual = { format: 'ZPL', dpi: 203, isPrinted: false }
  t.same(of({}), usual)
  for (const blank of [null, '', undefined]) t.same(of({ image_type: blank }), usual)
  t.match(of({ dpi: 203 }), { dpi: 203 })
  t.match(of({ dpi: 300, image_type: 'Pdf' }), { dpi: 300, format: 'PDF' })
  for (const dpi of [0, 200, 600, '203', null])
    t.throws(() => of({ dpi }), { code: 400, message: /^dpi: got .*, wanted 203 or 300\.$/ })
  for (const type of ['JPEG', 'constructor', 7, {}])
    t.throws(() => of({ image_type: type }), { code: 400, message: /^image_type: got / })
  t.ok(of({ image_type: 'GIF' }))
  t.throws(() => of({ image_type: 'x'.repeat(10_000) }), { message: /^.{1,120}$/ }, 'kept short')
  t.end()
})
