import { hostname } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Appliance, ApplianceParts } from './appliance.ts'
import { listSecretKeys } from './config/describe.ts'
import { readDefaultName, readDuplicateWindow, readPrinterSettings } from './config/effective.ts'
import { openHandFile } from './config/hand-file.ts'
import { loadConfig } from './config/load.ts'
import type { Config } from './config/schema.ts'
import { ConfigStore } from './config/store.ts'
import { findUnknownPrinters } from './config/unknown-printers.ts'
import { keepFile } from './config/write.ts'
import { PlatenError } from './errors.ts'
import { type Listening, listen } from './http/listen.ts'
import type { ServerInfo } from './http/parts.ts'
import type { Fetcher } from './http/request-listener.ts'
import type { Certificates } from './http/tls.ts'
import { Intake } from './jobs/intake.ts'
import { Renderer } from './jobs/renderer.ts'
import { Scheduler } from './jobs/scheduler.ts'
import { Spool } from './jobs/spool.ts'
import type { PageParts } from './page-and-api.ts'
import { withDemo } from './printers/demo.ts'
import { Discovery } from './printers/discovery.ts'
import { createDevices } from './printers/index.ts'
import { Printers } from './printers/registry.ts'
import { StatusAsker } from './printers/status/asker.ts'
import { Events } from './results/events.ts'
import { logEvent, logFilling } from './results/job-log.ts'
import { Metrics } from './results/metrics.ts'
import type { Results } from './results/result-url.ts'
import { tellPrinters } from './sources/heartbeat.ts'
import { openMemory } from './sources/memory.ts'
import { Sources } from './sources/run.ts'
import { findInternalAddress } from './system/address.ts'
import { announce } from './system/announce.ts'
import { readBoxHealth } from './system/box.ts'
import { listAnnounced } from './system/box-state.ts'
import { findEntry, findWebFolder } from './system/entry.ts'
import { EXIT_CODES, EXIT_USAGE } from './system/exit-codes.ts'
import { type Command, type Flags, HELP, readFlags } from './system/flags.ts'
import { createLog, isJournal, type Log } from './system/log.ts'
import { boundInterimAnswers } from './system/outgoing-http.ts'
import { findConfigFile, findStateFolder } from './system/paths.ts'
import { isReachable } from './system/reachable.ts'
import { readServiceManager, reportTo } from './system/service-manager.ts'
import { listStopSignals } from './system/stop-signals.ts'
import { holdTimeZone } from './system/time-zone.ts'
import { version } from './system/version.ts'

const STOP_GRACE_MS = 10_000 // the label in hand is finished
const ANSWER_GRACE_MS = 2_000 // requests under way get their answer

function main(): void {
  const flags = readFlags(process.argv.slice(2))
  if (typeof flags === 'string') {
    process.stderr.write(`${flags}\n`)
    process.exitCode = EXIT_USAGE
  } else if (flags.version) process.stdout.write(`${version}\n`)
  else if (flags.help) process.stdout.write(HELP)
  else if (flags.checkConfig) checkConfig(flags)
  else if (flags.command !== undefined) runCommand(flags, flags.command).catch(exitWith)
  else run(flags).catch(exitWith)
}

/** A command beside the server that may run; its code is loaded only then. */
async function runCommand(flags: Flags, command: Command): Promise<void> {
  const { code, text } =
    command.name === 'update'
      ? (await import('./system/update-command.ts')).runUpdate(command.args, process.argv[1] ?? '')
      : await (await import('./system/print-command.ts')).runPrint(
          command,
          loadConfig(findConfigFile(flags.config)).config,
        )
  const stream = code === 0 ? process.stdout : process.stderr
  stream.write(text)
  process.exitCode = code
}

function checkConfig(flags: Flags): void {
  try {
    const file = findConfigFile(flags.config)
    const loaded = loadConfig(file)
    const configured = readPrinterSettings(loaded.config).map(({ name }) => name)
    const unknown = findUnknownPrinters(loaded.config, configured)
    for (const warning of [
      ...loaded.warnings,
      ...unknown.map((one) => `${basename(file)}: ${one}`),
    ])
      process.stderr.write(`${warning}\n`)
    const masked = new ConfigStore(file, loaded).masked()
    process.stdout.write(`${JSON.stringify(masked, null, 2)}\n`)
  } catch (error) {
    exitWith(error)
  }
}

/** Reads the configuration, builds the parts from the printers up to the page, and starts them. */
async function run(flags: Flags): Promise<void> {
  boundInterimAnswers()
  const stopping = new AbortController()
  const file = findConfigFile(flags.config)
  const stateFolder = findStateFolder()
  const loaded = loadConfig(file)
  const store = new ConfigStore(file, loaded)
  followTimeZone(store)
  const log = openLog(store.current, loaded.warnings)
  const fault = (err: unknown): void => log.error({ err }, 'service manager')
  const manager = readServiceManager(process.env, process.pid, fault)
  const metrics = new Metrics({
    version,
    printers: () => jobs.printers.list(),
    ...{ counts: () => jobs.spool.counts(), usage: () => jobs.spool.usage() },
    shares: () => jobs.spool.shareParts(),
    sources: () => sources.list(),
    results: () => news?.figures(),
    box: () => readBoxHealth(),
  })
  const onCommit = (seconds: number) => metrics.observeCommit(seconds)
  const jobs = buildJobs(flags, store, { stateFolder, onCommit }, log)
  const results = { metrics, events: buildEvents(jobs, metrics, log) }
  const news = await tellResults(store.current, jobs, log)
  const info = () => describe(store.current, listening)
  const sources = buildSources(store, jobs, { stateFolder, info }, log)
  const parts: PageParts = {
    ...{ ...jobs, ...results, sources, config: store, stateFolder, log },
    info,
    webFolder: fileURLToPath(findWebFolder()),
    shutdown: () => stop(),
    isSupervised: process.env['PLATEN_SUPERVISED'] === '1',
    isAppliance: process.env['PLATEN_APPLIANCE'] === '1',
    startLabel: (printer) => appliance?.startLabel(printer),
    listening: () => listening,
    stopping: stopping.signal,
  }
  let listening: Listening | undefined
  let appliance: Appliance | undefined
  const stop = (): void => {
    if (stopping.signal.aborted) return
    stopping.abort()
    manager.notify('STOPPING=1')
    end(jobs, { sources, news }, listening, log).then(() => process.exit(0), exitWith)
  }
  for (const signal of listStopSignals(process.platform)) process.on(signal, stop)
  listening = await listen(
    {
      app: loadAtFirstRequest(parts),
      config: store.current,
      sockets: manager.sockets,
      tlsFolder: join(stateFolder, 'tls'),
      certificateEntry: findEntry('http/tls/certificate'),
      onCertificates: (certificates) => logCertificates(log, certificates),
      onFault: (err) => log.error({ err }, 'certificate'),
    },
    stopping.signal,
  )
  startPrinting(store.current, jobs, log, stopping.signal)
  sources.configure(store.current)
  const certificates = () => listening?.certificates()
  appliance = await startBox({ ...jobs, store, stateFolder, fault, certificates }, stopping.signal)
  announce({ ...store.current, port: listening.port, version }, log)
  void tellNetwork(store.current.host, listening, stopping.signal).catch(fault)
  const isAlive = () => jobs.scheduler.isAlive() && jobs.spool.answers()
  reportTo(manager, { isAlive, fault, port: listening.port }, stopping.signal)
}

/** What the SD image does besides printing; its code is loaded only there. */
async function startBox(
  parts: Omit<ApplianceParts, 'runtimeFolder'>,
  signal: AbortSignal,
): Promise<Appliance | undefined> {
  if (process.env['PLATEN_APPLIANCE'] !== '1') return undefined
  const { startAppliance } = await import('./appliance.ts')
  return startAppliance({ ...parts, runtimeFolder: process.env['RUNTIME_DIRECTORY'] }, signal)
}

/** Announces the server by mDNS. The appliance has avahi; a server for this computer alone has nobody to tell. */
async function tellNetwork(
  host: string,
  { port, securePort }: Listening,
  signal: AbortSignal,
): Promise<void> {
  const { PLATEN_APPLIANCE: isAppliance, PLATEN_ANNOUNCE: wish } = process.env
  if (isAppliance === '1' || wish === '0' || !isReachable(host)) return
  const { joinGroup } = await import('./printers/mdns.ts')
  const { announceServices } = await import('./system/mdns.ts')
  const presence = { hostName: hostname(), port: Number(port), securePort, version }
  await announceServices(presence, { socket: await joinGroup({}) }, signal)
}

/** Prints what waits, looks for printers, and asks those that are known how they are. */
function startPrinting(
  config: Config,
  { scheduler, discovery, printers }: Jobs,
  log: Log,
  signal: AbortSignal,
): void {
  scheduler.start()
  discovery.start(signal)
  const known = printers.list().map(({ name }) => name)
  for (const name of known) scheduler.wake(name)
  // Their labels would be refused or held; what was found before is remembered.
  for (const warning of findUnknownPrinters(config, known)) log.warn({ warning }, 'configuration')
}

/** The page and the API are 2 MB that a box which only waits does without. */
function loadAtFirstRequest(parts: PageParts): Fetcher {
  let app: Promise<Fetcher> | undefined
  return {
    async fetch(request, env) {
      app ??= import('./page-and-api.ts').then(({ createPageAndApi }) => createPageAndApi(parts))
      return await (await app).fetch(request, env)
    },
  }
}

function openLog(config: Config, warnings: readonly string[]): Log {
  const level = config.log_level
  const log = createLog({ level, toJournal: isJournal(process.env), secretKeys: listSecretKeys() })
  for (const warning of warnings) log.warn({ warning }, 'configuration')
  return log
}

/** The hours that people read are those of the place that the settings name. */
function followTimeZone(store: ConfigStore): void {
  const hold = holdTimeZone()
  hold(store.current.time_zone)
  store.onChange((config) => hold(config.time_zone))
}

type Jobs = ReturnType<typeof buildJobs>

/** Printers, spool, scheduler and intake, and what a saved configuration changes in them. */
function buildJobs(
  flags: Flags,
  store: ConfigStore,
  { stateFolder, onCommit }: { stateFolder: string; onCommit: (seconds: number) => void },
  log: Log,
) {
  const fault = (err: unknown): void => log.error({ err }, 'fault')
  const devices = createDevices({ stateFolder, findEntry })
  const printers = new Printers({ printers: [], defaultName: '', devices })
  const discovery: Discovery = new Discovery({
    ...{ devices, printers, fault },
    store: keepFile(join(stateFolder, 'printers.json')),
    configured: () => withDemo(readPrinterSettings(store.current), flags.demo),
    defaultName: () => readDefaultName(store.current),
    // Loaded when somebody presses "Search", which costs a megabyte.
    searchNetwork: async (signal) =>
      (await import('./printers/mdns.ts')).findNetworkPrinters(signal),
    onArrival: (name) => scheduler.wake(name),
    onRestart: (name) => scheduler.goOn(name),
  })
  const asker = new StatusAsker({
    printers,
    learn: (uri, facts) => discovery.learn(uri, facts),
  })
  const retentionHours = () => store.current.job_retention_hours
  const keepsResults = store.current.result_url !== undefined
  const spool = new Spool({ folder: stateFolder, retentionHours, keepsResults, fault, onCommit })
  for (const notice of spool.notices) log.warn({ notice }, 'spool')
  // A Zero 2 W draws ten times slower than a PC.
  const patience = process.env['PLATEN_APPLIANCE'] === '1' ? { timeLimitMs: 30_000 } : {}
  const renderer = new Renderer({ worker: findEntry('render/worker'), ...patience })
  const onInterrupt = () => store.current.on_interrupt
  const scheduler: Scheduler = new Scheduler({
    ...{ spool, printers, renderer, asker, onInterrupt, fault },
  })
  const expireAfter = () => store.current.expire_after
  const intake = new Intake({
    ...{ spool, printers, scheduler, expireAfter },
    commands: () => store.current.printer_commands,
    duplicateWindowMs: () => readDuplicateWindow(store.current),
  })
  store.onChange((config) => {
    const before = printers.list()
    discovery.refresh()
    // Labels of a printer that was taken out have to say so.
    for (const { name } of [...before, ...printers.list()]) scheduler.wake(name)
    log.level = config.log_level
  })
  return { devices, printers, discovery, spool, renderer, scheduler, intake }
}

/** What becomes of jobs and printers is told to the page, the metrics and the log. */
function buildEvents({ spool, printers }: Jobs, metrics: Metrics, log: Log): Events {
  const events = new Events((err) => log.error({ err }, 'fault'))
  metrics.follow(events)
  events.subscribe((event) => logEvent(log, event))
  for (const filling of spool.fillings()) logFilling(log, { isHigh: true, filling })
  spool.onChange((job) => events.emit({ type: 'job', job }))
  spool.onFilling((crossing) => {
    events.emit({ type: 'spool', fillings: spool.fillings(), ...crossing })
  })
  printers.onChange((printer) => events.emit({ type: 'printer', printer }))
  return events
}

/** Where labels come from besides HTTP; a saved configuration changes them at once. */
function buildSources(
  store: ConfigStore,
  { intake, printers }: Jobs,
  { stateFolder, info }: { stateFolder: string; info: () => ServerInfo },
  log: Log,
): Sources {
  const sources = new Sources({
    memory: openMemory(keepFile(join(stateFolder, 'sources.json'))),
    version,
    hand: openHandFile(join(stateFolder, 'in-hand')),
    openDoor: (type, printer, commands) => intake.forSource(type, printer, commands),
    messageBytes: () => store.current.max_body_mb * 2 ** 20,
    facts: () => ({ ...info(), ...tellPrinters(printers.list()) }),
    log,
  })
  store.onChange((config) => sources.configure(config))
  return sources
}

/** Tells the result address what becomes of the labels; nothing is loaded or written when there is none. */
async function tellResults(
  { result_url: url, result_secret: secret = '' }: Config,
  { spool, printers }: Jobs,
  log: Log,
): Promise<Results | undefined> {
  if (url === undefined) return undefined
  const { startResults } = await import('./results/result-url.ts')
  const fault = (err: unknown): void => log.error({ err }, 'fault')
  return startResults({
    spool,
    printers,
    log,
    fault,
    address: { url, secret, station: hostname() },
  })
}

/** Finishes the label in hand and the answers under way. */
async function end(
  jobs: Jobs,
  { sources, news }: { readonly sources: Sources; readonly news: Results | undefined },
  listening: Listening | undefined,
  log: Log,
): Promise<void> {
  const printed = jobs.scheduler.stop(STOP_GRACE_MS)
  await Promise.all([printed, sources.stop(), listening?.close(ANSWER_GRACE_MS)])
  await news?.stop()
  await jobs.renderer.close()
  await Promise.all(jobs.devices.map((device) => device.close?.()))
  jobs.intake.close()
  jobs.spool.close()
  log.info({}, 'stopped')
}

function describe(config: Config, listening: Listening | undefined): ServerInfo {
  const { host = config.host, port = config.port, securePort = '' } = listening ?? {}
  const ip = findInternalAddress()
  const [names, uptime] = [listAnnounced(), process.uptime()]
  return { version, host, hostName: hostname(), ip, names, port, securePort, uptime }
}

/** What people compare with the trust page; a new authority has to be trusted anew by every client. */
function logCertificates(log: Log, { fingerprint, leftOut, made }: Certificates): void {
  log.info({ fingerprint, leftOut, made }, 'certificates')
}

/** A fault of the start in words for people, with the exit code of its kind; anything else is a fault of ours. */
function exitWith(error: unknown): never {
  if (!(error instanceof PlatenError)) throw error
  process.stderr.write(`${error.message}\n${error.hint}\n`)
  process.exit(EXIT_CODES[error.code] ?? 1)
}

main()
