import { lookup } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import { LabelMemory } from '../../core/request/reader.ts'
import { exchange, type HttpResponse } from '../../system/http-client.ts'
import { type QueueBounds, TimeLimit, WaitingLine } from '../../system/wait.ts'
import { PlatenError, quote } from '../../words/errors.ts'

/** Bounds of fetching one label. Decision `fetch-from-internet-only`. */
const FETCH_BOUNDS = { redirects: 5, connectMs: 10_000, wholeMs: 30_000 } as const

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/** Looks up all addresses of a name. */
export type LookUp = (name: string) => Promise<readonly ResolvedAddress[]>

/** A label to fetch. */
interface LabelAddress {
  readonly address: string
  /** `user:password` for the host of the address; '' = none. */
  readonly credentials: string
  readonly mostBytes: number
}

/** Rules that say which hosts may be asked. */
export interface FetchRules {
  /** Hosts that may have any address: the owner named them. */
  readonly hosts: readonly string[]
  readonly lookUp: LookUp
  /** Milliseconds for the whole fetch, in place of the bound above. */
  readonly wholeMs?: number
}

export const lookUpAll: LookUp = (name) => lookup(name, { all: true })

/**
 * Fetches the label at an address of the internet. The box stands inside a network that the sender may not be able to reach, so every name
 * is looked up once, its addresses are checked, and the connection goes to the checked one; the same again after each redirect.
 * @throws PlatenError FIELD_INVALID, SOURCE_UNREACHABLE, SOURCE_REFUSED, BODY_TOO_LARGE
 */
export async function fetchLabel(
  { address, credentials, mostBytes }: LabelAddress,
  rules: FetchRules,
  signals: readonly AbortSignal[],
): Promise<Uint8Array> {
  using limit = new TimeLimit(rules.wholeMs ?? FETCH_BOUNDS.wholeMs, ...signals)
  let url = readAddress(address)
  const { origin } = url
  for (let redirects = 0; ; redirects += 1) {
    const headers = url.origin === origin ? authorize(credentials) : {}
    const { status, location, content } = await ask(
      url,
      { headers, mostBytes, lookup: await findPlace(url, rules, limit.signal) },
      limit.signal,
    )
    if (content !== undefined) return content
    if (!REDIRECTS.has(status))
      throw new PlatenError('SOURCE_REFUSED', `${url.host} answered ${status}, wanted the label.`)
    if (redirects === FETCH_BOUNDS.redirects)
      throw new PlatenError('SOURCE_REFUSED', `${url.host} redirects again and again.`)
    url = readAddress(location, url)
  }
}

/** @throws PlatenError FIELD_INVALID */
function readAddress(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href)
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  throw new PlatenError(
    'FIELD_INVALID',
    `content: got ${quote(text)}, wanted an address that begins with http:// or https://.`,
  )
}

function authorize(credentials: string): Readonly<Record<string, string>> {
  if (credentials === '') return {}
  return { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}

/** Makes the lookup function that gives a connection the address that was checked. @throws PlatenError */
async function findPlace(
  { hostname }: URL,
  { hosts, lookUp }: FetchRules,
  signal: AbortSignal,
): Promise<LookupFunction> {
  const name = hostname.replace(/^\[|\]$/g, '')
  const found =
    isIP(name) === 0
      ? await resolve(lookUp(name), name, signal)
      : [{ address: name, family: isIP(name) }]
  const isNamed = hosts.includes(hostname)
  const [first] = found
  if (first === undefined || (!isNamed && !found.every(({ address }) => isPublic(address)))) {
    throw new PlatenError(
      'FIELD_INVALID',
      `content: ${quote(hostname)} is not a host of the internet.`,
      {
        hint: 'To fetch labels from a host of your own network, add it to fetch_hosts in the settings.',
      },
    )
  }
  return (_, options, done) => {
    if (options.all) done(null, [{ address: first.address, family: first.family }])
    else done(null, first.address, first.family)
  }
}

/** Waits for the addresses of a name until `signal` aborts: the resolver's own time limit is longer. */
async function resolve(
  looking: Promise<readonly ResolvedAddress[]>,
  name: string,
  signal: AbortSignal,
): Promise<readonly ResolvedAddress[]> {
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = (): void => reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([looking, promise])
  } catch (cause) {
    throw new PlatenError('SOURCE_UNREACHABLE', `${quote(name)} has no address.`, { cause })
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

interface Ask {
  readonly headers: Readonly<Record<string, string>>
  readonly mostBytes: number
  readonly lookup: LookupFunction
}

async function ask(
  url: URL,
  { headers, mostBytes, lookup }: Ask,
  signal: AbortSignal,
): Promise<HttpResponse<Uint8Array | undefined>> {
  const { connectMs, wholeMs } = FETCH_BOUNDS
  const read = (response: IncomingMessage) =>
    response.statusCode === 200 ? readBytes(response, mostBytes) : Promise.resolve(undefined)
  const own = { Accept: '*/*', ...headers }
  try {
    return await exchange(
      url,
      { method: 'GET', headers: own, connectMs, wholeMs, read, lookup },
      signal,
    )
  } catch (cause) {
    if (cause instanceof PlatenError) throw cause
    throw new PlatenError(
      'SOURCE_UNREACHABLE',
      `The label could not be fetched from ${url.host}.`,
      {
        cause,
        hint: 'Check the address of the label, then send it again.',
      },
    )
  }
}

/** @throws PlatenError BODY_TOO_LARGE */
async function readBytes(response: IncomingMessage, mostBytes: number): Promise<Uint8Array> {
  const memory = new LabelMemory()
  for await (const chunk of response) {
    if (memory.length + chunk.length > mostBytes)
      throw new PlatenError(
        'BODY_TOO_LARGE',
        'The label at this address is larger than max_body_mb.',
      )
    memory.append(chunk)
  }
  return memory.take()
}

/** Addresses that no host of the internet has (IANA's special-purpose registries, RFC 6890 and later). */
const SPECIAL = new BlockList()
for (const range of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]) {
  const [net = '', bits] = range.split('/')
  SPECIAL.addSubnet(net, Number(bits), 'ipv4')
}
// Teredo and 6to4 among them, which wrap addresses of the other kind; documentation.
for (const range of ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']) {
  const [net = '', bits] = range.split('/')
  SPECIAL.addSubnet(net, Number(bits), 'ipv6')
}
/** Global unicast (RFC 4291, 2.4): every address outside it is loopback, mapped, translated, link-local, ULA or multicast. */
const GLOBAL = new BlockList()
GLOBAL.addSubnet('2000::', 3, 'ipv6')

/** Tells whether an address is on the internet and not in the box's own networks, which have global addresses in IPv6. */
export function isPublic(address: string, interfaces = networkInterfaces()): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  if (isIP(address) === 0 || SPECIAL.check(address, family)) return false
  if (family === 'ipv6' && !GLOBAL.check(address, 'ipv6')) return false
  const own = new BlockList()
  for (const { cidr } of Object.values(interfaces).flatMap((entries) => entries ?? [])) {
    const [net = '', bits = ''] = cidr?.split('/') ?? []
    if (isIP(net) !== 0) own.addSubnet(net, Number(bits), isIP(net) === 6 ? 'ipv6' : 'ipv4')
  }
  return !own.check(address, family)
}

/** Makes the line in which fetches wait. */
export function lineUp(bounds: QueueBounds): WaitingLine {
  return new WaitingLine(
    bounds,
    () => new PlatenError('SERVER_BUSY', 'Too many labels are to be fetched at once.'),
  )
}
