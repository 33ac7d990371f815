import t from 'tap'
import type { Carrier } from '../../src/carriers/carrier.ts'
import { dhl } from '../../src/carriers/dhl/index.ts'
import { easypost } from '../../src/carriers/easypost/index.ts'
import { karrio } from '../../src/carriers/karrio/index.ts'
import { readShipment } from '../../src/carriers/params.ts'
import { at, jsonOf } from '../../src/carriers/reading.ts'
import { shipengine } from '../../src/carriers/shipengine/index.ts'
import { shippo } from '../../src/carriers/shippo/index.ts'
import { usps } from '../../src/carriers/usps/index.ts'
import { answer, Parser } from './parser.ts'

const PARCEL = { weight: 2, length: 9, width: 6, height: 4 }
const EUROS = { ...PARCEL, insured_value: 100, insured_currency: 'eur' }
const PHONES = { ship_phone: '7755550100', to_phone: '5155550100' }

function parserOf(carrier: Carrier): Parser {
  return new Parser(carrier, { account_number: '1' }, { ...PHONES, service: 'P' })
}

/** Returns the first call of an action as it is sent. */
function sent(
  carrier: Carrier,
  action: 'GetAllRates' | 'SubmitShipment',
  packages: object[],
  more: object = {},
) {
  const next = carrier.actions[action]?.request(parserOf(carrier).order({ packages, ...more }))
  if (next === undefined || 'errors' in next) throw new Error(JSON.stringify(next))
  return jsonOf(next.call.body ?? '')
}

t.test('parcels are insured in the currency that was asked for, whichever of them is', (t) => {
  const packages = [PARCEL, EUROS, EUROS]
  t.match(sent(karrio, 'GetAllRates', packages), { options: { insurance: 200, currency: 'EUR' } })
  t.match(sent(dhl, 'SubmitShipment', packages), {
    valueAddedServices: [{ serviceCode: 'II', value: 200, currency: 'EUR' }],
  })
  t.end()
})

t.test('EasyPost insures what is bought, though it was rated before', (t) => {
  const rated = { rate_id: 'rate_1', shipment_id: 'shp_1' }
  const dollars = { ...EUROS, insured_currency: 'USD' }
  const whole = { rate: { id: 'rate_1' }, insurance: '100.00' }
  t.same(sent(easypost, 'SubmitShipment', [dollars], rated), whole)
  t.same(sent(easypost, 'SubmitShipment', [PARCEL], rated), { rate: { id: 'rate_1' } })
  const refused = { packages: [EUROS], ...rated }
  t.same(parserOf(easypost).refusedFields('SubmitShipment', refused), ['insured_currency'])
  t.end()
})

t.test('a rate that was given without insurance is not bought where that is asked for', (t) => {
  const RATED = { rate_id: 'se-rate001', shipment_id: 'shp_1' }
  const insurance = { amount: '100.00', currency: 'EUR' }
  const spent = (amount: number) => ({ rate_id: 'se-rate001', insurance_amount: { amount } })
  const cases = [
    [shippo, { parcels: [{}] }, { parcels: [{}], extra: { insurance } }, { priced: 'rate0001' }],
    [shippo, { parcels: [{}], extra: { insurance: { ...insurance, amount: '99' } } }],
    [shippo, { parcels: [{}, {}] }, { parcels: [{}, { extra: { insurance } }] }],
    [shipengine, spent(0), spent(1.5), {}],
    [karrio, { id: 'shp_1', options: {} }, undefined, {}],
    [karrio, { id: 'shp_1', options: { insurance: 100 } }, undefined, {}],
    [karrio, undefined, { id: 'shp_1', options: { insurance: 100, currency: 'EUR' } }, {}],
  ] as const
  for (const [carrier, bare, insured, kept = { priced: 'rate0001' }] of cases) {
    const parser = parserOf(carrier)
    const parse = (body: object, packages: object[]) => {
      const reply = answer({ ...body, test_mode: true })
      return parser.parse('SubmitShipment', reply, kept, parser.order({ packages, ...RATED }))
    }
    if (bare !== undefined) {
      const refused = parse(bare, [EUROS])
      t.match(refused, { errors: [{ code: 1101, field: 'insured_value' }] }, carrier.name)
    }
    if (insured !== undefined) t.match(parse(insured, [EUROS]), { next: { spends: true } })
  }
  for (const carrier of [shipengine, karrio]) {
    const next = (packages: object[]) => {
      const order = { ...parserOf(carrier).order({ packages, ...RATED }), isTest: false }
      return carrier.actions.SubmitShipment?.request(order)
    }
    t.match(next([EUROS]), { call: { method: 'GET', spends: undefined }, kept: undefined })
    t.match(next([PARCEL]), { call: { method: 'POST', spends: true } })
  }
  t.end()
})

t.test('Shippo insures each of several parcels, and wants to know what is in it', (t) => {
  const insurance = { amount: '100.00', currency: 'EUR', content: 'Goods' }
  const several = sent(shippo, 'GetAllRates', [PARCEL, EUROS])
  t.match(several, { extra: undefined, parcels: [{ extra: undefined }, { extra: { insurance } }] })
  const customs = [
    { description: 'Mug', quantity: 1, value: 10, weight: 0.5, origin_country: 'PT' },
  ]
  t.match(sent(shippo, 'GetAllRates', [EUROS], { customs }), {
    extra: { insurance: { ...insurance, content: 'Mug' } },
    parcels: [{ extra: undefined }],
  })
  t.end()
})

t.test('ShipEngine is told who insures: nobody does where that is left out', (t) => {
  const shipment = (...packages: object[]) =>
    at(sent(shipengine, 'GetAllRates', packages, { carrier_account: ['se-1'] }), 'shipment')
  t.match(shipment(PARCEL, EUROS), {
    insurance_provider: 'carrier',
    packages: [{}, { insured_value: { amount: 100, currency: 'eur' } }],
  })
  t.equal(at(shipment(PARCEL), 'insurance_provider'), undefined)
  t.end()
})

t.test('a signature that one of the parcels needs is asked for', (t) => {
  const packages = [PARCEL, { ...PARCEL, signature_type: 'ADULT' }, PARCEL]
  t.match(sent(shippo, 'GetAllRates', packages), { extra: { signature_confirmation: 'ADULT' } })
  t.match(sent(shipengine, 'GetAllRates', packages, { carrier_account: ['se-1'] }), {
    shipment: { confirmation: 'adult_signature' },
  })
  t.end()
})

t.test('a label without the signature of an adult is not bought where that was asked for', (t) => {
  const rated = { rate_id: 'rate_1', shipment_id: 'shp_1' }
  for (const [carrier, more] of [
    [dhl, {}] as const,
    [karrio, {}] as const,
    [karrio, rated] as const,
  ]) {
    const fields = (signature_type: string) => {
      const packages = [PARCEL, { ...PARCEL, signature_type }]
      return parserOf(carrier).refusedFields('SubmitShipment', { packages, ...more })
    }
    t.same(fields('ADULT'), ['signature_type'], carrier.name)
    t.same(fields('DIRECT'), [], carrier.name)
  }
  t.end()
})

t.test('a carrier that insures in dollars does not take euros for them', (t) => {
  for (const carrier of [easypost, usps]) {
    const parser = parserOf(carrier)
    t.same(parser.refusedFields('GetAllRates', { packages: [EUROS] }), ['insured_currency'])
    const dollars = { ...EUROS, insured_currency: 'USD' }
    t.same(parser.refusedFields('GetAllRates', { packages: [dollars] }), [])
    t.same(parser.refusedFields('GetAllRates', { packages: [PARCEL] }), [])
  }
  t.end()
})

t.test('parcels of one shipment are insured in one currency', (t) => {
  const fieldsOf = (...packages: object[]) => {
    const read = readShipment({ packages })
    return 'errors' in read ? read.errors.map(({ code, field }) => `${code} ${field}`) : []
  }
  const dollars = { ...EUROS, insured_currency: 'USD' }
  t.same(fieldsOf(PARCEL, EUROS, dollars), ['1102 packages[2].insured_currency'])
  t.same(fieldsOf(PARCEL, EUROS, { ...dollars, insured_value: 0 }, EUROS), [])
  t.end()
})
