import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { ADDRESSES, type Answer, startShipping } from './http/calls.ts'

/** The behavior of a carrier; a number is the price that it asks. */
type Manner =
  | number
  | readonly [price: number, currency: string]
  | 'hang'
  | 'reset'
  | 'refuse'
  | 'odd'

function answerAs(manner: Manner, response: ServerResponse): void {
  const end = (status: number, body: string): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  }
  if (manner === 'hang') return
  if (manner === 'reset') response.destroy()
  else if (manner === 'odd') end(200, '<html>')
  else if (manner === 'refuse') {
    end(400, JSON.stringify({ errors: [{ code: 'validation', message: 'No such street.' }] }))
  } else {
    const [price, currency] = typeof manner === 'number' ? [manner, 'USD'] : manner
    const rate = {
      id: `rate_${price}`,
      carrier_name: 'ups',
      carrier_id: 'ups',
      service: 'ground',
      total_charge: price,
      currency,
    }
    end(201, JSON.stringify({ id: 'shp_1', rates: [rate], messages: [] }))
  }
}

/** A box with an account of each of these carriers. */
async function startMany(t: Test, manners: Readonly<Record<string, Manner>>) {
  const rig = startShipping(t)
  const accounts = join(rig.folder, 'shipping', 'accounts')
  mkdirSync(accounts, { recursive: true })
  const asked: string[] = []
  for (const [name, manner] of Object.entries(manners)) {
    const web = createServer((request, response) => {
      asked.push(name)
      request.resume()
      request.on('end', () => answerAs(manner, response))
    })
    web.listen(0, '127.0.0.1')
    await once(web, 'listening')
    t.teardown(() => {
      web.close()
      web.closeAllConnections()
    })
    const { port } = web.address() as AddressInfo
    const account = { carrier: 'karrio', url: `http://127.0.0.1:${port}`, key: 'k' }
    writeFileSync(join(accounts, `${name}.json`), JSON.stringify(account), { mode: 0o600 })
  }
  const rate = async (
    carrier: unknown,
    params: object = {},
    more: object = {},
  ): Promise<Answer> => {
    const parcel = { weight: 2, length: 9, width: 6, height: 4 }
    const call = {
      carrier,
      action: 'GetAllRates',
      params: { ...ADDRESSES, ...parcel, ...params },
      ...more,
    }
    return (await (await rig.post(call)).json()) as Answer
  }
  return { ...rig, rate, asked }
}

interface Rate {
  readonly rate: number
  readonly currency: string
  readonly carrier: string
  readonly account: string
}

const ratesOf = ({ data }: Answer): readonly Rate[] => (data?.['rates'] ?? []) as Rate[]
const shown = (answer: Answer): readonly string[] =>
  ratesOf(answer).map((one) => `${one.account} ${one.rate} ${one.currency}`)
const faultsOf = ({ data }: Answer) =>
  (data?.errors ?? []) as readonly {
    type: string
    code: number
    description: string
    carrier?: string
    account?: string
  }[]

t.test('all accounts are asked side by side, the cheapest rate first', async (t) => {
  const { rate } = await startMany(t, { dear: 30, cheap: 7.5, middle: 10.05 })
  const answer = await rate('*', {}, { request_id: 'r-1' })
  t.match(answer, { meta: { code: 200 }, request_id: 'r-1', data: { errors: null } })
  t.same(shown(answer), ['cheap 7.5 USD', 'middle 10.05 USD', 'dear 30 USD'])
  t.ok(ratesOf(answer).every(({ carrier }) => carrier === 'karrio'))
})

t.test('each has its own errors, and a slow one costs the others nothing', async (t) => {
  const { rate, asked } = await startMany(t, {
    good: 9,
    slow: 'hang',
    broken: 'reset',
    strict: 'refuse',
    odd: 'odd',
  })
  const began = performance.now()
  const answer = await rate(['*', 'local'], { timeout: 1_500 })
  t.ok(performance.now() - began < 20_000, 'not the time that is usual')
  t.same(new Set(asked), new Set(['good', 'slow', 'broken', 'strict', 'odd']))
  t.equal(shown(answer).filter((one) => one.startsWith('good')).length, 1)
  t.ok(ratesOf(answer).some(({ carrier }) => carrier === 'local'))
  const prices = ratesOf(answer).map((one) => one.rate)
  t.same(
    prices,
    prices.toSorted((a, b) => a - b),
  )
  const faults = faultsOf(answer)
  t.same(
    new Set(faults.map(({ account }) => account)),
    new Set(['slow', 'broken', 'strict', 'odd']),
  )
  t.ok(
    faults.every(({ type }) => type === 'WARNING'),
    'others sell: the call did not fail',
  )
  t.match(
    faults.find(({ account }) => account === 'slow'),
    { code: 1504, carrier: 'karrio' },
  )
  t.match(faults.find(({ account }) => account === 'strict')?.description, 'No such street')
})

t.test('where nobody sells the call failed', async (t) => {
  const { rate } = await startMany(t, { a: 'refuse', b: 'reset' })
  const answer = await rate('*')
  t.equal(answer.data?.['rates'], null)
  t.match(faultsOf(answer), [
    { type: 'ERROR', account: 'a' },
    { type: 'ERROR', account: 'b' },
  ])
})

t.test('amounts of different currencies are never compared', async (t) => {
  const { rate } = await startMany(t, {
    a: [9, 'USD'],
    b: [8, 'EUR'],
    c: [1_200, 'JPY'],
    d: [7, 'USD'],
    e: [10, 'EUR'],
  })
  const answer = await rate('*')
  t.same(shown(answer), ['b 8 EUR', 'e 10 EUR', 'c 1200 JPY', 'd 7 USD', 'a 9 USD'])
  t.match(faultsOf(answer), [{ type: 'NOTE', description: /EUR, JPY, USD/ }])
  const own = await rate('*', { currency: 'usd' })
  t.same(shown(own), ['d 7 USD', 'a 9 USD', 'b 8 EUR', 'e 10 EUR', 'c 1200 JPY'])
})

t.test('a list names carriers, accounts and credentials', async (t) => {
  const { rate, asked } = await startMany(t, { one: 5, two: 6 })
  t.same(shown(await rate(['karrio'])), ['one 5 USD', 'two 6 USD'], 'every account of it')
  t.same(shown(await rate([{ carrier: 'KARRIO', account: 'two' }])), ['two 6 USD'])
  asked.length = 0
  const twice = await rate(['karrio', '*', { carrier: 'karrio', account: 'one' }])
  t.same(shown(twice), ['one 5 USD', 'two 6 USD'])
  t.equal(asked.length, 2, 'each once')
  const none = await rate(['karrio', 'FedEx', { carrier: 'karrio', account: 'gone' }])
  t.same(shown(none), ['one 5 USD', 'two 6 USD'])
  t.match(faultsOf(none), [
    { carrier: 'FedEx-REST', account: '', code: 1000 },
    { carrier: 'FedEx-REST' },
    { carrier: 'karrio', account: 'gone', description: /no account "gone"/ },
  ])
})

t.test('what cannot be meant is refused by name, and nobody is asked', async (t) => {
  const { rate, post, asked } = await startMany(t, { one: 5 })
  const refusals: readonly (readonly [carrier: unknown, params: object, words: RegExp])[] = [
    [[], {}, /^carrier: /],
    [['karrio', 'pigeon'], {}, /"pigeon"/],
    [['karrio', 7], {}, /got "7"/],
    [['karrio', null], {}, /got "null"/],
    [['karrio', { account: 'one' }], {}, /got nothing/],
    [[{ carrier: 'karrio', service: 'x' }], {}, /"service"/],
    [[{ carrier: 'karrio', account: 7 }], {}, /account of karrio/],
    [['karrio', 'Shippo'], { key: 'shippo_live_1' }, /^key stands beside several carriers/],
    ['*', { account: 'one' }, /^account stands beside several carriers/],
    [Array.from({ length: 21 }, (_, n) => ({ carrier: 'Shippo', key: `k${n}` })), {}, /at most 20/],
  ]
  for (const [carrier, params, words] of refusals) {
    const { meta, data } = await rate(carrier, params)
    t.match(meta, { code: 400, error_message: words }, JSON.stringify(carrier))
    t.equal(data, null)
  }
  for (const action of ['SubmitShipment', 'VoidShipment', 'Track', 'AddressValidate']) {
    for (const carrier of ['*', ['karrio'], ['karrio', 'local']]) {
      const call = { carrier, action, params: { ...ADDRESSES, weight: 2 } }
      const answer = (await (await post(call)).json()) as Answer
      t.match(answer.meta, { code: 400, error_message: new RegExp(`"${action}"`) })
    }
  }
  t.same(asked, [])
})

t.test('without any account * says so', async (t) => {
  const { rate } = await startMany(t, {})
  t.match((await rate('*')).meta, { code: 400, error_message: /no account/ })
})

t.test('a key without the scope is refused', async (t) => {
  const { call, keys, asked } = await startMany(t, { one: 5 })
  const { key } = keys.add('tracker', ['track'])
  const res = await call('/v1', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ carrier: '*', action: 'GetAllRates', params: ADDRESSES }),
  })
  t.equal(res.status, 403)
  t.same(asked, [])
})

t.test(
  'whatever they do: all rates of those who sell, in order, and a word of each other',
  async (t) => {
    const manner = fc.oneof(
      fc.integer({ min: 1, max: 5_000 }).map((cents) => cents / 100),
      fc.tuple(fc.integer({ min: 1, max: 99 }), fc.constantFrom('EUR', 'USD', 'GBP')),
      fc.constantFrom('reset' as const, 'refuse' as const, 'odd' as const),
    )
    let n = 0
    for (const manners of fc.sample(fc.array(manner, { minLength: 1, maxLength: 8 }), 20)) {
      n += 1
      await t.test(`shop ${n}`, async (t) => {
        const named = Object.fromEntries(manners.map((one, i) => [`a${i}`, one] as const))
        const { rate } = await startMany(t, named)
        const answer = await rate('*')
        const sellers = manners.filter((one) => typeof one !== 'string').length
        t.equal(ratesOf(answer).length, sellers)
        const silent = new Set(Object.keys(named))
        for (const { account } of [...ratesOf(answer), ...faultsOf(answer)])
          silent.delete(account ?? '')
        t.same([...silent], [])
        const byCurrency = Map.groupBy(ratesOf(answer), (one) => one.currency)
        for (const rates of byCurrency.values()) {
          const prices = rates.map((one) => one.rate)
          t.same(
            prices,
            prices.toSorted((a, b) => a - b),
          )
        }
        const runs = ratesOf(answer).filter((one, i, all) => all[i - 1]?.currency !== one.currency)
        t.equal(runs.length, byCurrency.size, 'those of a currency stand together')
      })
    }
  },
)
