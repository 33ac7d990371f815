import type { NetworkInterfaceInfo } from 'node:os'
import t from 'tap'
import { findInternalAddress } from '../../src/system/address.ts'

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
