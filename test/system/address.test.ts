import { readFileSync } from 'node:fs'
import type { NetworkInterfaceInfo } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import {
  doubtHost,
  findInternalAddress,
  findOpener,
  findPageAddress,
  type HostLookup,
  isReachable,
  openBrowser,
} from '../../src/system/address.ts'

function at(address: string): NetworkInterfaceInfo[] {
  const family = address.includes(':') ? 'IPv6' : 'IPv4'
  const internal = address === '127.0.0.1'
  const scope = family === 'IPv6' ? { scopeid: 0 } : {}
  return [
    { address, family, internal, netmask: '', mac: '', cidr: null, ...scope },
  ] as NetworkInterfaceInfo[]
}

t.test('the address that others reach is found', (t) => {
  const lo = at('127.0.0.1')
  const wlan0 = at('192.168.1.7')
  const eth0 = at('192.168.1.6')
  t.equal(
    findInternalAddress({ interfaces: { lo, docker0: at('172.17.0.1'), wlan0, eth0 } }),
    '192.168.1.6',
  )
  t.equal(
    findInternalAddress({ interfaces: { lo, docker0: at('172.17.0.1'), wlan0 } }),
    '192.168.1.7',
  )
  t.equal(
    findInternalAddress({ interfaces: { lo, eth0: at('169.254.3.4'), wlan0 } }),
    '192.168.1.7',
  )
  t.equal(
    findInternalAddress({ interfaces: { lo, eth0: at('fe80::1'), wlan0: at('2001:db8::5') } }),
    '2001:db8::5',
  )
  t.equal(findInternalAddress({ interfaces: { lo, docker0: at('172.17.0.1') } }), '172.17.0.1')
  t.equal(findInternalAddress({ interfaces: { lo, eth0: undefined } }), '127.0.0.1')
  const six = { lo, eth0: at('2001:db8::5') }
  t.equal(findInternalAddress({ interfaces: six, family: 'IPv4' }), '127.0.0.1')
  t.match(findInternalAddress(), /[.:]/)
  t.end()
})

t.test('real before virtual, given before self-given, IPv4 before IPv6, wired first', (t) => {
  const best = [
    ['eth0', '192.0.2.1'],
    ['wlan0', '192.0.2.2'],
    ['eth1', '2001:db8::3'],
    ['wlan1', '2001:db8::4'],
    ['eth2', '169.254.0.5'],
    ['wlan2', '169.254.0.6'],
    ['docker0', '172.17.0.7'],
    ['docker1', '2001:db8::8'],
    ['docker2', '169.254.0.9'],
  ] as const
  for (const [place, [name, address]] of best.entries()) {
    for (const [worse, other] of best.slice(place + 1)) {
      const [one, two] = [{ [name]: at(address) }, { [worse]: at(other) }]
      t.equal(findInternalAddress({ interfaces: { ...one, ...two } }), address, `not ${other}`)
      t.equal(findInternalAddress({ interfaces: { ...two, ...one } }), address, `not ${other}`)
    }
  }
  t.end()
})

t.test('who listens to its own computer only is reached by no other', (t) => {
  for (const host of ['localhost', 'LOCALHOST', '127.0.0.1', '::1']) {
    t.notOk(isReachable(host), host)
  }
  for (const host of ['', '0.0.0.0', '::', '192.0.2.1', 'bench.local'])
    t.ok(isReachable(host), host)
  t.end()
})

t.test('the printed address can be opened, also where the server listens everywhere', (t) => {
  const inner = findPageAddress(findInternalAddress(), '8080')
  for (const host of ['', '::', '::0', '0:0:0:0:0:0:0:0']) {
    t.equal(findPageAddress(host, '8080'), inner, host)
  }
  for (const host of ['0.0.0.0', '::ffff:0.0.0.0']) {
    t.match(findPageAddress(host, '8080'), /^http:\/\/[1-9][\d.]+:8080\/$/, host)
  }
  for (const [host, address] of [
    ['localhost', 'http://localhost:8080/'],
    ['10.0.0.7', 'http://10.0.0.7:8080/'],
    ['fd00::5', 'http://[fd00::5]:8080/'],
    ['constructor', 'http://constructor:8080/'],
  ] as const) {
    t.equal(findPageAddress(host, '8080'), address)
  }
  t.end()
})

// The opener does not keep the process alive; a print server does that itself.
const alive = setInterval(() => undefined, 1_000)
t.teardown(() => clearInterval(alive))

t.test('the browser is opened as the system does it, and only where somebody sits', (t) => {
  t.same(findOpener('linux', { DISPLAY: ':0' }), ['xdg-open'])
  t.same(findOpener('linux', { WAYLAND_DISPLAY: 'wayland-0' }), ['xdg-open'])
  t.equal(findOpener('linux', {}), undefined)
  t.same(findOpener('darwin', {}), ['open'])
  t.equal(findOpener('darwin', { SSH_CONNECTION: '10.0.0.1 22' }), undefined)
  t.same(findOpener('win32', {}), ['cmd', '/c', 'start', ''])
  t.end()
})

t.test('the opener gets the address', async (t) => {
  const file = join(t.testdir(), 'url')
  const script = 'require("node:fs").writeFileSync(process.argv[1], process.argv[2])'
  const opener = [process.execPath, '-e', script, file] as const
  t.equal(await openBrowser('http://localhost:8080/', opener), undefined)
  t.equal(readFileSync(file, 'utf8'), 'http://localhost:8080/')
})

t.test('what goes wrong is a sentence, not a failure', async (t) => {
  t.match(await openBrowser('http://a/', undefined), /no display/)
  t.match(await openBrowser('http://a/', ['/no/such/program']), /does not start/)
  t.match(
    await openBrowser('http://a/', [process.execPath, '-e', 'process.exit(3)']),
    /ended with 3/,
  )
})

/** A resolver that knows these addresses of every name. */
const leadsTo = (...addresses: string[]): HostLookup => ({
  lookUp: () => Promise.resolve(addresses.map((address) => ({ address }))),
})

/** A resolver that ends with this code of Node's. */
const fails = (code: string): HostLookup => ({
  lookUp: () => Promise.reject(Object.assign(new Error(code), { code })),
})

t.test('a host of this computer is not doubted', async (t) => {
  for (const host of ['', 'localhost', '127.0.0.1', '0.0.0.0']) {
    t.equal(await doubtHost(host), undefined, host)
  }
  t.equal(await doubtHost('bench.example', leadsTo('127.0.0.1')), undefined)
  t.equal(await doubtHost('bench.example', leadsTo('fe80::1', '127.0.0.1')), undefined)
})

t.test('one of another computer is wrong, and the addresses of this one are told', async (t) => {
  // Addresses of RFC 5737 and RFC 3849: no computer has them.
  for (const host of ['192.0.2.1', '2001:db8::1']) {
    const doubt = await doubtHost(host)
    t.match(doubt, { isWrong: true })
    t.ok(doubt?.message.startsWith(`got "${host}", wanted an address of this computer; `))
    t.match(doubt?.message, /this computer has (.*, )?127\.0\.0\.1/)
  }
  t.match(await doubtHost('shop.example', leadsTo('192.0.2.1', '127.0.0.1')), {
    isWrong: true,
    message: /^got "shop\.example", which leads to 192\.0\.2\.1, wanted/,
  })
  for (const lookup of [fails('ENOTFOUND'), leadsTo(), leadsTo('fe80::1')]) {
    const message = /^got "shop\.example", which has no address; this computer has/
    t.match(await doubtHost('shop.example', lookup), { isWrong: true, message })
  }
})

t.test('a name that cannot be looked up now is a doubt only', async (t) => {
  const silent: HostLookup = { lookUp: () => new Promise(() => undefined), lookUpMs: 1 }
  for (const lookup of [fails('EAI_AGAIN'), silent]) {
    t.match(await doubtHost('bench.example', lookup), {
      isWrong: false,
      message: /^"bench\.example" could not be looked up now: .* this computer has/,
    })
  }
})
