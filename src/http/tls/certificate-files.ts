import { fork } from 'node:child_process'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFile, rename } from 'node:fs/promises'
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'
import { join } from 'node:path'
import { readCode, writeWhole } from '../../settings/write.ts'
import { PlatenError } from '../../words/errors.ts'
import { canonicalName, DOCUMENTED_NAME } from '../access/addresses.ts'

/** A key pair that was read back, its certificate parsed. */
export interface StoredPair extends KeyPair {
  readonly parsed: X509Certificate
  /** The names it was made for, those that its authority forbids among them. */
  readonly askedNames: readonly string[]
}

/** The files in the folder `tls`: each holds key and certificate, so that no power cut can part them. */
type PairName = 'authority' | 'authority.old' | 'server'

const BLOCK = /-----BEGIN ([A-Z ]+)-----[A-Za-z0-9+/=\s]+-----END \1-----\n?/g
const NAMES = 'Names: '

/**
 * Reads a pair. `missing` when there is no file, `broken` when it holds no key with its certificate.
 * @throws PlatenError STATE_UNWRITABLE when the file is there and cannot be read: a new authority in its place would cost
 * every client its trust
 */
export async function readPair(
  folder: string,
  name: PairName,
): Promise<StoredPair | 'missing' | 'broken'> {
  const file = join(folder, `${name}.pem`)
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return 'missing'
    throw new PlatenError('STATE_UNWRITABLE', `Cannot read ${file}.`, { cause })
  }
  return parsePair(text) ?? 'broken'
}

/**
 * Writes a pair whole or not at all, readable by its owner only.
 * @throws PlatenError STATE_UNWRITABLE
 */
export function writePair(
  folder: string,
  name: PairName,
  pair: KeyPair,
  askedNames: readonly string[],
): void {
  const text = `${NAMES}${askedNames.join(' ')}\n${pair.cert}${pair.key}`
  writeWhole(join(folder, `${name}.pem`), text)
}

/** Keeps a pair that cannot be used any more under another name, for a person who wants to look. */
export async function putAside(folder: string, name: PairName): Promise<void> {
  await rename(join(folder, `${name}.pem`), join(folder, `${name}.old.pem`))
}

/** The pair in such a text; undefined when it holds no key with its certificate. */
function parsePair(text: string): StoredPair | undefined {
  const blocks = new Map([...text.matchAll(BLOCK)].map((found) => [found[1], found[0]]))
  const [cert, key] = [blocks.get('CERTIFICATE'), blocks.get('PRIVATE KEY')]
  if (cert === undefined || key === undefined) return undefined
  try {
    const parsed = new X509Certificate(cert)
    if (!parsed.checkPrivateKey(createPrivateKey(key))) return undefined
    const line = text.split('\n', 1)[0] ?? ''
    const names = line.startsWith(NAMES) ? line.slice(NAMES.length).split(' ') : []
    return { key, cert, parsed, askedNames: names }
  } catch {
    return undefined // damaged inside: as good as none
  }
}

/** The authority's file as it is, for a backup; '' when there is none or, which `fault` is told, when it cannot be read. */
export async function readAuthority(
  folder: string,
  fault: (error: unknown) => void = () => undefined,
): Promise<string> {
  return await readFile(join(folder, 'authority.pem'), 'utf8').catch((error: unknown) => {
    if (readCode(error) !== 'ENOENT') fault(error)
    return ''
  })
}

/**
 * Puts the authority of a backup in the place of this box's own, which is kept beside it: clients that trusted the dead
 * box trust this one. True when it is another one; it takes effect at the next start. Damage counts as none.
 * @throws PlatenError STATE_UNWRITABLE
 */
export async function restoreAuthority(folder: string, text: string): Promise<boolean> {
  const own = await readAuthority(folder)
  if (own === text || parsePair(text) === undefined) return false
  // Not moved away: where the new one finds no room, the box must keep its own.
  if (own !== '') writeWhole(join(folder, 'authority.old.pem'), own)
  writeWhole(join(folder, 'authority.pem'), text)
  return true
}

/** A private key (PKCS #8) and its certificate, both as PEM. */
export interface KeyPair {
  readonly key: string
  readonly cert: string
}

/** First and last moment of a certificate, in milliseconds since 1970. */
export interface Validity {
  readonly from: number
  readonly to: number
}

/** The request to the child that makes certificates. */
export interface CertificateRequest {
  /** The authority to sign with; undefined: make one. */
  readonly authority: KeyPair | undefined
  /** The name that people see when they trust it, e.g. `platen bench-3`. */
  readonly authorityName: string
  readonly authorityValidity: Validity
  readonly validity: Validity
  /** The server's private key (PKCS #8, PEM); undefined: make one. Another kind than ours is replaced. */
  readonly serverKey: string | undefined
  /** DNS names and addresses of the server. */
  readonly names: readonly string[]
}

/** Its answer; `names` of the request that the authority's constraints forbid are not in the certificate. */
export type CertificateReply =
  | { readonly authority: KeyPair; readonly server: KeyPair }
  | { readonly error: string }

// 0.1 s on a PC; a small ARM core that is busy starting up takes some ten times as long.
const LIMIT_MS = 60_000
const MAX_COMPLAINT = 400 // the error comes first, its stack after

/**
 * Has certificates made by a child process, which is gone afterwards.
 * @param entry `certificate.ts`, or the file that was built from it
 * @throws PlatenError INTERNAL with what the child said
 */
export async function runCertificateChild(
  entry: URL,
  request: CertificateRequest,
  signal: AbortSignal,
): Promise<{ readonly authority: KeyPair; readonly server: KeyPair }> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)])
  const child = fork(entry, [], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], signal: limited })
  let complaint = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = `${complaint}${text}`.slice(0, MAX_COMPLAINT)
  })
  const closed = once(child, 'close')
  // An error (aborted, not started) rejects both; it is reported by the wait for the reply.
  closed.catch(() => undefined)
  try {
    child.send(request, () => undefined) // a child that died already is seen by its close
    const reply = await Promise.race([once(child, 'message'), closed])
    await closed
    return readReply(reply[0])
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause)
    throw new PlatenError(
      'INTERNAL',
      `The certificate could not be made: ${said}. ${complaint}`.trim(),
      { cause },
    )
  }
}

function readReply(reply: CertificateReply | number | null) {
  if (typeof reply !== 'object' || reply === null)
    throw new PlatenError('INTERNAL', `the child ended with ${reply}`)
  if ('error' in reply) throw new PlatenError('INTERNAL', reply.error)
  return reply
}

/**
 * For what the box's authority may ever speak: names that mean nothing outside the building, and private addresses
 * (RFC 6762 .local, RFC 6761 localhost, RFC 1918, 3927, 4193, 4291, 6598). Its key is worth nothing for other sites.
 */
const PERMITTED_NAMES = ['local', 'localhost'] as const
const PERMITTED_RANGES = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '100.64.0.0/10',
  '::1/128',
  'fc00::/7',
] as const

const ALWAYS = ['localhost', DOCUMENTED_NAME, '127.0.0.1', '::1']
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

/** Lists what an authority may sign that is made while the box has these names: the ranges above and the names themselves. */
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

/** Tells whether name constraints allow a name: equal, or below a permitted name (RFC 5280, section 4.2.1.10). */
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
