import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { CookieOptions } from 'hono/utils/cookie'

/**
 * No inline script or style, no frame, no form to elsewhere. Pictures may also be of a file that was just chosen
 * (`blob:`). The page needs nothing else.
 */
const CONTENT_POLICY = [
  "default-src 'self'",
  "img-src 'self' blob: data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': CONTENT_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  // Not no-referrer: that makes a browser send "Origin: null" with our own forms (Fetch, section 3.2).
  'Referrer-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
}

/**
 * Puts the security headers on an answer that is ready. No other site may embed or read it; of a print the other site
 * may (and must, else its script sees a failure and prints again). There is no HSTS: a box that once had TLS must stay
 * reachable without.
 */
export function setSecurityHeaders(c: Context, isPrint: boolean): void {
  const { headers } = c.res
  for (const [name, value] of Object.entries(HEADERS)) headers.set(name, value)
  headers.set('Cross-Origin-Resource-Policy', isPrint ? 'cross-origin' : 'same-origin')
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store')
}

/** `page`: proof of the box's own page. `login`: a session. */
type CookieKind = 'page' | 'login'

/** The value of one of our cookies, as the browser sent it. */
export function readCookie(c: Context, kind: CookieKind): string | undefined {
  return getCookie(c, nameOf(c, kind))
}

/** Sets one of our cookies: for this host only, never for scripts, never with a request of another site. */
export function writeCookie(c: Context, kind: CookieKind, value: string, maxAge?: number): void {
  setCookie(c, nameOf(c, kind), value, { ...settingsOf(c), ...(maxAge ? { maxAge } : {}) })
}

/** Takes one of our cookies back. */
export function dropCookie(c: Context, kind: CookieKind): void {
  deleteCookie(c, nameOf(c, kind), settingsOf(c))
}

// Two names, because a browser lets no http answer touch a cookie that https set as Secure (RFC 6265bis, 5.6).
function nameOf(c: Context, kind: CookieKind): string {
  return isSecure(c) ? `__Host-platen_${kind}` : `platen_${kind}`
}

function settingsOf(c: Context): CookieOptions {
  return { path: '/', httpOnly: true, sameSite: 'Strict', secure: isSecure(c) }
}

function isSecure(c: Context): boolean {
  return c.req.url.startsWith('https:')
}
