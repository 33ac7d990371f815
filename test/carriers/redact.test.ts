import { randomBytes } from 'node:crypto'
import t from 'tap'
import type { HttpCall, HttpReply } from '../../src/carriers/carrier.ts'
import { DebugTrace, Redaction } from '../../src/carriers/redact.ts'
import { makeRandom, tries } from '../random.ts'

const random = makeRandom(20_261_123)
const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T

/** A credential of any kind: digits, a UUID, signs that every encoding writes differently, other scripts. */
function makeCredential(): string {
  const bytes = randomBytes(4 + Math.floor(random() * 40))
  const kinds = [
    () => bytes.toString('hex'),
    () => bytes.toString('base64'),
    () => bytes.toString('base64url'),
    () => String(Math.floor(100_000 + random() * 900_000)),
    () => Array.from({ length: 12 }, () => pick([...'aZ9 "\\/+&=?#%{}<>:;,\'ü東é~^'])).join(''),
    () => `EZTK${bytes.toString('hex')}`,
  ]
  return pick(kinds)().trim() || 'credential'
}

/** Each way in which a program may write it. */
function formsOf(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  return [
    secret,
    json,
    encodeURIComponent(secret),
    new URLSearchParams([['', secret]]).toString().slice(1),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    Buffer.from(secret).toString('base64url'),
  ]
}

/** In base64, alone and behind other texts of any length. */
function packed(secret: string): Record<string, string> {
  const befores = ['', 'u', 'us', 'usr']
  return Object.fromEntries(
    befores.map((before, n) => [
      `X-Packed-${n}`,
      Buffer.from(`${before}${secret}`).toString('base64'),
    ]),
  )
}

/** All of them in one exchange, in every place where a carrier's file or a carrier might put one. */
function makeExchange(
  id: string,
  secret: string,
): { readonly call: HttpCall; readonly reply: HttpReply } {
  const basic = Buffer.from(`${id}:${secret}`).toString('base64')
  const body = pick([
    JSON.stringify({ note: `my ${secret} here`, deep: [{ [secret]: 1, x: secret }], key: secret }),
    new URLSearchParams({ grant_type: 'x', client_secret: secret, other: secret }).toString(),
    `<xml>${secret}</xml>`,
  ])
  const call: HttpCall = {
    method: 'POST',
    path: `/x?key=${encodeURIComponent(secret)}`,
    headers: { Authorization: `Basic ${basic}`, 'X-Other': `see ${secret}`, ...packed(secret) },
    body,
  }
  const echo = {
    message: `bad secret ${secret}`,
    twice: JSON.stringify({ in: secret }),
    raw: basic,
  }
  const reply = { status: 401, headers: { 'x-echo': secret }, text: JSON.stringify(echo) }
  return { call, reply }
}

t.test('of many credentials none comes out in any form', (t) => {
  let leaks = 0
  for (let count = 0; count < tries(10_000); count += 1) {
    const [id, secret] = [makeCredential(), makeCredential()]
    const pair = `${id}:${secret}`
    const redaction = new Redaction([id, secret, pair, Buffer.from(pair).toString('base64')])
    const { call, reply } = makeExchange(id, secret)
    const shown = JSON.stringify([
      redaction.exchange('UPS-REST', `https://host${call.path}`, call, { ms: 1, reply }),
      redaction.exchange('UPS-REST', `https://host${call.path}`, call, { ms: 1, fault: secret }),
      redaction.words(`The password ${secret} of ${id} is wrong.`),
    ])
    const found = [id, secret]
      .flatMap(formsOf)
      .find((form) => form.length >= 6 && shown.includes(form))
    if (found !== undefined && leaks < 5) t.fail(`${JSON.stringify(found)} in ${shown}`)
    if (found !== undefined) leaks += 1
  }
  t.equal(leaks, 0)
  t.end()
})

t.test('what is no secret is shown', (t) => {
  const redaction = new Redaction(['s3cret-value'])
  const call: HttpCall = {
    method: 'POST',
    path: '/rate',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ Shipment: { City: 'Reno', ShipperNumber: 'A1B2C3' }, weight: 3 }),
  }
  const reply = { status: 200, headers: { date: 'today' }, text: '{"rate":"9.99"}' }
  t.same(redaction.exchange('UPS-REST', 'https://host/rate', call, { ms: 7, reply }), {
    carrier: 'UPS-REST',
    ms: 7,
    request: {
      method: 'POST',
      url: 'https://host/rate',
      headers: { 'Content-Type': 'application/json' },
      body: { Shipment: { City: 'Reno', ShipperNumber: '***' }, weight: 3 },
    },
    response: { status: 200, headers: { date: 'today' }, body: { rate: '9.99' } },
  })
  t.end()
})

t.test('labels are cut, and the whole block is bounded', (t) => {
  const redaction = new Redaction([])
  const reply = {
    status: 200,
    headers: {},
    text: JSON.stringify({ GraphicImage: 'A'.repeat(90_000) }),
  }
  const call: HttpCall = { method: 'GET', path: '/', headers: {} }
  const shown = JSON.stringify(redaction.exchange('x', 'https://host/', call, { ms: 1, reply }))
  t.match(shown, `${'A'.repeat(64)}… (90000 characters)`)
  t.ok(shown.length < 500)
  const trace = new DebugTrace()
  for (let count = 0; count < 100; count += 1) trace.note({ text: 'x'.repeat(10_000) })
  t.ok(JSON.stringify(trace.entries).length <= 256 * 1024)
  t.end()
})

t.test('a credential too short to be looked for hides all texts', (t) => {
  const redaction = new Redaction(['ab'])
  const call: HttpCall = { method: 'POST', path: '/', headers: {}, body: '{"note":"about ab"}' }
  const shown = JSON.stringify(redaction.exchange('x', 'https://host/', call, { ms: 1, fault: '' }))
  t.notMatch(shown, 'about')
  t.end()
})
