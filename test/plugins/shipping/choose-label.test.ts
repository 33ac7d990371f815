import t from 'tap'
import { dhl } from '../../../src/carriers/dhl/index.ts'
import { easypost } from '../../../src/carriers/easypost/index.ts'
import { fedex } from '../../../src/carriers/fedex/index.ts'
import { karrio } from '../../../src/carriers/karrio/index.ts'
import { shipengine, shipstation } from '../../../src/carriers/shipengine/index.ts'
import { shippo } from '../../../src/carriers/shippo/index.ts'
import { ups } from '../../../src/carriers/ups/index.ts'
import { usps } from '../../../src/carriers/usps/index.ts'
import type { KnownPrinter } from '../../../src/core/printers/status.ts'
import { chooseLabel } from '../../../src/plugins/shipping/label-choice.ts'
import { NOTHING } from '../../../src/words/say.ts'
import { makePrinter } from '../../core/printers/make-printer.ts'

const printer = (more: Partial<KnownPrinter>): KnownPrinter => ({
  ...makePrinter('Bench 1'),
  isDefault: true,
  isPaused: false,
  status: { state: 'idle', reasons: ['none'], message: NOTHING, hint: NOTHING },
  ...more,
})

t.test('a label is asked for in what its printer understands', (t) => {
  const of = (more: Partial<KnownPrinter>, params = {}) => chooseLabel(params, printer(more), fedex)
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
  const of = (params: object) => chooseLabel({ ...params }, undefined, ups)
  const usual = { format: 'ZPL', dpi: 203, isPrinted: false }
  t.same(of({}), usual)
  for (const blank of [null, '', undefined]) t.same(of({ image_type: blank }), usual)
  t.match(of({ dpi: 203 }), { dpi: 203 })
  t.match(of({ dpi: 300, image_type: 'Png' }), { dpi: 300, format: 'PNG' })
  t.match(of({ dpi: '300', image_type: 'Png' }), { dpi: 300 }, 'as PHP writes it')
  for (const dpi of [0, 200, 600, '203x', true])
    t.throws(() => of({ dpi }), { code: 400, message: /^dpi: got .*, wanted 203 or 300\.$/ })
  for (const type of ['JPEG', 'constructor', 7, ['ZPL']])
    t.throws(() => of({ image_type: type }), { code: 400, message: /^image_type: got / })
  t.ok(of({ image_type: 'GIF' }))
  t.throws(() => of({ image_type: 'x'.repeat(10_000) }), { message: /^.{1,120}$/ }, 'kept short')
  t.end()
})

t.test('where the carrier does not write it, a printer gets a picture', (t) => {
  type Offer = Parameters<typeof chooseLabel>[2]
  const of = (carrier: Offer, more: Partial<KnownPrinter>, params = {}) =>
    chooseLabel(params, printer(more), carrier)
  for (const carrier of [shippo, karrio, usps])
    t.match(of(carrier, { language: 'epl', dpi: 203 }), { format: 'PNG', dpi: 203 }, carrier.name)
  t.match(of(usps, { language: 'epl', dpi: 300 }), { format: 'EPL' })
  for (const carrier of [ups, easypost]) {
    t.match(of(carrier, { dpi: 203 }), { format: 'ZPL' }, carrier.name)
    t.match(of(carrier, { dpi: 300 }), { format: 'PNG', dpi: 300 }, carrier.name)
    t.match(of(carrier, { dpi: 300 }, { image_type: 'ZPL' }), { format: 'PNG' }, carrier.name)
  }
  t.match(of(fedex, { language: 'epl', dpi: 300 }), { format: 'PNG', dpi: 300 })
  for (const carrier of [shipengine, shipstation]) {
    t.match(of(carrier, {}), { format: 'ZPL', dpi: 203 }, carrier.name)
    t.match(of(carrier, { dpi: 300 }), { format: 'PDF', dpi: 300 }, carrier.name)
    t.match(of(carrier, { language: 'tspl' }), { format: 'PDF' }, carrier.name)
  }
  t.match(of(dhl, { language: 'tspl' }), { format: 'PDF' })
  t.match(of(dhl, { dpi: 600 }), { format: 'PDF', dpi: 300 })
  t.match(of(shippo, { language: 'zpl' }, { image_type: 'EPL' }), { format: 'PNG' }, 'printed here')
  t.end()
})

t.test('what a carrier does not make is refused where the request names it', (t) => {
  const refused = (carrier: Parameters<typeof chooseLabel>[2], params: object) => {
    const label = chooseLabel({ ...params }, undefined, carrier)
    return 'errors' in label
      ? label.errors.map(({ field, description }) => [field, description])
      : label
  }
  const field = 'image_type'
  t.same(refused(ups, { image_type: 'PDF' }), [
    [field, 'image_type: UPS-REST has no PDF labels for 203 dpi; wanted ZPL, EPL, PNG, GIF.'],
  ])
  t.same(refused(ups, { image_type: 'ZPL', dpi: 300 }), [
    [field, 'image_type: UPS-REST has no ZPL labels for 300 dpi; wanted PNG, GIF.'],
  ])
  for (const [carrier, image_type] of [
    [dhl, 'PNG'] as const,
    [fedex, 'GIF'] as const,
    [shippo, 'EPL'] as const,
    [usps, 'EPL'] as const,
    [karrio, 'GIF'] as const,
  ])
    t.match(refused(carrier, { image_type }), [[field, /^image_type: .* has no /]], carrier.name)
  t.match(chooseLabel({ image_type: 'GIF' }, printer({}), fedex), { errors: [{ field }] })
  t.end()
})
