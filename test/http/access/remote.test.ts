import fc from 'fast-check'
import { Hono } from 'hono'
import t from 'tap'
import {
  findRemote,
  findSender,
  listOwnNames,
  networkOf,
  OWN_MACHINE,
  ownerOf,
  ownerOfSocket,
  type Remote,
  type Sender,
} from '../../../src/http/access/addresses.ts'

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
