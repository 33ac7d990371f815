import { join } from 'node:path'
import { Renderer } from '../../src/core/drawing/renderer.ts'
import { Intake } from '../../src/core/intake/intake.ts'
import { Printers } from '../../src/core/printers/registry.ts'
import { Scheduler, type SchedulerParts } from '../../src/core/queue/scheduler.ts'
import { Spool } from '../../src/core/spool/spool.ts'
import type { SpoolSettings } from '../../src/core/spool/types.ts'
import type { Device } from '../../src/printers/device.ts'
import { allPlugins } from '../plugins/all.ts'
import { PDF_FILES } from './pdf-files.ts'
import { makePrinter } from './printers/make-printer.ts'

/** The settings of a print server in a child. */
export interface PrintServerSettings extends Pick<Partial<SchedulerParts>, 'onInterrupt'> {
  /** Its spool lies in `state` below it. */
  readonly folder: string
  /** Their places, by name. */
  readonly uris: Readonly<Record<string, string>>
  readonly device: Device
  readonly timing?: SchedulerParts['timing'] | undefined
  readonly spool?: Omit<SpoolSettings, 'folder'>
}

/**
 * The print server from the intake to the printer, as it is, for a child that is killed. It must not import the test runner,
 * which would end the child when its own time is over.
 */
export function makePrintServer(settings: PrintServerSettings) {
  const { folder, uris, device, timing, onInterrupt } = settings
  const spool = new Spool({
    folder: join(folder, 'state'),
    tables: allPlugins.tables(),
    ...settings.spool,
  })
  const printers = new Printers({
    printers: Object.entries(uris).map(([name, uri]) => makePrinter(name, { uri })),
    defaultName: '',
    devices: [device],
  })
  const renderer = new Renderer({
    pdf: PDF_FILES,
    worker: new URL('../../src/labels/worker.ts', import.meta.url),
  })
  const scheduler = new Scheduler({
    spool,
    printers,
    renderer,
    ...(timing && { timing }),
    ...(onInterrupt && { onInterrupt }),
  })
  const intake = new Intake({ pdfs: renderer.pdfs, spool, printers, scheduler })
  return { spool, printers, renderer, scheduler, intake }
}
