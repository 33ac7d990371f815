import { plugins } from '../plugins/index.ts'
import { type PluginCore, Plugins } from '../plugins/plugin.ts'
import type { Core } from './core.ts'
import type { Jobs } from './jobs.ts'

/** The features beside the core. */
export function buildPlugins(core: Core, jobs: Jobs) {
  const { environment, store, metrics, fault, log, station, stopping } = core
  const { spool, intake, scheduler, printers, renderer } = jobs
  const { stateFolder, credentialsFolder, announces } = environment
  const running = new Plugins(plugins)
  const given: PluginCore = {
    spool,
    intake,
    scheduler,
    printers,
    renderer,
    settings: store,
    stateFolder,
    credentialsFolder,
    announces,
    info: () => station.info(),
    certificate: () => station.listening?.certificates()?.cert,
    log,
    fault,
  }
  metrics.register({ plugins: () => running.figures(fault) })
  return {
    plugins: running,
    /** Before the server listens. */
    start: () => running.start(given, stopping.signal),
    /** Once it does. */
    listening: () => running.listening(fault),
    /** Resolves when what is in hand is settled. */
    stop: () => running.stop(fault),
    /** Once all that was in hand is settled. */
    end: () => running.end(fault),
  }
}
