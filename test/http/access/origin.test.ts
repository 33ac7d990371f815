import t from 'tap'
import { parseHost } from '../../../src/http/access/addresses.ts'
import { isAllowedOrigin, judgeSite } from '../../../src/http/access/origin.ts'

function judge(host: string, headers: { origin?: string; fetchSite?: string; referer?: string }) {
  const none = { origin: undefined, fetchSite: undefined, referer: undefined }
  const traces = { method: 'POST', fetchMode: undefined, fetchDest: undefined, ...none, ...headers }
  return judgeSite(traces, parseHost(host) ?? { name: '', port: undefined })
}

t.test('an origin is own when its name and port are those of the request', (t) => {
  for (const [host, origin, wanted] of [
    ['localhost:8080', 'http://localhost:8080', 'own'],
    ['localhost:8080', 'HTTP://LOCALHOST:8080', 'own'],
    ['localhost:8080', 'http://localhost:8081', 'foreign'],
    ['localhost:8080', 'http://localhost', 'foreign'],
    ['localhost:8080', 'http://127.0.0.1:8080', 'foreign'],
    ['bench-3', 'http://bench-3', 'own'],
    ['bench-3:80', 'http://bench-3', 'own'],
    ['bench-3', 'https://bench-3', 'own'],
    ['bench-3', 'https://bench-3:443', 'own'],
    ['bench-3:80', 'https://bench-3', 'foreign'],
    ['[::1]:8080', 'http://[::1]:8080', 'own'],
    ['localhost:8080', 'null', 'foreign'],
    ['localhost:8080', '', 'foreign'],
    ['localhost:8080', 'http://localhost:8080/x', 'foreign'],
    ['localhost:8080', 'http://me@localhost:8080', 'foreign'],
    ['localhost:8080', 'chrome-extension://localhost:8080', 'foreign'],
  ] as const) {
    t.equal(judge(host, { origin }), wanted, `${origin} at ${host}`)
  }
  t.end()
})

t.test('Sec-Fetch-Site is believed when it accuses', (t) => {
  const origin = 'http://localhost:8080'
  for (const [fetchSite, wanted] of [
    ['same-origin', 'own'],
    ['none', 'own'],
    ['same-site', 'foreign'],
    ['cross-site', 'foreign'],
    ['Cross-Site', 'foreign'],
    ['nonsense', 'foreign'],
  ] as const) {
    t.equal(judge('localhost:8080', { origin, fetchSite }), wanted, fetchSite)
  }
  t.equal(judge('localhost:8080', { fetchSite: 'none' }), 'none')
  t.equal(judge('localhost:8080', { fetchSite: 'same-origin' }), 'own')
  t.equal(judge('a', { origin: 'http://b', fetchSite: 'same-origin' }), 'foreign')
  t.end()
})

t.test('a Referer counts where nothing else is there', (t) => {
  t.equal(judge('localhost:8080', {}), 'none')
  t.equal(judge('localhost:8080', { referer: 'http://localhost:8080/page?x=1' }), 'none')
  t.equal(judge('localhost:8080', { referer: 'https://evil.example/' }), 'foreign')
  t.equal(judge('localhost:8080', { referer: 'junk' }), 'foreign')
  t.equal(judge('localhost:8080', { referer: 'https://evil.example/', fetchSite: 'none' }), 'none')
  t.end()
})

t.test('the list of allowed origins is read as a person means it', (t) => {
  const list = ['https://Shop.example/', 'http://intranet:80', 'null']
  t.ok(isAllowedOrigin('https://shop.example', list))
  t.ok(isAllowedOrigin('https://shop.example:443', list))
  t.ok(isAllowedOrigin('http://intranet', list))
  t.ok(isAllowedOrigin('null', list))
  t.notOk(isAllowedOrigin('http://shop.example', list))
  t.notOk(isAllowedOrigin('https://shop.example.evil.example', list))
  t.notOk(isAllowedOrigin('https://evil.example', []))
  t.ok(isAllowedOrigin('https://any.example', ['*']))
  t.end()
})
