import { join } from 'node:path'
import { findUnknownPrinters } from '../config/check.ts'
import { readDefaultName, readDuplicateWindow, readPrinterSettings } from '../config/effective.ts'
import { keepFile } from '../config/write.ts'
import { Renderer } from '../jobs/drawing/renderer.ts'
import { Intake } from '../jobs/intake/intake.ts'
import { Scheduler } from '../jobs/queue/scheduler.ts'
import { Spool } from '../jobs/spool/spool.ts'
import { createDevices } from '../printers/index.ts'
import { withDemo } from '../printers/known/demo.ts'
import { Discovery } from '../printers/known/discovery.ts'
import { Printers } from '../printers/registry.ts'
import { StatusAsker } from '../printers/status/asker.ts'
import { IdleHeap } from '../system/idle-heap.ts'
import { findEntry, findPdfium } from '../system/paths.ts'
import type { Core } from './core.ts'
import { leadsToUs } from './own-queues.ts'

const STOP_GRACE_MS = 10_000 // the label in hand is finished
const APPLIANCE_DRAWING_MS = 30_000 // a Zero 2 W draws ten times slower than a PC

/** Printers, spool, scheduler and intake, and what a saved configuration changes in them. */
export type Jobs = ReturnType<typeof buildJobs>

/**
 * Opens the spool and the devices; nothing prints before `start`.
 * @throws PlatenError SPOOL_*, STATE_UNWRITABLE
 */
export function buildJobs(core: Core, isDemo: boolean) {
  const { store, fault, metrics, log } = core
  const { stateFolder, isAppliance } = core.environment
  const devices = openDevices(core, () => printers.list())
  const printers: Printers = new Printers({ printers: [], defaultName: '', devices })
  const discovery: Discovery = new Discovery({
    ...{ devices, printers, fault },
    store: keepFile(join(stateFolder, 'printers.json')),
    configured: () => withDemo(readPrinterSettings(store.current), isDemo),
    defaultName: () => readDefaultName(store.current),
    // Loaded when somebody presses "Search", which costs a megabyte.
    searchNetwork: async (signal) =>
      (await import('../printers/known/mdns.ts')).findNetworkPrinters(signal),
    onArrival: (name) => scheduler.wake(name),
    onRestart: (name) => scheduler.printerRestarted(name),
  })
  const asker = new StatusAsker({ printers, learn: (uri, facts) => discovery.learn(uri, facts) })
  const spool = new Spool({
    folder: stateFolder,
    retentionHours: () => store.current.job_retention_hours,
    keepsResults: store.current.result_url !== undefined,
    fault,
    onCommit: (seconds) => metrics.observeCommit(seconds),
  })
  for (const notice of spool.notices) log.warn({ notice }, 'spool')
  const renderer = new Renderer({
    worker: findEntry('render/worker'),
    pdf: { entry: findEntry('jobs/drawing/pdf-child'), wasm: findPdfium() },
    ...(isAppliance ? { timeLimitMs: APPLIANCE_DRAWING_MS } : {}),
  })
  const onInterrupt = () => store.current.on_interrupt
  const scheduler: Scheduler = new Scheduler({
    ...{ spool, printers, renderer, asker, onInterrupt, fault },
  })
  const intake = new Intake({
    ...{ spool, printers, scheduler, pdfs: renderer.pdfs },
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
    ...{ devices, printers, discovery, spool, renderer, scheduler, intake },
    /** Prints what waits, looks for printers, and asks those that are known how they are. */
    start(): void {
      scheduler.start()
      heap.start()
      discovery.start(core.stopping.signal)
      const known = printers.list().map(({ name }) => name)
      for (const name of known) scheduler.wake(name)
      // Their labels would be refused or held; what was found before is remembered.
      for (const warning of findUnknownPrinters(store.current, known))
        log.warn({ warning }, 'configuration')
    },
    /** Finishes the labels in hand. */
    finish: () => scheduler.stop(STOP_GRACE_MS),
    /** Once nothing uses them. */
    async close(): Promise<void> {
      await renderer.close()
      await Promise.all(devices.map((device) => device.close?.()))
      intake.close()
      spool.close()
    },
  }
}

function openDevices({ environment, station }: Core, printers: Printers['list']) {
  return createDevices({
    ...{ stateFolder: environment.stateFolder, findEntry },
    leadsBack: (uri) => leadsToUs(uri, station, printers()),
  })
}
