import type { IncomingMessage } from 'node:http'
import { isIP, isIPv4, isIPv6 } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { domainToASCII } from 'node:url'
import type { Context } from 'hono'

/** The address that a request came from. */
export interface Remote {
  /**
   * The peer's address, IPv4 also when the socket is IPv6; behind a proxy of this machine the client that it named. '' when
   * unknown.
   */
  readonly address: string
  /** A program or browser of this machine, not handed on by a proxy. */
  readonly isLoopback: boolean
}

/** Headers that a proxy adds. One of them on a request from loopback means that the client is elsewhere. */
const PROXY_HEADERS = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
]

/** The peer of a request, by its socket. Proxy headers only ever take rights away. */
export function findRemote(c: Context): Remote {
  return remoteOf(socketAddress(c), (name) => c.req.header(name))
}

/** Finds the peer of a request that no context was made for yet. */
export function findPeer(incoming: IncomingMessage): Remote {
  return remoteOf(incoming.socket.remoteAddress ?? '', (name) => incoming.headers[name]?.toString())
}

/**
 * A program of this machine that came by another address of it, which is all there is while `host` is one: no other machine's
 * connection has the same address at both ends.
 */
export function isOwnConnection(c: Context): boolean {
  const env = c.env as { incoming?: Partial<Pick<IncomingMessage, 'socket'>> } | undefined
  const { remoteAddress = '', localAddress } = env?.incoming?.socket ?? {}
  const isSame = remoteAddress !== '' && remoteAddress === localAddress
  return isSame && !PROXY_HEADERS.some((name) => c.req.header(name) !== undefined)
}

function remoteOf(socketAddress: string, header: (name: string) => string | undefined): Remote {
  const peer = plainAddress(socketAddress)
  if (!isLoopbackName(peer)) return { address: peer, isLoopback: false }
  if (!PROXY_HEADERS.some((name) => header(name) !== undefined)) {
    return { address: peer, isLoopback: true }
  }
  // The last entry is the one that the proxy itself wrote; those before it are the client's word.
  const last = header('x-forwarded-for')?.split(',').at(-1)?.trim() ?? ''
  return { address: isIP(last) ? plainAddress(last) : peer, isLoopback: false }
}

/** The owner of connections and seats that are shared out as one client's: programs that call this machine localhost. */
export const OWN_MACHINE = 'this machine'

/**
 * The client that a connection counts for: an IPv4 address, an IPv6 /64, this machine itself. Machines of the box's own
 * link share a /64, so of them each address counts by itself. Other addresses of 127.0.0.0/8 are clients of their own: who
 * takes several gains what somebody with several machines gains.
 */
export function ownerOf(
  { address, isLoopback }: Remote,
  isOwnLink: (network: string) => boolean = isOwnNetwork,
): string {
  if (isLoopback && (address === '127.0.0.1' || address === '::1')) return OWN_MACHINE
  if (!isIPv6(address)) return address
  const network = networkOf(address)
  return isOwnLink(network) ? shortest(address) : network
}

/** Asking for the addresses of the machine costs up to a millisecond, and a crowd makes us ask all the time. */
const OWN_NETWORKS_MS = 5_000
let ownNetworks: { readonly networks: ReadonlySet<string>; readonly endMs: number } | undefined

function isOwnNetwork(network: string): boolean {
  const now = performance.now()
  if (ownNetworks === undefined || ownNetworks.endMs < now) {
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
    const networks = new Set(addresses.map(({ address }) => networkOf(plainAddress(address))))
    ownNetworks = { networks, endMs: now + OWN_NETWORKS_MS }
  }
  return ownNetworks.networks.has(network)
}

/** Names the owner of a connection before it has said anything. */
export function ownerOfSocket(address: string | undefined): string {
  return ownerOf(remoteOf(address ?? '', () => undefined))
}

/** The sender of a request, as far as senders can be distinguished. */
export interface Sender {
  /** For people; '' when unknown. */
  readonly address: string
  /** The unit in which senders are counted. */
  readonly network: string
  readonly isLoopback: boolean
}

/**
 * Finds the sender of a request. Each machine on the box's own link counts by itself, whatever they share.
 * @param ownAddresses of the box
 */
export function findSender(c: Context, ownAddresses: () => readonly string[]): Sender {
  const { address, isLoopback } = findRemote(c)
  const whole = networkOf(address)
  // A proxy of this machine that names nobody must not count as the machine itself.
  if (whole === 'loopback') return { address, network: isLoopback ? whole : 'proxy', isLoopback }
  const isNeighbor = isIPv6(address) && ownAddresses().some((own) => networkOf(own) === whole)
  return { address, network: isNeighbor ? shortest(address) : whole, isLoopback }
}

/**
 * The unit in which senders are counted: an IPv4 address, all of 127.0.0.0/8 as one, an IPv6 /64 (what a single machine is
 * given, RFC 6177). A link-local address counts by itself: all machines of a link have the same /64.
 */
export function networkOf(address: string): string {
  if (isLoopbackName(address)) return 'loopback'
  if (!isIPv6(address) || /^fe[89ab]/i.test(address)) return shortest(address)
  const [head = [], tail = []] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = Array<string>(8 - head.length - tail.length).fill('0')
  return [...head, ...zeros, ...tail].slice(0, 4).join(':')
}

function shortest(address: string): string {
  return canonicalName(address) ?? address
}

function socketAddress(c: Context): string {
  const env = c.env as { incoming?: Partial<Pick<IncomingMessage, 'socket'>> } | undefined
  return env?.incoming?.socket?.remoteAddress ?? ''
}

function plainAddress(text: string): string {
  const address = text.split('%')[0] ?? ''
  const mapped = address.toLowerCase().startsWith('::ffff:') ? address.slice(7) : ''
  return isIPv4(mapped) ? mapped : address.toLowerCase()
}

/** A `Host` header, taken apart. */
export interface HostName {
  /** Lower case, without the trailing dot; an IPv6 address is in its shortest form, without brackets. */
  readonly name: string
  /** The port as written; undefined when the header has none. */
  readonly port: number | undefined
}

/** The kind of name a request used: `local` is a loopback name, `own` another one of this box. */
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

/** Letters beyond ASCII, as Windows allows in the name of a computer; nothing that has a meaning in a URL. */
const OTHER_SCRIPT = /^(?=.*[^ -~])[^\s:/?#@[\]\\%]+$/

/**
 * An address or name of a configuration or of this machine, in the form that `parseHost` gives; undefined when it is
 * neither. Of a name in another script it is what browsers send (Punycode, RFC 3492).
 */
export function canonicalName(text: string): string | undefined {
  const bare = text.trim()
  if (isIPv6(bare)) return shortIPv6(bare)
  return parseHost(OTHER_SCRIPT.test(bare) ? domainToASCII(bare) : bare)?.name
}

/**
 * Judges whose name it is. Loopback names are the box's in every case (RFC 6761, section 6.3, and 127.0.0.0/8); an
 * unspecified address (0.0.0.0, ::) never is, since browsers take it for loopback past their own checks.
 */
export function judgeHost(name: string, ownNames: () => Iterable<string>): HostKind {
  if (isLoopbackName(name)) return 'local'
  if (name === '0.0.0.0' || name === '::') return 'foreign'
  for (const own of ownNames()) if (canonicalName(own) === name) return 'own'
  return 'foreign'
}

/** Tells whether the host of a URI is this computer; `own` are its names and addresses. */
export function isOwnHost(host: string, own: () => Iterable<string>): boolean {
  return judgeHost(parseHost(host)?.name ?? '', own) !== 'foreign'
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
export const DOCUMENTED_NAME = 'printserver.local'

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
    ...new Set([...names, DOCUMENTED_NAME, ...addresses.map((one) => one.split('%')[0] ?? one)]),
  ]
}
