import type { IncomingHttpHeaders } from 'node:http'
import { judgeHost, listOwnNames, parseHost } from '../../http/access/addresses.ts'
import type { AccessConfig } from '../../http/access/gatekeeper.ts'
import { isAllowedOrigin } from '../../http/access/origin.ts'

/** A caller of a door that browsers can reach: a page whose site the settings name, another page, or a program. */
type DoorCaller = 'named' | 'foreign' | 'program'

/**
 * Who calls. A browser sends `Origin` with every WebSocket (RFC 6455, 4.1) and every POST of a page (Fetch, 3.2), so what
 * has none and says nothing of a foreign site is a program, or a page's GET; that must name the box by a name of its own,
 * as a page under a rebound name does not. Other than at `POST /` no list of sites means no page.
 * Decision `pages-by-name`.
 */
export function judgeDoorCaller(
  headers: IncomingHttpHeaders,
  { allowed_origins: allowed = [], allowed_hosts: hosts = [], host = '' }: AccessConfig,
  ownNames: () => readonly string[] = listOwnNames,
): DoorCaller {
  const { origin } = headers
  if (origin !== undefined) return isAllowedOrigin(origin, allowed) ? 'named' : 'foreign'
  const site = String(headers['sec-fetch-site'] ?? 'none').toLowerCase()
  if (site !== 'none' && site !== 'same-origin') return 'foreign'
  const name = parseHost(headers.host ?? '')?.name
  if (name === undefined) return 'foreign'
  return judgeHost(name, () => [...hosts, host, ...ownNames()]) === 'foreign'
    ? 'foreign'
    : 'program'
}
