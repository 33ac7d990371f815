import { Doors } from '../doors/door.ts'
import { doors } from '../doors/index.ts'
import { judgeDoorCaller } from '../http/access/door-callers.ts'
import { ownerOfSocket } from '../http/access/remote.ts'
import type { Core } from './core.ts'
import type { Jobs } from './jobs.ts'
import type { buildShipping } from './shipping.ts'

/** The ways in that speak another product's protocol; a saved configuration opens and closes them at once. */
export function buildDoors(core: Core, jobs: Jobs, { shipping }: ReturnType<typeof buildShipping>) {
  const { store, log, station, fault } = core
  const { intake, printers, spool, scheduler } = jobs
  const running = new Doors({
    list: doors,
    box: {
      ...{ intake, printers, spool, scheduler, log, fault },
      config: () => store.current,
      info: () => station.info(),
      certificates: () => station.listening?.certificates(),
      ownerOf: ownerOfSocket,
      callerOf: (headers) => judgeDoorCaller(headers, store.current, () => station.ownNames()),
      keys: async () => (await shipping()).keys,
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
