import { join } from 'node:path'
import { ownerOfSocket } from '../http/access/addresses.ts'
import { judgeDoorCaller } from '../plugins/door/caller.ts'
import { countBodies, Doors } from '../plugins/door/door.ts'
import { doors } from '../plugins/door/index.ts'
import { tellPrinters } from '../plugins/heartbeat/settings.ts'
import type { Plugins } from '../plugins/plugin.ts'
import { shipping } from '../plugins/shipping/index.ts'
import { openMemory } from '../plugins/source/memory.ts'
import { Sources } from '../plugins/source/run.ts'
import { keepFile, openHandFile } from '../settings/write.ts'
import { version } from '../system/process.ts'
import type { Core } from './core.ts'
import type { Jobs } from './jobs.ts'

/** The ways in that speak another product's protocol; a saved configuration opens and closes them at once. */
export function buildDoors(core: Core, jobs: Jobs, plugins: Plugins) {
  const { store, log, station, fault } = core
  const { intake, printers, spool, scheduler, renderer } = jobs
  const running = new Doors({
    list: doors,
    box: {
      ...countBodies(intake, core.bodies),
      printers,
      spool,
      scheduler,
      renderer,
      log,
      fault,
      config: () => store.current,
      info: () => station.info(),
      certificates: () => station.listening?.certificates(),
      ownerOf: ownerOfSocket,
      callerOf: (headers) => judgeDoorCaller(headers, store.current, () => station.ownNames()),
      keys: async () => (await plugins.running(shipping).open()).keys,
    },
  })
  store.onChange((config) => running.configure(config))
  return {
    doors: running,
    /** Once the HTTP port is there: names and certificates are known then. */
    start: () => running.configure(store.current),
    /** Resolves when what was in hand is settled. */
    stop: () => running.stop(),
  }
}

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
