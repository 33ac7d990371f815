import { join } from 'node:path'
import {
  createDevices,
  Discovery,
  type KnownEntry,
  loadNetwork,
  StatusAsker,
  withDemo,
} from '#printers'
import { PDF_VARIABLES } from '../core/drawing/pdf-process.ts'
import { Renderer } from '../core/drawing/renderer.ts'
import { Events, logEvent, logFilling } from '../core/events.ts'
import { Intake } from '../core/intake/intake.ts'
import { Printers } from '../core/printers/registry.ts'
import { Scheduler } from '../core/queue/scheduler.ts'
import { Spool } from '../core/spool/spool.ts'
import type { Whereabouts } from '../plugins/plugin.ts'
import { findUnknownPrinters } from '../settings/check.ts'
import { formatFault } from '../settings/faults.ts'
import { readDefaultName, readDuplicateWindow, readPrinterSettings } from '../settings/load.ts'
import { keepFile } from '../settings/write.ts'
import { readBoxHealth } from '../system/box.ts'
import { findEntry, findPdfium, IdleHeap, liftBounds, pickEnvironment } from '../system/process.ts'
import type { Core } from './core.ts'

const STOP_GRACE_MS = 10_000 // the label in hand is finished
const APPLIANCE_DRAWING_MS = 30_000 // a Zero 2 W draws ten times slower than a PC

/** Printers, spool, scheduler and intake, and their changes by a saved configuration. */
export type Jobs = ReturnType<typeof buildJobs>

/**
 * Opens the spool and the devices; nothing prints before `start`.
 * @throws PlatenError SPOOL_*, STATE_UNWRITABLE
 */
export function buildJobs(core: Core, isDemo: boolean) {
  const { store, fault, metrics, log, plugins } = core
  const { stateFolder, isAppliance } = core.environment
  const devices = openDevices(core, () => ({ printers, discovery }))
  const printers: Printers = new Printers({ printers: [], defaultName: '', devices })
  const spool = openSpool(core)
  const discovery: Discovery = new Discovery({
    devices,
    printers,
    fault,
    store: keepFile(join(stateFolder, 'printers.json')),
    recall: () => recallPrinters(spool),
    configured: () => withDemo(readPrinterSettings(store.current), isDemo),
    defaultName: () => readDefaultName(store.current),
    // Loaded when somebody presses "Search", which costs a megabyte.
    searchNetwork: async (signal) => (await loadNetwork()).findNetworkPrinters(signal),
    onArrival: (name) => scheduler.wake(name),
    onRestart: (name) => scheduler.printerRestarted(name),
    onMove: (from, to) => followMove({ spool, fault }, from, to),
    onRename: (before, name) => keepPaused({ spool, printers, fault }, before, name),
  })
  const asker = new StatusAsker({ printers, learn: (uri, facts) => discovery.learn(uri, facts) })
  for (const notice of spool.notices) log.warn({ notice }, 'spool')
  const renderer = new Renderer({
    worker: findEntry('labels/worker'),
    onStart: liftBounds,
    pdf: {
      entry: findEntry('labels/pdf-child'),
      wasm: findPdfium(),
      variables: pickEnvironment(PDF_VARIABLES),
    },
    ...(isAppliance ? { timeLimitMs: APPLIANCE_DRAWING_MS } : {}),
  })
  const onInterrupt = () => store.current.on_interrupt
  const scheduler: Scheduler = new Scheduler({
    spool,
    printers,
    renderer,
    asker,
    onInterrupt,
    fault,
  })
  const intake = new Intake({
    spool,
    printers,
    scheduler,
    pdfs: renderer.pdfs,
    nameWay: (source) => plugins.nameWay(source),
    fault,
    expireAfter: () => store.current.expire_after,
    commands: () => store.current.printer_commands,
    duplicateWindowMs: () => readDuplicateWindow(store.current),
  })
  store.onChange(() => {
    const before = printers.list()
    discovery.refresh()
    // Labels of a printer that was taken out have to say so.
    for (const { name } of [...before, ...printers.list()]) scheduler.wake(name)
  })
  const heap = new IdleHeap()
  spool.onChange(() => heap.note())
  metrics.register({
    printers: () => printers.list(),
    counts: () => spool.history.counts(),
    usage: () => spool.health.usage(),
    shares: () => spool.filling.parts(),
  })
  return {
    devices,
    printers,
    discovery,
    spool,
    renderer,
    scheduler,
    intake,
    /** Prints waiting labels, looks for printers, and asks the known ones for their state. */
    start(): void {
      scheduler.start()
      heap.start()
      // After listening: the first look asks CUPS too, and nothing at the start needs its answer.
      setImmediate(() => discovery.start(core.stopping.signal))
      const known = printers.list().map(({ name }) => name)
      for (const name of known) scheduler.wake(name)
      // Their labels would be refused or held; what was found before is remembered.
      for (const fault of findUnknownPrinters(store.current, known, store.schema))
        log.warn({ warning: formatFault(fault) }, 'configuration')
    },
    /** Finishes the labels in hand. */
    finish: () => scheduler.stop(STOP_GRACE_MS),
    /** Closes them, once nothing uses them. */
    async close(): Promise<void> {
      await renderer.close()
      await Promise.all(devices.map((device) => device.close?.()))
      intake.close()
      spool.close()
    },
  }
}

function openSpool({ environment, store, fault, metrics, plugins }: Core): Spool {
  return new Spool({
    folder: environment.stateFolder,
    retentionHours: () => store.current.job_retention_hours,
    tables: plugins.tables(),
    keepsResults: plugins.keepsResults(store.current),
    fault,
    onCommit: (seconds) => metrics.observeCommit(seconds),
  })
}

/** Lists the places of labels that went over cables, by the names of their printers; a queue of a spooler has its own name. */
function recallPrinters({ line }: Spool): readonly KnownEntry[] {
  return line.places().filter(({ uri }) => uri.startsWith('usb:'))
}

/** Keeps a renamed printer paused: whoever paused it may be working on it. The old name stays paused too: labels may wait for it. */
function keepPaused(
  { spool, printers, fault }: Pick<Core, 'fault'> & { spool: Spool; printers: Printers },
  before: string,
  name: string,
): void {
  try {
    if (!spool.pauses.list().includes(before)) return
    printers.setPaused(name, true)
    spool.pauses.set(name, true)
  } catch (error) {
    fault(error)
  }
}

/** Moves the half labels of a printer with it to another port. */
function followMove(
  { spool, fault }: Pick<Core, 'fault'> & { spool: Spool },
  from: string,
  to: string,
): void {
  try {
    spool.halfLabels.follow(from, to)
  } catch (error) {
    fault(error)
  }
}

/** Opens the devices. `known` is called later, for parts that are made with the devices. */
function openDevices(
  { environment, station, store, plugins }: Core,
  known: () => { readonly printers: Printers; readonly discovery: Discovery },
) {
  const at: Whereabouts = {
    ownNames: () => station.ownNames(),
    info: () => station.info(),
    printers: () => known().printers.list(),
    config: () => store.current,
  }
  return createDevices({
    stateFolder: environment.stateFolder,
    findEntry,
    leadsBack: (uri) => plugins.leadsBack(uri, at),
    mayLoop: (uri) => plugins.mayLoop(uri, at),
    known: () => {
      const { printers, discovery } = known()
      return printers.list().map(({ uri, isFound = false }) => {
        return { uri, isFound, serial: discovery.serialOf(uri) }
      })
    },
  })
}

/** Connects changes of jobs and printers to the page, the metrics and the log. */
export function buildEvents({ log, fault, metrics }: Core, { spool, printers }: Jobs): Events {
  metrics.register({ box: () => readBoxHealth() })
  const events = new Events(fault)
  metrics.follow(events)
  events.subscribe((event) => logEvent(log, event))
  for (const filling of spool.filling.list()) logFilling(log, { isHigh: true, filling })
  spool.onChange((job) => events.emit({ type: 'job', job }))
  spool.filling.onCrossing((crossing) => {
    events.emit({ type: 'spool', fillings: spool.filling.list(), ...crossing })
  })
  printers.onChange((printer) => events.emit({ type: 'printer', printer }))
  return events
}
