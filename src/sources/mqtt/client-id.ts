import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

const MACHINE_ID = '/etc/machine-id' // machine-id(5); where there is none, the host name must do

/**
 * Our name at a broker: always the same, since the broker keeps what comes for us under it, and another one for each box
 * and each topic, since a broker throws out whoever has the name already.
 */
export function makeClientId(url: string, topic: string): string {
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
