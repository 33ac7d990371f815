import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { karrio } from '../../src/carriers/karrio/index.ts'
import { codesOf, packagesOf } from '../plugins/shipping/http/calls.ts'
import { changesOf } from './odd-answers.ts'
import { answer, Parser } from './parser.ts'
import { startCarrier } from './stand-in.ts'

const ACCOUNT = { key: 'key_secret', url: 'http://127.0.0.1:5002' }
const parser = new Parser(karrio, ACCOUNT, {
  weight: 2,
  service: 'ups_ground',
  carrier_name: 'ups',
})
const KEPT = { shipment: 'shp_1', rate: 'rat_1' }
const ZPL = Buffer.from('^XA^FO9,9^FDkarrio^FS^XZ').toString('base64')

const DRAFT = {
  id: 'shp_1',
  status: 'draft',
  test_mode: true,
  rates: [
    {
      id: 'rat_1',
      carrier_name: 'ups',
      carrier_id: 'ups-main',
      service: 'ups_ground',
      total_charge: 11.25,
      currency: 'USD',
      transit_days: 2,
      test_mode: true,
    },
  ],
  messages: [{ carrier_name: 'usps', code: '1', message: 'no such ZIP' }],
}
const BOUGHT = {
  ...DRAFT,
  status: 'created',
  tracking_number: '1Z1',
  label_type: 'ZPL',
  selected_rate: { total_charge: 11.25, currency: 'USD' },
  shipping_documents: [{ category: 'label', format: 'ZPL', base64: ZPL }],
}
const TRACKED = {
  tracking: {
    tracking_number: '1Z1',
    status: 'delivered',
    test_mode: true,
    events: [{ timestamp: '2026-11-20T12:00:00Z', status: 'delivered', description: 'Delivered' }],
  },
  messages: [],
}
const REFUSED = { messages: [{ carrier_name: 'ups', code: '9', message: 'no money' }] }

t.test('rates, labels, tracking and void', (t) => {
  t.match(parser.parse('GetAllRates', answer(DRAFT, 201)), {
    data: { rates: [{ rate: 11.25, rate_id: 'rat_1', shipment_id: 'shp_1' }], test: true },
    remarks: [{ type: 'WARNING', description: 'usps: no such ZIP' }],
  })
  t.match(parser.parse('SubmitShipment', answer(DRAFT, 201)), {
    kept: KEPT,
    next: { path: '/v1/shipments/shp_1/purchase', spends: true },
  })
  t.match(parser.parse('SubmitShipment', answer(BOUGHT), KEPT), {
    data: { charges: 11.25, packages: [{ label: ZPL, label_format: 'ZPL' }] },
  })
  t.match(parser.parse('SubmitShipment', answer(REFUSED, 424), KEPT), {
    errors: [{ code: 1500, description: 'ups: no money' }],
  })
  const again = { errors: [{ code: 'state_error', message: 'The shipment is purchased.' }] }
  t.match(parser.parse('SubmitShipment', answer(again, 409), KEPT), { unknown: [{}] })
  t.match(parser.parse('Track', answer(TRACKED)), {
    data: { status_code: 'delivered', delivered_time: '2026-11-20T12:00:00Z' },
  })
  t.match(parser.parse('VoidShipment', answer({ status: 'cancelled' })), {
    data: { status_code: '1' },
  })
  t.match(parser.parse('VoidShipment', answer({}, 202)), { errors: [{ code: 1409 }] })
  t.end()
})

t.test('its address: encrypted, or within the house', (t) => {
  const good = ['https://karrio.example.com', 'http://127.0.0.1:5002', 'http://karrio.local']
  const bad = ['http://karrio.example.com', 'ftp://127.0.0.1', 'nonsense', 'https://a.example/x']
  const refuse = (url: string) => karrio.refuse?.({ ...parser.order(), account: { url, key: 'k' } })
  for (const url of good) t.equal(refuse(url), undefined, url)
  for (const url of bad) t.match(refuse(url), { field: 'url' }, url)
  t.end()
})

t.test('answers with each of their values left out or odd', (t) => {
  const extras = [
    { name: 'Base charge', amount: 10, currency: 'USD' },
    { name: 'Fuel', amount: 1.25, currency: 'USD' },
  ]
  const [rate] = DRAFT.rates
  const full = {
    ...BOUGHT,
    rates: [{ ...rate, extra_charges: extras, meta: { service_name: 'UPS Ground' } }],
    selected_rate: { ...rate, extra_charges: extras },
  }
  const bodies = [DRAFT, BOUGHT, full, TRACKED, REFUSED, { status: 'cancelled' }]
  parser.keep(
    t,
    '9f6833a5c8f95b4a',
    bodies.flatMap((body) => [...changesOf(structuredClone(body), 1_000)]),
    KEPT,
  )
  t.end()
})

t.test('1,000 mutated answers', (t) => {
  const bodies = [DRAFT, BOUGHT, TRACKED, REFUSED, { status: 'cancelled' }]
  parser.mutate(
    t,
    '22635e69df7f45f3',
    bodies.map((one) => answer(one)),
    [{}, KEPT],
  )
  t.end()
})

t.test('the address stands in an account of the box, never in a request', async (t) => {
  const rig = await startCarrier(t, karrio, (method, url) => {
    if (method === 'GET') return [200, BOUGHT]
    return url === '/v1/shipments' ? [201, DRAFT] : 'lost'
  })
  const call = { weight: 2, service: 'ups_ground' }
  const refused = await rig.ask('SubmitShipment', { ...call, key: 'k', url: rig.origin }, 'x')
  t.same(codesOf(refused), [1000])
  t.same(rig.seen, [])
  const accounts = join(rig.folder, 'shipping', 'accounts')
  mkdirSync(accounts, { recursive: true })
  writeFileSync(join(accounts, 'own.json'), JSON.stringify({ ...ACCOUNT, url: rig.origin }), {
    mode: 0o600,
  })
  const bought = await rig.ask('SubmitShipment', { ...call, account: 'own', print: true })
  t.match(bought.data, { errors: null, tracking_number: '1Z1' })
  t.ok(packagesOf(bought)[0]?.print?.job_id)
  t.match(rig.seen, [/^POST \/v1\/shipments$/, /purchase$/, /^GET \/v1\/shipments\/shp_1$/])
})

t.test('a test is never bought with a key that costs money', async (t) => {
  let isLive = true
  const rig = await startCarrier(t, karrio, (_method, url) => {
    if (url.endsWith('/purchase')) return [200, BOUGHT]
    return [200, { ...DRAFT, test_mode: !isLive }]
  })
  const accounts = join(rig.folder, 'shipping', 'accounts')
  mkdirSync(accounts, { recursive: true })
  const account = JSON.stringify({ ...ACCOUNT, url: rig.origin })
  writeFileSync(join(accounts, 'own.json'), account, { mode: 0o600 })
  const ways = [
    { weight: 2, service: 'ups_ground', account: 'own' },
    { rate_id: 'rat_1', shipment_id: 'shp_1', account: 'own' },
  ]
  for (const [n, call] of ways.entries()) {
    t.same(codesOf(await rig.ask('SubmitShipment', call, `live-${n}`)), [1000])
    t.equal(
      packagesOf(await rig.ask('SubmitShipment', { ...call, test: false }, `own-${n}`)).length,
      1,
    )
  }
  t.equal(rig.seen.filter((one) => one.endsWith('/purchase')).length, 2)
  isLive = false
  for (const [n, call] of ways.entries())
    t.equal(packagesOf(await rig.ask('SubmitShipment', call, `test-${n}`)).length, 1)
})
