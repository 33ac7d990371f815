import { isIPv4, isIPv6 } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'

/** A `Host` header, taken apart. */
export interface HostName {
  /** Lower case, without the trailing dot; an IPv6 address is in its shortest form, without brackets. */
  readonly name: string
  /** As written; undefined when the header has none. */
  readonly port: number | undefined
}

/** Whose name a request used: `local` is a loopback name, `own` another one of this box. */
export type HostKind = 'local' | 'own' | 'foreign'

const AUTHORITY = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::(\d{0,5}))?$/i
const MAX_NAME = 255 // RFC 1035, section 2.3.4

/**
 * Takes a `Host` header apart (RFC 9110, section 7.2: uri-host and port). Undefined for all that no browser sends:
 * user names, zone ids, spaces, empty labels, ports above 65535.
 */
export function parseHost(text: string): HostName | undefined {
  const found = AUTHORITY.exec(text)
  if (found === null) return undefined
  const name = found[1] === undefined ? plainName(found[2] ?? '') : shortIPv6(found[1])
  const port = found[3] ? Number(found[3]) : undefined
  if (name === undefined || (port !== undefined && port > 65_535)) return undefined
  return { name, port }
}

/** An address or name of a configuration, in the form that `parseHost` gives; undefined when it is neither. */
export function canonicalName(text: string): string | undefined {
  const bare = text.trim()
  return isIPv6(bare) ? shortIPv6(bare) : parseHost(bare)?.name
}

/**
 * Whose name it is. Loopback names are the box's in every case (RFC 6761, section 6.3, and 127.0.0.0/8); an
 * unspecified address (0.0.0.0, ::) never is, since browsers take it for loopback past their own checks.
 */
export function judgeHost(name: string, ownNames: () => Iterable<string>): HostKind {
  if (isLoopbackName(name)) return 'local'
  if (name === '0.0.0.0' || name === '::') return 'foreign'
  for (const own of ownNames()) if (canonicalName(own) === name) return 'own'
  return 'foreign'
}

/** localhost, 127.0.0.0/8 and ::1, in the form of `parseHost`. */
export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'))
}

function plainName(text: string): string | undefined {
  const name = text.toLowerCase().replace(/\.$/, '')
  const isName = name.length <= MAX_NAME && name.split('.').every((label) => label !== '')
  return isName ? name : undefined
}

function shortIPv6(text: string): string | undefined {
  return isIPv6(text) ? new URL(`http://[${text}]`).hostname.slice(1, -1) : undefined
}

/** The name that the documentation gives to the box on the packer's network, and in the hosts file. */
export const APPLIANCE_NAME = 'printserver.local'

/**
 * Names and addresses by which this machine is known now: the host name (whole, first label, with `.local`),
 * `printserver.local`, and each address of its interfaces. Link-local IPv6 comes without its zone.
 */
export function listOwnNames(
  host = hostname(),
  interfaces: ReturnType<typeof networkInterfaces> = networkInterfaces(),
): readonly string[] {
  const whole = host.toLowerCase().replace(/\.$/, '')
  const first = whole.split('.')[0] ?? ''
  const names = first === '' ? [] : [whole, first, `${first}.local`]
  const addresses = Object.values(interfaces).flatMap((list) =>
    (list ?? []).map((one) => one.address),
  )
  return [
    ...new Set([...names, APPLIANCE_NAME, ...addresses.map((one) => one.split('%')[0] ?? one)]),
  ]
}
