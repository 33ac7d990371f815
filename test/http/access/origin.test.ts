import { createHmac } from 'node:crypto'
import { Hono } from 'hono'
import t from 'tap'
import {
  hasJobSecret,
  isForShops,
  isLink,
  isNamedReader,
  jobSecretOf,
  judgeSite,
  setCorsHeaders,
} from '../../../src/http/access/origin.ts'

const sign = (...parts: readonly string[]): string =>
  createHmac('sha256', 'key').update(parts.join(' ')).digest('base64url')
const NO_TRACES = {
  method: 'GET',
  origin: undefined,
  fetchSite: undefined,
  fetchMode: undefined,
  fetchDest: undefined,
  referer: undefined,
}

t.test('what caused a request, by what browsers say of it', (t) => {
  const plain = { name: 'box.local', port: undefined }
  const port = { name: 'box.local', port: 8080 }
  for (const [traces, host, site] of [
    [{}, plain, 'none'],
    [{ origin: 'http://box.local' }, plain, 'own'],
    [{ origin: 'http://box.local:80' }, plain, 'own'],
    [{ origin: 'HTTP://BOX.local' }, plain, 'own'],
    [{ origin: 'http://box.local' }, { ...plain, port: 80 }, 'own'],
    [{ origin: 'https://box.local' }, { ...plain, port: 443 }, 'own'],
    [{ origin: 'https://box.local:443' }, { ...plain, port: 443 }, 'own'],
    [{ origin: 'http://box.local' }, { ...plain, port: 443 }, 'foreign'],
    [{ origin: 'http://box.local:8080' }, port, 'own'],
    [{ origin: 'https://box.local:8080' }, port, 'own'],
    [{ origin: 'http://box.local:8081' }, port, 'foreign'],
    [{ origin: 'http://box.local' }, port, 'foreign'],
    [{ origin: 'http://evil.example' }, plain, 'foreign'],
    [{ origin: 'null' }, plain, 'foreign'],
    [{ fetchSite: 'same-origin' }, plain, 'own'],
    [{ fetchSite: 'Same-Origin' }, plain, 'own'],
    [{ fetchSite: 'none' }, plain, 'none'],
    [{ fetchSite: 'cross-site' }, plain, 'foreign'],
    [{ fetchSite: 'same-site' }, plain, 'foreign'],
    [{ fetchSite: 'none', origin: 'http://evil.example' }, plain, 'foreign'],
    [{ fetchSite: 'cross-site', origin: 'http://box.local' }, plain, 'foreign'],
    [{ referer: 'http://box.local/' }, plain, 'none'],
    [{ referer: 'http://evil.example/a' }, plain, 'foreign'],
    [{ referer: 'not an address' }, plain, 'foreign'],
  ] as const) {
    t.equal(judgeSite({ ...NO_TRACES, ...traces }, host), site, JSON.stringify([traces, host]))
  }
  t.end()
})

t.test('a link is a GET of a whole page', (t) => {
  const page = { fetchSite: 'cross-site', fetchMode: 'navigate', fetchDest: 'document' }
  for (const [traces, isOne] of [
    [{}, true],
    [{ method: 'HEAD' }, true],
    [{ method: 'POST' }, false],
    [{ origin: 'https://shop.example' }, false],
    [page, true],
    [{ ...page, method: 'HEAD' }, true],
    [{ ...page, method: 'POST' }, false],
    [{ ...page, fetchMode: 'no-cors' }, false],
    [{ ...page, fetchDest: 'iframe' }, false],
    [{ ...page, origin: 'https://shop.example' }, false],
  ] as const) {
    t.equal(isLink({ ...NO_TRACES, ...traces }), isOne, JSON.stringify(traces))
  }
  t.end()
})

t.test('who has the secret of a label follows this label, and reads only', async (t) => {
  const app = new Hono().all('*', (c) => c.text(String(hasJobSecret(c, sign)), 200, {}))
  const secret = jobSecretOf(sign, 'abc-1')
  const asked = async (method: string, path: string, header?: string) => {
    const headers = header === undefined ? {} : { 'X-Platen-Job-Secret': header }
    const answer = await app.request(path, { method, headers })
    return method === 'HEAD' ? undefined : await answer.text()
  }
  for (const [method, path, header, expected] of [
    ['GET', '/jobs/abc-1', secret, 'true'],
    ['GET', `/jobs/abc-1?secret=${secret}`, undefined, 'true'],
    ['GET', '/jobs/abc-1/preview.png', secret, 'true'],
    ['GET', '/jobs/abc-1/label.bin', secret, 'true'],
    ['GET', '/jobs/abc-1/cancel', secret, 'false'],
    ['GET', '/jobs', secret, 'false'],
    ['GET', '/jobs/abc-2', secret, 'false'],
    ['GET', '/jobs/abc-1', undefined, 'false'],
    ['GET', '/jobs/abc-1', `${secret}x`, 'false'],
    ['GET', '/jobs/abc-1', '', 'false'],
    ['POST', '/jobs/abc-1', secret, 'false'],
    ['DELETE', '/jobs/abc-1', secret, 'false'],
  ] as const) {
    t.equal(await asked(method, path, header), expected, `${method} ${path} ${header}`)
  }
})

t.test('a script of a named site reads what is no secret', async (t) => {
  const shop = 'https://shop.example'
  for (const [path, origin, allowed, isReader] of [
    ['/printers', shop, [shop], true],
    ['/info', shop, [shop], true],
    ['/jobs', shop, [shop], false],
    ['/printers', 'https://evil.example', [shop], false],
    ['/printers', shop, ['*'], false],
    ['/printers', shop, ['*', shop], true],
    ['/printers', shop, undefined, false],
    ['/printers', undefined, [shop], false],
  ] as const) {
    const app = new Hono().get('*', (c) => c.json([isNamedReader(c, allowed), isForShops(c)]))
    const headers = origin === undefined ? {} : { origin }
    const answer = await app.request(path, { headers })
    const what = JSON.stringify([path, origin, allowed])
    t.strictSame(await answer.json(), [isReader, path !== '/jobs'], what)
  }
})

t.test('the page that asked may read the answer, whenever that is made', async (t) => {
  const shop = 'https://shop.example'
  const early = new Hono().get('*', (c) => {
    c.header('Vary', 'Accept')
    setCorsHeaders(c)
    return c.text('ready')
  })
  const late = new Hono()
  late.use(async (c, next) => {
    await next()
    setCorsHeaders(c)
  })
  late.get('*', (c) => c.text('ready', 200, { Vary: 'Accept' }))
  for (const app of [early, late]) {
    const { headers } = await app.request('/', { headers: { origin: shop } })
    t.equal(headers.get('access-control-allow-origin'), shop)
    t.equal(headers.get('vary'), 'Accept, Origin', 'what was said before stays')
    const none = await app.request('/')
    t.equal(none.headers.get('access-control-allow-origin'), null)
    t.match(none.headers.get('vary'), 'Origin', 'caches know that it may differ')
  }
})
