import { plugins } from '../plugins/index.ts'
import { type PluginCore, Plugins } from '../plugins/plugin.ts'
import type { Core } from './core.ts'
import type { Jobs } from './jobs.ts'

/** Builds the features beside the core. */
export function buildPlugins(core: Core, jobs: Jobs) {
  const { environment, store, metrics, fault, log, station, stopping, keys, bodies } = core
  const { spool, intake, scheduler, printers, renderer } = jobs
  const { stateFolder, runtimeFolder, credentialsFolder, isAppliance, announces } = environment
  const running = new Plugins(plugins)
  const given: PluginCore = {
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
  }
  metrics.register({ plugins: () => running.figures(fault) })
  return {
    plugins: running,
    /** Starts them before the server listens. */
    start: () => running.start(given, stopping.signal),
    /** Tells them that the server listens. */
    listening: () => running.listening(fault),
    /** Resolves when they are ready. @throws PlatenError STATE_UNWRITABLE */
    ready: () => running.ready(),
    /** Resolves when their work in hand is settled. */
    stop: () => running.stop(fault),
    /** Ends them, once everything in hand is settled. */
    end: () => running.end(fault),
  }
}
