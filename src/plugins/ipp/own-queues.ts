import { decodePart } from '#printers'
import { isOwnHost } from '../../http/access/addresses.ts'
import type { Whereabouts } from '../plugin.ts'
import { ROOT } from './addresses.ts'
import { nameService } from './printer.ts'

const IPP_PORT = '631'
const USUAL_PORTS: ReadonlyMap<string, string> = new Map([
  ['ipp:', IPP_PORT],
  ['ipps:', IPP_PORT],
  ['http:', '80'],
  ['https:', '443'],
])

/** The name of a service in a device URI of CUPS: `dnssd://Bench%201%20(box)._ipps._tcp.local/`. */
const SERVICE = /^dnssd:\/\/([^/]+?)\._ipps?\._tcp\./i
/** The URI of a queue that cups-browsed made: `implicitclass://Bench_1_box/`. */
const BROWSED = /^implicitclass:\/\/([^/]+)/i

/**
 * Tells whether a CUPS queue with this device URI prints on one of our own printers. Such queues are made by people on this very computer
 * or by cups-browsed; discovery would offer the printer once more, and a label on it would come back without end.
 */
export function leadsToUs(deviceUri: string, at: Omit<Whereabouts, 'config'>): boolean {
  const service = SERVICE.exec(deviceUri)?.[1] ?? BROWSED.exec(deviceUri)?.[1]
  if (service === undefined) return isOurAddress(deviceUri, at)
  const name = nameQueue(decodePart(service))
  const { hostName } = at.info()
  return at.printers().some((printer) => nameQueue(nameService(printer.name, hostName)) === name)
}

function isOurAddress(
  deviceUri: string,
  { ownNames, info }: Pick<Whereabouts, 'ownNames' | 'info'>,
): boolean {
  if (!URL.canParse(deviceUri)) return false
  const uri = new URL(deviceUri)
  const usual = USUAL_PORTS.get(uri.protocol)
  if (usual === undefined || !uri.pathname.toLowerCase().startsWith(ROOT)) return false
  const { names, port, securePort } = info()
  if (![port, securePort, IPP_PORT].includes(uri.port || usual)) return false
  return isOwnHost(uri.host, () => [...ownNames(), ...names])
}

/** Names the queue of a service as CUPS does: each run of other characters than letters and digits becomes `_`. */
function nameQueue(service: string): string {
  return service
    .replace(/[^a-z0-9]+/gi, '_')
    .replace(/^_|_$/g, '')
    .toLowerCase()
}
