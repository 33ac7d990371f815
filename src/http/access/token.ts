import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

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

/** @param secret 32 bytes; cookies and tokens outlive a restart when it does */
export function createPageTokens(secret: Uint8Array): PageTokens {
  const sign = (purpose: string, text: string) =>
    createHmac('sha256', secret).update(`${purpose}\0${text}`).digest('base64url')
  const tokenOf = (cookie: string) => sign('token', cookie)
  return {
    issue() {
      const id = randomBytes(16).toString('base64url')
      return `${id}.${sign('page', id)}`
    },
    isIssued(cookie): cookie is string {
      const [id = '', mac = ''] = (cookie ?? '').split('.')
      return isEqual(mac, sign('page', id))
    },
    tokenOf,
    belongs: (token, cookie) => token !== undefined && isEqual(token, tokenOf(cookie)),
  }
}

function isEqual(seen: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(seen), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}
