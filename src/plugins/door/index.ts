import { joinSettings } from '../../settings/schema.ts'
import type { Plugin } from '../plugin.ts'
import { makeDoorBox } from './box.ts'
import type { Door } from './door.ts'
import type { RunningDoors } from './routes.ts'
import { Doors } from './run.ts'

/** Makes one plugin of the ways in that speak another product's protocol; a saved configuration opens and closes them at once. */
export function doorPlugin(list: readonly Door[]): Plugin<RunningDoors> {
  return {
    name: 'door',
    title: 'Ways in for other programs',
    settings: joinSettings(list.map(({ settings }) => settings)),
    tables: list.flatMap(({ tables }) => tables ?? []),
    nameWay(source) {
      const door = list.find(({ name }) => name === source)
      return door?.way ?? door?.title
    },
    leadsBack: (uri, at) => list.some((door) => door.leadsBack?.(uri, at) === true),
    mayLoop: (uri, at, leadsBack) =>
      list.some((door) => door.mayLoop?.(uri, at, leadsBack) === true),
    start(core) {
      const { settings } = core
      const doors = new Doors({ list, box: makeDoorBox(core) })
      settings.onChange((config) => doors.configure(config))
      return {
        doors,
        furtherNames: () => doors.hostNames(),
        listening: () => doors.configure(settings.current),
        stop: () => doors.stop(),
      }
    },
    routes: async () => (await import('./routes.ts')).doorRoutes(list),
    describe: async () => ({ calls: (await import('./routes.ts')).doorCalls, schemas: {} }),
  }
}
