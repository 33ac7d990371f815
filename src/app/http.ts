import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Listening, listen } from '../http/listen.ts'
import type { Fetcher } from '../http/request-listener.ts'
import { refusalJson, toUnloaded } from '../http/server-faults.ts'
import type { Certificates } from '../http/tls/certificates.ts'
import { LoadedLate } from '../system/loaded-late.ts'
import type { Log } from '../system/log.ts'
import { findEntry, findWebFolder, loadLate } from '../system/process.ts'
import type { PassedSocket } from '../system/service-manager.ts'
import type { Core } from './core.ts'
import type { PageParts } from './page-and-api.ts'

const ANSWER_GRACE_MS = 2_000

/** The parts that the page and the API get from others. */
export type HttpNeeds = Pick<
  PageParts,
  'intake' | 'spool' | 'scheduler' | 'printers' | 'discovery' | 'events'
> & { readonly sockets: readonly PassedSocket[] }

/** Builds the HTTP and HTTPS ports; the page and the API behind them are loaded by the first request. */
export function buildHttp(core: Core, { sockets, ...needs }: HttpNeeds) {
  const { store, log, metrics, station, stopping, environment, keys, bodies, plugins } = core
  const { stateFolder, runtimeFolder, isSupervised, isAppliance } = environment
  const app = loadAtFirstRequest({
    ...needs,
    plugins,
    pluginInfo: () => plugins.collectInfo(),
    describedCalls: () => plugins.describe(),
    recentLog: () => core.recent.list(),
    metrics,
    bodies,
    keys,
    log,
    stateFolder,
    runtimeFolder,
    isSupervised,
    isAppliance,
    config: store,
    info: () => station.info(),
    ownNames: () => station.ownNames(),
    listening: () => station.listening,
    webFolder: fileURLToPath(findWebFolder()),
    shutdown: () => stopping.abort(),
    stopping: stopping.signal,
  })
  const settings = {
    app,
    sockets,
    get config() {
      return store.current
    },
    ownNames: () => station.ownNames(),
    furtherNames: () => plugins.furtherNames(),
    tlsFolder: join(stateFolder, 'tls'),
    certificateEntry: findEntry('http/tls/certificate'),
    onCertificates: (certificates: Certificates) => logCertificates(log, certificates),
    onFault: (err: unknown) => log.error({ err }, 'certificate'),
    onUnloaded: (err: unknown) => log.error({ err }, 'page not loaded'),
  }
  store.onChange(() => station.listening?.checkNames())
  return {
    /** @throws PlatenError PORT_TAKEN, INTERNAL */
    async start(): Promise<Listening> {
      station.listening = await listen(settings, stopping.signal)
      return station.listening
    },
    /** Closes the ports; requests under way get their answer. */
    stop: async () => await station.listening?.close(ANSWER_GRACE_MS),
  }
}

/** Loads the page and the API on the first request: they are 2 MB that a box which only waits can do without. */
function loadAtFirstRequest(parts: PageParts): Fetcher {
  const load = async (): Promise<Fetcher> => {
    const { createPageAndApi } = await import('./page-and-api.ts')
    return await createPageAndApi(parts)
  }
  const late = new LoadedLate(() => loadLate(load))
  return {
    async fetch(request, env) {
      let page: Fetcher
      try {
        page = await late.open()
      } catch (err) {
        parts.log.error({ err }, 'page not loaded')
        return refuseUnloaded(err)
      }
      return await page.fetch(request, env)
    },
  }
}

function refuseUnloaded(error: unknown): Response {
  const failure = toUnloaded(error)
  return Response.json(refusalJson(failure), { status: failure.status })
}

/** Logs the fingerprint that people compare with the trust page; a new authority has to be trusted again by every client. */
function logCertificates(log: Log, { fingerprint, leftOut, made }: Certificates): void {
  log.info({ fingerprint, leftOut, made }, 'certificates')
}
