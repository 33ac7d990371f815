import t from 'tap'
import { type Answer, packagesOf, startShipping, TWO_PARCELS } from './http/calls.ts'

t.test('a label that was dropped to make room leaves the others to their parcels', async (t) => {
  const { shipping, call, key } = startShipping(t, {
    bench: { quotaBytes: 16 * 2 ** 20 },
    prints: false,
  })
  const { journal } = await shipping()
  const numbers = ['1Z1', '1Z2', '1Z3']
  const packages = numbers.map((number) => ({
    tracking_number: number,
    label: '',
    label_format: 'ZPL',
  }))
  const data = { errors: null, charges: 1, currency: 'USD', shipment_id: '1Z1', packages }
  const answer = JSON.stringify({ meta: { code: 200, error_message: '' }, data })
  const entry = { requestId: 'a', hash: '', action: 'SubmitShipment', carrier: 'UPS-REST' } as const
  journal.writeSent({ ...entry, print: '', sender: 'shop', isTest: false })
  const label = (text: string) => Buffer.alloc(1_600_000, `^XA^FD${text}^FS^XZ `)
  journal.writeDone('a', {
    shipmentId: '1Z1',
    number: '1Z1',
    service: '03',
    cents: 100,
    currency: 'USD',
    answer,
    labels: numbers.map((number) => ({ format: 'ZPL', label: label(number) })),
  })
  // A quarter of 15 MiB is less than the three of them.
  journal.upkeep(0)
  const res = await call('/v1/shipments/1Z1', { headers: { 'x-api-key': key } })
  const answered = (await res.json()) as Answer
  t.match(answered.data?.errors, [{ type: 'WARNING', description: /no longer kept/ }])
  const found = packagesOf(answered)
  t.same(
    found.map(({ tracking_number: number, label: text }) => [
      number,
      Buffer.from(text, 'base64').toString('latin1', 0, 15),
    ]),
    [
      ['1Z1', ''],
      ['1Z2', '^XA^FD1Z2^FS^XZ'],
      ['1Z3', '^XA^FD1Z3^FS^XZ'],
    ],
  )
})

t.test(
  'labels that are owed print where they were meant to, whatever that is called now',
  async (t) => {
    const { ask, shipping, bench, call, jobs, untilJob } = startShipping(t)
    const printed = await ask(
      'SubmitShipment',
      { ...TWO_PARCELS, print: 'Bench 2' },
      { request_id: 'a' },
    )
    for (const { print } of packagesOf(printed))
      await untilJob(({ id, state }) => id === print?.job_id && state === 'completed')
    await ask('SubmitShipment', TWO_PARCELS, { request_id: 'b' })
    // As a full spool leaves them.
    const wish = "(SELECT print FROM purchase WHERE request_id = 'a')"
    bench.spool.records
      .prepare(`UPDATE purchase SET owes = 1, print = ${wish} WHERE request_id = 'b'`)
      .run()
    const renamed = await call('/printers/Bench%202', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Packing' }),
    })
    t.equal(renamed.status, 200)
    const { desk } = await shipping()
    desk.resume()
    t.equal(jobs().filter(({ printer }) => printer === 'Packing').length, 2)
    const again = await ask('SubmitShipment', TWO_PARCELS, { request_id: 'b' })
    t.ok(packagesOf(again).every(({ print }) => print?.job_id !== ''))
  },
)
