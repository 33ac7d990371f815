import t from 'tap'
import { type Answer, packagesOf, startShipping } from '../http/shipping/calls.ts'

t.test('a label that was dropped to make room leaves the others to their parcels', async (t) => {
  const { shipping, call, key } = await startShipping(t, {
    ...{ bench: { quotaBytes: 16 * 2 ** 20 }, prints: false },
  })
  const { journal } = await shipping()
  const numbers = ['1Z1', '1Z2', '1Z3']
  const packages = numbers.map((number) => ({
    ...{ tracking_number: number, label: '', label_format: 'ZPL' },
  }))
  const data = { errors: null, charges: 1, currency: 'USD', shipment_id: '1Z1', packages }
  const answer = JSON.stringify({ meta: { code: 200, error_message: '' }, data })
  const entry = { requestId: 'a', hash: '', action: 'SubmitShipment', carrier: 'UPS-REST' } as const
  journal.begin({ ...entry, print: '', sender: 'shop', isTest: false })
  const label = (text: string) => Buffer.alloc(1_600_000, `^XA^FD${text}^FS^XZ `)
  journal.finish('a', {
    ...{ shipmentId: '1Z1', number: '1Z1', service: '03', cents: 100, currency: 'USD', answer },
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
