import t from 'tap'
import { BLANKS } from '../../../../src/carriers/answers.ts'
import { readShipment } from '../../../../src/carriers/params.ts'
import { describeTrack, estimate, toRate } from '../../../../src/plugins/shipping/local/answers.ts'
import {
  checkDigitOf,
  isNumber,
  type LocalShipment,
  makeNumber,
} from '../../../../src/plugins/shipping/local/store.ts'
import { ADDRESSES } from '../http/calls.ts'

const HOUR = 3_600_000
const NOON = new Date(2026, 10, 20, 12).getTime()

/** The hour of the box's own zone that a text of RFC 3339 names, and the moment. */
function readTime(text: string) {
  const [, hour] = /^\d{4}-\d\d-\d\dT(\d\d):00:00[+-]\d\d:\d\d$/.exec(text) ?? []
  return { hour: Number(hour), at: Date.parse(text) }
}

t.test('a label comes by 18:00 of its day, in the zone of the box', (t) => {
  for (const [days, wanted] of [
    [0, 6],
    [1, 30],
    [3, 78],
  ] as const) {
    const { hour, at } = readTime(estimate(NOON, days))
    t.equal(hour, 18)
    t.ok(Math.abs(at - NOON - wanted * HOUR) <= HOUR, `${days} days, summer time or not`)
  }
  const offset = -new Date(NOON).getTimezoneOffset()
  t.match(estimate(NOON, 0), offset < 0 ? /-\d\d:\d\d$/ : /\+\d\d:\d\d$/)
  t.end()
})

t.test('a rate names what fuel costs, where it costs something', (t) => {
  const offer = { service: 'VAN', description: 'Own van', cents: 721, fuelCents: 31, days: 1 }
  const order = { now: NOON } as Parameters<typeof toRate>[1]
  t.match(toRate(offer, order), {
    desc: 'Own van',
    service_code: 'VAN',
    rate: 7.21,
    negotiated_rate: 7.21,
    currency: 'USD',
    delivery_days: 1,
    rate_detail: [
      { desc: 'Base', amount: 6.9 },
      { desc: 'Fuel', amount: 0.31 },
    ],
  })
  const { rate_detail: detail } = toRate({ ...offer, fuelCents: 0 }, order)
  t.same(detail, [{ desc: 'Base', amount: 7.21 }], 'no fuel')
  t.end()
})

function shipmentOf(packages: readonly object[]): LocalShipment {
  const read = readShipment({ ...ADDRESSES, packages, reference1: 'order 17' })
  if ('errors' in read) throw new Error(read.errors[0]?.description)
  return {
    seq: 1,
    shipmentId: 'PL1',
    numbers: ['PL1', 'PL2'],
    shipment: read.shipment,
    at: NOON,
    service: 'VAN',
    description: 'Own van',
    cents: 721,
    currency: 'USD',
    days: 1,
    format: 'ZPL',
    dpi: 203,
  }
}

t.test('tracking tells the latest first, all parcels or the one that was asked for', (t) => {
  const found = shipmentOf([{ weight: 1.5, length: 9, width: 6, height: 4 }, { weight: 2 }])
  const events = [
    { at: NOON, status: 'Label created', code: 'LC', location: 'Reno' },
    { at: NOON + HOUR, status: 'On its way', code: 'I', location: 'Elko' },
    { at: NOON + 3 * HOUR, status: 'Delivered', code: 'D', location: 'Ames' },
  ]
  const all = describeTrack(found, events, '', NOON)
  t.match(all, {
    status: 'Delivered',
    status_code: 'D',
    shipment_id: 'PL1',
    service: { code: 'VAN', description: 'Own van' },
    weight: { amount: 3.5, unit: 'LB' },
    dimensions: { length: 9, width: 6, height: 4, unit: 'IN' },
    reference_numbers: ['order 17'],
  })
  t.equal(Date.parse(all.delivered_time), NOON + 3 * HOUR)
  t.equal(all.estimated_delivery, estimate(NOON, 1))
  const numbersOf = (number: string) =>
    describeTrack(found, events, number, NOON).packages?.map((one) => one.tracking_number)
  t.same(numbersOf(''), ['PL1', 'PL2'])
  t.same(numbersOf('PL2'), ['PL2'])
  t.same(numbersOf('PL3'), ['PL1', 'PL2'])
  const [parcel] = all.packages ?? []
  t.same(
    parcel?.activity.map(({ status_code: code, location }) => `${code} ${location.description}`),
    ['D Ames', 'I Elko', 'LC Reno'],
  )
  const plain = describeTrack(shipmentOf([{ weight: 1 }]), events.slice(0, 2), '', NOON)
  t.match(plain, { status_code: 'I', delivered_time: '' })
  t.match(plain.dimensions, { length: 0, width: 0, height: 0 }, 'sizes that nobody gave')
  t.match(describeTrack(found, [], '', NOON), { status: 'Label created', status_code: 'LC' })
  t.end()
})

t.test('a number of the local carrier has a check digit, which finds each wrong digit', (t) => {
  // Weights 1 and 3 from the left: 9 + 3*1 + 2 + 3*3 = 23, so 7.
  t.equal(checkDigitOf('9123'), 7)
  t.equal(checkDigitOf('0000'), 0)
  const number = makeNumber()
  t.match(number, /^PL9\d{16}$/)
  t.ok(isNumber(number))
  t.not(makeNumber(), number)
  for (let at = 2; at < number.length; at += 1) {
    const other = (Number(number[at]) + 1) % 10
    t.notOk(isNumber(`${number.slice(0, at)}${other}${number.slice(at + 1)}`), `digit ${at}`)
  }
  for (const odd of ['', 'PL', number.slice(1), `${number}0`, ` ${number}`, number.toLowerCase()]) {
    t.notOk(isNumber(odd), odd)
  }
  t.end()
})

t.test('an answer to what was refused holds nothing: 0, no text, no list', (t) => {
  const walk = (value: unknown, path: string): void => {
    if (value === null || value === '' || value === 0) return
    if (typeof value !== 'object') t.fail(`${path} is ${value}`)
    for (const [key, one] of Object.entries(value as object)) walk(one, `${path}.${key}`)
  }
  for (const [action, data] of Object.entries(BLANKS)) walk(data, action)
  t.end()
})
