import { createServer, type RequestListener } from 'node:http'
import t, { type Test } from 'tap'
import {
  boundInterimAnswers,
  describeNetwork,
  isMistypedAddress,
  send,
} from '../../src/system/http-client.ts'
import { listen } from '../listen.ts'
import { spoken } from '../words/spoken.ts'

/** Asks a server of its own, and gives what comes back. */
async function open(t: Test, listener: RequestListener) {
  const origin = `http://127.0.0.1:${await listen(t, createServer(listener))}`
  const times = { connectMs: 60_000, wholeMs: 60_000 }
  const read = async (): Promise<string> => ''
  const { signal } = new AbortController()
  const ask = (path: string) => send(origin + path, { method: 'POST', ...times, read }, signal)
  return { origin, ask }
}

t.test('three redirects within one origin are followed, with their login', async (t) => {
  const seen: (string | undefined)[] = []
  const { origin, ask } = await open(t, (req, res) => {
    const left = Number(new URL(req.url ?? '', origin).searchParams.get('left'))
    seen.push(req.headers.authorization)
    if (req.url === '/away') res.setHeader('location', 'http://127.0.0.2:1/')
    else if (left > 0) res.setHeader('location', `/?left=${left - 1}`)
    const isMoved = left > 0 || req.url === '/away' || req.url === '/nowhere'
    res.writeHead(isMoved ? 307 : 200).end()
  })
  t.equal((await ask('/?left=0')).status, 200)
  t.equal((await ask('/?left=3')).status, 200)
  t.match(await ask('/?left=4'), { status: 307, location: '/?left=0' })
  t.match(await ask('/nowhere'), { status: 307, location: '' })
  await t.rejects(ask('/away'), { code: 'ERR_FOREIGN_REDIRECT', origin: 'http://127.0.0.2:1' })
  seen.length = 0
  const named = origin.replace('//', '//anna:pw@')
  const times = { connectMs: 60_000, wholeMs: 60_000, read: async () => '' }
  await send(`${named}/?left=1`, { method: 'GET', ...times }, new AbortController().signal)
  t.same(seen, Array(2).fill(`Basic ${btoa('anna:pw')}`))
})

t.test('ten interim answers are borne, and no more', async (t) => {
  boundInterimAnswers()
  boundInterimAnswers()
  const { ask } = await open(t, (req, res) => {
    for (let n = 0; n < Number(req.url?.slice(1)); n += 1) res.writeProcessing()
    res.end()
  })
  t.equal((await ask('/10')).status, 200)
  await t.rejects(ask('/11'), { code: 'ERR_ENDLESS_ANSWER' })
})

t.test('how long the other side asks to wait', async (t) => {
  const { ask } = await open(t, (req, res) => {
    const [, status = '', after = ''] = (req.url ?? '').split('/')
    if (after !== '') res.setHeader('retry-after', decodeURIComponent(after))
    res.writeHead(Number(status)).end()
  })
  const day = 86_400_000
  for (const [status, after, wanted] of [
    [429, '7', 7_000],
    [503, '0', undefined],
    [503, '86400', day],
    [503, '86401', day],
    [503, '9999999999', undefined],
    [429, 'soon', undefined],
    [429, '', undefined],
    [429, 'Sun, 06 Nov 1994 08:49:37 GMT', undefined],
    [429, new Date(Date.now() + 10 * day).toUTCString(), day],
    [500, '7', undefined],
    [200, '7', undefined],
  ] as const) {
    const answer = await ask(`/${status}/${encodeURIComponent(after)}`)
    t.match(answer, { status, retryAfterMs: wanted }, `${status} ${after}`)
    t.equal(answer.retryAfterMs, wanted)
  }
})

t.test('why a connection failed is said for each code', (t) => {
  const said = (code: string) =>
    spoken(describeNetwork('box', Object.assign(new Error('x'), { code })))
  const codes = [
    'ECONNREFUSED',
    'ECONNRESET',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ERR_ENDLESS_ANSWER',
    'CERT_HAS_EXPIRED',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'ETIMEDOUT',
    'ERR_OTHER_CERTIFICATE',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'HPE_INVALID',
    'CERT_REVOKED',
    'EIO',
  ]
  t.equal(new Set(codes.map(said)).size, codes.length, 'each has its own words')
  t.equal(said('EPIPE'), said('ECONNRESET'))
  t.equal(said('EPROTO'), said('HPE_INVALID'))
  t.equal(said('EPROTOX'), said('EIO'))
  t.equal(said('UNABLE_TO_GET_CRL'), said('CERT_REVOKED'))
  t.end()
})

t.test('a host that ends in a number is an address, or mistyped', (t) => {
  for (const host of ['999.1.1.1', '10.0.0', '1', 'box.0x7f', '1.2.3.4.', '10.0.0.256'])
    t.ok(isMistypedAddress(host), host)
  for (const host of ['10.0.0.1', 'box', 'box.local', '1.com', 'a0x', 'x1'])
    t.notOk(isMistypedAddress(host), host)
  t.end()
})
