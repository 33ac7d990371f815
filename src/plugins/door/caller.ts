import type { IncomingHttpHeaders } from 'node:http'
import { judgeHost, listOwnNames, parseHost } from '../../http/access/addresses.ts'
import type { AccessConfig } from '../../http/access/gatekeeper.ts'
import { isAllowedOrigin } from '../../http/access/origin.ts'

/** The caller of a door that browsers can reach: a page whose site the settings name, another page, or a program. */
type DoorCaller = 'named' | 'foreign' | 'program'

/**
 * Judges who calls. A browser sends `Origin` with every WebSocket (RFC 6455, 4.1) and every POST of a page (Fetch, 3.2), so a request with
 * neither `Origin` nor a sign of a foreign site comes from a program or is a page's GET; its `Host` must be one of the box's own names,
 * which a page under a rebound name cannot send. Unlike at `POST /`, an empty list of sites means no page. Decision `pages-by-name`.
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
