import { randomBytes } from 'node:crypto'
import { isSame, type Sign } from './sign.ts'

/**
 * Proof that a request comes from the box's own page: a signed cookie that no other site's request carries
 * (`SameSite=Strict`), and a token made from that cookie, which the page repeats in `X-Platen-Token`. Nothing is kept,
 * so no number of visitors costs memory.
 */
export interface PageTokens {
  /** A new value for the cookie. */
  issue(): string
  /** Whether this box issued the cookie. */
  isIssued(cookie: string | undefined): cookie is string
  /** The token that belongs to a cookie. */
  tokenOf(cookie: string): string
  /** Whether the token belongs to the cookie; compared in constant time. */
  belongs(token: string | undefined, cookie: string): boolean
}

/** Cookies and tokens of one signer. */
export function createPageTokens(sign: Sign): PageTokens {
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
