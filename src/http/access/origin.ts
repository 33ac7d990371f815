import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from 'hono'
import { writeWhole } from '../../settings/write.ts'
import { PlatenError } from '../../words/errors.ts'
import { type HostName, parseHost } from './addresses.ts'

/** Signs a text for one purpose; a signature for another purpose is another. */
type PurposeSigner = (purpose: string, text: string) => string

/** @param secret 32 bytes; what was signed outlives a restart when it does Decision `own-page-on-http`. */
export function createSign(secret: Uint8Array): PurposeSigner {
  // From bytes Node makes a key again each time, which takes six times as long.
  const key = createSecretKey(secret)
  return (purpose, text) =>
    createHmac('sha256', key).update(`${purpose}\0${text}`).digest('base64url')
}

/** Compares signatures in constant time. */
function isSame(seen: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(seen), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}

const SECRET_BYTES = 32

/**
 * The secret that signs the page's cookie, from `secret` in the state folder; made when it is not there or damaged.
 * With it, a page that stays open follows the jobs again after a restart.
 * @throws PlatenError STATE_UNWRITABLE
 */
export function loadSecret(folder: string): Uint8Array {
  const file = join(folder, 'secret')
  const seen = readIfThere(file)
  if (seen?.length === SECRET_BYTES) return seen
  const secret = randomBytes(SECRET_BYTES)
  writeWhole(file, secret)
  return secret
}

/** At once: while one waits for the file, another would make a secret too, and each keep its own. */
function readIfThere(file: string): Uint8Array | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

/**
 * Proof that a request comes from the box's own page: a signed cookie that no other site's request carries
 * (`SameSite=Strict`), and a token made from that cookie, which the page repeats in `X-Platen-Token`. Nothing is kept,
 * so no number of visitors costs memory.
 */
export interface PageTokens {
  /** A new value for the cookie. */
  issue(): string
  /** Tells whether this box issued the cookie. */
  isIssued(cookie: string | undefined): cookie is string
  /** The token that belongs to a cookie. */
  tokenOf(cookie: string): string
  /** Tells whether the token belongs to the cookie; compared in constant time. */
  belongs(token: string | undefined, cookie: string): boolean
}

/** Cookies and tokens of one signer. */
export function createPageTokens(sign: PurposeSigner): PageTokens {
  const tokenOf = (cookie: string) => sign('token', cookie)
  return {
    issue() {
      const id = randomBytes(16).toString('base64url')
      return `${id}.${sign('page', id)}`
    },
    isIssued(cookie): cookie is string {
      const [id = '', mac = ''] = (cookie ?? '').split('.')
      return isSame(mac, sign('page', id))
    },
    tokenOf,
    belongs: (token, cookie) => token !== undefined && isSame(token, tokenOf(cookie)),
  }
}

/** The header that carries the secret; the query `secret` does too, for pictures and links. */
const JOB_SECRET_HEADER = 'X-Platen-Job-Secret'

/** The paths where a client may follow its own label: how it is, and its picture. */
const FOLLOWED = /^\/jobs\/([a-z0-9]+-\d+)(?:\/(?:preview\.png|label\.bin))?$/

/** Makes what the answer to a print gives with each job, to follow it without a login. Nothing is kept: it is made of the id. */
export function jobSecretOf(sign: PurposeSigner, id: string): string {
  return sign('job', id)
}

/** Tells whether the address is one that the sender of a label may follow. */
export function isFollowable(c: Context): boolean {
  return FOLLOWED.test(c.req.path)
}

/** Tells whether the request reads one label and carries its secret. */
export function hasJobSecret(c: Context, sign: PurposeSigner): boolean {
  const id = FOLLOWED.exec(c.req.path)?.[1]
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
  if (id === undefined || !isRead) return false
  const given = c.req.header(JOB_SECRET_HEADER) ?? c.req.query('secret')
  return given !== undefined && isSame(given, jobSecretOf(sign, id))
}

/** The cause of a request: the box's own page, another page, or (as far as can be told) no page at all. */
export type Site = 'own' | 'foreign' | 'none'

/** The headers by which a browser tells what caused a request. */
interface Traces {
  readonly method: string
  readonly origin: string | undefined
  /** `Sec-Fetch-Site`; browsers send it to https and to localhost only (Fetch Metadata, section 2). */
  readonly fetchSite: string | undefined
  readonly fetchMode: string | undefined
  readonly fetchDest: string | undefined
  readonly referer: string | undefined
}

/**
 * Judges what caused the request. `Origin` is on every request of a page that is not GET or HEAD (Fetch, section 3.2), so
 * its absence on a POST means a program; on a GET over plain http it proves nothing.
 */
export function judgeSite(traces: Traces, host: HostName): Site {
  const { origin, fetchSite, referer } = traces
  const says = fetchSite?.toLowerCase()
  if (says !== undefined && says !== 'same-origin' && says !== 'none') return 'foreign'
  if (origin !== undefined) return isSameOrigin(origin, host) ? 'own' : 'foreign'
  if (says !== undefined) return says === 'none' ? 'none' : 'own'
  // Old browsers send neither; a Referer of another site is then the only trace of, say, an <img>.
  return referer === undefined || isSameOrigin(originOf(referer) ?? referer, host)
    ? 'none'
    : 'foreign'
}

/** A person followed a link to the box: a GET of a whole page, of which the page with the link learns nothing. */
export function isLink(traces: Traces): boolean {
  const isRead = traces.method === 'GET' || traces.method === 'HEAD'
  if (!isRead || traces.origin !== undefined) return false
  if (traces.fetchSite === undefined) return true
  return traces.fetchMode === 'navigate' && traces.fetchDest === 'document'
}

/**
 * Tells whether a list of `allowed_origins` holds an `Origin`; `*` holds all. Case, default ports and a last `/` do not
 * matter.
 */
export function isAllowedOrigin(origin: string, allowed: readonly string[]): boolean {
  const wanted = originOf(origin) ?? origin
  return allowed.some((one) => one === '*' || (originOf(one) ?? one) === wanted)
}

/**
 * Tells whether the name and port are the same; a proxy may have taken the TLS away, so the scheme counts only for the
 * default port.
 */
function isSameOrigin(origin: string, host: HostName): boolean {
  const found = /^(https?):\/\/([^/]+)$/.exec(origin.toLowerCase())
  const seen = parseHost(found?.[2] ?? '')
  if (found === null || seen === undefined) return false
  const usual = found[1] === 'https' ? 443 : 80
  return seen.name === host.name && (seen.port ?? usual) === (host.port ?? usual)
}

function originOf(url: string): string | undefined {
  const origin = URL.parse(url)?.origin
  return origin === undefined || origin === 'null' ? undefined : origin
}

/** Reads what a browser tells about the cause of a request. */
export function readTraces(c: Context): Traces {
  return {
    method: c.req.method,
    origin: c.req.header('origin'),
    fetchSite: c.req.header('sec-fetch-site'),
    fetchMode: c.req.header('sec-fetch-mode'),
    fetchDest: c.req.header('sec-fetch-dest'),
    referer: c.req.header('referer'),
  }
}

/** A use that a page of another site may ask for. */
export type CrossSiteUse = 'print' | 'follow' | 'read' | 'keyed'

const PREFLIGHTS = {
  // Libraries for AJAX calls add X-Requested-With to every request; here it says nothing.
  print: { method: 'POST', headers: 'Content-Type, Prefer, Idempotency-Key, X-Requested-With' },
  follow: { method: 'GET', headers: `${JOB_SECRET_HEADER}, X-Requested-With` },
  read: { method: 'GET', headers: 'X-Requested-With' },
  keyed: { method: 'GET, POST', headers: 'Content-Type, X-Api-Key, X-Requested-With' },
} as const satisfies Record<CrossSiteUse, object>
const PREFLIGHT_SECONDS = '600'

/**
 * Tells whether a page may print: every page, or those of `allowed_origins` and the box's own. A request that no page caused
 * passes.
 * @param allowed undefined or empty: every page
 * @throws PlatenError ORIGIN_REFUSED
 */
export function checkPrintOrigin(
  c: Context,
  allowed: readonly string[] | undefined,
  isOwnName: (name: string) => boolean,
  what = 'print',
): void {
  if (allowed === undefined || allowed.length === 0) return
  const traces = readTraces(c)
  const host = parseHost(c.req.header('host') ?? new URL(c.req.url).host)
  const site = host === undefined ? 'foreign' : judgeSite(traces, host)
  if (site === 'none' || (site === 'own' && host !== undefined && isOwnName(host.name))) return
  if (traces.origin !== undefined && isAllowedOrigin(traces.origin, allowed)) return
  const page =
    traces.origin === undefined ? 'A page of another site' : `The page ${shorten(traces.origin)}`
  throw new PlatenError(
    'ORIGIN_REFUSED',
    `${page} may not ${what} here; wanted one of allowed_origins.`,
  )
}

/**
 * Tells whether a page may use an API key, or read what is not a secret: the box's own, or one that `allowed_origins` names; `*` names none.
 * @throws PlatenError ORIGIN_REFUSED
 */
export function checkNamedOrigin(
  c: Context,
  allowed: readonly string[] | undefined,
  isOwnName: (name: string) => boolean,
  what: string,
): void {
  const named = namedSites(allowed)
  // An empty list would mean every page.
  checkPrintOrigin(c, named.length === 0 ? ['null:'] : named, isOwnName, what)
}

/** Sites that the list names; `*` names none: only printing is open to everybody. */
function namedSites(allowed: readonly string[] | undefined): readonly string[] {
  return allowed?.filter((one) => one !== '*') ?? []
}

/**
 * Paths of what is not secret, of which a web shop makes its menu of printers; nothing of the page and its tokens is among
 * it.
 */
const SHOP_PATHS: ReadonlySet<string> = new Set(['/printers', '/info', '/healthz', '/metrics'])

/** Tells whether the address is one that a script of a named site may read. */
export function isForShops(c: Context): boolean {
  return SHOP_PATHS.has(c.req.path)
}

/** A script of a site that the settings name reads what it may. */
export function isNamedReader(c: Context, allowed: readonly string[] | undefined): boolean {
  const { origin } = readTraces(c)
  if (!isForShops(c)) return false
  return origin !== undefined && isAllowedOrigin(origin, namedSites(allowed))
}

/** Lets the page that asked read the answer to its print (Fetch, section 3.3). Never with credentials. */
export function setCorsHeaders(c: Context): void {
  const origin = c.req.header('origin')
  if (c.finalized) {
    // Hono's own way makes a web stream of an answer that is ready, which costs more than all else of a request.
    const { headers } = c.res
    headers.append('Vary', 'Origin')
    if (origin !== undefined) headers.set('Access-Control-Allow-Origin', origin)
    return
  }
  c.header('Vary', 'Origin', { append: true })
  if (origin !== undefined) c.header('Access-Control-Allow-Origin', origin)
}

/** The answer to a preflight after its origin was checked. */
export function answerPreflight(c: Context, crossing: CrossSiteUse): Response {
  const { method, headers } = PREFLIGHTS[crossing]
  setCorsHeaders(c)
  c.header('Access-Control-Allow-Methods', method)
  c.header('Access-Control-Allow-Headers', headers)
  c.header('Access-Control-Max-Age', PREFLIGHT_SECONDS)
  return c.body(null, 204)
}

const MAX_SHOWN = 80

/** A piece of a request that is fit for a message: printable ASCII, at most 80 characters. */
export function shorten(text: string): string {
  const plain = text.replace(/[^\x20-\x7e]/g, '?')
  return plain.length > MAX_SHOWN ? `${plain.slice(0, MAX_SHOWN)}…` : plain
}
