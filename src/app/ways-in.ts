import { ownerOfSocket } from '../http/access/addresses.ts'
import { judgeDoorCaller } from '../plugins/door/caller.ts'
import { countBodies, Doors } from '../plugins/door/door.ts'
import { doors } from '../plugins/doors.ts'
import type { Plugins } from '../plugins/plugin.ts'
import { shipping } from '../plugins/shipping/index.ts'
import type { Core } from './core.ts'
import type { Jobs } from './jobs.ts'

/** Builds the ways in that speak another product's protocol; a saved configuration opens and closes them at once. */
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
    /** Opens them once the HTTP port is open: names and certificates are known then. */
    start: () => running.configure(store.current),
    /** Resolves when their work in hand is settled. */
    stop: () => running.stop(),
  }
}
