import { isIPv6 } from 'node:net'

const LOOPBACK = ['localhost', '127.0.0.1', '::1']
/** What a `host` says that means all addresses of this computer: of both families, or of one. */
const EVERYWHERE: ReadonlyMap<string, 'IPv4' | 'both'> = new Map([
  ['', 'both'],
  ['[::]', 'both'], // dual stack, as Node opens it
  ['[::ffff:0:0]', 'IPv4'],
  ['0.0.0.0', 'IPv4'],
])

/** Whether other computers reach a server of this `host`: not one that listens to its own computer only. */
export function isReachable(host: string): boolean {
  return !LOOPBACK.includes(host.toLowerCase())
}

/** Of which addresses of this computer a `host` means all, which is no place to connect to; undefined for one place. */
export function readEverywhere(host: string): 'IPv4' | 'both' | undefined {
  // The URL Standard writes an address in one way only.
  const name = isIPv6(host) ? new URL(`http://[${host}]`).hostname : host
  return EVERYWHERE.get(name)
}
