import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { CookieOptions } from 'hono/utils/cookie'

/** `page`: proof of the box's own page. `login`: a session. */
export type CookieKind = 'page' | 'login'

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
