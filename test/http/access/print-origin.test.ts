import t from 'tap'
import { codeOf, createRig, type Try } from './access-rig.ts'

const SHOP = 'https://shop.example'
const closed = { config: () => ({ allowed_origins: [`${SHOP}/`] }) }
const preflight = (origin: string): Try => ({
  method: 'OPTIONS',
  path: '/',
  host: 'printserver.local',
  headers: { origin, 'access-control-request-method': 'POST' },
})
const post = (headers: Record<string, string>, host = 'printserver.local'): Try => ({
  method: 'POST',
  path: '/',
  from: '10.0.0.9',
  host,
  headers,
  body: 'label',
})

t.test('a preflight of printing names the origin and what may be sent', async (t) => {
  const { send } = createRig()
  const { status, headers } = await send(preflight(SHOP))
  t.equal(status, 204)
  t.equal(headers.get('access-control-allow-origin'), SHOP)
  t.equal(headers.get('vary'), 'Origin')
  t.equal(headers.get('access-control-allow-methods'), 'POST')
  t.equal(
    headers.get('access-control-allow-headers'),
    'Content-Type, Prefer, Idempotency-Key, X-Requested-With',
  )
  t.equal(headers.get('access-control-allow-credentials'), null)
})

t.test('the answer to a print may be read by the page that asked', async (t) => {
  const { send } = createRig()
  const { text, headers } = await send(post({ origin: SHOP }, 'any.example'))
  t.equal(text, 'printed label')
  t.equal(headers.get('access-control-allow-origin'), SHOP)
  t.equal(headers.get('vary'), 'Origin')
  t.equal(headers.get('cross-origin-resource-policy'), 'cross-origin')
})

t.test('no other path answers a preflight', async (t) => {
  const { send } = createRig()
  for (const path of ['/jobs', '/config', '/shutdown', '/session', '/jobs/1/cancel']) {
    const answer = await send({ ...preflight(SHOP), path })
    t.ok(answer.status >= 400, path)
    t.equal(answer.headers.get('access-control-allow-origin'), null)
  }
})

t.test('nothing but printing ever has CORS headers', async (t) => {
  const { send } = createRig()
  for (const path of ['/', '/info', '/jobs', '/config', '/session']) {
    const { headers } = await send({ path, headers: { origin: 'http://localhost:8080' } })
    t.equal(headers.get('access-control-allow-origin'), null, path)
    t.equal(headers.get('cross-origin-resource-policy'), 'same-origin', path)
  }
})

t.test('with allowed_origins only those sites, the own page and programs print', async (t) => {
  const { send } = createRig(closed)
  for (const [title, wanted, headers, host] of [
    ['a listed site', 'ok', { origin: SHOP }, undefined],
    ['a program', 'ok', {}, 'any.example'],
    ['the own page', 'ok', { origin: 'http://bench-3:8080' }, 'bench-3:8080'],
    ['another site', 'ORIGIN_REFUSED', { origin: 'https://evil.example' }, undefined],
    ['a sandboxed page', 'ORIGIN_REFUSED', { origin: 'null' }, undefined],
    ['a page without Origin', 'ORIGIN_REFUSED', { 'sec-fetch-site': 'cross-site' }, undefined],
    ['a rebound name', 'ORIGIN_REFUSED', { origin: 'http://evil.example' }, 'evil.example'],
    ['a Host that is none', 'ORIGIN_REFUSED', { host: '@' }, undefined],
  ] as const) {
    const { text } = await send(post(headers, host))
    t.equal(codeOf(text), wanted, `${title}: ${text}`)
  }
})

t.test('a site that is not listed learns nothing', async (t) => {
  const { send } = createRig(closed)
  for (const one of [preflight('https://evil.example'), post({ origin: 'https://evil.example' })]) {
    const { status, headers } = await send(one)
    t.equal(status, 403)
    t.equal(headers.get('access-control-allow-origin'), null)
  }
  t.equal((await send(preflight(SHOP))).status, 204)
})

t.test('an empty list is not a list', async (t) => {
  const { send } = createRig({ config: () => ({ allowed_origins: [] }) })
  t.equal((await send(post({ origin: SHOP }))).status, 200)
})
