import { hostname } from 'node:os'
import { sharesPrinters } from '../config/effective.ts'
import { listShared } from '../doors/ipp/printer.ts'
import { describeServices } from '../doors/ipp/services.ts'
import { loadSecret } from '../http/access/signatures.ts'
import type { Printers } from '../printers/registry.ts'
import { isReachable } from '../system/address.ts'
import type { Announced } from '../system/mdns.ts'
import { version } from '../system/version.ts'
import type { Appliance } from './appliance.ts'
import type { Core } from './core.ts'
import type { Jobs } from './jobs.ts'

/** What the box does besides printing: its name on the network, and on the SD image PIN, start label and state. */
export function buildBox(core: Core, { printers, intake }: Jobs) {
  const { environment, station, store, stopping, fault } = core
  const { isAppliance, stateFolder, runtimeFolder } = environment
  let appliance: Appliance | undefined
  return {
    /** Prints the start label again; undefined where there is none. @throws PlatenError PRINTER_UNKNOWN, SPOOL_* */
    startLabel: (printer: string) => appliance?.startLabel(printer),
    /** Once the server listens. */
    async start(): Promise<void> {
      if (isAppliance) {
        const { startAppliance } = await import('./appliance.ts')
        const certificates = () => station.listening?.certificates()
        appliance = await startAppliance(
          { store, printers, intake, stateFolder, runtimeFolder, certificates, fault },
          stopping.signal,
        )
      }
      void tellNetwork(core, printers).catch(fault)
    },
  }
}

/**
 * Announces the server and its printers by mDNS; one for this computer alone has nobody to tell. Of the SD image avahi
 * tells, all but the printers.
 */
async function tellNetwork({ environment, store, station, stopping }: Core, printers: Printers) {
  const { listening } = station
  const { isAppliance, announces, stateFolder } = environment
  if (listening === undefined || !announces || !isReachable(store.current.host)) return
  const { joinGroup } = await import('../printers/known/mdns.ts')
  const { announceServices } = await import('../system/mdns.ts')
  const first = hostname().split('.')[0] ?? hostname()
  const host = station.info().names[0] ?? `${first}.local`
  const [port, securePort] = [Number(listening.port), Number(listening.securePort) || undefined]
  const own = isAppliance ? [] : describeServer(first, port, listening.securePort)
  const sharer = { secret: await loadSecret(stateFolder), hostName: hostname() }
  const tell = await announceServices({ host, socket: await joinGroup({}) }, stopping.signal)
  const tellAll = (): void => {
    const shared = sharesPrinters(store.current) ? listShared(printers.list(), sharer) : []
    tell([...own, ...shared.flatMap((one) => describeServices(one, { port, securePort, host }))])
  }
  tellAll()
  printers.onChange(tellAll)
  store.onChange(tellAll)
}

/** The page, as `_http._tcp` and `_platen._tcp`. */
function describeServer(first: string, port: number, securePort: string): readonly Announced[] {
  const txt = { path: '/', version, tls: securePort }
  return ['http', 'platen'].map((type) => ({ name: `Label printer ${first}`, type, port, txt }))
}
