import t, { type Test } from 'tap'
import { createAccess } from '../../src/http/access/access.ts'
import { sendTo, type Try } from './access/access-rig.ts'
import { startRig, ZPL64 } from './rig.ts'

const OTHER64 = Buffer.from('^XA^FO30,30^A0N,40^FDOther^FS^XZ').toString('base64')
const OWN = 'bench-3:8080'
const SHOP = { origin: 'https://shop.example' }
const EVIL = { origin: 'https://evil.example' }

/** A print server whose labels wait, and a way to print with the key that everybody guesses. */
function start(t: Test) {
  const access = createAccess({ config: () => ({}), ownNames: () => ['bench-3', '10.0.0.7'] })
  const { app, jobs, bench } = startRig(t, { parts: { access }, prints: false })
  const print = async (label: string, one: Partial<Try> = {}) => {
    const headers = { 'content-type': 'application/json', prefer: 'wait=0', ...one.headers }
    const body = JSON.stringify({ label, idempotency_key: 'order-1001' })
    const from = one.from ?? '10.0.0.20'
    const host = one.host ?? OWN
    const { status, text } = await sendTo(app, {
      method: 'POST',
      path: '/',
      from,
      host,
      headers,
      body,
    })
    const answer = JSON.parse(text) as { jobs?: { id: string }[] }
    return { status, id: answer.jobs?.[0]?.id }
  }
  return { app, print, jobs, bench }
}

/** Senders that can send the key of a program at 10.0.0.20 first. */
const STRANGERS: Readonly<Record<string, Partial<Try>>> = {
  'a program at another address': { from: '10.0.0.66' },
  'a program of this machine': { from: '127.0.0.1', host: 'localhost:8080' },
  'a client of a proxy': { from: '127.0.0.1', headers: { 'x-forwarded-for': '10.0.0.66' } },
  'a page of another site': { headers: EVIL },
  'a sandboxed page': { headers: { origin: 'null' } },
  'a page without Origin': { headers: { 'sec-fetch-site': 'cross-site' } },
  'a page under a rebound name': {
    host: 'evil.example:8080',
    headers: { origin: 'http://evil.example:8080' },
  },
  'the own page': { headers: { origin: `http://${OWN}` } },
}

for (const [name, stranger] of Object.entries(STRANGERS)) {
  t.test(`${name} spoils no key of a program`, async (t) => {
    const { print, jobs } = start(t)
    t.equal((await print(OTHER64, stranger)).status, 202)
    const first = await print(ZPL64)
    t.equal(first.status, 202)
    t.strictSame(await print(ZPL64), first, 'whose own repeat is one')
    t.equal((await print(OTHER64)).status, 409, 'and another label a conflict')
    t.equal(jobs().length, 2)
  })
}

t.test('a program that tries again from another address prints nothing more', async (t) => {
  const { print, jobs } = start(t)
  const first = await print(ZPL64)
  for (const one of [{ from: '10.0.0.21' }, { host: 'evil.example' }, { from: '2001:db8::7' }]) {
    t.strictSame(await print(ZPL64, one), first)
  }
  t.equal(jobs().length, 1)
})

t.test('no page shares a request with programs or pages of another site', async (t) => {
  const { print, jobs } = start(t)
  const ids = [
    await print(ZPL64),
    await print(ZPL64, { headers: SHOP }),
    await print(ZPL64, { headers: EVIL }),
    await print(ZPL64, { headers: { origin: 'null' } }),
    await print(ZPL64, { headers: { origin: `http://${OWN}` } }),
    await print(ZPL64, { headers: { origin: 'http://evil.example' }, host: 'evil.example' }),
  ].map(({ id }) => id)
  t.equal(new Set(ids).size, 6)
  t.equal((await print(ZPL64, { headers: SHOP, from: '10.0.0.21' })).id, ids[1])
  t.equal((await print(OTHER64, { headers: SHOP })).status, 409)
  t.equal(jobs().length, 6)
})

t.test('keys that begin alike are different keys', async (t) => {
  const { app, jobs } = start(t)
  for (const key of ['a', 'ab', 'a:b', 'a b']) {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key, prefer: 'wait=0' }
    const body = JSON.stringify({ label: ZPL64 })
    await sendTo(app, { method: 'POST', path: '/', headers, body })
  }
  t.equal(jobs().length, 4)
})

t.test('a pack list has the same senders', async (t) => {
  const { app, jobs } = start(t)
  const send = (desc: string, more: Record<string, string> = {}) =>
    sendTo(app, {
      method: 'POST',
      path: '/packlist',
      host: OWN,
      from: '10.0.0.20',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': 'order-1001',
        prefer: 'wait=0',
        ...more,
      },
      body: JSON.stringify({ items: [{ desc }] }),
    })
  t.equal((await send('theirs', EVIL)).status, 202)
  t.equal((await send('ours')).status, 202)
  t.equal((await send('ours')).status, 202)
  t.equal((await send('another')).status, 409)
  t.equal(jobs().length, 2)
})

t.test(
  'requests that come at once are one, which is on disk before either is answered',
  async (t) => {
    const { print, jobs, bench } = start(t)
    const answers = Array.from({ length: 8 }, async () => {
      const { id = '' } = await print(ZPL64)
      t.equal(bench.spool.history.get(id)?.state, 'pending', 'on disk')
      return id
    })
    t.equal(new Set(await Promise.all(answers)).size, 1)
    t.equal(jobs().length, 1)
  },
)

t.test('an Origin of any length leaves a backup that can be read', async (t) => {
  const { print, bench } = start(t)
  await print(ZPL64, { headers: { origin: `https://${'x'.repeat(8_000)}.example` } })
  const [repeat] = bench.spool.archive.repeats('', 10)
  t.ok((repeat?.key.length ?? 0) > 0 && (repeat?.key.length ?? 0) < 500)
})
