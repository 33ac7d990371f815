import t from 'tap'
import { shipengine, shipstation } from '../../src/carriers/shipengine/index.ts'
import { packagesOf } from '../plugins/shipping/http/calls.ts'
import { allSaved, answer, Parser, saved } from './parser.ts'
import { type Reaction, startCarrier } from './stand-in.ts'

const KEY = { key: 'TEST_secret' }
const PHONES = { ship_phone: '7755550100' }
const PARCEL = { weight: 2 }
const SERVICE = 'apc_priority_ddp_delcon'
const parser = new Parser(shipengine, KEY, { ...PHONES, ...PARCEL, service: SERVICE })
const KEPT = { rate: 'se-1', external: 'order-1001' }

t.test('accounts, rates and their faults of saved answers', (t) => {
  t.match(parser.parse('GetAllRates', saved('shipengine/carriers')), {
    next: { method: 'POST', path: '/v1/rates', body: /"carrier_ids":\["se-222444"/ },
  })
  t.match(parser.parse('GetAllRates', saved('shipengine/rate')), {
    data: {
      rates: [
        { service_code: SERVICE, rate: 55.96, currency: 'USD', carrier_account: 'se-666777' },
      ],
    },
  })
  t.match(parser.parse('GetAllRates', saved('shipengine/rate-overweight')), {
    errors: [{ code: 1102, description: /Unable to determine base rate/ }],
  })
  t.match(parser.parse('SubmitShipment', saved('shipengine/rate')), {
    kept: { rate: /^se-/, external: 'order-1001-0' },
    next: { path: '/v1/labels', spends: true, body: /"external_shipment_id":"order-1001-0"/ },
  })
  t.end()
})

t.test('labels of saved answers: within the answer, or to be fetched', (t) => {
  const inline = parser.parse('SubmitShipment', saved('shipengine/label-inline-zpl'), KEPT)
  if (!('data' in inline)) throw new Error('no data')
  const [first] = inline.data.packages ?? []
  t.match(Buffer.from(first?.label ?? '', 'base64').toString('latin1'), /^\^XA[\s\S]*\^XZ\s*$/)
  t.match(inline.data, { shipment_id: 'se-test-5283872', tracking_number: '9999999999999' })
  t.match(parser.parse('SubmitShipment', saved('shipengine/label-2024'), KEPT), {
    data: { charges: 3.79, packages: [{ label_format: 'PDF' }] },
    fetch: [{ url: /^https:\/\/api\.shipengine\.com\// }],
  })
  t.end()
})

t.test('errors, tracking, void and addresses', (t) => {
  t.match(parser.parse('SubmitShipment', saved('shipengine/label-401'), KEPT), {
    errors: [{ code: 1000, description: 'Unauthorized' }],
  })
  t.match(parser.parse('GetAllRates', saved('shipengine/401')), {
    errors: [{ code: 1000, carrier_code: 'unauthorized' }],
  })
  t.match(parser.parse('SubmitShipment', saved('shipengine/label-error'), KEPT), {
    errors: [{ code: 1101, field: 'shipment._packages[0]._package_code' }],
  })
  t.match(parser.parse('SubmitShipment', saved('shipengine/label-cast'), KEPT), {
    errors: [{ code: 1500 }],
  })
  t.match(parser.parse('Track', saved('shipengine/track')), { data: { status_code: 'NY' } })
  t.match(parser.parse('Track', saved('shipengine/track-error')), { errors: [{ code: 1101 }] })
  t.match(parser.parse('AddressValidate', saved('shipengine/address')), {
    data: { match: true, zip_code: '23226' },
  })
  const refused = { approved: false, message: 'Label was already voided.', reason_code: 'x' }
  t.match(parser.parse('VoidShipment', answer(refused)), { errors: [{ code: 1409 }] })
  const told = (message: string) => {
    const outcome = parser.parse('VoidShipment', answer({ errors: [{ message }] }, 400))
    return 'errors' in outcome ? outcome.errors.map(({ code }) => code) : []
  }
  t.same(told('This label has already been voided.'), [1409])
  t.same(told('Label se-1 has been voided.'), [1409])
  for (const message of ['A label cannot be voided after 30 days.', 'It could not be voided.'])
    t.same(told(message), [1500], message)
  t.match(parser.parse('VoidShipment', answer({ approved: true })), { data: { status_code: '1' } })
  t.end()
})

t.test('test calls: a live key is refused, and ShipStation has none', (t) => {
  t.match(shipengine.refuse?.({ ...parser.order(), account: { key: 'live' } }), { code: 1000 })
  t.equal(shipengine.refuse?.(parser.order()), undefined)
  t.match(shipstation.refuse?.(parser.order()), { code: 1000, field: 'test' })
  t.equal(shipstation.refuse?.({ ...parser.order(), isTest: false }), undefined)
  t.equal(shipstation.actions.AddressValidate, undefined)
  t.end()
})

t.test('a label that is still being made is had once it is', async (t) => {
  const { text } = saved('shipengine/label-inline-zpl')
  const making = { ...JSON.parse(text), status: 'processing', label_download: null, packages: [] }
  const lists: object[] = [{ labels: [making] }, { labels: [JSON.parse(text)] }]
  const rig = await startCarrier(t, shipengine, (method) =>
    method === 'POST' ? [200, making] : [200, lists.shift() ?? {}],
  )
  const call = { ...KEY, ...PHONES, ...PARCEL, rate_id: 'se-1', print: true }
  const first = await rig.ask('SubmitShipment', call)
  t.match(first.data?.errors, [{ type: 'UNKNOWN', description: /^ShipEngine is still making/ }])
  const [label] = packagesOf(await rig.ask('SubmitShipment', call))
  t.match(Buffer.from(label?.label ?? '', 'base64').toString('latin1'), /^\^XA/)
  t.ok(label?.print?.job_id)
  t.same(rig.seen, [
    'POST /v1/labels/rates/se-1',
    'GET /v1/labels?rate_id=se-1',
    'GET /v1/labels?rate_id=se-1',
  ])
})

t.test('a rate that is bought twice: a lost label is not taken for the other one', async (t) => {
  const label = JSON.parse(saved('shipengine/label-inline-zpl').text)
  const labels: object[] = []
  const fates: Reaction[] = [[200, { ...label, label_id: 'se-1' }], 'lost', 'lost']
  const rig = await startCarrier(t, shipengine, (method) => {
    if (method === 'GET') return [200, { labels }]
    if (labels.length < 2) labels.unshift({ ...label, label_id: `se-${labels.length + 1}` })
    return fates.shift() ?? 'lost'
  })
  const call = { ...KEY, ...PHONES, ...PARCEL, rate_id: 'se-9', print: true }
  t.match((await rig.ask('SubmitShipment', call, 'one')).data, { shipment_id: 'se-1' })
  const ask = async () => await rig.ask('SubmitShipment', call, 'two')
  t.match((await ask()).data, { shipment_id: '', errors: [{ type: 'UNKNOWN' }] })
  labels.shift() // not there, as one that is lost on its way
  t.match((await ask()).data?.errors, [{ description: /^The carrier shows only .* one bought/ }])
  labels[0] = { ...labels[0], status: 'voided' }
  labels.unshift({ ...label, label_id: 'se-2' })
  t.match((await ask()).data, { errors: null, shipment_id: 'se-2' })
  t.equal(rig.jobs().length, 2)
})

t.test('a refund whose answer is lost is asked for again until it is known', async (t) => {
  const label = JSON.parse(saved('shipengine/label-inline-zpl').text)
  const busy = [429, { errors: [{ message: 'Too many requests.' }] }] as const
  const again = [200, { approved: false, message: 'The label was already voided.' }] as const
  const refunds: Reaction[] = ['lost', busy, again]
  const rig = await startCarrier(t, shipengine, (method) =>
    method === 'PUT' ? (refunds.shift() ?? again) : [200, label],
  )
  const call = { ...KEY, ...PHONES, ...PARCEL, rate_id: 'se-1' }
  const bought = await rig.ask('SubmitShipment', call, 'order')
  const params = { ...KEY, shipment_id: bought.data?.['shipment_id'] }
  const ask = async () => await rig.ask('VoidShipment', params, 'refund')
  t.match((await ask()).data, { status: '', errors: [{ type: 'UNKNOWN' }] })
  t.match((await ask()).data, { errors: [{ type: 'UNKNOWN', description: /^Too many requests/ }] })
  t.match((await ask()).data, { errors: null, status: 'Success', status_code: '1' })
  t.match((await ask()).data, { errors: null, status: 'Success' })
  t.equal(rig.seen.filter((one) => one.startsWith('PUT')).length, 3)
  t.match((await rig.shipping()).journal.list(9), [{ request_id: 'order', void: true }])
})

t.test('1,000 mutated answers', (t) => {
  parser.mutate(t, '2a269c04e17f659e', allSaved('shipengine'), [{}, KEPT])
  t.end()
})

t.test('bought with our own id, its answer lost, found by that id and no other', async (t) => {
  const label = JSON.parse(saved('shipengine/label-inline-zpl').text)
  const labels = new Map<string, object>()
  const rig = await startCarrier(t, shipengine, (_method, url, _request, body) => {
    if (url === '/v1/carriers')
      return [200, { carriers: [{ carrier_id: 'se-1', carrier_code: 'apc' }] }]
    if (url === '/v1/rates') return [200, JSON.parse(saved('shipengine/rate').text)]
    const asked = /external_shipment_id\/(a-\w+)\?/.exec(url)?.[1]
    if (asked !== undefined) return [200, labels.get(asked) ?? {}]
    const id = JSON.parse(body).shipment.external_shipment_id
    // An account knows one shipment by it.
    if (labels.has(id)) return [400, { errors: [{ message: 'it exists' }] }]
    labels.set(id, { ...label, label_id: `se-${labels.size + 1}` })
    return 'lost'
  })
  const call = { ...KEY, ...PHONES, ...PARCEL, service: SERVICE, print: true }
  const bought = await rig.ask('SubmitShipment', call)
  t.match(bought.data, { errors: null, shipment_id: 'se-1', test: true })
  const [first] = packagesOf(bought)
  await rig.untilJob(({ id, state }) => id === first?.print?.job_id && state === 'completed')
  t.same(rig.seen.slice(0, 3), ['GET /v1/carriers', 'POST /v1/rates', 'POST /v1/labels'])
  t.match(rig.seen.slice(3), [/^GET .*\/a-\w+\?label_download_type=inline$/])
  // The journal forgets it, and its id is used again.
  const { records } = rig.bench.spool
  records.write(() => records.prepare('DELETE FROM purchase').run())
  t.match((await rig.ask('SubmitShipment', call)).data, { errors: null, shipment_id: 'se-2' })
})
