import type { HostName } from './host-check.ts'
import { parseHost } from './host-check.ts'

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
