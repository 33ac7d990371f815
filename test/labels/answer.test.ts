import t from 'tap'
import { png } from '../../src/labels/codecs/index.ts'
import { encodePng, type Target } from '../../src/labels/target.ts'
import { answerRequest, type RenderRequest } from '../../src/labels/worker.ts'
import { makeTarget } from './make-target.ts'
import { decodeRows } from './rows.ts'

const TARGET = makeTarget()

function textOf(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}

t.test('a picture is answered with printer bytes, preview and notes', async (t) => {
  const label = encodePng({ width: 8, height: 8, bits: new Uint8Array(8).fill(0xf0) })
  const reply = await answerRequest({ id: 7, format: 'png', label, target: TARGET })
  const rendered = 'rendered' in reply ? reply.rendered : undefined
  t.equal(reply.id, 7)
  t.match(new TextDecoder('latin1').decode(rendered?.bytes), /^\^XA/)
  t.equal((await decodeRows(png, rendered?.preview ?? new Uint8Array())).length, 1218)
  t.same(rendered?.notes, [])
})

t.test('a fault keeps its code and message', async (t) => {
  const label = new Uint8Array(20)
  t.match(await answerRequest({ id: 8, format: 'gif', label, target: TARGET }), {
    id: 8,
    fault: { code: 'PICTURE_BROKEN', message: /^The GIF / },
  })
})

t.test('a fault of our own code is a crash, whatever was thrown', async (t) => {
  const label = new TextEncoder().encode('not JSON')
  t.match(await answerRequest({ id: 9, format: 'test', label, target: TARGET }), {
    id: 9,
    crash: /JSON/,
  })
  const throwing = (thrown: unknown): RenderRequest => ({
    id: 10,
    format: 'png',
    label: new Uint8Array(),
    get target(): Target {
      throw thrown
    },
  })
  t.match(await answerRequest(throwing('a word')), {
    crash: 'a word',
  })
  for (const thrown of ['Array buffer allocation failed', 'Invalid typed array length: 9']) {
    t.match(await answerRequest(throwing(new RangeError(thrown))), {
      fault: { code: 'PICTURE_MEMORY' },
    })
  }
})

t.test('documents of our own are drawn too', async (t) => {
  const test = textOf({ printer: 'Bench 1', host: 'box', at: '2026-11-21 10:00' })
  const reply = await answerRequest({ id: 11, format: 'test', label: test, target: TARGET })
  t.ok('rendered' in reply && reply.rendered.bytes.length > 100)
  const list = textOf({ order_number: '1', items: [{ sku: 'A', desc: 'B', qty: 1, price: 2 }] })
  const packed = await answerRequest({ id: 12, format: 'packlist', label: list, target: TARGET })
  t.ok('rendered' in packed && packed.rendered.bytes.length > 100)
  const long =
    '{"order_number": 576461413038785752, "items": [{"sku": 12345678901234567, "qty": 2}]}'
  const exact = await answerRequest({
    id: 14,
    format: 'packlist',
    target: TARGET,
    label: new TextEncoder().encode(long),
  })
  const zpl = new TextDecoder().decode('rendered' in exact ? exact.rendered.bytes : undefined)
  t.match(zpl, /\^FD576461413038785752\^FS/, 'not a digit of an order number is lost')
  t.match(zpl, /\^FD>;576461413038785752\^FS/, 'nor of its bar code')
  t.match(zpl, /\^FD12345678901234567\^FS/)
  const broken = { id: 13, format: 'packlist', label: textOf([]), target: TARGET } as const
  t.match(await answerRequest(broken), { fault: { code: 'PACKLIST_INVALID' } })
})
