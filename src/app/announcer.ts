import { hostname } from 'node:os'
import { loadNetwork } from '#printers'
import { isReachable } from '../system/address.ts'
import type { AnnouncedService } from '../system/mdns.ts'
import { version } from '../system/process.ts'
import type { Core } from './core.ts'
import type { Jobs } from './jobs.ts'

/** Builds what announces the server and its printers by mDNS. */
export function buildAnnouncer(core: Core, { printers }: Jobs) {
  return {
    /** Starts it, once the server listens. */
    start: () => void tellNetwork(core, printers).catch(core.fault),
  }
}

/**
 * Announces the server and its printers by mDNS, unless it serves this computer alone. On the SD image avahi announces everything but the
 * printers.
 */
async function tellNetwork(
  { environment, store, station, stopping, plugins }: Core,
  printers: Jobs['printers'],
): Promise<void> {
  const { listening } = station
  const { isAppliance, announces } = environment
  if (listening === undefined || !announces || !isReachable(store.current.host)) return
  const ports = {
    port: Number(listening.port),
    securePort: Number(listening.securePort) || undefined,
  }
  const first = hostname().split('.')[0] ?? hostname()
  const tellPlugins = await plugins.loadAnnouncer()
  const list = (host: string): readonly AnnouncedService[] => {
    const { hostName } = station.info()
    const own = isAppliance ? [] : describeServer(hostName, ports.port, listening.securePort)
    return [...own, ...tellPlugins({ ...ports, host })]
  }
  const { tellUnderFreeName } = await import('../system/mdns.ts')
  const { joinGroup } = await loadNetwork()
  const [given] = station.info().names
  const renamed = (name: string) => {
    station.networkName = name
  }
  const named = { first, given, list, join: () => joinGroup({}), renamed }
  const change = await tellUnderFreeName(named, stopping.signal)
  printers.onChange(change)
  store.onChange(change)
}

const NAME_BYTES = 63 // of a label of DNS: with a longer one nobody can read the announcement

/** Describes the page as `_http._tcp` and `_platen._tcp`. */
export function describeServer(
  hostName: string,
  port: number,
  securePort: string,
): readonly AnnouncedService[] {
  const kind = 'Label printer '
  let [first = ''] = hostName.split('.')
  // The end stays: names that are as long are told apart there.
  while (Buffer.byteLength(kind + first) > NAME_BYTES) first = [...first].slice(1).join('')
  const txt = { path: '/', version, tls: securePort }
  return ['http', 'platen'].map((type) => ({ name: kind + first, type, port, txt }))
}
