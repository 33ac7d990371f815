import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { printer } from '../../../core/bench.ts'
import { findOffUri } from '../../../http/rig.ts'
import { type Answer, codesOf, packagesOf, startShipping, TWO_PARCELS } from './calls.ts'

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/

// The numbers are those of the golden examples of the shipping API; G3, G5, G6, G15, G16 and G22 need a carrier elsewhere.

t.test('G1: rates', async (t) => {
  const { ask } = startShipping(t)
  const { meta, data } = await ask('GetAllRates', {
    ship_code: '89501',
    to_code: '50010',
    weight: 3,
  })
  t.same(meta, { code: 200, error_message: '' })
  t.equal(data?.errors, null)
  const rates = data?.['rates'] as readonly Record<string, unknown>[]
  t.ok(rates.length > 1)
  for (const rate of rates) {
    const { desc, rate: price, negotiated_rate: own, currency, delivery_days: days } = rate
    t.same([typeof desc, typeof price, typeof own, currency], ['string', 'number', 'number', 'USD'])
    t.equal(typeof rate['service_code'], 'string')
    t.match(String(rate['est_delivery_time']), RFC3339)
    t.ok(Number.isInteger(days))
    t.equal(typeof rate['package_type'], 'string')
    t.ok(Array.isArray(rate['rate_detail']))
  }
})

t.test('G1: rates are not refused for a label that the carrier does not make', async (t) => {
  const { ask } = startShipping(t)
  const params = { ...TWO_PARCELS, image_type: 'PDF', dpi: 300 }
  t.ok((await ask('GetAllRates', params)).data?.['rates'])
  t.same(codesOf(await ask('SubmitShipment', params)), [1101])
})

t.test('G2: a wrong key and none are answered alike', async (t) => {
  const { post, key } = startShipping(t)
  const body = { carrier: 'local', action: 'Track', params: {} }
  const answers: string[] = []
  for (const wrong of ['nonsense', '', `${key}x`]) {
    const res = await post(body, { headers: { 'x-api-key': wrong } })
    t.equal(res.status, 401)
    answers.push(await res.text())
  }
  t.same(JSON.parse(answers[0] ?? ''), {
    meta: { code: 401, error_message: 'Invalid API key' },
    data: null,
  })
  t.equal(new Set(answers).size, 1)
})

t.test('G4: JSON that is none', async (t) => {
  const { post } = startShipping(t)
  const res = await post('{"carrier":"local" "action":"Track"}')
  const { meta, data } = (await res.json()) as Answer
  t.equal(res.status, 500)
  t.equal(meta.code, 500)
  t.match(meta.error_message, /^Invalid JSON - /)
  t.equal(data, null)
})

t.test('G7: two packages, two labels', async (t) => {
  const { ask } = startShipping(t)
  const answer = await ask('SubmitShipment', TWO_PARCELS)
  t.equal(typeof answer.data?.['charges'], 'number')
  t.equal(answer.data?.['charges'], 7.21)
  t.match(answer.data?.['shipment_id'], /^PL9/)
  t.ok(Array.isArray(answer.data?.['documents']))
  t.match(answer.request_id, /^[\w-]{36}$/, 'ours, as none was given')
  const packages = packagesOf(answer)
  t.equal(packages.length, 2)
  t.equal(answer.data?.['tracking_number'], packages[0]?.tracking_number)
  for (const { label, label_format: format, print } of packages) {
    t.match(Buffer.from(label, 'base64').toString(), /^\^XA[\s\S]*\^XZ$/)
    t.equal(format, 'ZPL')
    t.equal(print, undefined)
  }
})

t.test('G8: the same request twice is one purchase, one print, one answer', async (t) => {
  const { post, shipping, jobs } = startShipping(t)
  const params = { ...TWO_PARCELS, print: true }
  const call = { carrier: 'local', action: 'SubmitShipment', request_id: 'order-17', params }
  const first = await (await post(call)).text()
  const second = await (await post(call)).text()
  const [third, fourth] = await Promise.all([post(call), post({ ...call, carrier: 'LOCAL' })])
  t.equal(second, first)
  t.equal(await third.text(), first)
  t.equal(await fourth.text(), first)
  t.equal((JSON.parse(first) as Answer).request_id, 'order-17')
  t.equal((await shipping()).journal.list(10).length, 1)
  t.equal(jobs().length, 2)
  const other = await post({ ...call, params: { ...params, to_name: 'Bo' } })
  t.equal(other.status, 409)
  t.match((await other.json()) as Answer, {
    meta: { code: 409 },
    data: null,
    request_id: 'order-17',
  })
  t.equal(jobs().length, 2)
})

t.test('G8: the same request again once its printer is gone, or not the default', async (t) => {
  const { ask, bench, jobs, shipping } = startShipping(t, { prints: false })
  const again = async (print: string | true, request_id: string): Promise<Answer> =>
    await ask('SubmitShipment', { ...TWO_PARCELS, print }, { request_id })
  const first = [await again('Bench 2', 'a'), await again(true, 'b')]
  bench.printers.configure([printer('Bench 1', 'file:bench-1')], 'Bench 1')
  t.same([await again('Bench 2', 'a'), await again(true, 'b')], first)
  bench.printers.configure([printer('Bench 3', 'file:bench-3', 'epl')], 'Bench 3')
  t.same([await again('Bench 2', 'a'), await again(true, 'b')], first)
  t.equal((await again('Bench 2', 'c')).meta.code, 400, 'a new one is refused')
  t.equal((await shipping()).journal.list(9).length, 2)
  t.equal(jobs().length, 4)
})

t.test('G8: the same request again whatever has changed since', async (t) => {
  const { ask, bench, folder } = startShipping(t, { prints: false })
  const accounts = join(folder, 'shipping', 'accounts')
  mkdirSync(accounts, { recursive: true })
  writeFileSync(join(accounts, 'own.json'), '{"carrier":"local"}', { mode: 0o600 })
  // A printer gets a picture where the carrier has no EPL; without one that was refused.
  const params = { ...TWO_PARCELS, print: 'Bench 2', image_type: 'EPL', account: 'own' }
  const again = async (): Promise<Answer> =>
    await ask('SubmitShipment', params, { request_id: 'a' })
  const first = await again()
  t.match(packagesOf(first), [{ label_format: 'PNG' }, { label_format: 'PNG' }])
  bench.printers.configure([printer('Bench 1', 'file:bench-1')], 'Bench 1')
  t.same(await again(), first, 'its printer is gone')
  rmSync(accounts, { recursive: true })
  t.same(await again(), first, 'its account is gone')
})

t.test('G8: calls at the same moment are one purchase', async (t) => {
  const { post, shipping } = startShipping(t)
  const call = { carrier: 'local', action: 'SubmitShipment', request_id: 'a', params: TWO_PARCELS }
  const answers = await Promise.all([post(call), post(call), post(call)])
  const texts = await Promise.all(answers.map((res) => res.text()))
  t.equal(new Set(texts).size, 1)
  t.equal((await shipping()).journal.list(10).length, 1)
})

t.test('G8: ids and numbers of many digits are taken as they are', async (t) => {
  const { post, shipping } = startShipping(t)
  const ids = ['576462345678901234', '576462345678901235']
  for (const id of ids) {
    const params = JSON.stringify({ ...TWO_PARCELS, reference1: 'ID' }).replace('"ID"', id)
    const call = `{"carrier":"local","action":"SubmitShipment","request_id":${id},"params":${params}}`
    const answer = (await (await post(call)).json()) as Answer
    t.equal(answer.request_id, id)
    const [first] = packagesOf(answer)
    t.match(Buffer.from(first?.label ?? '', 'base64').toString(), `REF ${id}`)
  }
  t.equal((await shipping()).journal.list(9).length, 2)
})

t.test('G9: printed, byte by byte', async (t) => {
  const { ask, printed, untilJob } = startShipping(t)
  const answer = await ask('SubmitShipment', { ...TWO_PARCELS, print: 'Bench 2' })
  const packages = packagesOf(answer)
  for (const { print } of packages) {
    await untilJob(({ id, state }) => id === print?.job_id && state === 'completed')
  }
  t.same(
    printed('bench-2').map((label) => label.toString('base64')),
    packages.map(({ label }) => label),
  )
})

t.test('G9: copies', async (t) => {
  const { ask, jobs } = startShipping(t, { prints: false })
  const answer = await ask('SubmitShipment', { ...TWO_PARCELS, print: { copies: 3 } })
  t.equal(jobs().length, 6)
  t.equal(packagesOf(answer).length, 2)
  const asTexts = { print: { copies: '2' }, timeout: '5000', dpi: '203' }
  t.equal((await ask('SubmitShipment', { ...TWO_PARCELS, ...asTexts })).meta.code, 200)
  t.equal(jobs().length, 10)
})

t.test('G10: a printer that is off', async (t) => {
  const { ask, bench, call, key } = startShipping(t, {
    printers: { Off: await findOffUri() },
  })
  const answer = await ask('SubmitShipment', { ...TWO_PARCELS, print: 'Off' })
  t.equal(answer.data?.errors, null)
  const [first] = packagesOf(answer)
  t.match(first?.print?.state, /^(pending|processing|processing-stopped)$/)
  t.ok(bench.job(first?.print?.job_id).hasLabel)
  const path = `/v1/shipments/${String(answer.data?.['shipment_id'])}`
  const again = await call(path, { headers: { 'x-api-key': key } })
  t.same(
    packagesOf((await again.json()) as Answer),
    packagesOf(answer),
    'the label can be had again',
  )
})

t.test('a printer that does not exist is refused before anything is bought', async (t) => {
  const { ask, shipping } = startShipping(t)
  const { meta, data } = await ask('SubmitShipment', { ...TWO_PARCELS, print: 'Bench 9' })
  t.equal(meta.code, 400)
  t.match(meta.error_message, /"Bench 9"/)
  t.equal(data, null)
  t.equal((await shipping()).journal.list(10).length, 0)
})

t.test('G11, G12: debug', async (t) => {
  const { ask } = startShipping(t)
  const params = { ...TWO_PARCELS, key: 'k3y-s3cret', password: 'p4ss"w', client_secret: 'cl/s+1' }
  const plain = await ask('GetAllRates', params)
  t.notOk('debug_information' in plain.meta)
  const text = JSON.stringify(await ask('GetAllRates', { ...params, debug: true }))
  t.match(text, 'debug_information')
  for (const secret of ['k3y-s3cret', 'p4ss', 'cl/s+1']) t.notMatch(text, secret)
})

t.test('G13: the case of names does not count', async (t) => {
  const { post, ask } = startShipping(t)
  const bought = await ask('SubmitShipment', TWO_PARCELS)
  const params = { tracking_number: bought.data?.['tracking_number'] }
  const res = await post({ carrier: 'LOCAL', action: 'tRACK', params })
  t.same(await res.json(), await ask('Track', params))
})

t.test('G17: unknown names, and pairs that do not exist', async (t) => {
  const { post } = startShipping(t)
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ carrier: 'pigeon', action: 'Track' }, /"pigeon"/],
    [{ carrier: 'local', action: 'Fly' }, /"Fly"/],
    [{ carrier: 'local', action: 'Authenticate' }, /local .*Authenticate/],
    [{ carrier: 3, action: 'Track' }, /carrier: got "3"/],
    [{ action: 'Track' }, /carrier: got nothing/],
    [{ carrier: 'local', action: 'Track', params: ['x'] }, /params must be an object/],
    [
      { carrier: 'local', action: 'Track', params: { print: true } },
      /print goes with SubmitShipment/,
    ],
    [{ carrier: 'local', action: 'Track', params: { timeout: -1 } }, /timeout: got "-1"/],
    [{ carrier: 'local', action: 'Track', request_id: 'a b' }, /request_id must be/],
    [{ carrier: 'local', action: 'SubmitShipment', params: { image_type: 'BMP' } }, /"BMP"|BMP/],
    [
      { carrier: 'local', action: 'SubmitShipment', params: { print: { copies: 'x' } } },
      /print must/,
    ],
    [{ carrier: 'local', action: 'SubmitShipment', params: { print: { copies: 0 } } }, /copies/],
  ]
  for (const [call, sentence] of cases) {
    const res = await post(call)
    const { meta, data } = (await res.json()) as Answer
    t.equal(res.status, 400, JSON.stringify(call))
    t.equal(meta.code, 400)
    t.match(meta.error_message, sentence)
    t.equal(data, null)
  }
})

t.test('a test is one in each way that a yes can be written, and no other word buys', async (t) => {
  const { ask, shipping } = startShipping(t, { prints: false })
  const cases: readonly (readonly [unknown, boolean])[] = [
    ...[true, 1, '1', 'true', 'True'].map((value) => [value, true] as const),
    ...[false, 0, '0', 'false', '', null].map((value) => [value, false] as const),
  ]
  const { journal } = await shipping()
  for (const [test, isTest] of cases) {
    await ask('SubmitShipment', { ...TWO_PARCELS, test })
    t.equal(journal.list(1)[0]?.test, isTest, JSON.stringify(test))
  }
  for (const test of ['yes', 2, [true], {}]) {
    const { meta } = await ask('SubmitShipment', { ...TWO_PARCELS, test })
    t.equal(meta.code, 400)
    t.match(meta.error_message, /^test: got .*, wanted true or false\.$/)
  }
  t.equal(journal.list(99).length, cases.length)
})

t.test('G18: weights', async (t) => {
  const { ask } = startShipping(t)
  const rate = async (weight: unknown) =>
    await ask('GetAllRates', { ship_code: '89501', to_code: '50010', packages: [{ weight }] })
  t.same(await rate('3'), await rate(3))
  for (const weight of [0, -1, 'NaN']) {
    const answer = await rate(weight)
    t.same(codesOf(answer), [1102], String(weight))
    t.equal(answer.data?.['rates'], null)
    t.equal(answer.meta.code, 200)
  }
})

t.test('G20: paths and methods', async (t) => {
  const { post, call } = startShipping(t)
  const body = {
    carrier: 'local',
    action: 'GetAllRates',
    params: { ship_code: '1', to_code: '2', weight: 1 },
  }
  const texts = new Set<string>()
  for (const path of ['/v1', '/v1/', '/api/v1', '/api/v1/']) {
    texts.add(await (await post(body, { path })).text())
    const got = await call(path)
    t.equal(got.status, 405, path)
    t.match((await got.json()) as Answer, {
      meta: { code: 405, error_message: String },
      data: null,
    })
  }
  t.equal(texts.size, 1)
  const health = await call('/v1/health')
  t.equal(health.status, 200)
  const lost = await call('/v1/nothing')
  t.equal(lost.status, 404)
  t.match((await lost.json()) as Answer, { meta: { code: 404 }, data: null })
})

t.test('G21: a void works once', async (t) => {
  const { ask } = startShipping(t)
  const bought = await ask('SubmitShipment', TWO_PARCELS)
  const params = { shipment_id: bought.data?.['shipment_id'] }
  t.match(await ask('VoidShipment', params), {
    meta: { code: 200 },
    data: { errors: null, status: 'Success', status_code: '1' },
  })
  t.same(codesOf(await ask('VoidShipment', params)), [1409])
  t.match((await ask('Track', params)).data, { status: 'Voided', status_code: 'VO' })
  t.same(codesOf(await ask('VoidShipment', { shipment_id: 'PL9' })), [1404])
})

t.test('a batch is answered in its order', async (t) => {
  const { post } = startShipping(t)
  const rate = {
    carrier: 'local',
    action: 'GetAllRates',
    params: { ship_code: '1', to_code: '2', weight: 1 },
  }
  const res = await post([
    { ...rate, request_id: 'a' },
    { ...rate, carrier: 'x', request_id: 'b' },
    7,
  ])
  t.equal(res.status, 200)
  const answers = (await res.json()) as readonly Answer[]
  t.same(
    answers.map(({ request_id: id, meta }) => [id, meta.code]),
    [
      ['a', 200],
      ['b', 400],
      [undefined, 400],
    ],
  )
  t.equal((await post([])).status, 400)
  t.equal((await post(Array.from({ length: 101 }, () => rate))).status, 400)
})

t.test('what is missing is told by its field', async (t) => {
  const { ask } = startShipping(t)
  const answer = await ask('SubmitShipment', { service: 'VAN', weight: 1, to_name: 'Ann' })
  t.same(
    answer.data?.errors?.map(({ code, field }) => `${code} ${field}`),
    ['shipper', 'ship_addr1', 'ship_city', 'ship_code', 'to_addr1', 'to_city', 'to_code'].map(
      (field) => `1101 ${field}`,
    ),
  )
  t.match(answer.data, {
    charges: 0,
    tracking_number: '',
    shipment_id: '',
    packages: null,
    documents: null,
  })
  t.same(codesOf(await ask('SubmitShipment', { ...TWO_PARCELS, service: 'ROCKET' })), [1103])
  t.same(codesOf(await ask('SubmitShipment', { ...TWO_PARCELS, service: '' })), [1101])
  t.same(
    codesOf(await ask('GetAllRates', { ...TWO_PARCELS, packages: [{ weight: 9_000 }] })),
    [1104],
  )
})

t.test('an address is checked in its form only', async (t) => {
  const { ask } = startShipping(t)
  const good = await ask('AddressValidate', { ...TWO_PARCELS, to_code: '50010-1234' })
  t.match(good.data, { errors: null, match: null, zip_code: '50010', zip_code_addon: '1234' })
  t.same(codesOf(await ask('AddressValidate', { ...TWO_PARCELS, to_code: '5001' })), [1104])
})

t.test('what the owner of a van writes down is tracked', async (t) => {
  const { ask, shipping } = startShipping(t)
  const bought = await ask('SubmitShipment', TWO_PARCELS)
  const number = packagesOf(bought)[1]?.tracking_number
  const { local } = await shipping()
  const event = { number, status: 'Delivered', status_code: 'D', location: 'Ames' }
  t.equal(local.noteEvent(event), undefined)
  const { data } = await ask('Track', { tracking_number: number })
  t.match(data, { status: 'Delivered', status_code: 'D', delivered_time: RFC3339 })
  t.match(data?.['packages'], [
    { tracking_number: number, activity: [{ status: 'Delivered' }, { status: 'Label created' }] },
  ])
  t.match(local.noteEvent({ ...event, number: 'PL0' }), /no shipment "PL0"/)
  t.match(local.noteEvent({ ...event, status: '' }), /status must say/)
  t.match(local.noteEvent({ ...event, location: 7 }), /location must be a text/)
  t.same(codesOf(await ask('Track', { tracking_number: 'PL0' })), [1404])
  const misread = await ask('Track', { tracking_number: `${String(number).slice(0, -1)}x` })
  t.match(misread.data?.errors?.[0]?.description, /no shipment/)
})
