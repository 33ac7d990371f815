import t, { type Test } from 'tap'
import { shippo } from '../../src/carriers/shippo/index.ts'
import { printer } from '../core/bench.ts'
import { codesOf, packagesOf } from '../plugins/shipping/http/calls.ts'
import { allSaved, answer, Parser, saved } from './parser.ts'
import { type Reaction, startCarrier } from './stand-in.ts'

const KEY = { key: 'shippo_test_secret' }
const PARCEL = { weight: 2, length: 9, width: 6, height: 4 }
const parser = new Parser(shippo, KEY, {
  ...PARCEL,
  service: 'usps_priority',
  carrier_name: 'usps',
})
const RATE = '52ec39cb91914655a0f1a2c9062bcb69'
const KEPT = { rate: RATE, amount: '5.5', currency: 'USD' }

const SHIPMENT = {
  object_id: 'shipment1',
  status: 'SUCCESS',
  test: true,
  rates: [
    {
      object_id: RATE,
      amount: '5.50',
      currency: 'USD',
      provider: 'USPS',
      estimated_days: 2,
      servicelevel: { token: 'usps_priority', name: 'Priority Mail' },
      carrier_account: 'a1',
    },
    {
      object_id: 'rate00002',
      amount: '25',
      provider: 'UPS',
      servicelevel: { token: 'ups_ground' },
    },
  ],
  messages: [{ source: 'DHLExpress', code: '7', text: 'no account' }],
}
const BOUGHT = {
  object_id: 'transaction1',
  status: 'SUCCESS',
  tracking_number: '9205',
  rate: RATE,
  test: true,
  label_url: 'https://shippo-delivery.s3.amazonaws.com/label.zplii?Signature=x',
}

t.test('rates: the carrier that was asked for, with the faults of others as warnings', (t) => {
  t.match(parser.parse('GetAllRates', answer(SHIPMENT, 201)), {
    data: { rates: [{ service_code: 'usps_priority', rate: 5.5, rate_id: RATE }] },
    remarks: [{ type: 'WARNING', description: 'DHLExpress: no account' }],
  })
  t.match(parser.parse('GetAllRates', answer({ ...SHIPMENT, rates: [] }, 201)), {
    errors: [{ code: 1104 }],
  })
  t.end()
})

t.test('the status decides, never HTTP', (t) => {
  t.match(parser.parse('SubmitShipment', saved('shippo/transaction-queued'), KEPT), {
    unknown: [{ code: 1500 }],
  })
  const refused = { status: 'ERROR', messages: [{ source: 'UPS', text: 'not yet registered' }] }
  t.match(parser.parse('SubmitShipment', answer(refused, 201), KEPT), {
    errors: [{ code: 1402, description: 'UPS: not yet registered' }],
  })
  t.match(parser.parse('SubmitShipment', answer(BOUGHT, 201), KEPT), {
    data: { charges: 5.5, shipment_id: 'transaction1', packages: [{ label_format: 'ZPL' }] },
    fetch: [{ index: 0 }],
  })
  const pdf = { ...BOUGHT, label_url: 'https://shippo-delivery.s3.amazonaws.com/l.pdf?x=1' }
  t.match(parser.parse('SubmitShipment', answer(pdf, 201), KEPT), {
    data: { packages: [{ label_format: 'PDF' }] },
  })
  t.end()
})

t.test('saved answers: tracking, addresses and the four shapes of errors', (t) => {
  t.match(parser.parse('Track', saved('shippo/track')), {
    data: {
      status_code: 'DELIVERED',
      destination: { description: 'Berkeley, CA, US', city: 'Berkeley' },
      estimated_delivery: '2016-12-08T00:00:00Z',
    },
  })
  t.match(parser.parse('Track', saved('shippo/track-404')), { errors: [{ code: 1404 }] })
  t.match(parser.parse('Track', saved('shippo/track-carrier')), {
    errors: [{ description: /EXAMPLE_OF_INVALID_CARRIER/ }],
  })
  t.match(parser.parse('SubmitShipment', saved('shippo/transaction-400'), KEPT), {
    errors: [{ code: 1101, field: 'rate' }],
  })
  t.match(parser.parse('GetAllRates', saved('shippo/shipment-400')), {
    errors: [
      { field: 'customs_declaration' },
      { code: 1101, field: 'parcels' },
      { field: 'address_to' },
    ],
  })
  t.match(parser.parse('AddressValidate', saved('shippo/address-valid')), {
    data: { match: true, residential: true, zip_code: '94117', zip_code_addon: '1913' },
  })
  t.match(parser.parse('AddressValidate', saved('shippo/address-invalid')), {
    data: { match: false },
    remarks: [{ type: 'WARNING', carrier_code: 'Address Not Found' }],
  })
  t.end()
})

t.test('what cannot be sent is refused here', (t) => {
  t.same(parser.refusedFields('SubmitShipment', { length: '' }), ['packages[0].length'])
  t.same(parser.refusedFields('SubmitShipment', { rate_id: '../plugins/shipping/x' }), ['rate_id'])
  t.same(parser.refusedFields('SubmitShipment', { to_country: 'CA' }), ['customs'])
  t.same(parser.refusedFields('Track', { carrier_name: '' }), ['tracking_number', 'carrier_name'])
  t.match(shippo.refuse?.({ ...parser.order(), account: { key: 'shippo_live_x' } }), { code: 1000 })
  t.end()
})

t.test('1,000 mutated answers', (t) => {
  parser.mutate(
    t,
    '85041b3fdb5084ab',
    [...allSaved('shippo'), answer(SHIPMENT, 201), answer(BOUGHT, 201)],
    [{}, KEPT, { left: '' }],
  )
  t.end()
})

const CALL = { ...KEY, ...PARCEL, service: 'usps_priority' }

t.test('rated, bought, its answer lost, found by its rate, fetched and printed', async (t) => {
  let isBought = false
  const rig = await startCarrier(t, shippo, (method, url) => {
    if (url === '/shipments') return [201, SHIPMENT]
    if (url.startsWith('/label')) return [200, Buffer.from('^XA^FO9,9^FDShippo^FS^XZ')]
    if (method === 'GET') return [200, { results: isBought ? [BOUGHT] : [] }]
    isBought = true
    return 'lost'
  })
  const bought = await rig.ask('SubmitShipment', { ...CALL, print: true })
  t.match(bought.data, { errors: null, charges: 5.5, tracking_number: '9205', test: true })
  const [first] = packagesOf(bought)
  await rig.untilJob(({ id, state }) => id === first?.print?.job_id && state === 'completed')
  t.equal(rig.seen.filter((one) => one === 'POST /transactions').length, 1)
})

t.test('not found after a lost answer: nobody can say, and it is not bought again', async (t) => {
  const rig = await startCarrier(t, shippo, (method, url) => {
    if (url === '/shipments') return [201, SHIPMENT]
    return method === 'GET' ? [200, { results: [] }] : 'lost'
  })
  const first = await rig.ask('SubmitShipment', CALL)
  t.same(codesOf(first), [1500])
  t.match(first.data?.errors, [
    { type: 'UNKNOWN', description: /dashboard of Shippo.* the metadata a/ },
  ])
  await rig.ask('SubmitShipment', CALL)
  t.equal(rig.seen.filter((one) => one === 'POST /transactions').length, 1)
})

t.test('a purchase is found again though its printer is gone by then', async (t) => {
  const results: object[] = []
  const rig = await startCarrier(t, shippo, (method, url) => {
    if (url === '/shipments') return [201, SHIPMENT]
    if (url.startsWith('/label')) return [200, Buffer.from('^XA^FO9,9^FDShippo^FS^XZ')]
    return method === 'GET' ? [200, { results }] : 'lost'
  })
  // Printed here it is a picture, which Shippo makes.
  const call = { ...CALL, print: 'Bench 2', image_type: 'EPL' }
  t.match((await rig.ask('SubmitShipment', call)).data?.errors, [{ type: 'UNKNOWN' }])
  rig.bench.printers.configure([printer('Bench 1', 'file:bench-1')], 'Bench 1')
  t.match((await rig.ask('SubmitShipment', call)).data?.errors, [{ type: 'UNKNOWN' }])
  results.push(BOUGHT)
  const bought = await rig.ask('SubmitShipment', call)
  t.match(bought.data, { errors: null, tracking_number: '9205' })
  t.match(packagesOf(bought), [{ print: { state: 'aborted', message: /"Bench 2"/ } }])
  t.equal(rig.seen.filter((one) => one === 'POST /transactions').length, 1)
})

t.test('the labels of several parcels are answered though the disk becomes full', async (t) => {
  const rig = await startCarrier(t, shippo, (method, url) => {
    if (url === '/shipments') return [201, SHIPMENT]
    if (url.startsWith('/label')) return [200, Buffer.from('^XA^FO9,9^FDShippo^FS^XZ')]
    if (method === 'POST') return [201, BOUGHT]
    return [200, { results: [BOUGHT, { ...BOUGHT, tracking_number: '9206' }] }]
  })
  // While the first label was bought.
  const full = "WHEN OLD.kept <> '{}' BEGIN SELECT RAISE(ABORT, 'full'); END"
  rig.bench.spool.records.prepare(`CREATE TRIGGER full BEFORE UPDATE ON purchase ${full}`).run()
  const bought = await rig.ask('SubmitShipment', { ...CALL, packages: [PARCEL, PARCEL] })
  t.match(bought, { meta: { code: 200 }, data: { charges: 5.5 } })
  t.ok(packagesOf(bought).every(({ label }) => label !== ''))
  t.match(bought.data?.errors, [{ type: 'WARNING', description: /^It is done and cannot/ }])
})

t.test('the labels of several parcels: bought, though their list is refused or lost', async (t) => {
  const list: Reaction[] = [
    'lost',
    [429, { detail: 'Too many' }],
    [200, { results: [] }],
    [503, {}],
  ]
  let found = 0
  const rig = await startCarrier(t, shippo, (method, url) => {
    if (url === '/shipments') return [201, SHIPMENT]
    if (url.startsWith('/label')) return [200, Buffer.from('^XA^FO9,9^FDShippo^FS^XZ')]
    if (method === 'POST') return [201, BOUGHT]
    found += 1
    const bought = { ...BOUGHT, object_id: `transaction${found}` }
    return list.shift() ?? [200, { results: [bought, { ...BOUGHT, tracking_number: '9206' }] }]
  })
  const call = { ...CALL, packages: [PARCEL, PARCEL] }
  // Asked once for all labels, and once more since that told nothing.
  for (const answer of [
    await rig.ask('SubmitShipment', call, 'a'),
    await rig.ask('SubmitShipment', call, 'b'),
  ]) {
    t.match(answer.data?.errors, [{ type: 'UNKNOWN' }])
  }
  for (const id of ['a', 'b']) {
    const numbers = packagesOf(await rig.ask('SubmitShipment', call, id))
    t.match(numbers, [{ tracking_number: '9205' }, { tracking_number: '9206' }])
  }
  t.equal(rig.seen.filter((one) => one === 'POST /transactions').length, 2, 'each bought once')
})

t.test('the labels of several parcels: none is left out while one is still made', async (t) => {
  const { label_url: _, ...made } = BOUGHT
  const second = { ...BOUGHT, tracking_number: '9206' }
  const queued = [BOUGHT, { ...made, tracking_number: '9206', status: 'QUEUED' }]
  const rig = await startCarrier(t, shippo, (method, url) => {
    if (url === '/shipments') return [201, SHIPMENT]
    if (url.startsWith('/label')) return [200, Buffer.from('^XA^FO9,9^FDShippo^FS^XZ')]
    if (method === 'POST') return [201, BOUGHT]
    return [200, { results: lists.shift() ?? [BOUGHT, second] }]
  })
  const lists: object[][] = [queued, queued, queued]
  const call = { ...CALL, packages: [PARCEL, PARCEL] }
  for (const id of ['a', 'a']) {
    t.match((await rig.ask('SubmitShipment', call, id)).data?.errors, [{ type: 'UNKNOWN' }])
  }
  const packages = packagesOf(await rig.ask('SubmitShipment', call))
  t.match(packages, [{ tracking_number: '9205' }, { tracking_number: '9206' }])
  t.ok(packages.every(({ label }) => label !== ''))
  t.equal(rig.seen.filter((one) => one === 'POST /transactions').length, 1)
})

t.test('the labels of several parcels: none is left out that is not in the list yet', async (t) => {
  const second = { ...BOUGHT, tracking_number: '9206' }
  const lists: object[][] = [[BOUGHT], [BOUGHT]]
  const rig = await startCarrier(t, shippo, (method, url) => {
    if (url === '/shipments') return [201, SHIPMENT]
    if (url.startsWith('/label')) return [200, Buffer.from('^XA^FO9,9^FDShippo^FS^XZ')]
    if (method === 'POST') return [201, BOUGHT]
    return [200, { results: lists.shift() ?? [BOUGHT, second] }]
  })
  const call = { ...CALL, packages: [PARCEL, PARCEL] }
  t.match((await rig.ask('SubmitShipment', call)).data?.errors, [{ type: 'UNKNOWN' }])
  const packages = packagesOf(await rig.ask('SubmitShipment', call))
  t.match(packages, [{ tracking_number: '9205' }, { tracking_number: '9206' }])
  t.equal(rig.seen.filter((one) => one === 'POST /transactions').length, 1)
})

t.test('a rate of several parcels is bought with the labels of all', async (t) => {
  const list: Reaction[] = ['lost']
  const rig = await startCarrier(t, shippo, (method, url) => {
    if (url === `/rates/${RATE}`) return [200, { ...SHIPMENT.rates[0], shipment: 'shipment1' }]
    if (url === '/shipments/shipment1') return [200, { ...SHIPMENT, parcels: [PARCEL, PARCEL] }]
    if (url.startsWith('/label')) return [200, Buffer.from('^XA^FO9,9^FDShippo^FS^XZ')]
    if (method === 'POST') return [201, BOUGHT]
    return list.shift() ?? [200, { results: [BOUGHT, { ...BOUGHT, tracking_number: '9206' }] }]
  })
  const packages = packagesOf(await rig.ask('SubmitShipment', { ...KEY, rate_id: RATE }))
  t.match(packages, [{ tracking_number: '9205' }, { tracking_number: '9206' }])
  t.ok(packages.every(({ label }) => label !== ''))
  t.equal(rig.seen.filter((one) => one === 'POST /transactions').length, 1)
})

t.test('the labels of thirty parcels are all had, though Shippo lists 25 by itself', async (t) => {
  const list = Array.from({ length: 30 }, (_, n) => ({ ...BOUGHT, tracking_number: `92${n}` }))
  const rig = await startCarrier(t, shippo, (method, url) => {
    if (url === '/shipments') return [201, SHIPMENT]
    if (url.startsWith('/label')) return [200, Buffer.from('^XA^FO9,9^FDShippo^FS^XZ')]
    if (method === 'POST') return [201, BOUGHT]
    const most = Number(/[?&]results=(\d+)/.exec(url)?.[1] ?? 25)
    return [200, { results: list.slice(0, most) }]
  })
  const call = { ...CALL, packages: list.map(() => PARCEL) }
  t.equal(packagesOf(await rig.ask('SubmitShipment', call)).length, 30)
})

/** Three labels of one rate, of which the last was given back before, and what becomes of the others. */
function startRefunds(t: Test, reactions: readonly (readonly [status: string, text?: string])[]) {
  const state: Record<string, string> = {
    transaction1: 'SUCCESS',
    transaction2: 'SUCCESS',
    transaction3: 'REFUNDPENDING',
  }
  const answers = reactions.values()
  const asked: string[] = []
  return {
    asked,
    rig: startCarrier(t, shippo, (_method, url, _request, body) => {
      const object = (id: string) => ({ object_id: id, status: state[id], rate: RATE, test: true })
      if (url === '/transactions/transaction1') return [200, object('transaction1')]
      if (url.startsWith('/transactions?')) {
        return [200, { results: Object.keys(state).reverse().map(object) }]
      }
      const { transaction } = JSON.parse(body)
      asked.push(transaction)
      const [status, text = ''] = answers.next().value ?? ['QUEUED']
      if (!['ERROR', 'lost'].includes(status)) state[transaction] = 'REFUNDPENDING'
      if (status.endsWith('lost')) return 'lost'
      return [201, { status, transaction, test: true, messages: text === '' ? [] : [{ text }] }]
    }),
  }
}

const VOID = { ...KEY, shipment_id: 'transaction1' }

t.test('a shipment of several parcels is given back with all of its labels', async (t) => {
  const { rig, asked } = startRefunds(t, [['SUCCESS'], ['QUEUED']])
  const { ask } = await rig
  const given = await ask('VoidShipment', VOID)
  t.match(given.data, { errors: null, status: 'Pending', status_code: '0', test: true })
  t.same(asked, ['transaction1', 'transaction2'])
})

t.test('a refund that was lost between is asked for again, and no other one', async (t) => {
  const { rig, asked } = startRefunds(t, [['SUCCESS'], ['lost'], ['SUCCESS']])
  const { ask } = await rig
  t.match((await ask('VoidShipment', VOID)).data?.errors, [{ type: 'UNKNOWN' }])
  t.match((await ask('VoidShipment', VOID)).data, { errors: null, status: 'Success' })
  t.same(asked, ['transaction1', 'transaction2', 'transaction2'])
})

t.test('a last refund that was lost is not asked for a second time', async (t) => {
  const { rig, asked } = startRefunds(t, [['SUCCESS'], ['given, lost']])
  const { ask } = await rig
  t.match((await ask('VoidShipment', VOID)).data?.errors, [{ type: 'UNKNOWN' }])
  for (const id of ['a', 'another']) {
    const { data } = await ask('VoidShipment', VOID, id)
    t.match(data, { errors: null, status: 'Pending', status_code: '0', test: true })
  }
  t.same(asked, ['transaction1', 'transaction2'])
})

t.test('the first refund decides; a later one that is refused is told of', async (t) => {
  const late = await startRefunds(t, [['SUCCESS'], ['ERROR', 'was used']]).rig
  const { data } = await late.ask('VoidShipment', VOID)
  t.match(data, { status: 'Success', errors: [{ type: 'WARNING', description: /was used/ }] })
  const { rig, asked } = startRefunds(t, [['ERROR', 'was used']])
  const { ask } = await rig
  t.match((await ask('VoidShipment', VOID)).data?.errors, [{ type: 'ERROR' }, { type: 'ERROR' }])
  t.same(asked, ['transaction1'])
})

t.test('a rate that is bought twice: a lost label is not taken for the other one', async (t) => {
  const labels: object[] = []
  const rig = await startCarrier(t, shippo, (method, url, _request, body) => {
    if (url === `/rates/${RATE}`) return [200, SHIPMENT.rates[0] ?? {}]
    if (url.startsWith('/label')) return [200, Buffer.from('^XA^FO9,9^FDShippo^FS^XZ')]
    if (method === 'GET') return [200, { results: labels.toReversed() }]
    const { metadata } = JSON.parse(body)
    // Lost on its way there, or on its way back.
    if (metadata !== 'never')
      labels.push({ ...BOUGHT, metadata, object_id: metadata, tracking_number: metadata })
    return 'lost'
  })
  const call = { ...KEY, ...PARCEL, rate_id: RATE }
  for (const id of ['one', 'two']) {
    t.match(packagesOf(await rig.ask('SubmitShipment', call, id)), [{ tracking_number: id }])
  }
  const never = await rig.ask('SubmitShipment', call, 'never')
  t.match(never.data, { tracking_number: '', errors: [{ type: 'UNKNOWN' }] })
})

t.test('a rate that is bought twice: only the label of one shipment is given back', async (t) => {
  const label1 = { object_id: 'label1', status: 'SUCCESS', metadata: 'one', rate: RATE }
  const label2 = { ...label1, object_id: 'label2', metadata: 'two' }
  const refunds: string[] = []
  const rig = await startCarrier(t, shippo, (_method, url, _request, body) => {
    if (url === '/transactions/label1') return [200, label1]
    if (url !== '/refunds') return [200, { results: [label2, label1] }]
    refunds.push(JSON.parse(body).transaction)
    label1.status = 'REFUNDPENDING'
    return [201, { status: 'QUEUED', test: true }]
  })
  for (const id of ['a', 'b']) {
    await rig.ask('VoidShipment', { ...KEY, shipment_id: 'label1' }, id)
  }
  t.same(refunds, ['label1'], 'the other one is in use')
})
