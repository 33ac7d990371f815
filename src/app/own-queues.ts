import { listShared, ROOT } from '../doors/ipp/printer.ts'
import { judgeHost, parseHost } from '../http/access/addresses.ts'
import type { KnownPrinter } from '../printers/printer.ts'

const IPP_PORT = '631'
const USUAL_PORTS: ReadonlyMap<string, string> = new Map([
  ['ipp:', IPP_PORT],
  ['ipps:', IPP_PORT],
  ['http:', '80'],
  ['https:', '443'],
])
/** Where the server is found, as far as it is known yet. */
export interface Whereabouts {
  /** Names and addresses of this computer. */
  ownNames(): readonly string[]
  info(): {
    readonly hostName: string
    readonly names: readonly string[]
    readonly port: string
    readonly securePort: string
  }
}

/** A service's name in a device URI of CUPS: `dnssd://Bench%201%20(box)._ipps._tcp.local/`. */
const SERVICE = /^dnssd:\/\/([^/]+?)\._ipps?\._tcp\./i
/** A queue that cups-browsed made: `implicitclass://Bench_1_box/`. */
const BROWSED = /^implicitclass:\/\/([^/]+)/i

/**
 * Whether a queue of CUPS with this device URI prints on one of our own printers, as one has that somebody made for it on
 * this very computer, or that cups-browsed made by itself: discovery would offer the printer once more, and a label on it
 * would come back without end.
 */
export function leadsToUs(
  deviceUri: string,
  station: Whereabouts,
  printers: readonly KnownPrinter[],
): boolean {
  const service = SERVICE.exec(deviceUri)?.[1] ?? BROWSED.exec(deviceUri)?.[1]
  if (service === undefined) return isOurAddress(deviceUri, station)
  const name = nameQueue(decode(service))
  const sharer = { secret: new Uint8Array(), hostName: station.info().hostName }
  return listShared(printers, sharer).some(({ dnsSdName }) => nameQueue(dnsSdName) === name)
}

function isOurAddress(deviceUri: string, station: Whereabouts): boolean {
  if (!URL.canParse(deviceUri)) return false
  const uri = new URL(deviceUri)
  const usual = USUAL_PORTS.get(uri.protocol)
  if (usual === undefined || !uri.pathname.toLowerCase().startsWith(ROOT)) return false
  const { names, port, securePort } = station.info()
  if (![port, securePort, IPP_PORT].includes(uri.port || usual)) return false
  const name = parseHost(uri.host)?.name ?? ''
  return judgeHost(name, () => [...station.ownNames(), ...names]) !== 'foreign'
}

/** As CUPS names the queue of a service: what is neither letter nor digit is `_`. */
function nameQueue(service: string): string {
  return service
    .replace(/[^a-z0-9]+/gi, '_')
    .replace(/^_|_$/g, '')
    .toLowerCase()
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}
