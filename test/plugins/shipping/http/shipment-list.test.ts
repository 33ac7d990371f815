import t from 'tap'
import { startShipping, TWO_PARCELS } from './calls.ts'

interface Page {
  readonly meta: { readonly code: number; readonly error_message: string }
  readonly data: {
    readonly errors: null
    readonly next: string
    readonly shipments: readonly {
      readonly request_id: string
      readonly state: string
      readonly created: string
      readonly tracking_number: string
      readonly packages: readonly { readonly tracking_number: string; readonly print?: object }[]
    }[]
  }
}

function startList(t: Parameters<typeof startShipping>[0]) {
  const rig = startShipping(t, { prints: false })
  const read = async (query: string, key = rig.key): Promise<Page> => {
    const res = await rig.call(`/v1/shipments${query}`, { headers: { 'x-api-key': key } })
    return (await res.json()) as Page
  }
  const ids = async (query: string, key?: string): Promise<string> =>
    (await read(query, key)).data.shipments.map((one) => one.request_id).join(' ')
  const buy = async (request_id: string, more: object = {}, time = '2026-11-20T10:00:00Z') => {
    const bought = await rig.ask('SubmitShipment', { ...TWO_PARCELS, ...more }, { request_id })
    const { records } = rig.bench.spool
    const change = records.prepare('UPDATE purchase SET at = ? WHERE request_id = ?')
    records.write(() => change.run(Date.parse(time), request_id))
    return bought
  }
  return { ...rig, read, ids, buy }
}

t.test('a key lists what it bought, newest first, page by page', async (t) => {
  const { buy, read, ids } = startList(t)
  for (let n = 1; n <= 7; n += 1) await buy(`order-${n}`)
  t.equal(await ids(''), 'order-7 order-6 order-5 order-4 order-3 order-2 order-1')
  const seen: string[] = []
  let before = ''
  do {
    const { data } = await read(`?limit=3${before && `&before=${before}`}`)
    seen.push(data.shipments.map((one) => one.request_id).join(' '))
    before = data.next
    // What is bought meanwhile moves no page.
    if (seen.length === 1) await buy('order-8')
  } while (before !== '')
  t.same(seen, ['order-7 order-6 order-5', 'order-4 order-3 order-2', 'order-1'])
})

t.test('each shipment as it is now', async (t) => {
  const { buy, read, ask, bench } = startList(t)
  const bought = await buy('order-1', { reference1: 'PO 7', print: 'Bench 1' })
  bench.scheduler.pause('Bench 1')
  const number = bought.data?.['tracking_number']
  const { meta, data } = await read('')
  t.same(meta, { code: 200, error_message: '' })
  t.match(data.shipments, [
    {
      request_id: 'order-1',
      state: 'done',
      carrier: 'local',
      shipment_id: bought.data?.['shipment_id'],
      tracking_number: number,
      charges: 7.21,
      currency: 'USD',
      references: ['PO 7'],
      test: false,
      created: '2026-11-20T10:00:00.000Z',
      packages: [
        { tracking_number: number, print: { state: 'pending', message: /is paused/, hint: /./ } },
        { tracking_number: /^PL9/ },
      ],
    },
  ])
  t.notMatch(JSON.stringify(data), 'Ames', 'no address')
  t.notMatch(JSON.stringify(data), '"label"', 'no label')
  await ask('VoidShipment', { shipment_id: bought.data?.['shipment_id'] })
  t.match((await read('')).data.shipments, [
    { state: 'void', packages: [{ print: { state: 'canceled' } }, {}] },
  ])
})

t.test('filters', async (t) => {
  const { buy, read, ids, ask, bench } = startList(t)
  const first = await buy('order-1', { reference1: 'PO 7' })
  await buy('order-2', { reference2: 'PO 71' }, '2026-11-21T10:00:00Z')
  await buy('order-3', {}, '2026-11-22T10:00:00Z')
  await ask('VoidShipment', { shipment_id: first.data?.['shipment_id'] })
  bench.spool.records
    .prepare("UPDATE purchase SET state = 'unknown' WHERE request_id = 'order-3'")
    .run()
  const second = (await read('?request_id=order-1')).data.shipments[0]?.packages[1]
  const cases: Readonly<Record<string, string>> = {
    '?request_id=order-2': 'order-2',
    '?request_id=order': '',
    '?reference=PO%207': 'order-1',
    '?reference=PO': '',
    [`?tracking_number=${first.data?.['tracking_number']}`]: 'order-1',
    [`?tracking_number=${second?.tracking_number}`]: 'order-1',
    '?tracking_number=PL9': '',
    '?state=void': 'order-1',
    '?state=done': 'order-2',
    '?state=unknown': 'order-3',
    '?state=sent': '',
    '?carrier=LOCAL': 'order-3 order-2 order-1',
    '?carrier=UPS': '',
    '?since=2026-11-21T10:00:00Z': 'order-3 order-2',
    '?until=2026-11-21T10:00:00Z': 'order-1',
    '?since=2026-11-21T12:00:00%2B02:00&until=2026-11-22T10:00:00Z': 'order-2',
    '?since=2030-01-01': '',
    '?since=2020-01-01': 'order-3 order-2 order-1',
    '?state=&request_id=': 'order-3 order-2 order-1',
    "?reference=%25'%20OR%201": '',
  }
  for (const [query, wanted] of Object.entries(cases)) t.equal(await ids(query), wanted, query)
})

t.test('what cannot be meant is refused', async (t) => {
  const { read } = startList(t)
  for (const query of [
    '?order=1',
    '?state=open',
    '?state=done&state=void',
    '?limit=0',
    '?limit=201',
    '?limit=many',
    '?before=x',
    '?since=yesterday',
    '?until=2026-13-01',
    '?until=2026-11-21T10:00',
    '?carrier=pigeon',
  ]) {
    const { meta, data } = await read(query)
    t.match(meta, { code: 400, error_message: /wanted / }, query)
    t.equal(data, null, query)
  }
})

t.test('a key sees its own, and none without the scope', async (t) => {
  const { buy, ids, keys, call } = startList(t)
  await buy('order-1')
  const other = keys.add('other', ['ship']).key
  t.equal(await ids('', other), '')
  t.equal(await ids('?request_id=order-1', other), '')
  const tracker = keys.add('tracker', ['track', 'rate']).key
  t.equal((await call('/v1/shipments', { headers: { 'x-api-key': tracker } })).status, 403)
  t.equal((await call('/v1/shipments')).status, 401)
})

t.test('old purchases are listed with their numbers', async (t) => {
  const { buy, read, bench } = startList(t)
  const bought = await buy('order-1', { reference1: 'PO 7' })
  bench.spool.records.prepare("UPDATE purchase SET is_thin = 1, answer = '', reference = ''").run()
  const number = bought.data?.['tracking_number']
  t.match((await read('')).data.shipments, [
    { request_id: 'order-1', references: [], packages: [{ tracking_number: number }] },
  ])
})
