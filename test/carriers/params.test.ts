import t from 'tap'
import { PARAM_LIMITS } from '../../src/carriers/fields.ts'
import { readShipment } from '../../src/carriers/params.ts'
import type { Shipment } from '../../src/carriers/shipment.ts'

type Params = Readonly<Record<string, unknown>>

const LINE = { description: 'Mug', quantity: 2, value: 4.5, weight: 0.5, origin_country: 'DE' }

function shipmentOf(params: Params): Shipment {
  const read = readShipment(params)
  if ('errors' in read) throw new Error(read.errors[0]?.description)
  return read.shipment
}

function errorOf(params: Params): { readonly code: number; readonly field: string } {
  const read = readShipment(params)
  if (!('errors' in read)) throw new Error('it was read')
  const [error] = read.errors
  return { code: error?.code ?? 0, field: error?.field ?? '' }
}

t.test('numbers may be texts, units are converted', (t) => {
  const weightOf = (params: Params) => {
    const { parcels, weightUnit } = shipmentOf(params)
    return [parcels[0]?.weight, weightUnit]
  }
  t.same(weightOf({ weight: '3' }), weightOf({ weight: 3 }))
  t.same(weightOf({ weight: 24, weight_unit: 'oz' }), [1.5, 'LB'])
  t.same(weightOf({ weight: 1_500, weight_unit: 'G' }), [1.5, 'KG'])
  t.same(weightOf({ packages: [{ weight: 2 }], weight: 9 }), [2, 'LB'])
  t.same(shipmentOf({}).parcels, [])
  t.end()
})

t.test('yes and no come in many words; what is neither is refused', (t) => {
  const read = (residential: unknown) => shipmentOf({ residential }).to.isResidential
  t.same([true, 1, '1', 'true', 'True', 'yes', ' on '].map(read), Array(7).fill(true))
  t.same([false, 0, '0', 'false', 'FALSE', 'No', 'off'].map(read), Array(7).fill(false))
  t.same(['', null, undefined].map(read), Array(3).fill(undefined))
  const signed = { weight: 1, signature_required: 'True' }
  t.equal(shipmentOf(signed).parcels[0]?.signature, 'DIRECT')
  for (const word of [2, 'maybe', { a: 1 }, [true]]) {
    const refusal = { code: 1101, field: 'signature_required' }
    t.same(errorOf({ weight: 1, signature_required: word }), refusal, String(word))
  }
  t.end()
})

t.test('a weight or a size that is none is 1102, a missing weight 1101', (t) => {
  for (const weight of [0, -1, '0', 'x', '1e3', '0x10', '-2', true, [1], { a: 1 }, 1e9]) {
    t.same(errorOf({ weight }), { code: 1102, field: 'weight' }, JSON.stringify(weight))
  }
  t.same(errorOf({ packages: [{ weight: 1 }, {}] }), { code: 1101, field: 'packages[1].weight' })
  t.same(errorOf({ packages: [{ weight: 1, length: -1 }] }), {
    code: 1102,
    field: 'packages[0].length',
  })
  t.same(errorOf({ weight: 1, weight_unit: 'stone' }), { code: 1102, field: 'weight_unit' })
  t.same(errorOf({ weight: 1, length_unit: 'toString' }), { code: 1102, field: 'length_unit' })
  t.same(errorOf({ weight: 1, weight_unit: '__proto__' }), { code: 1102, field: 'weight_unit' })
  t.end()
})

t.test('the least and the most of each number, and what is said beyond', (t) => {
  const refusal = (params: Params): string => {
    const read = readShipment(params)
    return 'errors' in read ? (read.errors[0]?.description ?? '') : ''
  }
  const line = (more: Params) => ({ weight: 1, customs: [{ ...LINE, ...more }] })
  for (const [params, wanted] of [
    [{ weight: 0.000_000_001 }, ''],
    [{ weight: 1_000_000 }, ''],
    [{ weight: 1_000_001 }, 'weight: got 1000001, wanted a number above 0, at most 1000000.'],
    [
      { weight: '123456789.' },
      'weight: got "123456789.", wanted a number above 0, at most 1000000.',
    ],
    [
      { weight: '0.1234567891' },
      'weight: got "0.1234567891", wanted a number above 0, at most 1000000.',
    ],
    [{ weight: '.5' }, ''],
    [{ weight: '.' }, 'weight: got ".", wanted a number above 0, at most 1000000.'],
    [{ weight: 1, height: 0 }, ''],
    [{ weight: 1, width: 1_000_000 }, ''],
    [{ weight: 1, height: -0.1 }, 'height: got -0.1, wanted a number from 0 to 1000000.'],
    [line({ quantity: 1 }), ''],
    [
      line({ quantity: 0.5 }),
      'customs[0].quantity: got 0.5, wanted a whole number from 1 to 1000000.',
    ],
    [line({ weight: 0 }), 'customs[0].weight: got 0, wanted a number above 0, at most 1000000.'],
    [line({ weight: -1 }), 'customs[0].weight: got -1, wanted a number above 0, at most 1000000.'],
    [line({ value: 0.01 }), ''],
    [line({ value: 0 }), 'customs[0].value: got 0, wanted an amount above 0 such as 49.90.'],
    [line({ value: -1 }), 'customs[0].value: got -1, wanted an amount above 0 such as 49.90.'],
    [{ to_name: 'x'.repeat(200) }, ''],
    [{ to_name: 'x'.repeat(201) }, 'to_name has 201 characters, wanted at most 200.'],
    [
      { to_country: 'u'.repeat(50) },
      `to_country: got "${'U'.repeat(40)}", wanted two letters such as US.`,
    ],
  ] as const) {
    t.equal(refusal(params), wanted, JSON.stringify(params).slice(0, 60))
  }
  for (const [name, most] of [
    ['packages', 50],
    ['customs', 200],
  ] as const) {
    const entries = (count: number) =>
      Array.from({ length: count }, () => ({ ...(name === 'customs' && LINE), weight: 1 }))
    t.equal(refusal({ weight: 1, [name]: entries(most) }), '')
    const many = `${name} has ${most + 1} entries, wanted at most ${most}.`
    t.equal(refusal({ weight: 1, [name]: entries(most + 1) }), many)
  }
  t.end()
})

t.test('what is left out has its usual value', (t) => {
  const shipment = shipmentOf({
    weight: 1,
    reference: 'r',
    reference10: 'z',
    reference11: 'no',
  })
  t.match(shipment, {
    currency: 'USD',
    weightUnit: 'LB',
    lengthUnit: 'IN',
    references: ['r', 'z'],
    parcels: [
      { length: 0, width: 0, height: 0, insuredCents: 0, insuredCurrency: 'USD', signature: '' },
    ],
    customs: [],
    contents: 'MERCHANDISE',
    incoterm: 'DAP',
    invoiceNumber: '',
    from: { country: 'US' },
    to: { country: 'US' },
    carrierAccounts: [],
  })
  const accounts = Array.from({ length: 51 }, (_, n) => `a${n}`)
  t.equal(shipmentOf({ carrier_account: accounts }).carrierAccounts.length, 50)
  t.same(shipmentOf({ carrier_account: 'one' }).carrierAccounts, ['one'])
  const empty = {
    weight: 1,
    length: '',
    width: null,
    customs: [{ ...LINE, hs_code: '6912' }],
    packaging_type: 'BOX',
  }
  t.match(shipmentOf(empty).parcels, [{ length: 0, width: 0, packagingType: 'BOX' }])
  t.equal(shipmentOf(empty).customs[0]?.tariffCode, '6912')
  const unsigned = { weight: 1, signature_required: 'no' }
  t.equal(shipmentOf(unsigned).parcels[0]?.signature, '')
  t.end()
})

t.test('lists are lists of objects, and bounded', (t) => {
  for (const packages of [{ weight: 1 }, 'x', 3]) {
    t.same(errorOf({ packages }), { code: 1101, field: 'packages' }, JSON.stringify(packages))
  }
  t.same(errorOf({ packages: [null] }), { code: 1101, field: 'packages[0]' })
  const many = Array.from({ length: PARAM_LIMITS.parcels + 1 }, () => ({ weight: 1 }))
  t.same(errorOf({ packages: many }), { code: 1102, field: 'packages' })
  t.end()
})

t.test('texts are one line without controls; numbers are taken for texts', (t) => {
  const { to } = shipmentOf({
    to_name: 'Ann\r\n^XA\u0000\u2028B',
    to_code: 50010,
    to_country: 'ca',
  })
  t.equal(to.name, 'Ann ^XA B')
  t.equal(to.code, '50010')
  t.equal(to.country, 'CA')
  t.same(errorOf({ to_name: 'x'.repeat(PARAM_LIMITS.text + 1) }), { code: 1102, field: 'to_name' })
  t.same(errorOf({ to_name: ['a'] }), { code: 1101, field: 'to_name' })
  t.same(errorOf({ to_country: 'USA' }), { code: 1101, field: 'to_country' })
  t.end()
})

t.test('the shipper is a company, or a name with a company', (t) => {
  t.match(shipmentOf({ shipper: 'Shop' }).from, { name: 'Shop', company: 'Shop', country: 'US' })
  t.match(shipmentOf({ shipper: 'Shop', ship_name: 'Bo' }).from, { name: 'Bo', company: 'Shop' })
  t.end()
})

t.test('insurance, signature, customs and references', (t) => {
  const { parcels, customs, references } = shipmentOf({
    packages: [{ weight: 1, insured_value: '49.90', signature_type: 'adult' }, { weight: 1 }],
    signature_required: true,
    customs: [{ description: 'Mug', quantity: 2, value: 4.5, weight: 8, origin_country: 'de' }],
    weight_unit: 'OZ',
    reference1: 'a',
    reference3: 'c',
  })
  t.match(parcels[0], { insuredCents: 4_990, signature: 'ADULT', weight: 1 / 16 })
  t.equal(parcels[1]?.signature, 'DIRECT')
  t.match(customs[0], { description: 'Mug', quantity: 2, cents: 450, weight: 0.5, origin: 'DE' })
  t.same(references, ['a', 'c'])
  t.same(errorOf({ weight: 1, signature_type: 'maybe' }), { code: 1101, field: 'signature_type' })
  t.same(errorOf({ weight: 1, insured_value: '-1' }), { code: 1102, field: 'insured_value' })
  t.end()
})
