import type { Core } from './core.ts'
import type { Jobs } from './jobs.ts'

/** Starts the plugins, before the server listens. */
export function startPlugins(core: Core, jobs: Jobs): void {
  const { environment, store, plugins, metrics, fault, log, station, stopping, keys, bodies } = core
  const { spool, intake, scheduler, printers, renderer } = jobs
  const { stateFolder, runtimeFolder, credentialsFolder, isAppliance, announces } = environment
  metrics.register({ plugins: () => plugins.figures() })
  plugins.start(
    {
      spool,
      intake,
      scheduler,
      printers,
      renderer,
      settings: store,
      stateFolder,
      runtimeFolder,
      credentialsFolder,
      isAppliance,
      announces,
      info: () => station.info(),
      ownNames: () => station.ownNames(),
      certificates: () => station.listening?.certificates(),
      keys,
      bodies,
      log,
      fault,
    },
    stopping.signal,
  )
}
