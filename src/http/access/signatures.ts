import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from 'hono'
import { writeWhole } from '../../config/write.ts'

/** Signs a text for one purpose; a signature for another purpose is another. */
export type Sign = (purpose: string, text: string) => string

/** @param secret 32 bytes; what was signed outlives a restart when it does */
export function createSign(secret: Uint8Array): Sign {
  return (purpose, text) =>
    createHmac('sha256', secret).update(`${purpose}\0${text}`).digest('base64url')
}

/** Compares signatures in constant time. */
export function isSame(seen: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(seen), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}

const SECRET_BYTES = 32

/**
 * The secret that signs the page's cookie, from `secret` in the state folder; made when it is not there or damaged.
 * With it, a page that stays open follows the jobs again after a restart.
 * @throws PlatenError STATE_UNWRITABLE
 */
export async function loadSecret(folder: string): Promise<Uint8Array> {
  const file = join(folder, 'secret')
  const seen = await readFile(file).catch(() => undefined)
  if (seen?.length === SECRET_BYTES) return seen
  const secret = randomBytes(SECRET_BYTES)
  writeWhole(file, secret)
  return secret
}

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

/** The header that carries the secret; the query `secret` does too, for pictures and links. */
export const JOB_SECRET_HEADER = 'X-Platen-Job-Secret'

/** What a client may follow of its own label: how it is, and its picture. */
const FOLLOWED = /^\/jobs\/([a-z0-9]+-\d+)(?:\/(?:preview\.png|label\.bin))?$/

/** What the answer to a print gives with each job, to follow it without a login. Nothing is kept: it is made of the id. */
export function jobSecretOf(sign: Sign, id: string): string {
  return sign('job', id)
}

/** Whether the address is one that the sender of a label may follow. */
export function isFollowable(c: Context): boolean {
  return FOLLOWED.test(c.req.path)
}

/** Whether the request reads one label and carries its secret. */
export function hasJobSecret(c: Context, sign: Sign): boolean {
  const id = FOLLOWED.exec(c.req.path)?.[1]
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
  if (id === undefined || !isRead) return false
  const given = c.req.header(JOB_SECRET_HEADER) ?? c.req.query('secret')
  return given !== undefined && isSame(given, jobSecretOf(sign, id))
}
