import { join } from 'node:path'
import { loadSecret } from '../../http/access/origin.ts'
import { keepFile } from '../../settings/write.ts'
import { LoadedLate } from '../../system/loaded-late.ts'
import type { Announcer, Plugin, PluginCore } from '../plugin.ts'
import { DialogAddresses, followNames } from './addresses.ts'
import type { Dialogs } from './dialogs.ts'
import { leadsToUs } from './own-queues.ts'
import type { Sharer } from './printer.ts'
import type { RunningIpp } from './routes.ts'
import { type DialogSettings, settings, sharesPrinters } from './settings.ts'
import { tables } from './tables.ts'

/**
 * Print dialogs of other computers and phones (IPP Everywhere, AirPrint). The code that answers them is loaded with the first request of
 * the HTTP port.
 */
export const ipp: Plugin<RunningIpp, DialogSettings> = {
  name: 'ipp',
  title: 'Print dialogs',
  settings,
  tables: [tables],
  nameWay: (source) => (source === 'ipp' ? 'a print dialog' : undefined),
  leadsBack: leadsToUs,
  start(core) {
    const { printers, stateFolder, fault } = core
    const addresses = new DialogAddresses(keepFile(join(stateFolder, 'dialogs.json')), fault)
    followNames(addresses, printers)
    const sharer = makeSharer(core, addresses)
    const late = new LoadedLate(() => load(core, sharer))
    return {
      open: () => late.open(),
      announcer: () => loadAnnouncer(core, sharer),
    }
  },
  routes: async () => (await import('./routes.ts')).ippRoutes,
  describe: async () => ({ calls: (await import('./routes.ts')).ippCalls, schemas: {} }),
}

/** Makes the function that describes this print server to print dialogs; its secret is read when first needed. */
function makeSharer({ stateFolder, info }: PluginCore, addresses: DialogAddresses): () => Sharer {
  let secret: Uint8Array | undefined
  return () => {
    secret ??= loadSecret(stateFolder)
    return { secret, addresses, hostName: info().hostName }
  }
}

async function load(core: PluginCore<DialogSettings>, sharer: () => Sharer): Promise<Dialogs> {
  const { Dialogs } = await import('./dialogs.ts')
  const { takeTestLabel } = await import('../../core/intake/test-label.ts')
  const { spool, intake, scheduler, printers, settings, info, log } = core
  return new Dialogs({
    spool,
    intake,
    scheduler,
    printers,
    sharer,
    documentBytes: () => settings.current.max_body_mb * 2 ** 20,
    identify: (printer, client) => void takeTestLabel(intake, info(), { printer, network: client }),
    isOn: () => sharesPrinters(settings.current),
    fault: (err) => log.error({ err }, 'print dialog'),
  })
}

/** Loads the function that announces each printer that dialogs can use. */
async function loadAnnouncer(
  { settings, printers }: PluginCore<DialogSettings>,
  sharer: () => Sharer,
): Promise<Announcer> {
  const { listShared } = await import('./printer.ts')
  const { describeServices } = await import('./services.ts')
  return (at) => {
    if (!sharesPrinters(settings.current)) return []
    return listShared(printers.list(), sharer()).flatMap((one) => describeServices(one, at))
  }
}
