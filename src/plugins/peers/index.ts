import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { loadNetwork } from '#printers'
import { keepFile } from '../../settings/write.ts'
import { LoadedLate } from '../../system/loaded-late.ts'
import type { Plugin, PluginCore } from '../plugin.ts'
import type { Self } from './pairing.ts'
import type { Peers } from './peers.ts'
import type { RunningPeers } from './routes.ts'
import { HANDOVER_KEY, pinOf } from './store.ts'

const KEPT = `${HANDOVER_KEY}*`
const UNDER_WAY = `SELECT 1 FROM meta WHERE key GLOB '${KEPT}' LIMIT 1`

/** Other print servers, paired with this one: nothing is loaded while there are none. */
export const peers: Plugin<RunningPeers> = {
  name: 'peers',
  title: 'Paired print servers',
  tables: [{ owner: 'peers', metaKeys: [KEPT] }],
  start(core, signal) {
    const tellSelf = makeSelf(core)
    const late = new LoadedLate(() => load(core, tellSelf, signal))
    return {
      open: () => late.open(),
      self: tellSelf,
      listening() {
        // Labels that were on their way when the program last ended.
        const { records } = core.spool
        const isUnderWay = records.read(() => records.prepare(UNDER_WAY).get()) !== undefined
        if (isUnderWay) late.open().catch(core.fault)
        followRules(core, () => late.open(), signal)
      },
    }
  },
  routes: async () => (await import('./routes.ts')).peerRoutes,
  describe: async () => ({ calls: (await import('./openapi.ts')).peerCalls, schemas: {} }),
}

async function load(core: PluginCore, self: () => Self, signal: AbortSignal): Promise<Peers> {
  const { Peers } = await import('./peers.ts')
  const { stateFolder, spool, printers, scheduler, fault } = core
  const opened = new Peers({
    file: keepFile(join(stateFolder, 'peers.json')),
    spool,
    printers,
    self,
    fault,
    signal,
    wake: (printer) => scheduler.wake(printer),
    search: async (signal) => (core.announces ? (await loadNetwork()).findBoxes(signal) : []),
  })
  opened.handovers.start()
  return opened
}

/** Follows the rules by which labels of a printer go to another one; loaded once a printer has one. */
function followRules(core: PluginCore, open: () => Promise<Peers>, signal: AbortSignal): void {
  const { printers, spool, intake, log, fault } = core
  let hasRules = false
  const follow = async (): Promise<void> => {
    if (hasRules || printers.list().every(({ backup }) => backup === undefined)) return
    hasRules = true
    const { Backups } = await import('./backup.ts').catch((error: unknown) => {
      hasRules = false // tried again at the next change, also of a printer
      throw error
    })
    new Backups({
      printers,
      spool,
      intake,
      peers: open,
      fault,
      signal,
      warn: (printer, warning) => log.warn({ printer, warning }, 'backup'),
    }).start()
  }
  const look = (): void => void follow().catch(fault)
  look()
  core.settings.onChange(look)
  printers.onChange(look)
}

/** Describes this print server to others; its pin is '' without a certificate. */
function makeSelf({ info, certificates }: PluginCore): () => Self {
  let known: { readonly cert: string; readonly pin: string } | undefined
  return () => {
    const { hostName, securePort } = info()
    const cert = certificates()?.cert
    if (cert !== undefined && known?.cert !== cert) {
      known = { cert, pin: pinOf(new X509Certificate(cert)) }
    }
    const pin = cert === undefined ? '' : (known?.pin ?? '')
    return { name: hostName.split('.')[0] ?? hostName, securePort, pin }
  }
}
