import t from 'tap'
import type { Answers } from '../../../../src/carriers/answers.ts'
import { readShipment } from '../../../../src/carriers/params.ts'
import { describe, validate } from '../../../../src/plugins/shipping/local/answers.ts'
import { drawLocalLabel } from '../../../../src/plugins/shipping/local/label.ts'
import { ADDRESSES, startShipping, TWO_PARCELS } from '../http/calls.ts'

/** The texts of a label with their places and heights in dots, from the top. */
async function textsOf(more: Readonly<Record<string, unknown>>, dpi = 203) {
  const read = readShipment({ ...ADDRESSES, weight: 3, ...more })
  if ('errors' in read) throw new Error(read.errors[0]?.description)
  const place = { weight: 3.25, description: 'Own van', n: 2, of: 3 }
  const label = { shipment: read.shipment, number: 'PL90783517512483971', ...place }
  const zpl = Buffer.from(await drawLocalLabel(label, { format: 'ZPL', dpi })).toString()
  const texts = zpl.matchAll(/\^FO(\d+),(\d+)\^A0N,(\d+)[^^]*(?:\^F[^D][^^]*)*\^FD([^^]*)\^FS/g)
  return [...texts].map(([, x, y, height, text = '']) => {
    return { x: Number(x), y: Number(y), height: Number(height), text }
  })
}

t.test(
  'each line of an address stands on the label once, as large as all of it fits',
  async (t) => {
    const short = await textsOf({ reference1: 'order 17' })
    for (const text of [
      'Ann Buyer',
      '2 Elm St',
      '1 Dock Rd',
      'REF order 17',
      '3.25 LB',
      '2 OF 3',
    ]) {
      t.equal(short.filter((one) => one.text === text).length, 1, text)
    }
    const heightOf = (texts: typeof short, start: string): number =>
      texts.find(({ text }) => text.startsWith(start))?.height ?? 0
    const long = await textsOf({
      to_company: 'The Company of Very Long Names and Other Goods Ltd',
      to_addr2: 'Floor 17',
      to_addr1:
        'Second Warehouse behind the Old Railway Station, Gate 4, Building C, left hand door',
    })
    t.ok(heightOf(short, 'Ann Buyer') > heightOf(long, 'Ann Buyer'))
    t.ok(heightOf(short, 'Ann Buyer') > heightOf(short, '1 Dock Rd'), 'who gets it is larger')
    const left = (start: string) => short.find(({ text }) => text.startsWith(start))?.x
    t.same(['SHIP TO', '1 Dock Rd', 'Ann Buyer', 'Ames'].map(left), [32, 32, 56, 56])
  },
)

t.test('at most three references, within the label, at any resolution', async (t) => {
  const references = Object.fromEntries([1, 2, 3, 4].map((n) => [`reference${n}`, `order ${n}`]))
  for (const dpi of [203, 300]) {
    const texts = await textsOf(references, dpi)
    t.same(
      texts.filter(({ text }) => text.startsWith('REF')).map(({ text }) => text),
      ['REF order 1', 'REF order 2', 'REF order 3'],
    )
    t.ok(texts.every(({ y, height }) => y + height <= 6 * dpi))
  }
})

t.test('the labels of a shipment are numbered', async (t) => {
  const read = readShipment(TWO_PARCELS)
  if ('errors' in read) throw new Error(read.errors[0]?.description)
  const numbers = ['PL90783517512483971', 'PL90783517512483972']
  const { data } = (await describe({
    shipmentId: 'PL90783517512483971',
    numbers,
    shipment: read.shipment,
    service: 'VAN',
    description: 'Own van',
    cents: 900,
    currency: 'USD',
    days: 1,
    format: 'ZPL',
    dpi: 203,
  })) as { data: Answers['SubmitShipment'] }
  const facts = data.packages?.map(({ tracking_number: number, label }) => {
    const zpl = Buffer.from(label, 'base64').toString()
    return [number, zpl.match(/\d OF \d/)?.[0], zpl.match(/\d+ LB/)?.[0]]
  })
  t.same(facts, [
    [numbers[0], '1 OF 2', '3 LB'],
    [numbers[1], '2 OF 2', '2 LB'],
  ])
})

t.test('a postal code has the form of its country', (t) => {
  const check = (to: Readonly<Record<string, string>>) => {
    const read = readShipment({ ...ADDRESSES, weight: 3, ...to })
    if ('errors' in read) throw new Error(read.errors[0]?.description)
    return validate(read.shipment)
  }
  for (const [to_country, to_code, zip_code, zip_code_addon] of [
    ['US', '50010', '50010', ''],
    ['US', '50010-1234', '50010', '1234'],
    ['CA', 'K1A 0B1', 'K1A 0B1', ''],
    ['CA', 'k1a0b1', 'k1a0b1', ''],
    ['DE', '10115', '10115', ''],
    ['NL', '1012-AB', '1012-AB', ''],
  ] as const) {
    const { data } = check({ to_country, to_code }) as { data: Answers['AddressValidate'] }
    t.same([data.zip_code, data.zip_code_addon], [zip_code, zip_code_addon], to_code)
  }
  for (const [to_country, to_code] of [
    ['US', '5001'],
    ['US', '50010-12'],
    ['US', 'K1A 0B1'],
    ['CA', '50010'],
    ['CA', 'D1A 0B1'],
    ['CA', 'K1A  0B1'],
  ] as const) {
    const description = `to_code: "${to_code}" is not a postal code of ${to_country}.`
    t.match(check({ to_country, to_code }), { errors: [{ field: 'to_code', description }] })
  }
  t.end()
})

t.test('the local carrier goes to places that have no postal codes', async (t) => {
  const { ask } = startShipping(t)
  const home = { ship_country: 'HK', ship_city: 'Central', ship_state: '', ship_code: '' }
  const there = { to_country: 'HK', to_city: 'Sha Tin', to_state: '', to_code: '' }
  const params = { ...TWO_PARCELS, ...home, ...there }
  for (const action of ['GetAllRates', 'SubmitShipment', 'TimeInTransit', 'AddressValidate'])
    t.equal((await ask(action, params)).data?.errors, null, action)
  const heavy = await ask('GetAllRates', { ...params, packages: [{ weight: 9_000 }] })
  t.match(heavy.data?.errors, [{ code: 1104, description: /serves HK to HK with/ }])
  const american = await ask('GetAllRates', { ...TWO_PARCELS, to_code: '' })
  t.match(american.data?.errors, [{ code: 1101, field: 'to_code' }])
})
