import t from 'tap'
import { doubtHost, type HostLookup } from '../../src/system/address.ts'

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
