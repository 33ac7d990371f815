import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'
import { APPLIANCE_NAME, canonicalName } from '../access/addresses.ts'

/**
 * For what the box's authority may ever speak: names that mean nothing outside the building, and private addresses
 * (RFC 6762 .local, RFC 6761 localhost, RFC 1918, 3927, 4193, 4291, 6598). Its key is worth nothing for other sites.
 */
export const PERMITTED_NAMES = ['local', 'localhost'] as const
export const PERMITTED_RANGES = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '100.64.0.0/10',
  '::1/128',
  'fc00::/7',
] as const

const ALWAYS = ['localhost', APPLIANCE_NAME, '127.0.0.1', '::1']
const MAX_NAMES = 64

/**
 * The names that a certificate should hold, sorted: localhost, printserver.local and those given that a client can
 * use. Public and link-local IPv6 addresses are left out: the former change daily (RFC 8981), the latter need a zone that
 * no URL can say.
 */
export function listCertificateNames(given: readonly string[]): readonly string[] {
  const names = given.map(canonicalName).filter((name) => name !== undefined && isUsable(name))
  return [...new Set([...ALWAYS, ...names])].slice(0, MAX_NAMES).sort() as readonly string[]
}

/** What an authority may sign that is made while the box has these names: the ranges above and the names themselves. */
export function listPermitted(names: readonly string[]): {
  readonly dns: readonly string[]
  readonly ranges: readonly string[]
} {
  const others = names.filter((name) => !isPermitted(name, PERMITTED_NAMES, PERMITTED_RANGES))
  return {
    dns: [...PERMITTED_NAMES, ...others.filter((name) => !isIP(name))],
    ranges: [...PERMITTED_RANGES, ...others.filter(isIPv4).map((address) => `${address}/32`)],
  }
}

/** Whether name constraints allow a name: equal, or below a permitted name (RFC 5280, section 4.2.1.10). */
export function isPermitted(
  name: string,
  dns: readonly string[],
  ranges: readonly string[],
): boolean {
  if (!isIP(name)) return dns.some((one) => name === one || name.endsWith(`.${one}`))
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits = ''] = range.split('/')
    list.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4')
  }
  return list.check(name, isIPv6(name) ? 'ipv6' : 'ipv4')
}

function isUsable(name: string): boolean {
  if (isIPv6(name)) return isPermitted(name, [], PERMITTED_RANGES)
  if (isIPv4(name)) return name !== '0.0.0.0'
  return /[a-z]/.test(name)
}
