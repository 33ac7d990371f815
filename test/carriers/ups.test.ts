import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type Action, BLANKS } from '../../src/carriers/answers.ts'
import type { CarrierOrder, CarrierOutcome, HttpReply } from '../../src/carriers/carrier.ts'
import { readShipment } from '../../src/carriers/params.ts'
import { at, jsonOf, listOf } from '../../src/carriers/reading.ts'
import { ups } from '../../src/carriers/ups/index.ts'
import { TWO_PARCELS } from '../plugins/shipping/http/calls.ts'
import { makeRandom } from '../random.ts'
import { Faults, mutate } from './mutate.ts'
import { type Reaction, startCarrier } from './stand-in.ts'

const FOLDER = join(import.meta.dirname, 'answers/ups')

/** A recorded answer. */
function replyOf(name: string): HttpReply {
  const { response } = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8'))
  const text = typeof response.body === 'string' ? response.body : JSON.stringify(response.body)
  return { status: response.status, headers: response.headers, text }
}

function orderOf(more: Readonly<Record<string, unknown>> = {}): CarrierOrder {
  const read = readShipment({ ...TWO_PARCELS, service: '03', ...more })
  if ('errors' in read) throw new Error(read.errors[0]?.description)
  return {
    shipment: read.shipment,
    account: { client_id: 'i', client_secret: 's', account_number: 'A1B2C3' },
    isTest: true,
    requestId: 'order-1001',
    now: 0,
    label: { format: 'ZPL', dpi: 203, isPrinted: false },
  }
}

function parse<A extends Action>(
  action: A,
  reply: HttpReply,
  order = orderOf(),
): CarrierOutcome<A> {
  const plan = ups.actions[action]
  if (plan === undefined) throw new Error(`UPS has no ${action}`)
  return plan.parse(reply, order, {}) as CarrierOutcome<A>
}

function errorsOf(outcome: CarrierOutcome<Action>): readonly string[] {
  if (!('errors' in outcome)) throw new Error('no errors')
  return outcome.errors.map(({ code, carrier_code: own }) => `${code} ${own}`)
}

t.test('rates of a saved answer', (t) => {
  const outcome = parse('GetAllRates', replyOf('rate'))
  if (!('data' in outcome)) throw new Error('no data')
  const [first, second] = outcome.data.rates ?? []
  t.match(first, {
    desc: 'UPS Next Day Air',
    service_code: '01',
    rate: 261.1,
    currency: 'USD',
    delivery_days: 1,
  })
  t.match(second, { service_code: '02', rate: 92.94, delivery_days: 2 })
  t.match(outcome.remarks, [{ type: 'NOTE', carrier_code: '110971' }])
  t.end()
})

/** Returns what UPS is sent for an order. */
function sent(action: keyof typeof ups.actions, more: object): unknown {
  const next = ups.actions[action]?.request(orderOf({ ...more }))
  if (next === undefined || 'errors' in next) throw new Error(JSON.stringify(next))
  return jsonOf(next.call.body ?? '')
}

const GERMAN = {
  ship_country: 'DE',
  ship_city: 'Hof',
  ship_state: 'Bayern',
  ship_code: '95028',
  to_country: 'DE',
  to_city: 'Kiel',
  to_state: 'Schleswig-Holstein',
  to_code: '24103',
}

t.test('references are those of packages in the United States, of the shipment elsewhere', (t) => {
  const references = [{ Value: 'order-1001' }, { Value: 'A-1' }]
  const places = (more: object) => {
    const shipment = at(sent('SubmitShipment', more), 'ShipmentRequest', 'Shipment')
    const own = listOf(at(shipment, 'Package')).map((one) => at(one, 'ReferenceNumber'))
    return [at(shipment, 'ReferenceNumber'), ...own]
  }
  t.same(places({ reference1: 'A-1' }), [undefined, references, references])
  t.same(places({ reference1: 'A-1', ...GERMAN }), [references, undefined, undefined])
  t.end()
})

t.test('a region that has no code, and a place without postal codes, are left out', (t) => {
  const shipped = at(sent('SubmitShipment', GERMAN), 'ShipmentRequest', 'Shipment')
  for (const party of ['Shipper', 'ShipFrom', 'ShipTo']) {
    t.equal(at(shipped, party, 'Address', 'StateProvinceCode'), undefined, party)
  }
  const to = (more: object) =>
    at(sent('GetAllRates', more), 'RateRequest', 'Shipment', 'ShipTo', 'Address')
  t.notHas(to({ to_country: 'HK', to_state: '', to_code: '' }), { PostalCode: '' })
  t.match(to({}), { StateProvinceCode: 'IA', PostalCode: '50010' })
  const transit = sent('TimeInTransit', { to_country: 'HK', to_code: '' })
  t.match(transit, { originPostalCode: '89501', destinationCountryCode: 'HK' })
  t.notHas(transit, { destinationPostalCode: '' })
  const asked = sent('AddressValidate', { to_state: '' })
  const address = at(asked, 'XAVRequest', 'AddressKeyFormat')
  t.match(address, { PoliticalDivision2: 'Ames', PostcodePrimaryLow: '50010' })
  t.notHas(address, { PoliticalDivision1: '' })
  t.match(to({ to_country: 'IE', to_state: 'Donegal' }), { StateProvinceCode: 'Donegal' })
  t.end()
})

t.test('labels of a saved answer, with one package as an object or several as a list', (t) => {
  const two = parse('SubmitShipment', replyOf('ship'))
  if (!('data' in two)) throw new Error('no data')
  t.match(two.data, { charges: 47.48, currency: 'USD', shipment_id: /^1Z/, documents: [] })
  t.equal(two.data.packages?.length, 2)
  const [label] = two.data.packages ?? []
  t.equal(label?.label_format, 'GIF')
  t.equal(Buffer.from(label?.label ?? '', 'base64').toString('latin1', 0, 4), 'GIF8')
  const one = parse('SubmitShipment', replyOf('ship-return'))
  t.match(one, { data: { charges: 14.36, packages: [{ label_format: 'GIF' }] } })
  t.end()
})

t.test('a label that UPS gives again is one with its number', (t) => {
  const recoverOf = (packages: readonly object[], ...LabelResults: readonly object[]) => {
    const text = JSON.stringify({ LabelRecoveryResponse: { LabelResults } })
    const order = orderOf({ packages })
    return ups.actions.SubmitShipment?.parseRecovery?.(
      { status: 200, headers: {}, text },
      order,
      {},
    )
  }
  const recover = (...results: readonly object[]) => recoverOf([{ weight: 1 }], ...results)
  const whole = { TrackingNumber: '1Z1', LabelImage: { GraphicImage: 'XlhB' } }
  const halves = [{ TrackingNumber: '1Z2' }, { LabelImage: { GraphicImage: 'XlhB' } }]
  t.match(recover(...halves, whole), {
    data: { shipment_id: '1Z1', packages: { length: 1, 0: { label: 'XlhB' } } },
  })
  t.equal(recover(...halves), 'unknown')
  const two = [{ weight: 1 }, { weight: 1 }]
  t.equal(recoverOf(two, whole), 'unknown', 'the other parcel has none yet')
  t.match(recoverOf(two, whole, { ...whole, TrackingNumber: '1Z2' }), {
    data: { shipment_id: '1Z1', packages: { length: 2, 1: { tracking_number: '1Z2' } } },
  })
  t.end()
})

t.test('errors of saved answers keep the words and the codes of UPS', (t) => {
  t.same(errorsOf(parse('GetAllRates', replyOf('rate-error'))), ['1104 111285'])
  t.same(errorsOf(parse('SubmitShipment', replyOf('ship-error'))), ['1101 120202'])
  t.same(errorsOf(parse('SubmitShipment', replyOf('ship-malformed'))), ['1500 1'])
  t.same(errorsOf(parse('VoidShipment', replyOf('void-error'))), ['1404 190102'])
  t.same(errorsOf(parse('AddressValidate', replyOf('address-error'))), ['1104 9264030'])
  t.match(parse('GetAllRates', replyOf('rate-error')), {
    errors: [{ description: 'The postal code 78756 is invalid for VA United States.' }],
  })
  t.end()
})

t.test('void, address and token of saved answers', (t) => {
  t.match(parse('VoidShipment', replyOf('void')), { data: { status: 'Voided', status_code: '1' } })
  t.match(parse('AddressValidate', replyOf('address-residential')), { data: { residential: true } })
  t.match(parse('AddressValidate', replyOf('address')), {
    data: { residential: false, match: null },
  })
  t.match(parse('AddressValidate', replyOf('address-unknown')), { data: { residential: null } })
  t.match(ups.token?.parse(replyOf('token')), { accessToken: 'XXXXXXXXXXX', expiresIn: 14_399 })
  t.end()
})

t.test('time in transit', (t) => {
  const [plan, order] = [ups.actions.TimeInTransit, orderOf()]
  const next = plan?.request(order)
  t.match(next, {
    call: {
      path: '/api/shipments/v1/transittimes',
      headers: { transId: 'order-1001', transactionSrc: 'platen' },
      body: /"weight":"5","weightUnitOfMeasure":"LBS","numberOfPackages":"2","shipDate":"1970-01-01"/,
    },
  })
  const service = {
    serviceLevel: 'GND',
    serviceLevelDescription: 'UPS Ground',
    businessTransitDays: 4,
    deliveryDate: '2026-11-27',
    deliveryTime: '23:00:00',
  }
  const reply = (services: readonly object[]): HttpReply => ({
    status: 200,
    headers: {},
    text: JSON.stringify({ emsResponse: { services } }),
  })
  t.match(parse('TimeInTransit', reply([service])), {
    data: {
      services: [
        { service_code: 'GND', delivery_days: 4, est_delivery_time: '2026-11-27T23:00:00-00:00' },
      ],
    },
  })
  t.match(parse('TimeInTransit', reply([])), { errors: [{ code: 1104 }] })
  t.end()
})

t.test('tracking: states, times with the offset of their place, and no information', (t) => {
  const event = (type: string, description: string, more: object = {}) => ({
    date: '20261120',
    time: '143000',
    gmtOffset: '-05:00',
    status: { type, description },
    location: { address: { city: 'Ames', stateProvince: 'IA' } },
    ...more,
  })
  const tracked = (...activity: readonly object[]): HttpReply => ({
    status: 200,
    headers: {},
    text: JSON.stringify({
      trackResponse: {
        shipment: [{ inquiryNumber: '1Z', package: [{ trackingNumber: '1Z', activity }] }],
      },
    }),
  })
  const delivered = parse('Track', tracked(event('D', 'DELIVERED'), event('I', 'Origin Scan')))
  t.match(delivered, {
    data: {
      status: 'DELIVERED',
      status_code: 'D',
      delivered_time: '2026-11-20T14:30:00-05:00',
      packages: [
        { activity: [{ location: { description: 'Ames, IA' } }, { status: 'Origin Scan' }] },
      ],
    },
  })
  const zoneless = parse('Track', tracked(event('X', '2nd delivery attempt', { gmtOffset: '' })))
  t.match(zoneless, { data: { packages: [{ activity: [{ time: '2026-11-20T14:30:00-00:00' }] }] } })
  const nothing = {
    trackResponse: {
      shipment: [{ warnings: [{ code: 'TW0001', message: 'Tracking Information Not Found' }] }],
    },
  }
  const none = parse('Track', { status: 200, headers: {}, text: JSON.stringify(nothing) })
  t.same(errorsOf(none), ['1404 TW0001'])
  t.end()
})

t.test('requests: what UPS would refuse is refused here, with its field', (t) => {
  const plan = ups.actions.SubmitShipment
  const fieldsOf = (order: CarrierOrder) => {
    const next = plan?.request(order)
    return next && 'errors' in next ? next.errors.map(({ field }) => field) : []
  }
  t.same(fieldsOf(orderOf()), [])
  t.same(fieldsOf({ ...orderOf(), account: {} }), ['account_number'])
  t.same(fieldsOf(orderOf({ to_city: '', service: '' })), ['to_city', 'service'])
  t.same(fieldsOf(orderOf({ to_country: 'CA' })), ['ship_phone', 'to_phone', 'customs'])
  t.end()
})

t.test(
  '1,000 mutated answers: no throw, every code of the table, the words of UPS passed on',
  (t) => {
    const random = makeRandom(20_261_123)
    const names = readdirSync(FOLDER).map((file) => file.replace('.json', ''))
    const actions = Object.keys(BLANKS).filter((one) => one in ups.actions) as Action[]
    const faults = new Faults()
    const hash = createHash('sha256')
    for (let count = 0; count < 1_000; count += 1) {
      const name = names[count % names.length] ?? ''
      const reply = replyOf(name)
      const text = mutate(reply.text, random)
      const status = random() < 0.2 ? Math.floor(100 + random() * 500) : reply.status
      for (const action of actions) {
        const outcome = parse(action, { ...reply, status, text })
        faults.note(outcome, `${name} ${action} ${text}`)
        hash.update(JSON.stringify(outcome))
      }
      const changed = { ...reply, status, text }
      const token = ups.token?.parse(changed)
      const recovered = ups.actions.SubmitShipment?.parseRecovery?.(changed, orderOf(), {})
      hash.update(JSON.stringify([token ?? null, recovered ?? null]))
    }
    faults.assertNone(t)
    t.equal(hash.digest('hex').slice(0, 16), '0baaa27d2622c33f', 'they mean what they meant')
    t.end()
  },
)

/** UPS's own test numbers, and what its tracking says of them (docs.rocketshipit.com, tracking). */
const STATES: Readonly<Record<string, object>> = {
  '1Z12345E0205271688': tracked('D', 'Delivered'),
  '1Z12345E1305277940': tracked('P', 'ORIGIN SCAN'),
  '1Z12345E6205277936': tracked('X', '2nd delivery attempt'),
  '1Z12345E020527079': {
    response: { errors: [{ code: 'TV1002', message: 'Invalid inquiry number' }] },
  },
  '1Z12345E1505270452': {
    trackResponse: {
      shipment: [{ warnings: [{ code: 'TW0001', message: 'Tracking Information Not Found' }] }],
    },
  },
}

function tracked(type: string, description: string): object {
  const activity = [{ date: '20261120', time: '143000', status: { type, description } }]
  return { trackResponse: { shipment: [{ package: [{ trackingNumber: '1Z', activity }] }] } }
}

const ACCOUNT = { client_id: 'id-of-ups', client_secret: 'secret-of-ups', account_number: 'A1B2C3' }

/** UPS as far as tracking goes. */
const trackStates = (url: string): Reaction => {
  if (url === '/security/v1/oauth/token') return [200, { access_token: 'x', expires_in: '14399' }]
  const found = STATES[/details\/(\w+)/.exec(url)?.[1] ?? ''] ?? {}
  return ['response' in found ? 400 : 200, found]
}

t.test('G22: the five states that a tracker must show, over HTTP', async (t) => {
  const { ask, seen } = await startCarrier(t, ups, (_method, url) => trackStates(url))
  const said: unknown[] = []
  for (const number of Object.keys(STATES)) {
    const { meta, data } = await ask('Track', { ...ACCOUNT, tracking_number: number })
    t.equal(meta.code, 200)
    said.push([data?.['status'], data?.['status_code'], data?.errors?.[0]?.description])
  }
  t.same(said, [
    ['Delivered', 'D', undefined],
    ['ORIGIN SCAN', 'P', undefined],
    ['2nd delivery attempt', 'X', undefined],
    ['', '', 'Invalid inquiry number'],
    ['', '', 'Tracking Information Not Found'],
  ])
  t.equal(seen.filter((one) => one.includes('oauth')).length, 1, 'G15: one token for all')
})

t.test('G6: a bad license leaves the status blank and present', async (t) => {
  const error = { code: '250003', message: 'Invalid Access License number' }
  const { ask } = await startCarrier(t, ups, (_method, url) =>
    url.includes('oauth') ? trackStates(url) : [401, { response: { errors: [error] } }],
  )
  const { meta, data } = await ask('Track', { ...ACCOUNT, tracking_number: '1Z12345E0205271688' })
  t.equal(meta.code, 200)
  t.match(data, {
    status: '',
    status_code: '',
    packages: null,
    errors: [{ code: 1000, type: 'ERROR', description: 'Invalid Access License number' }],
  })
})

t.test('a label that was lost comes again in its format, and a PNG as GIF', (t) => {
  const plan = ups.actions.SubmitShipment
  const of = (label: CarrierOrder['label']) => {
    const order = { ...orderOf(), label }
    const next = plan?.request(order)
    const calls = [next && 'call' in next ? next.call : undefined, plan?.recover?.(order, {})]
    return calls.map(
      (call) =>
        /"LabelImageFormat":\{"Code":"(\w+)"/.exec(JSON.stringify(call).replaceAll('\\', ''))?.[1],
    )
  }
  const label = { dpi: 203, isPrinted: true } as const
  for (const format of ['ZPL', 'EPL', 'GIF'] as const)
    t.same(of({ format, ...label }), [format, format])
  t.same(of({ format: 'PNG', ...label }), ['PNG', 'GIF'])
  t.end()
})
