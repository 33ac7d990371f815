import { USUAL_DPI } from '#printers'
import '../teardown-first.ts'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { Events, type PlatenEvent } from '../../src/core/events.ts'
import { takeTestLabel } from '../../src/core/intake/test-label.ts'
import type { Job } from '../../src/core/job.ts'
import { Metrics } from '../../src/core/metrics.ts'
import { createAccess } from '../../src/http/access/access.ts'
import { Keys } from '../../src/http/access/keys.ts'
import { createApp } from '../../src/http/app.ts'
import type { HttpBounds } from '../../src/http/bounds.ts'
import { createLimits } from '../../src/http/guard/body-limits.ts'
import { joinHooks } from '../../src/http/hooks.ts'
import type { AppParts } from '../../src/http/parts.ts'
import { applianceRoutes } from '../../src/plugins/appliance/routes.ts'
import { doorRoutes, type RunningDoors } from '../../src/plugins/door/routes.ts'
import { createHeartbeat } from '../../src/plugins/heartbeat/index.ts'
import { DialogAddresses } from '../../src/plugins/ipp/addresses.ts'
import { Dialogs } from '../../src/plugins/ipp/dialogs.ts'
import { ippRoutes } from '../../src/plugins/ipp/routes.ts'
import type { DialogSettings } from '../../src/plugins/ipp/settings.ts'
import { Peers } from '../../src/plugins/peers/peers.ts'
import { peerRoutes, type RunningPeers } from '../../src/plugins/peers/routes.ts'
import type { PluginConfig } from '../../src/plugins/plugin.ts'
import { openShipping, type Shipping } from '../../src/plugins/shipping/part.ts'
import { keyedPaths } from '../../src/plugins/shipping/paths.ts'
import { shippingRoutes } from '../../src/plugins/shipping/routes.ts'
import { sourceRoutes } from '../../src/plugins/source/routes.ts'
import { Sources, type SourcesConfig } from '../../src/plugins/source/run.ts'
import { sources as knownSources } from '../../src/plugins/sources.ts'
import { createFileDevice } from '../../src/printers/devices/file.ts'
import { createSocketDevice } from '../../src/printers/devices/socket/index.ts'
import { Discovery } from '../../src/printers/known/discovery.ts'
import { readDefaultName, readPrinterSettings } from '../../src/settings/load.ts'
import { ConfigStore } from '../../src/settings/store.ts'
import { keepFile } from '../../src/settings/write.ts'
import { LoadedLate } from '../../src/system/loaded-late.ts'
import { Bench, type BenchSettings } from '../core/bench.ts'
import { zplLabel } from '../core/labels.ts'
import { LARGE_BYTES, type SinkManners, TcpSink } from '../devices/tcp-sink.ts'
import { findClosedPort } from '../listen.ts'
import { allPlugins } from '../plugins/all.ts'
import { loadConfig } from '../settings/all.ts'

/** A label that every ZPL printer prints. */
export const ZPL = Buffer.from('^XA^FO30,30^A0N,40^FDHello^FS^XZ')
/** The same in base64. */
export const ZPL64 = ZPL.toString('base64')

/** Makes a call as a program on this machine does; whoever prints waits for the end of the jobs, unless it says otherwise. */
export type Call = (path: string, init?: RequestInit) => Promise<Response>

/** The settings of a server; everything has a default. */
export interface RigSettings {
  /** Names and device URIs of more printers, beside the virtual ones "Bench 1" (the default) and "Bench 2". */
  readonly printers?: Readonly<Record<string, string>>
  readonly bench?: Partial<BenchSettings>
  readonly bounds?: Partial<HttpBounds>
  /** Origins in the place of carriers' own. */
  readonly origins?: Readonly<Record<string, string>>
  /** Paired print servers; none by default. */
  readonly peers?: RunningPeers
  /** Clock and the like; no part of ours is replaced. */
  readonly parts?: Partial<Pick<AppParts, 'now' | 'info' | 'isSupervised' | 'access' | 'webFolder'>>
  /** Doors; none by default. */
  readonly doors?: RunningDoors['doors']
  /** Finds objections to a new `host`; the shipped check by default. */
  readonly doubtHost?: ConstructorParameters<typeof ConfigStore>[2]
  /** False = the scheduler is not started: whatever is taken waits. */
  readonly prints?: boolean
}

/** The whole print server, its parts put together as in main.ts, called without a network. */
export interface Rig {
  readonly folder: string
  /** The parts behind the HTTP side. */
  readonly bench: Bench
  readonly app: ReturnType<typeof createApp>
  readonly keys: Keys
  /** The shipping API, as the HTTP side has it. */
  readonly shipping: () => Promise<Shipping>
  readonly events: FollowedEvents
  readonly log: { readonly fields: object; readonly event: string }[]
  readonly stopping: AbortController
  readonly call: Call
  /** Counts the requests for the end. */
  shutdowns(): number
  /** All jobs, oldest first. */
  jobs(): readonly Job[]
  /** Lists the labels as they were sent, oldest first. */
  labels(): readonly Buffer[]
  /** Lists the output of a virtual printer, oldest first. */
  printed(folder: 'bench-1' | 'bench-2'): readonly Buffer[]
  /** Resolves with the first job that is as wanted, at once when there is one. */
  untilJob(wanted: (job: Job) => boolean): Promise<Job>
}

/** The real events, which also count who follows them beside the server's own metrics. */
export class FollowedEvents extends Events {
  followers = 0

  override subscribe(listener: (event: PlatenEvent) => void): () => void {
    const end = super.subscribe(listener)
    this.followers += 1
    return () => {
      this.followers -= 1
      end()
    }
  }
}

/** Starts a print server in a folder of its own; it ends with the test. */
export function startRig(t: Test, settings: RigSettings = {}): Rig {
  const folder = settings.bench?.folder ?? t.testdir()
  const config = writeConfig(folder, settings)
  const log: Rig['log'] = []
  const stopping = new AbortController()
  t.teardown(() => stopping.abort())
  const bench = new Bench(t, {
    // A printer that keeps a label to itself does so until the test lets it go on.
    devices: [createSocketDevice({ confirmMs: 60_000 }), createFileDevice(folder)],
    ...settings.bench,
    folder,
    printers: readPrinterSettings(config.current).map((one) => ({
      ...one,
      dpi: one.dpi ?? USUAL_DPI,
    })),
    defaultName: readDefaultName(config.current),
  })
  const discovery = new Discovery({
    devices: settings.bench?.devices ?? [],
    printers: bench.printers,
    store: { load: () => undefined, save: () => undefined },
    configured: () => readPrinterSettings(config.current),
    defaultName: () => readDefaultName(config.current),
    fault: (error) => bench.faults.push(error),
  })
  config.onChange(() => {
    const before = bench.printers.list()
    discovery.refresh()
    for (const { name } of [...before, ...bench.printers.list()]) bench.scheduler.wake(name)
  })
  const results = buildResults(bench)
  const sources = buildSources(bench, config)
  t.teardown(() => sources.stop())
  let shutdowns = 0
  const self = () => ({ name: 'bench-box', pin: '', securePort: '' })
  const late = new LoadedLate(
    async () =>
      new Peers({
        spool: bench.spool,
        printers: bench.printers,
        self,
        signal: stopping.signal,
        file: keepFile(join(folder, 'peers.json')),
        wake: (printer) => bench.scheduler.wake(printer),
        fault: (error) => bench.faults.push(error),
        search: async () => [],
      }),
  )
  const peers = settings.peers ?? { open: () => late.open(), self }
  const sharer = {
    secret: new Uint8Array(32),
    hostName: 'bench-box',
    addresses: new DialogAddresses(),
  }
  const dialogSettings: PluginConfig<DialogSettings> = config
  const dialogs = new Dialogs({
    ...bench,
    sharer: () => sharer,
    documentBytes: () => config.current.max_body_mb * 2 ** 20,
    identify: (printer, client) =>
      void takeTestLabel(bench.intake, INFO, { printer, network: client }),
    isOn: () => dialogSettings.current.share_printers !== false,
  })
  const parts: AppParts = {
    intake: bench.intake,
    spool: bench.spool,
    scheduler: bench.scheduler,
    printers: bench.printers,
    discovery,
    config,
    ...results,
    limits: createLimits(() => config.current.max_body_mb, settings.bounds),
    keys: new Keys(folder),
    access: createAccess({
      config: () => config.current,
      keyed: [keyedPaths],
      ownNames: () => [],
      now: () => 0,
      takesAnyName: ippRoutes.takesAnyName,
    }),
    log: {
      error: (fields, event) => log.push({ fields, event }),
      warn: (fields, event) => log.push({ fields, event }),
    },
    info: () => ({ ...INFO }),
    ...joinHooks([peerRoutes.hooks?.(() => peers) ?? {}]),
    webFolder: makeWebFolder(folder),
    pluginInfo: () => allPlugins.collectInfo(),
    describedCalls: () => allPlugins.describe(),
    shutdown: () => {
      shutdowns += 1
    },
    isSupervised: false,
    stopping: stopping.signal,
    ...settings.parts,
  }
  const shipping = new LoadedLate(() =>
    Promise.resolve(
      openShipping({
        spool: bench.spool,
        scheduler: bench.scheduler,
        intake: bench.intake,
        printers: bench.printers,
        stateFolder: folder,
        keptMs: () => 0,
        fault: (error) => bench.faults.push(error),
        origins: settings.origins ?? {},
      }),
    ),
  )
  const shippingApp = shippingRoutes.create(parts, () => ({ open: () => shipping.open() }))
  const peerApp = peerRoutes.create(parts, () => peers)
  const { doors = { answering: () => undefined, findNamed: () => undefined, tell: () => [] } } =
    settings
  const doorApp = doorRoutes([]).create(parts, () => ({ doors }))
  const sourceApp = sourceRoutes.create(parts, () => ({
    sources,
    check: (value) => config.check(value),
  }))
  const dialogApp = ippRoutes.create(parts, () => ({ open: () => Promise.resolve(dialogs) }))
  const applianceApp = applianceRoutes.create(parts, () => ({ startLabel: () => undefined }))
  const app = createApp(parts, [
    { app: doorApp },
    { app: applianceApp },
    { app: sourceApp },
    { app: dialogApp },
    { app: peerApp },
    { app: shippingApp, refusals: shippingRoutes.refusals },
  ])
  const env = { incoming: { socket: { remoteAddress: '127.0.0.1' } } }
  if (settings.prints ?? true) bench.scheduler.start()
  const jobs = (): readonly Job[] => bench.spool.history.list({ limit: 1_000 }).toReversed()
  return {
    folder,
    bench,
    app,
    events: results.events,
    log,
    stopping,
    jobs,
    keys: parts.keys,
    shipping: () => shipping.open(),
    call: async (path, init) => await app.request(path, withPatience(init), env),
    shutdowns: () => shutdowns,
    labels: () => jobs().map(({ id }) => Buffer.from(bench.spool.history.label(id) ?? [])),
    printed: (name) => readPrinted(join(folder, name)),
    untilJob: (wanted) => untilJob(bench, jobs, wanted),
  }
}

/** The two seconds that a program gets which says nothing are too short on a busy machine. */
function withPatience(init: RequestInit | undefined): RequestInit | undefined {
  if (init?.method !== 'POST') return init
  const headers = new Headers(init.headers)
  if (!headers.has('prefer')) headers.set('prefer', 'wait=60')
  return { ...init, headers }
}

const INFO = {
  version: '0.1.0',
  host: 'localhost',
  hostName: 'bench-box',
  ip: '127.0.0.1',
  names: ['printserver-1a2b-2.local'],
  port: '8080',
  securePort: '',
  uptime: 5.7,
}

/** The settings as their owner would write them, in a real file. */
function writeConfig(folder: string, { printers: more, doubtHost }: RigSettings): ConfigStore {
  const file = join(folder, 'config.json')
  const uris = { 'Bench 1': 'file:bench-1', 'Bench 2': 'file:bench-2', ...more }
  const printers = Object.entries(uris).map(([name, uri]) => ({ name, uri, language: 'zpl' }))
  const text = JSON.stringify({ printer: 'Bench 1', printers })
  writeFileSync(file, text, { mode: 0o600 })
  return new ConfigStore(file, loadConfig(file), doubtHost)
}

/** Builds the results as main.ts does, without the log of the jobs. */
function buildResults(bench: Bench): {
  readonly events: FollowedEvents
  readonly metrics: Metrics
} {
  const events = new FollowedEvents((error) => bench.faults.push(error))
  const metrics = new Metrics({
    version: INFO.version,
    printers: () => bench.printers.list(),
    counts: () => bench.spool.history.counts(),
    usage: () => bench.spool.health.usage(),
    shares: () => bench.spool.filling.parts(),
  })
  metrics.follow(events)
  events.followers = 0
  bench.spool.onChange((job) => events.emit({ type: 'job', job }))
  bench.spool.filling.onCrossing((crossing) => {
    events.emit({ type: 'spool', fillings: bench.spool.filling.list(), ...crossing })
  })
  bench.printers.onChange((printer) => events.emit({ type: 'printer', printer }))
  return { events, metrics }
}

function buildSources(bench: Bench, config: PluginConfig<SourcesConfig>): Sources {
  const facts = () => ({
    ...INFO,
    printer: 'Bench 1',
    availablePrinters: ['Bench 1'],
    isOnline: true,
  })
  const sources = new Sources({
    list: knownSources,
    heartbeat: createHeartbeat(facts),
    openIntake: (type, printer) => bench.intake.forSource(type, printer),
    messageBytes: () => 2 ** 20,
    log: { info: () => undefined, warn: () => undefined },
  })
  config.onChange((now) => sources.configure(now))
  return sources
}

async function untilJob(
  bench: Bench,
  jobs: () => readonly Job[],
  wanted: (job: Job) => boolean,
): Promise<Job> {
  const { promise, resolve } = Promise.withResolvers<Job>()
  const end = bench.spool.onChange((job) => {
    if (wanted(job)) resolve(job)
  })
  const found = jobs().find(wanted)
  if (found !== undefined) resolve(found)
  const job = await promise
  end()
  return job
}

/** Reads the output of a virtual printer from its folder, oldest first. */
export function readPrinted(folder: string): readonly Buffer[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.prn'))
    .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
    .map((name) => readFileSync(join(folder, name)))
}

/** A folder `web/` with what the app needs of it. */
function makeWebFolder(folder: string): string {
  const web = join(folder, 'web')
  mkdirSync(join(web, 'deeper'), { recursive: true })
  writeFileSync(join(web, 'index.html'), '<!doctype html><title>page</title>')
  writeFileSync(join(web, 'main.js'), 'export {}\n')
  writeFileSync(join(web, 'deeper', 'part.js'), 'export {}\n')
  writeFileSync(join(web, 'notes.txt'), 'not served')
  writeFileSync(join(folder, 'secret.js'), 'outside')
  return web
}

/** A network printer that is there for the test. */
export async function openSink(t: Test, manners: SinkManners = {}): Promise<TcpSink> {
  const sink = await TcpSink.openFor(t, manners)
  return sink
}

/** The URI of a printer that is switched off. */
export async function findOffUri(): Promise<string> {
  return `socket://127.0.0.1:${await findClosedPort()}`
}

/** The JSON of an answer, as an object. */
export async function readAnswer(res: Response): Promise<{
  Status: string
  Message: string
  code: string
  hint: string
  jobs: { id: string; state: string }[]
}> {
  return (await res.json()) as Awaited<ReturnType<typeof readAnswer>>
}

/** A form body with labels and other fields, in order. */
export function formBody(...fields: readonly (readonly [string, string])[]): RequestInit {
  const body = new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value]))
  return { method: 'POST', body }
}

/** A JSON body. */
export function jsonBody(value: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof value === 'string' ? value : JSON.stringify(value),
  }
}

/** A form with a file that is too large for a printer that does not read it. */
export function largeBody(printer: string, headers: Record<string, string> = {}): RequestInit {
  const body = new FormData()
  body.append('label', new Blob([zplLabel('large', LARGE_BYTES)]))
  body.append('printer', printer)
  return { method: 'POST', body, headers }
}
