import type { Context } from 'hono'
import { PlatenError } from '../../errors.ts'
import { type HostName, parseHost } from './host-names.ts'
import { shorten } from './shorten.ts'
import { JOB_SECRET_HEADER } from './signatures.ts'

/** What caused a request: the box's own page, another page, or (as far as can be told) no page at all. */
export type Site = 'own' | 'foreign' | 'none'

/** The headers by which a browser tells what caused a request. */
export interface Traces {
  readonly method: string
  readonly origin: string | undefined
  /** `Sec-Fetch-Site`; browsers send it to https and to localhost only (Fetch Metadata, section 2). */
  readonly fetchSite: string | undefined
  readonly fetchMode: string | undefined
  readonly fetchDest: string | undefined
  readonly referer: string | undefined
}

/**
 * What caused the request. `Origin` is on every request of a page that is not GET or HEAD (Fetch, section 3.2), so
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

/** Whether a list of `allowed_origins` holds an `Origin`; `*` holds all. Case, default ports and a last `/` do not matter. */
export function isAllowedOrigin(origin: string, allowed: readonly string[]): boolean {
  const wanted = originOf(origin) ?? origin
  return allowed.some((one) => one === '*' || (originOf(one) ?? one) === wanted)
}

/** The same name and port; a proxy may have taken the TLS away, so the scheme counts only for the default port. */
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

/** What a page of another site may ask for. */
export type Crossing = 'print' | 'follow' | 'read' | 'ship'

const PREFLIGHTS = {
  // Libraries for AJAX calls add X-Requested-With to every request; here it says nothing.
  print: { method: 'POST', headers: 'Content-Type, Prefer, Idempotency-Key, X-Requested-With' },
  follow: { method: 'GET', headers: `${JOB_SECRET_HEADER}, X-Requested-With` },
  read: { method: 'GET', headers: 'X-Requested-With' },
  ship: { method: 'POST', headers: 'Content-Type, X-Api-Key, X-Requested-With' },
} as const satisfies Record<Crossing, object>
const PREFLIGHT_SECONDS = '600'

/**
 * Whether a page may print: any page, or those of `allowed_origins` and the box's own. A request that no page caused
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
 * Whether a page may ship: the box's own, or one that `allowed_origins` names; `*` names none, as labels cost money.
 * @throws PlatenError ORIGIN_REFUSED
 */
export function checkShipOrigin(
  c: Context,
  allowed: readonly string[] | undefined,
  isOwnName: (name: string) => boolean,
): void {
  const named = namedSites(allowed)
  // An empty list would mean every page.
  checkPrintOrigin(c, named.length === 0 ? ['null:'] : named, isOwnName, 'ship')
}

/** Sites that stand in the list by name; `*` names none: what is not printing is not for everybody. */
function namedSites(allowed: readonly string[] | undefined): readonly string[] {
  return allowed?.filter((one) => one !== '*') ?? []
}

/** What is no secret, of which a web shop makes its menu of printers; nothing of the page and its tokens is among it. */
const SHOP_PATHS: ReadonlySet<string> = new Set(['/printers', '/info', '/healthz', '/metrics'])

/** Whether the address is one that a script of a named site may read. */
export function isForShops(c: Context): boolean {
  return SHOP_PATHS.has(c.req.path)
}

/** A script of a site that the settings name reads what it may. */
export function isNamedReader(c: Context, allowed: readonly string[] | undefined): boolean {
  const { origin } = readTraces(c)
  if (!isForShops(c)) return false
  return origin !== undefined && isAllowedOrigin(origin, namedSites(allowed))
}

/**
 * Whether a page may read what is no secret: the box's own, or one of a site that `allowed_origins` names.
 * @throws PlatenError ORIGIN_REFUSED
 */
export function checkReadOrigin(
  c: Context,
  allowed: readonly string[] | undefined,
  isOwnName: (name: string) => boolean,
): void {
  const named = namedSites(allowed)
  checkPrintOrigin(c, named.length === 0 ? ['null:'] : named, isOwnName, 'read')
}

/** Lets the page that asked read the answer to its print (Fetch, section 3.3). Never with credentials. */
export function setCorsHeaders(c: Context): void {
  c.header('Vary', 'Origin', { append: true })
  const origin = c.req.header('origin')
  if (origin !== undefined) c.header('Access-Control-Allow-Origin', origin)
}

/** The answer to a preflight after its origin was checked. */
export function answerPreflight(c: Context, crossing: Crossing): Response {
  const { method, headers } = PREFLIGHTS[crossing]
  setCorsHeaders(c)
  c.header('Access-Control-Allow-Methods', method)
  c.header('Access-Control-Allow-Headers', headers)
  c.header('Access-Control-Max-Age', PREFLIGHT_SECONDS)
  return c.body(null, 204)
}
