import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

const MACHINE_ID = '/etc/machine-id' // machine-id(5); where there is none, the host name must do

/** What says who we are at which broker. */
export interface Identity {
  readonly url: string
  readonly topic: string
  readonly client_id?: string | undefined
}

/** Our name at a broker: the one of the settings, or one that we make. */
export function clientIdOf({ client_id, url, topic }: Identity): string {
  return client_id ?? makeClientId(url, topic)
}

/**
 * The session that a broker keeps for us: two of one name would share it, and each get the other's labels. Ports do not
 * count: a broker has one more for TLS, and keeps the same sessions behind both.
 */
export function sessionOf(identity: Identity): string {
  const host = new URL(identity.url).hostname.toLowerCase().replace(/\.$/, '')
  return `${host}/${clientIdOf(identity)}`
}

/**
 * Always the same, since the broker keeps what comes for us under it, and another one for each box and each topic, since
 * a broker throws out whoever has the name already. It does not depend on the other queues nor on the printer: what
 * waits at the broker would be lost when those change.
 */
function makeClientId(url: string, topic: string): string {
  const host = hostname()
    .replace(/[^A-Za-z0-9-]/g, '-')
    .slice(0, 40)
  const hash = createHash('sha256').update([host, readMachineId(), url, topic].join('\n'))
  return `platen-${host}-${hash.digest('hex').slice(0, 8)}`
}

function readMachineId(): string {
  try {
    return readFileSync(MACHINE_ID, 'latin1').trim()
  } catch {
    return '' // no such file on this system
  }
}
