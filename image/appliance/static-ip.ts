import { isIP, isIPv4 } from 'node:net'
import { type Parsed, readKeys } from './plain-text.ts'

/** A fixed address of the box. */
export interface StaticAddress {
  /** With prefix length: `192.168.1.50/24`. */
  readonly address: string
  /** '' = none: the box reaches its own network only. */
  readonly gateway: string
  readonly dns: readonly string[]
  readonly interface: 'wired' | 'wifi'
}

const KEYS = ['address', 'netmask', 'gateway', 'dns', 'interface']

/** Reads static-ip: `address = 192.168.1.50/24`, or with `netmask = 255.255.255.0`; `address = dhcp` takes it back. */
export function parseStaticAddress(text: string): Parsed<StaticAddress | 'dhcp'> {
  const keys = readKeys(text, KEYS)
  if ('fault' in keys) return keys
  const of = (key: string) => keys.value.get(key) ?? ''
  if (of('address').toLowerCase() === 'dhcp') return { value: 'dhcp' }
  const [ip = '', given = ''] = of('address').split('/')
  if (isIP(ip) === 0)
    return { fault: `address is "${of('address')}", wanted one like 192.168.1.50/24.` }
  const prefix = readBits(given, of('netmask'))
  const most = isIPv4(ip) ? 32 : 128
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) < 1 || Number(prefix) > most) {
    return { fault: `address needs its network: ${ip}/24, or netmask = 255.255.255.0.` }
  }
  const gateway = of('gateway')
  if (gateway !== '' && isIP(gateway) === 0) {
    return { fault: `gateway is "${gateway}", wanted an address like 192.168.1.1.` }
  }
  const dns = of('dns')
    .split(/[\s,]+/)
    .filter((server) => server !== '')
  const strange = dns.find((server) => isIP(server) === 0)
  if (strange !== undefined)
    return { fault: `dns has "${strange}", wanted addresses like 192.168.1.1.` }
  const card = of('interface').toLowerCase() || 'wired'
  if (card !== 'wired' && card !== 'wifi') {
    return { fault: `interface is "${card}", wanted wired or wifi.` }
  }
  return { value: { address: `${ip}/${prefix}`, gateway, dns, interface: card } }
}

/** Returns the given number of bits, else that of the netmask; '' when it is not a netmask. */
function readBits(given: string, mask: string): string {
  if (given !== '') return given
  if (!isIPv4(mask)) return ''
  const bits = mask
    .split('.')
    .map((part) => Number(part).toString(2).padStart(8, '0'))
    .join('')
  return /^1+0*$/.test(bits) ? String(bits.lastIndexOf('1') + 1) : ''
}

/** The address as systemd.network(5). */
export function writeStaticAddress(fixed: StaticAddress): string {
  return [
    '[Match]',
    `Type=${fixed.interface === 'wired' ? 'ether' : 'wlan'}`,
    ...(fixed.interface === 'wired' ? ['Kind=!*'] : []),
    '',
    '[Network]',
    'DHCP=no',
    'LinkLocalAddressing=ipv6',
    `Address=${fixed.address}`,
    ...(fixed.gateway === '' ? [] : [`Gateway=${fixed.gateway}`]),
    ...fixed.dns.map((server) => `DNS=${server}`),
    '',
  ].join('\n')
}
