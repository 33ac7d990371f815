import { hostname } from 'node:os'
import { isReachable } from '../system/address.ts'
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
      void tellNetwork(core).catch(fault)
    },
  }
}

/** Announces the server by mDNS; one for this computer alone has nobody to tell. */
async function tellNetwork({ environment, store, station, stopping }: Core): Promise<void> {
  const { listening } = station
  if (listening === undefined || !environment.announces || !isReachable(store.current.host)) return
  const { joinGroup } = await import('../printers/known/mdns.ts')
  const { announceServices } = await import('../system/mdns.ts')
  const { port, securePort } = listening
  const presence = { hostName: hostname(), port: Number(port), securePort, version }
  await announceServices(presence, { socket: await joinGroup({}) }, stopping.signal)
}
