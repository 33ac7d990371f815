import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import type { KeySender } from '../../jobs/requests.ts'
import { parseHost } from './host-check.ts'
import { judgeSite } from './origin.ts'
import { findSender } from './remote.ts'
import { readTraces } from './traces.ts'

/** What the keys of a print request are told apart by. */
interface Names {
  readonly isOwnName: (name: string) => boolean
  readonly ownNames: () => readonly string[]
}

/**
 * Whose idempotency keys those of a print request are: programs, the box's own page, or pages of one other site. A page
 * under a name that is made to point at the box (DNS rebinding) is of the site of that name. A password says nothing here:
 * printing asks for none, so it would be a way to try some unseen.
 */
export function findKeySender(c: Context, { isOwnName, ownNames }: Names): KeySender {
  const traces = readTraces(c)
  const host = parseHost(c.req.header('host') ?? new URL(c.req.url).host)
  const site = host === undefined ? 'foreign' : judgeSite(traces, host)
  const from = findSender(c, ownNames).network
  if (site === 'none') return { kind: 'program', from }
  if (site === 'own' && host !== undefined && isOwnName(host.name)) return { kind: 'own', from }
  // A digest, because an origin is as long as its page likes.
  const origin = createHash('sha256').update(traces.origin ?? 'null')
  return { kind: `page ${origin.digest('base64url')}`, from }
}
