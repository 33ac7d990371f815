import type { Plugin } from '../plugin.ts'
import type { Appliance } from './appliance.ts'
import type { RunningAppliance } from './routes.ts'

/** The SD image: its PIN, its start label, and the state for its LED. Nothing of it is loaded elsewhere. */
export const appliance: Plugin<RunningAppliance> = {
  name: 'appliance',
  title: 'SD image',
  start(core, signal) {
    let started: Appliance | undefined
    return {
      async ready() {
        if (!core.isAppliance) return
        const { startAppliance } = await import('./appliance.ts')
        started = await startAppliance(core, signal)
      },
      startLabel: (printer) => started?.startLabel(printer),
    }
  },
  routes: async () => (await import('./routes.ts')).applianceRoutes,
  describe: async () => ({ calls: (await import('./routes.ts')).applianceCalls, schemas: {} }),
}
