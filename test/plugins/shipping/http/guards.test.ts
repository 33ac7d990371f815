import t from 'tap'
import { createAccess } from '../../../../src/http/access/access.ts'
import { keyedPaths } from '../../../../src/plugins/shipping/paths.ts'
import { startRig } from '../../../http/rig.ts'
import { type Answer, codesOf, packagesOf, startShipping, TWO_PARCELS } from './calls.ts'

/** Longer than the id of a purchase is known. */
const YEAR_AND_MORE_MS = 401 * 86_400_000

const RATE = {
  carrier: 'local',
  action: 'GetAllRates',
  params: { ship_code: '1', to_code: '2', weight: 1 },
}

t.test('a key does what its scopes say', async (t) => {
  const { post, keys } = startShipping(t)
  const reader = keys.add('reader', ['rate']).key
  const headers = { 'x-api-key': reader }
  t.equal((await post(RATE, { headers })).status, 200)
  const ship = { carrier: 'local', action: 'SubmitShipment', params: TWO_PARCELS }
  const cases: readonly (readonly [object, string])[] = [
    [ship, 'ship'],
    [{ ...ship, action: 'VoidShipment' }, 'ship'],
    [{ ...ship, action: 'Track' }, 'track'],
    [{ ...RATE, params: { ...RATE.params, debug: true } }, 'debug'],
  ]
  for (const [call, scope] of cases) {
    const res = await post(call, { headers })
    t.equal(res.status, 403)
    t.match(((await res.json()) as Answer).meta.error_message, `scope ${scope}`)
  }
  const shipper = keys.add('shipper', ['ship']).key
  const print = { ...ship, params: { ...TWO_PARCELS, print: true } }
  t.equal((await post(print, { headers: { 'x-api-key': shipper } })).status, 403)
})

t.test('ten wrong keys a minute, then 429; a right one is taken all the same', async (t) => {
  const { post } = startShipping(t)
  const headers = { 'x-api-key': 'wrong' }
  for (let count = 0; count < 10; count += 1) t.equal((await post(RATE, { headers })).status, 401)
  const limited = await post(RATE, { headers })
  t.equal(limited.status, 429)
  t.ok(limited.headers.get('retry-after'))
  t.match((await limited.json()) as Answer, { meta: { code: 429 }, data: null })
  t.equal((await post(RATE)).status, 200)
})

t.test('a network has wrong keys of its own to try', async (t) => {
  const { app, key } = startShipping(t)
  const from = async (remoteAddress: string, key: string): Promise<number> => {
    const headers = { 'content-type': 'application/json', 'x-api-key': key }
    const env = { incoming: { socket: { remoteAddress } } }
    const init = { method: 'POST', headers, body: JSON.stringify(RATE) }
    return (await app.request('/v1', init, env)).status
  }
  for (let count = 0; count < 10; count += 1) t.equal(await from('192.0.2.1', 'wrong'), 401)
  t.equal(await from('192.0.2.1', 'wrong'), 429)
  t.equal(await from('192.0.2.2', 'wrong'), 401)
  t.equal(await from('192.0.2.1', key), 200)
})

t.test('a revoked key ends at once', async (t) => {
  const { post, keys } = startShipping(t)
  keys.revoke('shop')
  t.equal((await post(RATE)).status, 401)
})

t.test('bodies that are too large, deep or of another type', async (t) => {
  const { post } = startShipping(t)
  const large = { ...RATE, params: { ...RATE.params, note: 'x'.repeat(1024 * 1024) } }
  const res = await post(large)
  t.equal(res.status, 413)
  t.match((await res.json()) as Answer, { meta: { code: 413 }, data: null })
  const broken = (await (await post('{"carrier":')).json()) as Answer
  const words = 'Invalid JSON - The body is not valid JSON: it ends too early, at offset 11.'
  t.equal(broken.meta.error_message, words, 'and no hint: clients compare it')
  t.equal((await post(`${'['.repeat(200)}${']'.repeat(200)}`)).status, 500)
  const form = await post('a=b', { headers: { 'content-type': 'text/plain' } })
  t.equal(form.status, 415)
  t.match((await form.json()) as Answer, { meta: { code: 415 }, data: null })
  t.equal((await post('"text"')).status, 400)
})

t.test('a page ships only from a site that the settings name', async (t) => {
  const cases: readonly (readonly [string[] | undefined, number])[] = [
    [undefined, 403],
    [[], 403],
    [['*'], 403],
    [['https://other.example'], 403],
    [['https://shop.example'], 200],
  ]
  for (const [allowed, status] of cases) {
    const access = createAccess({
      config: () => ({ ...(allowed && { allowed_origins: allowed }) }),
      keyed: [keyedPaths],
      ownNames: () => [],
      now: () => 0,
    })
    const { post, app } = startShipping(t, { parts: { access } })
    const origin = 'https://shop.example'
    const res = await post(RATE, { headers: { origin, 'sec-fetch-site': 'cross-site' } })
    t.equal(res.status, status, String(allowed))
    const seen = res.headers.get('access-control-allow-origin')
    t.equal(seen, status === 200 ? origin : null)
    for (const [path, method] of [
      ['/v1', 'POST'],
      ['/v1/shipments/LC1', 'GET'],
    ] as const) {
      const headers = { origin, 'access-control-request-method': method }
      const asked = await app.request(path, { method: 'OPTIONS', headers })
      t.equal(asked.status, status === 200 ? 204 : 403, path)
      if (status !== 200) continue
      t.match(asked.headers.get('access-control-allow-headers'), /x-api-key/i)
      t.match(asked.headers.get('access-control-allow-methods'), method)
    }
  }
})

t.test('a name that is not of the box is refused', async (t) => {
  const { post } = startShipping(t)
  const res = await post(RATE, { headers: { host: 'evil.example' } })
  t.equal(res.status, 403)
  t.match((await res.json()) as Answer, { meta: { code: 403 }, data: null })
})

t.test('the page makes, lists and revokes keys, and edits the rate table', async (t) => {
  const { call } = startRig(t)
  const json = (value: object, method = 'POST'): RequestInit => ({
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  })
  const made = await call('/shipping/keys', json({ name: 'shop' }))
  t.equal(made.status, 201)
  const { key } = (await made.json()) as { key: string }
  t.match(key, /^pk_/)
  const listed = await (await call('/shipping/keys')).text()
  t.notMatch(listed, key.slice(12))
  t.notMatch(listed, 'sha256')
  t.equal((await call('/shipping/keys', json({ name: '' }))).status, 400)
  t.equal((await call('/shipping/keys/shop/revoke', json({}))).status, 200)
  t.equal((await call('/shipping/keys/shop/revoke', json({}))).status, 404)
  const { table } = (await (await call('/shipping/local/rates')).json()) as { table: string }
  t.match(table, /^service_code,/)
  const put = async (rows: string) =>
    await call('/shipping/local/rates', json({ table: rows }, 'PUT'))
  t.equal((await put(`${table}SHIP,Ship,*,*,70,3.00,0,9\n`)).status, 200)
  t.match(await (await call('/shipping/local/rates')).text(), 'SHIP,Ship')
  const bad = await put(`${table}SHIP,Ship,*,*,70,free,0,9\n`)
  t.equal(bad.status, 400)
  t.match(await bad.json(), { Message: /price: got "free"/ })
  t.same(await (await call('/shipping/shipments')).json(), [])
  const bought = await call(
    '/shipping/calls',
    json({ carrier: 'local', action: 'SubmitShipment', params: { ...TWO_PARCELS, print: true } }),
  )
  t.equal(bought.status, 200)
  t.match(await (await call('/shipping/shipments')).json(), [
    { state: 'done', key: 'the page', service_code: 'VAN', charges: 7.21, jobs: [/./, /./] },
  ])
})

t.test('a full disk refuses a purchase before it is made', async (t) => {
  const { ask, shipping } = startShipping(t, {
    bench: { quotaBytes: 4 * 2 ** 20 },
  })
  const { meta } = await ask('SubmitShipment', TWO_PARCELS)
  t.equal(meta.code, 507)
  t.equal((await shipping()).journal.list(9).length, 0)
})

t.test('a label that was bought and not printed prints after the next start', async (t) => {
  const { ask, shipping, bench } = startShipping(t, { prints: false })
  await ask('SubmitShipment', TWO_PARCELS, { request_id: 'a' })
  const { desk, journal } = await shipping()
  // As a power cut leaves it between the carrier's answer and the spool.
  const { records } = bench.spool
  const print = JSON.stringify({ printer: 'Bench 2', copies: 1, cleans: true })
  records.prepare('UPDATE purchase SET owes = 1, print = ?').run(print)
  t.equal(journal.owing().length, 1)
  desk.resume()
  t.equal(journal.owing().length, 0)
  desk.resume()
  t.same(
    bench.spool.history.list({ limit: 9 }).map(({ printer }) => printer),
    ['Bench 2', 'Bench 2'],
  )
})

t.test('kept labels never take the room of those that print', async (t) => {
  let uptimeMs = 1_000
  const quotaBytes = 16 * 2 ** 20
  const { shipping } = startShipping(t, { bench: { quotaBytes, uptimeMs: () => uptimeMs } })
  const { journal } = await shipping()
  const ids = Array.from({ length: 12 }, (_, n) => `n-${n}`)
  for (const requestId of ids) {
    const entry = { requestId, hash: '', action: 'SubmitShipment', carrier: 'local' } as const
    journal.writeSent({ ...entry, print: '', sender: 'shop', isTest: false })
    const shipment = { shipmentId: requestId, number: '', service: '', cents: 0, currency: 'USD' }
    const label = { format: 'PNG', label: new Uint8Array(400_000) }
    journal.writeDone(requestId, { ...shipment, answer: '{}', labels: [label] })
  }
  const left = (): readonly string[] =>
    ids.filter((id) => {
      const entry = journal.find(id)
      return entry !== undefined && journal.labels(entry).length > 0
    })
  t.same(left(), ids)
  journal.upkeep(0)
  // A quarter of 15 MiB, as the rest of the quota is for jobs that end.
  t.same(left(), ids.slice(3), 'the newest stay')
  uptimeMs += 30_000
  journal.upkeep(0)
  t.equal(ids.filter((id) => journal.find(id)).length, 12, 'and every entry, for a day')
  uptimeMs += 25 * 3_600_000
  journal.upkeep(0)
  t.same(left(), [], 'then the labels go, and what was bought stays known')
  t.equal(ids.filter((id) => journal.find(id)?.isThin).length, 12)
  uptimeMs += YEAR_AND_MORE_MS
  journal.upkeep(0)
  t.equal(ids.filter((id) => journal.find(id)).length, 0)
})

t.test('a request_id of long ago is a new purchase', async (t) => {
  let uptimeMs = 1_000
  const { ask } = startShipping(t, { prints: false, bench: { uptimeMs: () => uptimeMs } })
  const first = await ask('SubmitShipment', TWO_PARCELS, { request_id: 'order-1' })
  uptimeMs += YEAR_AND_MORE_MS
  await ask('SubmitShipment', TWO_PARCELS, { request_id: 'order-2' })
  const other = { ...TWO_PARCELS, to_name: 'Bob Other', to_addr1: '9 Oak St' }
  const again = await ask('SubmitShipment', other, { request_id: 'order-1' })
  t.match(again, { meta: { code: 200 }, data: { errors: null } })
  t.same(await ask('SubmitShipment', other, { request_id: 'order-1' }), again)
  const numbers = [first, again].map((answer) => answer.data?.['tracking_number'])
  t.not(numbers[1], numbers[0])
  for (const tracking_number of numbers) {
    t.match((await ask('Track', { tracking_number })).data, { status: 'Label created' })
  }
})

t.test('a purchase that is found again after days is kept from then on', async (t) => {
  let uptimeMs = 1_000
  const { ask, bench } = startShipping(t, {
    prints: false,
    bench: { uptimeMs: () => uptimeMs },
  })
  await ask('SubmitShipment', TWO_PARCELS, { request_id: 'order-1' })
  // As a lost answer leaves it.
  const { records } = bench.spool
  records.prepare("UPDATE purchase SET state = 'unknown', answer = ''").run()
  uptimeMs += 100 * 3_600_000
  const found = await ask('SubmitShipment', TWO_PARCELS, { request_id: 'order-1' })
  t.match(found.data, { errors: null })
  uptimeMs += 3_600_000
  await ask('SubmitShipment', TWO_PARCELS, { request_id: 'order-2' })
  t.same(await ask('SubmitShipment', TWO_PARCELS, { request_id: 'order-1' }), found)
})

t.test('labels print though their request_id printed others long ago', async (t) => {
  let uptimeMs = 1_000
  const { ask, bench } = startShipping(t, {
    prints: false,
    bench: { uptimeMs: () => uptimeMs },
  })
  for (const request_id of ['order-1', 'order-2', 'order-1']) {
    const bought = await ask('SubmitShipment', { ...TWO_PARCELS, print: 'Bench 2' }, { request_id })
    t.match(packagesOf(bought), [{ print: { message: '' } }, { print: { message: '' } }])
    uptimeMs += YEAR_AND_MORE_MS
  }
  t.equal(bench.spool.history.list({ limit: 9 }).length, 6)
})

t.test('a request_id of long ago is a new purchase, though there was no other since', async (t) => {
  let uptimeMs = 1_000
  const { ask, bench } = startShipping(t, {
    prints: false,
    bench: { uptimeMs: () => uptimeMs },
  })
  const numbers: unknown[] = []
  for (const to_name of ['Ann Buyer', 'Ann Buyer', 'Bob Other']) {
    const call = { ...TWO_PARCELS, to_name, print: 'Bench 2' }
    const bought = await ask('SubmitShipment', call, { request_id: 'order-1' })
    t.match(packagesOf(bought), [{ print: { message: '' } }, { print: { message: '' } }])
    numbers.push(bought.data?.['tracking_number'])
    uptimeMs += YEAR_AND_MORE_MS
  }
  t.equal(new Set(numbers).size, 3)
  t.equal(bench.spool.history.list({ limit: 9 }).length, 6)
})

t.test('a refund whose answer was cut off by a power cut is still one', async (t) => {
  const { ask, shipping, bench } = startShipping(t, { prints: false })
  const bought = await ask('SubmitShipment', TWO_PARCELS, { request_id: 'a' })
  const params = { shipment_id: bought.data?.['shipment_id'] }
  const first = await ask('VoidShipment', params, { request_id: 'b' })
  // As a power cut leaves it between the carrier's own note and the journal.
  const { records } = bench.spool
  records.prepare("UPDATE purchase SET state = 'sent', answer = '' WHERE request_id = 'b'").run()
  records.prepare('UPDATE purchase SET is_void = 0').run()
  t.same(await ask('VoidShipment', params, { request_id: 'b' }), first)
  t.match((await shipping()).journal.list(9), [{ request_id: 'a', void: true }])
  t.same(codesOf(await ask('VoidShipment', params, { request_id: 'c' })), [1409])
})

t.test('a refund and its mark on the shipment are written together, or neither is', async (t) => {
  const { ask, shipping, bench } = startShipping(t, { prints: false })
  const bought = await ask('SubmitShipment', TWO_PARCELS, { request_id: 'a' })
  const params = { shipment_id: bought.data?.['shipment_id'] }
  // As a power cut, or a disk that is full, between the two.
  const { records } = bench.spool
  const cut = "BEFORE UPDATE OF is_void ON purchase BEGIN SELECT RAISE(ABORT, 'cut'); END"
  records.prepare(`CREATE TRIGGER cut ${cut}`).run()
  await ask('VoidShipment', params, { request_id: 'b' })
  records.prepare('DROP TRIGGER cut').run()
  const again = await ask('VoidShipment', params, { request_id: 'b' })
  t.match(again.data, { errors: null, status: 'Success' })
  t.match((await shipping()).journal.list(9), [{ request_id: 'a', void: true }])
})

t.test('a purchase that was given back is told as void when it is asked for again', async (t) => {
  const { ask, call, key } = startShipping(t, { prints: false })
  const buy = async () => await ask('SubmitShipment', TWO_PARCELS, { request_id: 'a' })
  const bought = await buy()
  const id = String(bought.data?.['shipment_id'])
  t.same(await buy(), bought)
  await ask('VoidShipment', { shipment_id: id })
  const kept = await call(`/v1/shipments/${id}`, { headers: { 'x-api-key': key } })
  for (const again of [await buy(), (await kept.json()) as Answer]) {
    t.match(again.data, { shipment_id: id, charges: 7.21 })
    t.match(again.data?.errors, [{ type: 'WARNING', description: /^This shipment was given back/ }])
    t.equal(packagesOf(again).length, 2)
  }
})

t.test('a shipment is void by the number of any of its parcels', async (t) => {
  const { ask, shipping } = startShipping(t, { prints: false })
  const bought = await ask('SubmitShipment', TWO_PARCELS, { request_id: 'a' })
  await ask('SubmitShipment', TWO_PARCELS, { request_id: 'b' })
  const params = { tracking_number: packagesOf(bought)[1]?.tracking_number }
  t.match((await ask('VoidShipment', params)).data, { errors: null, status: 'Success' })
  t.match((await ask('Track', { shipment_id: bought.data?.['shipment_id'] })).data, {
    status_code: 'VO',
  })
  const shown = (await shipping()).journal.list(9)
  t.same(
    shown.map((one) => [one.request_id, one.void]),
    [
      ['b', false],
      ['a', true],
    ],
  )
})

t.test('labels that wait for room do not print once their shipment is void', async (t) => {
  const { ask, shipping, bench, jobs } = startShipping(t, { prints: false })
  const bought = await ask('SubmitShipment', TWO_PARCELS, { request_id: 'a' })
  // As a spool leaves it that is full when the labels come.
  const print = JSON.stringify({ printer: 'Bench 2', copies: 1, cleans: true })
  bench.spool.records.prepare('UPDATE purchase SET owes = 1, print = ?').run(print)
  const refund = await ask('VoidShipment', { shipment_id: bought.data?.['shipment_id'] })
  t.match(refund.data, { errors: null, status: 'Success' })
  const { desk, journal } = await shipping()
  desk.resume()
  t.same(jobs(), [])
  t.same(journal.owing(), [])
})

t.test('labels that cannot be marked as printed do not keep back those of others', async (t) => {
  const { ask, shipping, bench, jobs } = startShipping(t, { prints: false })
  for (const request_id of ['a', 'b']) await ask('SubmitShipment', TWO_PARCELS, { request_id })
  const { records } = bench.spool
  const print = JSON.stringify({ printer: 'Bench 2', copies: 1, cleans: true })
  records.prepare('UPDATE purchase SET owes = 1, print = ?').run(print)
  const full = "WHEN OLD.request_id = 'a' BEGIN SELECT RAISE(ABORT, 'full'); END"
  records.prepare(`CREATE TRIGGER full BEFORE UPDATE OF owes ON purchase ${full}`).run()
  const { desk, journal } = await shipping()
  desk.resume()
  t.equal(jobs().length, 4)
  const again = await ask('SubmitShipment', TWO_PARCELS, { request_id: 'a' })
  t.equal(again.meta.code, 200)
  records.prepare('DROP TRIGGER full').run()
  desk.resume()
  t.equal(jobs().length, 4, 'none prints twice')
  t.same(journal.owing(), [])
})

t.test('a large batch does not stop the others', async (t) => {
  const { post, call } = startShipping(t, { prints: false })
  const packages = Array.from({ length: 20 }, () => ({ weight: 1 }))
  const one = { carrier: 'local', action: 'SubmitShipment', params: { ...TWO_PARCELS, packages } }
  const batch = post(Array.from({ length: 20 }, () => one))
  let asked = 0
  let isDone = false
  void batch.then(() => {
    isDone = true
  })
  while (!isDone) {
    t.equal((await call('/info')).status, 200)
    asked += 1
    await new Promise((resolve) => setImmediate(resolve))
  }
  t.ok(asked > 20, `${asked} other requests were answered meanwhile`)
  t.equal(((await (await batch).json()) as Answer[]).length, 20)
})

t.test('who asks whether shipping is there reads that all is well', async (t) => {
  const answer = await startRig(t).call('/v1/health')
  t.equal(answer.status, 200)
  t.match(await answer.json(), { meta: { code: 200, error_message: '' } })
})
