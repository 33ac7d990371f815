import fc from 'fast-check'
import t from 'tap'
import { shareOf } from '../../../../src/plugins/shipping/journal.ts'
import { packagesOf, startShipping, TWO_PARCELS } from './calls.ts'

const DAY_MS = 86_400_000

t.test('an order number buys once in 400 days, however short labels are kept', async (t) => {
  let uptimeMs = 1_000
  const { ask, bench, call, key } = startShipping(t, { bench: { uptimeMs: () => uptimeMs } })
  const params = { ...TWO_PARCELS, reference1: 'PO 7', print: 'Bench 1' }
  const first = await ask('SubmitShipment', params, { request_id: 'order-7002' })
  const numbers = packagesOf(first).map((one) => one.tracking_number)
  const count = (): number =>
    bench.spool.records.prepare('SELECT 1 FROM local_shipment').all().length
  for (const days of [2, 1, 27, 300, 60]) {
    uptimeMs += days * DAY_MS
    const again = await ask('SubmitShipment', params, { request_id: 'order-7002' })
    t.match(again, {
      request_id: 'order-7002',
      data: {
        charges: first.data?.['charges'],
        currency: 'USD',
        shipment_id: first.data?.['shipment_id'],
        tracking_number: numbers[0],
        errors: [{ type: 'WARNING', description: /no longer kept here/ }],
      },
    })
    t.same(
      packagesOf(again).map((one) => [one.tracking_number, one.label]),
      numbers.map((number) => [number, '']),
    )
    const other = { ...params, to_name: 'Bob Other' }
    const { meta } = await ask('SubmitShipment', other, { request_id: 'order-7002' })
    t.equal(meta.code, 409)
    t.equal(count(), 1)
  }
  const path = `/v1/shipments/${first.data?.['shipment_id']}`
  t.equal((await call(path, { headers: { 'x-api-key': key } })).status, 404, 'no label is there')
  uptimeMs += 20 * DAY_MS
  await ask('SubmitShipment', params, { request_id: 'order-7002' })
  t.equal(count(), 2)
})

t.test('what is kept of an old purchase holds no address and no label', async (t) => {
  let uptimeMs = 1_000
  const { ask, bench, shipping } = startShipping(t, {
    prints: false,
    bench: { uptimeMs: () => uptimeMs },
  })
  await ask('SubmitShipment', { ...TWO_PARCELS, print: true }, { request_id: 'order-7002' })
  uptimeMs += 2 * DAY_MS
  const { journal } = await shipping()
  journal.upkeep(0)
  const { records } = bench.spool
  t.same(records.prepare('SELECT 1 FROM purchase_label').all(), [])
  const row = JSON.stringify(records.prepare('SELECT * FROM purchase').get())
  t.notMatch(row, 'Ames')
  t.notMatch(row, 'Ann')
  const values = Object.values(records.prepare('SELECT * FROM purchase').get() ?? {})
  const bytes = values.reduce<number>((sum, value) => sum + String(value).length, 0)
  t.ok(bytes < 350, `${bytes} bytes`)
})

t.test('a refund of long ago is not made again either', async (t) => {
  let uptimeMs = 1_000
  const { ask } = startShipping(t, { prints: false, bench: { uptimeMs: () => uptimeMs } })
  const bought = await ask('SubmitShipment', TWO_PARCELS, { request_id: 'a' })
  const params = { shipment_id: bought.data?.['shipment_id'] }
  const first = await ask('VoidShipment', params, { request_id: 'b' })
  uptimeMs += 100 * DAY_MS
  t.match(await ask('VoidShipment', params, { request_id: 'b' }), first)
  t.match(await ask('SubmitShipment', TWO_PARCELS, { request_id: 'a' }), {
    data: { errors: [{ description: /no longer kept/ }, { description: /was given back/ }] },
  })
})

t.test('no key takes the room of what another key bought', async (t) => {
  let uptimeMs = 1_000
  // An eighth of what is left of 8 MiB is some 1,800 purchases.
  const bench = { quotaBytes: 8 * 2 ** 20, uptimeMs: () => uptimeMs }
  const { shipping, bench: parts } = startShipping(t, { prints: false, bench })
  const { journal } = await shipping()
  const { records } = parts.spool
  const add = (sender: string, count: number): void => {
    records.write(() => {
      const insert = records.prepare(
        `INSERT INTO purchase(request_id, hash, state, action, carrier, sender, shipment_id, number, service, cents, currency,
        is_test, is_void, kept, print, owes, answer, at, run) VALUES(?, '', 'done', 'SubmitShipment', 'local', ?, ?, '', '', 0,
        'USD', 0, 0, '{}', '', 0, '', 0, ?)`,
      )
      for (let n = 0; n < count; n += 1) insert.run(`${sender}-${n}`, sender, `${sender}${n}`, n)
    })
  }
  add('small shop', 40)
  add('flood', 3_000)
  uptimeMs += 2 * DAY_MS
  for (let n = 0; n < 20; n += 1) {
    journal.upkeep(0)
    uptimeMs += 61_000
  }
  const left = (sender: string): number =>
    records.prepare('SELECT 1 FROM purchase WHERE sender = ?').all(sender).length
  t.equal(left('small shop'), 40)
  const flood = left('flood')
  t.ok(flood > 1_500 && flood < 2_000, `${flood}`)
  t.ok(journal.find('flood-2999'), 'the oldest go first')
  t.notOk(journal.find('flood-0'))
})

t.test('shares: all room is used, and nobody loses what is less than a share', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(200), { maxLength: 9 }),
      fc.integer({ min: 10, max: 500 }),
      (counts, most) => {
        const share = shareOf(counts, most)
        const kept = counts.map((count) => Math.min(count, share))
        const sum = kept.reduce((all, one) => all + one, 0)
        const whole = counts.reduce((all, one) => all + one, 0)
        if (sum > most) return false
        return whole <= most ? sum === whole : sum > most - counts.length
      },
    ),
  )
  t.end()
})
