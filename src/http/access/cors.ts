import type { Context } from 'hono'
import { PlatenError } from '../../errors.ts'
import { parseHost } from './host-check.ts'
import { JOB_SECRET_HEADER } from './job-secret.ts'
import { isAllowedOrigin, judgeSite } from './origin.ts'
import { shorten } from './shorten.ts'
import { readTraces } from './traces.ts'

const ALLOWED_HEADERS = {
  POST: 'Content-Type, Prefer, Idempotency-Key',
  GET: JOB_SECRET_HEADER,
} as const
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
    `${page} may not print here; wanted one of allowed_origins.`,
  )
}

/** Lets the page that asked read the answer to its print (Fetch, section 3.3). Never with credentials. */
export function setCorsHeaders(c: Context): void {
  c.header('Vary', 'Origin', { append: true })
  const origin = c.req.header('origin')
  if (origin !== undefined) c.header('Access-Control-Allow-Origin', origin)
}

/** The answer to a preflight of a print, or of following it, after its origin was checked. */
export function answerPreflight(c: Context, method: 'POST' | 'GET'): Response {
  setCorsHeaders(c)
  c.header('Access-Control-Allow-Methods', method)
  c.header('Access-Control-Allow-Headers', ALLOWED_HEADERS[method])
  c.header('Access-Control-Max-Age', PREFLIGHT_SECONDS)
  return c.body(null, 204)
}
