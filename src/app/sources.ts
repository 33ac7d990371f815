import { join } from 'node:path'
import { keepFile, openHandFile } from '../config/write.ts'
import { tellPrinters } from '../sources/heartbeat/settings.ts'
import { openMemory } from '../sources/memory.ts'
import { Sources } from '../sources/run.ts'
import { version } from '../system/version.ts'
import type { Core } from './core.ts'
import type { Jobs } from './jobs.ts'

/** Where labels come from besides HTTP; a saved configuration changes them at once. */
export function buildSources(core: Core, { intake, printers }: Jobs) {
  const { store, log, metrics, station } = core
  const { stateFolder } = core.environment
  const sources = new Sources({
    memory: openMemory(keepFile(join(stateFolder, 'sources.json'))),
    version,
    hand: openHandFile(join(stateFolder, 'in-hand')),
    openDoor: (type, printer, commands) => intake.forSource(type, printer, commands),
    messageBytes: () => store.current.max_body_mb * 2 ** 20,
    facts: () => ({ ...station.info(), ...tellPrinters(printers.list()) }),
    log,
  })
  metrics.register({ sources: () => sources.list() })
  store.onChange((config) => sources.configure(config))
  return {
    sources,
    start: () => sources.configure(store.current),
    /** Resolves when what was under way is settled. */
    stop: () => sources.stop(),
  }
}
