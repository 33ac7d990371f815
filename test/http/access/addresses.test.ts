import fc from 'fast-check'
import { Hono } from 'hono'
import t from 'tap'
import {
  canonicalName,
  findRemote,
  findSender,
  isOwnConnection,
  judgeHost,
  listOwnNames,
  networkOf,
  OWN_MACHINE,
  ownerOf,
  ownerOfSocket,
  parseHost,
  type Remote,
  type Sender,
} from '../../../src/http/access/addresses.ts'
import { isAllowedOrigin, judgeSite } from '../../../src/http/access/origin.ts'

const OWN = ['Bench-3', '10.0.0.7', 'fe80::1', '0.0.0.0', '::', 'box.example:8080', '']

t.test('a Host header comes apart into name and port', (t) => {
  for (const [text, name, port] of [
    ['localhost', 'localhost', undefined],
    ['LocalHost:8080', 'localhost', 8080],
    ['localhost.', 'localhost', undefined],
    ['bench_3.local.:80', 'bench_3.local', 80],
    ['localhost:', 'localhost', undefined],
    ['10.0.0.7:65535', '10.0.0.7', 65_535],
    ['[::1]:8080', '::1', 8080],
    ['[0:0:0:0:0:0:0:1]', '::1', undefined],
    ['[FE80::1]', 'fe80::1', undefined],
  ] as const) {
    t.strictSame(parseHost(text), { name, port }, text)
  }
  t.end()
})

t.test('what no browser sends is not a Host', (t) => {
  for (const text of [
    '',
    ' ',
    '.',
    ':80',
    'localhost..',
    '.localhost',
    'a..b',
    'me@localhost',
    'localhost:65536',
    'localhost:80:80',
    'localhost:-1',
    'localhost:8o',
    'localhost/x',
    'localhost, evil.example',
    'http://localhost',
    '::1',
    '[::1',
    '[::1]x',
    '[1.2.3.4]',
    '[fe80::1%25eth0]',
    'lo%63alhost',
    'xn--é',
    'localhost\u0000',
    'a'.repeat(256),
  ]) {
    t.equal(parseHost(text), undefined, JSON.stringify(text))
  }
  t.end()
})

t.test('a name is local, own or foreign', (t) => {
  for (const [name, kind] of [
    ['localhost', 'local'],
    ['127.0.0.1', 'local'],
    ['127.9.9.9', 'local'],
    ['::1', 'local'],
    ['bench-3', 'own'],
    ['10.0.0.7', 'own'],
    ['fe80::1', 'own'],
    ['box.example', 'own'],
    ['0.0.0.0', 'foreign'],
    ['::', 'foreign'],
    ['127.0.0.1.evil.example', 'foreign'],
    ['127.1', 'foreign'],
    ['2130706433', 'foreign'],
    ['localhost.evil.example', 'foreign'],
    ['evil.localhost', 'foreign'],
    ['bench-30', 'foreign'],
    ['', 'foreign'],
  ] as const) {
    t.equal(
      judgeHost(name, () => OWN),
      kind,
      name,
    )
  }
  t.end()
})

t.test('addresses of a configuration come in any spelling', (t) => {
  t.equal(canonicalName(' 0:0::1 '), '::1')
  t.equal(canonicalName('Print.Example.'), 'print.example')
  t.equal(canonicalName('no name'), undefined)
  t.end()
})

t.test('a computer named in another script is called as browsers write its name', (t) => {
  for (const host of ['BÜRO-PC', 'Büro-PC.firma.example', 'касса', '仓库-1']) {
    const seen = URL.parse(`http://${host}`)?.hostname ?? ''
    t.match(seen, /^xn--/)
    t.equal(
      judgeHost(seen, () => listOwnNames(host, {})),
      'own',
      host,
    )
    t.equal(
      judgeHost(`${seen.split('.')[0]}.local`, () => listOwnNames(host, {})),
      'own',
      `${host}, by mDNS`,
    )
  }
  for (const odd of ['bü ro', 'bü/evil', 'bü@evil', 'bü:80', 'bü%2e', '\u2024']) {
    t.equal(canonicalName(odd), undefined, odd)
  }
  t.end()
})

t.test('no text makes the parser fail, and what it takes is taken again unchanged', (t) => {
  const piece = fc.constantFrom('localhost', 'evil', '.', ':', '80', '@', '[', ']', '::1', '%', '/')
  const text = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 6 }).map((all) => all.join('')),
  )
  fc.assert(
    fc.property(text, (host) => {
      const found = parseHost(host)
      if (found === undefined) return true
      const again = found.name.includes(':') ? `[${found.name}]` : found.name
      return parseHost(again)?.name === found.name && !/[@/%\s[\]]|\.$|[A-Z]/.test(found.name)
    }),
    { numRuns: 2_000 },
  )
  t.end()
})

t.test('a Host that the parser takes means the same to a URL', (t) => {
  const label = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9-]{0,8}[a-zA-Z0-9]$/)
  const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((all) => all.join('.'))
  const host = fc.oneof(
    name,
    fc.ipV4(),
    fc.ipV6().map((one) => `[${one}]`),
  )
  const port = fc.option(fc.integer({ min: 1, max: 65_535 }))
  fc.assert(
    fc.property(host, port, fc.boolean(), (host, port, dot) => {
      const text = `${host}${dot && !host.startsWith('[') ? '.' : ''}${port === null ? '' : `:${port}`}`
      // A browser reads xn-- labels and names that end in a number by its own rules; the box has no such name.
      const seen = URL.parse(`http://${text}`)
      if (seen === null) return
      const wanted = seen.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
      t.equal(parseHost(text)?.name, wanted, text)
    }),
    { numRuns: 300 },
  )
  t.end()
})

t.test('whatever stands before or after an own name makes it foreign', (t) => {
  const junk = fc.stringMatching(/^[a-z0-9.@:%/-]{1,8}$/)
  fc.assert(
    fc.property(junk, fc.constantFrom('bench-3', 'localhost', '10.0.0.7'), (junk, own) => {
      for (const text of [`${junk}${own}`, `${own}${junk}`]) {
        const found = parseHost(text)
        const isOwn = found !== undefined && judgeHost(found.name, () => OWN) !== 'foreign'
        const isFair = /^(?:\.?)(?::\d{0,5})?$/.test(text.slice(own.length)) && text.startsWith(own)
        if (isOwn && !isFair)
          t.ok(
            ['10.0.0.7', '127'].some((one) => found.name.startsWith(one)),
            text,
          )
      }
    }),
    { numRuns: 1_000 },
  )
  t.end()
})

async function remoteOf(address: string | undefined, headers: Record<string, string> = {}) {
  const app = new Hono()
  app.get('/', (c) => c.json(findRemote(c)))
  const env =
    address === undefined ? undefined : { incoming: { socket: { remoteAddress: address } } }
  const answer = await app.request('/', { headers }, env)
  return (await answer.json()) as Remote
}

t.test('this machine is known by its socket', async (t) => {
  for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1', '::FFFF:127.0.0.1']) {
    t.equal((await remoteOf(address)).isLoopback, true, address)
  }
  for (const address of ['10.0.0.9', '::ffff:10.0.0.9', 'fe80::1%eth0', '', undefined]) {
    t.equal((await remoteOf(address)).isLoopback, false, String(address))
  }
})

t.test(
  'a connection from one address of this machine to itself is known, not through a proxy',
  async (t) => {
    const app = new Hono()
    app.get('/', (c) => c.json(isOwnConnection(c)))
    const judge = async (
      remoteAddress: string | undefined,
      headers = {},
      localAddress = '10.0.0.7',
    ) => {
      const socket = { remoteAddress, localAddress }
      return await (await app.request('/', { headers }, { incoming: { socket } })).json()
    }
    t.equal(await judge('10.0.0.7'), true)
    t.equal(await judge('10.0.0.8'), false)
    t.equal(await judge(undefined), false)
    t.equal(await judge('', {}, ''), false)
    t.equal(await judge('10.0.0.7', { 'x-forwarded-for': '10.0.0.9' }), false)
  },
)

t.test('an address comes without its IPv6 wrapping or zone', async (t) => {
  t.equal((await remoteOf('::ffff:10.0.0.9')).address, '10.0.0.9')
  t.equal((await remoteOf('FE80::1%eth0')).address, 'fe80::1')
})

t.test('what a proxy of this machine hands on is not of this machine', async (t) => {
  for (const name of ['Forwarded', 'Via', 'X-Forwarded-For', 'X-Forwarded-Proto', 'X-Real-IP']) {
    t.equal((await remoteOf('127.0.0.1', { [name]: '127.0.0.1' })).isLoopback, false, name)
  }
})

t.test('the address that a proxy wrote last counts, and only from this machine', async (t) => {
  const headers = { 'x-forwarded-for': '127.0.0.1, 10.0.0.9' }
  t.strictSame(await remoteOf('::1', headers), { address: '10.0.0.9', isLoopback: false })
  t.equal((await remoteOf('10.0.0.8', headers)).address, '10.0.0.8')
  t.equal((await remoteOf('127.0.0.1', { 'x-forwarded-for': 'junk' })).address, '127.0.0.1')
})

t.test('guesses are counted by IPv4 address, loopback as one, and IPv6 /64', (t) => {
  t.equal(networkOf('10.0.0.9'), '10.0.0.9')
  t.equal(networkOf('127.0.0.1'), networkOf('127.4.5.6'))
  t.equal(networkOf('2001:db8::1'), networkOf('2001:db8:0:0:9:9:9:9'))
  t.not(networkOf('2001:db8::1'), networkOf('2001:db8:0:1::1'))
  t.equal(networkOf(''), '')
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      fc.pre(!/^fe[89ab]/i.test(address))
      const groups = networkOf(address).split(':')
      t.ok(groups.length === 4 || networkOf(address) === 'loopback', address)
    }),
    { numRuns: 200 },
  )
  t.end()
})

t.test('machines of one link are counted one by one, though they share a /64', async (t) => {
  t.not(networkOf('fe80::1'), networkOf('fe80::2'))
  t.equal(networkOf('fe80::1'), networkOf('FE80:0:0::1'))
  const app = new Hono()
  app.get('/', (c) => c.json(findSender(c, () => ['printserver.local', '2001:db8:0:7::9'])))
  const senderOf = async (remoteAddress: string, headers = {}) => {
    const answer = await app.request('/', { headers }, { incoming: { socket: { remoteAddress } } })
    return (await answer.json()) as Sender
  }
  for (const [one, other, isSame] of [
    ['fe80::1%eth0', 'fe80::2%eth0', false],
    ['2001:db8:0:7::1', '2001:db8:0:7::2', false],
    ['2001:db8:0:8::1', '2001:db8:0:8::2', true],
    ['10.0.0.1', '10.0.0.2', false],
    ['127.0.0.1', '::1', true],
  ] as const) {
    const networks = [await senderOf(one), await senderOf(other)].map(({ network }) => network)
    t.equal(networks[0] === networks[1], isSame, `${one} ${other}`)
  }
  const proxied = await senderOf('127.0.0.1', { via: '1.1 proxy' })
  t.not(proxied.network, (await senderOf('127.0.0.1')).network)
  t.equal(proxied.isLoopback, false)
})

t.test('the machine knows its names and the addresses of its interfaces', (t) => {
  const one = {
    netmask: '',
    family: 'IPv6',
    mac: '',
    internal: false,
    cidr: null,
    scopeid: 2,
  } as const
  const lan = { eth0: [{ ...one, address: 'fe80::7%eth0' }], lo: undefined }
  t.strictSame(listOwnNames('Bench-3.Shop.example.', lan), [
    'bench-3.shop.example',
    'bench-3',
    'bench-3.local',
    'printserver.local',
    'fe80::7',
  ])
  t.strictSame(listOwnNames('', {}), ['printserver.local'])
  t.ok(listOwnNames().includes('127.0.0.1'))
  t.end()
})

t.test('connections count for an address, a /64, a neighbor or this machine', (t) => {
  const remote = (address: string): Remote => ({ address, isLoopback: false })
  const isOwnLink = (network: string): boolean => network === '2001:db8:0:1'
  t.equal(ownerOf(remote('192.0.2.1')), '192.0.2.1')
  t.equal(
    ownerOf(remote('2001:db8:0:2::5'), isOwnLink),
    ownerOf(remote('2001:db8:0:2::6'), isOwnLink),
  )
  t.not(
    ownerOf(remote('2001:db8:0:1::5'), isOwnLink),
    ownerOf(remote('2001:db8:0:1::6'), isOwnLink),
  )
  t.equal(ownerOfSocket('::ffff:127.0.0.1'), OWN_MACHINE)
  t.equal(ownerOfSocket('::1'), OWN_MACHINE)
  t.equal(ownerOfSocket('127.0.0.2'), '127.0.0.2')
  t.not(
    ownerOf({ address: '127.0.0.1', isLoopback: false }),
    OWN_MACHINE,
    'a proxy that names nobody',
  )
  t.end()
})

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
