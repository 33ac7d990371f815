import type { Context } from 'hono'
import { isSame, type Sign } from './sign.ts'

/** The header that carries the secret; the query `secret` does too, for pictures and links. */
export const JOB_SECRET_HEADER = 'X-Platen-Job-Secret'

/** What a client may follow of its own label: how it is, and its picture. */
const FOLLOWED = /^\/jobs\/([a-z0-9]+-\d+)(?:\/preview\.png)?$/

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
