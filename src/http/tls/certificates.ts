import type { X509Certificate } from 'node:crypto'
import type { Server } from 'node:tls'
import {
  type CertificateRequest,
  listCertificateNames,
  putAside,
  readPair,
  runCertificateChild,
  type StoredPair,
  type Validity,
  writePair,
} from './certificate-files.ts'

const DAY_MS = 86_400_000
/** Clients take a certificate for at most 398 days (CA/Browser Forum, ballot SC31). */
const SERVER_MS = 397 * DAY_MS
const AUTHORITY_MS = 3_650 * DAY_MS
/** A certificate with less than this left is replaced. */
const RENEW_MS = 30 * DAY_MS
/** Clients' clocks may be behind. */
const SKEW_MS = DAY_MS
/** A clock before this was never set (a box without a battery). */
const CLOCK_SET_MS = Date.UTC(2025, 0, 1)
/** The date that such a box takes for today: about when this was written, so that clients with a clock accept it. */
const WRITTEN_MS = Date.UTC(2026, 10, 1)

/** The settings of where certificates are kept and what they are for. */
export interface CertificateSettings {
  /** The folder `tls` of the state folder. */
  readonly folder: string
  /** Names and addresses of this machine now, and the configured host. */
  readonly names: readonly string[]
  /** `certificate.ts`, or the file that was built from it. */
  readonly certificateEntry: URL
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The certificates that an https server and the trust page need. */
export interface Certificates {
  readonly key: string
  readonly cert: string
  /** The authority's certificate, PEM: what clients trust. */
  readonly authority: string
  /** The fingerprint of the authority: SHA-256, pairs of hex digits with colons. */
  readonly fingerprint: string
  /** The names in the certificate. */
  readonly names: readonly string[]
  /** Names asked for that the authority may not speak for, because they came after it. */
  readonly leftOut: readonly string[]
  /** End of the certificate, milliseconds since 1970. */
  readonly ends: number
  /** The part that was made by this call. `authority`: every client has to trust the new one. */
  readonly made: 'authority' | 'server' | 'nothing'
}

/**
 * The box's key and certificate: those kept, or a new certificate when there is none, when names changed, or when fewer
 * than 30 days are left. The authority stays for its ten years, so clients trust once. The server's key stays for good and
 * the end of its certificate never moves back: Android blocks a printer whose key changes (BuiltInPrintService), and CUPS
 * disables a queue whose certificate ends earlier than the one before (2.4.2).
 * @throws PlatenError STATE_UNWRITABLE, INTERNAL
 */
export async function ensureCertificates(
  settings: CertificateSettings,
  signal: AbortSignal,
): Promise<Certificates> {
  const { folder, now } = settings
  const names = listCertificateNames(settings.names)
  const authority = await readAuthority(folder, now())
  const kept = await readPair(folder, 'server')
  const server = typeof kept === 'string' ? undefined : kept
  if (authority && server && isFresh(server, authority, names, now())) {
    return describe(authority, server, 'nothing')
  }
  const made = await runCertificateChild(
    settings.certificateEntry,
    askFor(names, { authority, server }, now()),
    signal,
  )
  if (authority === undefined) writePair(folder, 'authority', made.authority, names)
  writePair(folder, 'server', made.server, names)
  const pairs = [await readPair(folder, 'authority'), await readPair(folder, 'server')] as const
  return describe(
    ...(pairs as readonly [StoredPair, StoredPair]),
    authority ? 'server' : 'authority',
  )
}

/** Reads the kept certificates, whatever their names and dates; undefined when they cannot be read. */
export async function readCertificates(folder: string): Promise<Certificates | undefined> {
  const read = (name: 'authority' | 'server') => readPair(folder, name).catch(() => undefined)
  const [authority, server] = [await read('authority'), await read('server')]
  if (typeof authority !== 'object' || typeof server !== 'object') return undefined
  return describe(authority, server, 'nothing')
}

/** Tells whether the clock shows a date that can be true. */
function isClockSet(now: number): boolean {
  return now >= CLOCK_SET_MS
}

/** Reads the authority; one that cannot be used any more is put aside. */
async function readAuthority(folder: string, now: number): Promise<StoredPair | undefined> {
  const pair = await readPair(folder, 'authority')
  if (pair === 'missing') return undefined
  if (pair !== 'broken' && isLive(pair.parsed, now)) return pair
  // While the clock was years ahead, this one took the place of one that clients trust and that is still good.
  const before = await readPair(folder, 'authority.old').catch(() => 'broken' as const)
  if (typeof before !== 'string' && isLive(before.parsed, now)) {
    writePair(folder, 'authority', before, before.askedNames)
    return before
  }
  await putAside(folder, 'authority')
  return undefined
}

/** Without a clock no date can be judged, and what is there is used. */
function isLive(cert: X509Certificate, now: number): boolean {
  if (!isClockSet(now)) return true
  // A clock from before this was written is behind: a PC whose battery is empty begins with the date of its firmware.
  const hasBegun = now < WRITTEN_MS || cert.validFromDate.getTime() <= now
  return hasBegun && cert.validToDate.getTime() - now > RENEW_MS
}

function isFresh(
  server: StoredPair,
  authority: StoredPair,
  names: readonly string[],
  now: number,
): boolean {
  const isSigned =
    server.parsed.checkIssued(authority.parsed) && server.parsed.verify(authority.parsed.publicKey)
  return isSigned && server.askedNames.join() === names.join() && isLive(server.parsed, now)
}

function askFor(
  names: readonly string[],
  { authority, server }: Record<'authority' | 'server', StoredPair | undefined>,
  now: number,
): CertificateRequest {
  const begin = authority?.parsed.validFromDate.getTime() ?? 0
  const today = isClockSet(now) ? now : Math.max(WRITTEN_MS, begin + SKEW_MS)
  const span = (length: number): Validity => ({
    from: today - SKEW_MS,
    to: today - SKEW_MS + length,
  })
  const authorityValidity = span(AUTHORITY_MS)
  const last = authority?.parsed.validToDate.getTime() ?? authorityValidity.to
  const { from, to } = span(SERVER_MS)
  const before = server?.parsed.validToDate.getTime() ?? 0
  const host = names.find((name) => name.endsWith('.local') && name !== 'printserver.local')
  return {
    authority: authority && { key: authority.key, cert: authority.cert },
    authorityName: `platen ${host?.replace(/\.local$/, '') ?? 'print server'}`,
    authorityValidity,
    validity: { from, to: Math.min(Math.max(to, before), last) },
    serverKey: server?.key,
    names,
  }
}

function describe(
  authority: StoredPair,
  server: StoredPair,
  made: Certificates['made'],
): Certificates {
  const { subjectAltName = '', validToDate } = server.parsed
  const held = listCertificateNames(subjectAltName.replace(/(?:DNS|IP Address):/g, '').split(', '))
  return {
    key: server.key,
    cert: server.cert,
    authority: authority.cert,
    fingerprint: authority.parsed.fingerprint256,
    names: held,
    leftOut: server.askedNames.filter((name) => !held.includes(name)),
    ends: validToDate.getTime(),
    made,
  }
}

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** The settings that keep a running https server's certificate fresh. */
export interface FreshSettings extends Omit<CertificateSettings, 'names'> {
  readonly server: Pick<Server, 'setSecureContext'>
  /** The certificates that the server began with. */
  readonly certificates: Certificates
  /** Names and addresses as they are now. */
  readonly names: () => readonly string[]
  /** Called after the server got new certificates. */
  readonly onFresh?: (certificates: Certificates) => void
  /** Called when a check failed; the old certificate stays and the next check tries again. */
  readonly onFailure?: (error: unknown) => void
  /** Runs a function after some milliseconds; the call it returns takes that back. */
  readonly after?: (ms: number, run: () => void) => () => void
}

/** A running watch over a certificate. */
export interface FreshWatch {
  /** The certificates in use. */
  readonly certificates: Certificates
  /** Checks now, e.g. when the network changed. */
  check(): Promise<void>
  /** Ends the watch and a child that may be at work. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Looks every hour (every minute while the clock is not set) whether names, addresses or the date ask for a new
 * certificate, and gives it to the server without a restart; open connections stay. Its timer keeps no process alive.
 */
export function keepFresh(settings: FreshSettings): FreshWatch {
  const { after = runAfter, now } = settings
  const stopped = new AbortController()
  let certificates = settings.certificates
  let working: Promise<void> | undefined
  let cancel = schedule()

  function schedule(): () => void {
    return after(isClockSet(now()) ? HOUR_MS : MINUTE_MS, () => void check())
  }

  function check(): Promise<void> {
    cancel()
    working ??= follow().finally(() => {
      working = undefined
      if (!stopped.signal.aborted) cancel = schedule()
    })
    return working
  }

  /** The names may change again while the child is at work. */
  async function follow(): Promise<void> {
    let names: readonly string[]
    do {
      names = settings.names()
      await renew(names)
    } while (!stopped.signal.aborted && settings.names().join() !== names.join())
  }

  async function renew(names: readonly string[]): Promise<void> {
    try {
      const found = await ensureCertificates({ ...settings, names }, stopped.signal)
      if (found.cert === certificates.cert || stopped.signal.aborted) return
      settings.server.setSecureContext({ key: found.key, cert: found.cert })
      certificates = found
      settings.onFresh?.(found)
    } catch (error) {
      if (!stopped.signal.aborted) settings.onFailure?.(error)
    }
  }

  return {
    get certificates() {
      return certificates
    },
    check,
    async [Symbol.asyncDispose]() {
      stopped.abort()
      cancel()
      await working
    },
  }
}

function runAfter(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms).unref()
  return () => clearTimeout(timer)
}
