import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { keepFile } from '../config/write.ts'
import type { Peers } from '../peers/index.ts'
import type { Self } from '../peers/pairing.ts'
import { pinOf } from '../peers/store.ts'
import type { Core } from './core.ts'
import type { Jobs } from './jobs.ts'

const UNDER_WAY = "SELECT 1 FROM meta WHERE key >= 'move:' AND key < 'move;' LIMIT 1"

/** Other print servers, paired with this one: nothing of it is loaded while there are none. */
export function buildPeers(core: Core, { spool, printers, scheduler }: Jobs) {
  const { environment, station, stopping, fault } = core
  const file = keepFile(join(environment.stateFolder, 'peers.json'))
  const self = (): Self => {
    const { hostName, securePort } = station.info()
    const cert = station.listening?.certificates()?.cert
    return { name: hostName.split('.')[0] ?? hostName, securePort, pin: pinOfPem(cert) }
  }
  let opened: Promise<Peers> | undefined
  const open = (): Promise<Peers> => {
    opened ??= load()
    return opened
  }
  const load = async (): Promise<Peers> => {
    const { Peers } = await import('../peers/index.ts')
    const peers = new Peers({
      ...{ file, spool, printers, self, fault, signal: stopping.signal },
      wake: (printer) => scheduler.wake(printer),
      search: async (signal) =>
        environment.announces ? (await import('../printers/known/mdns.ts')).findBoxes(signal) : [],
    })
    peers.handovers.start()
    return peers
  }
  return {
    self,
    peers: open,
    /** Goes on with labels that were on their way when the program last ended. */
    start(): void {
      const { records } = spool
      const isUnderWay = records.read(() => records.prepare(UNDER_WAY).get()) !== undefined
      if (isUnderWay) open().catch(fault)
    },
  }
}

let known: { readonly cert: string; readonly pin: string } | undefined

/** '' without a certificate. */
function pinOfPem(cert: string | undefined): string {
  if (cert === undefined) return ''
  if (known?.cert !== cert) {
    known = { cert, pin: pinOf(new X509Certificate(cert)) }
  }
  return known.pin
}
