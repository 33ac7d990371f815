import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { openHandFile } from '../../src/config/hand-file.ts'
import { keepFile } from '../../src/config/write.ts'
import { Intake } from '../../src/jobs/intake.ts'
import { Renderer } from '../../src/jobs/renderer.ts'
import { Scheduler, type SchedulerParts } from '../../src/jobs/scheduler.ts'
import { Spool } from '../../src/jobs/spool.ts'
import type { Device } from '../../src/printers/device.ts'
import { Printers } from '../../src/printers/registry.ts'
import type { SourcesConfig } from '../../src/sources/configured.ts'
import { openMemory } from '../../src/sources/memory.ts'
import { Sources, type SourcesParts } from '../../src/sources/run.ts'
import { makePrinter } from '../printers/make-printer.ts'

/** What a small server is made with. */
export interface SmallServer extends Partial<Pick<SourcesParts, 'list'>> {
  readonly folder: string
  /** Of its one printer, A. */
  readonly uri: string
  readonly device: Device
  readonly config: SourcesConfig
  readonly timing?: SchedulerParts['timing']
  /** Stands between the sources and the intake. */
  readonly guard?: (door: ReturnType<SourcesParts['openDoor']>) => typeof door
}

/** One line of a child to the test. */
export function tell(line: string): void {
  writeSync(1, `${line}\n`)
}

/**
 * The print server from the sources to the printer, as it is, in a child that is killed; what happens is told on stdout. It
 * must not import the test runner, which would end it when its own time is over.
 */
export function startSmallServer(settings: SmallServer): void {
  const { folder, uri, device, config, timing, list, guard = (door) => door } = settings
  const state = join(folder, 'state')
  const spool = new Spool({ folder: state })
  const printers = new Printers({
    printers: [makePrinter('A', { uri })],
    defaultName: '',
    devices: [device],
  })
  const renderer = new Renderer({ worker: new URL('../../src/render/worker.ts', import.meta.url) })
  const scheduler = new Scheduler({ spool, printers, renderer, ...(timing ? { timing } : {}) })
  const intake = new Intake({ spool, printers, scheduler })
  const sources = new Sources({
    memory: openMemory(keepFile(join(state, 'sources.json'))),
    hand: openHandFile(join(state, 'in-hand')),
    openDoor: (...which) => guard(intake.forSource(...which)),
    messageBytes: () => 2 ** 20,
    facts: () => ({
      ...{ printer: 'A', availablePrinters: ['A'], port: '80', isOnline: true },
      ...{ ip: '127.0.0.1', version: '1' },
    }),
    log: {
      info: () => undefined,
      warn: (fields, event) => tell(`${event} ${JSON.stringify(fields)}`),
    },
    backOff: { firstMs: 50, mostMs: 200 },
    ...(list ? { list } : {}),
  })
  spool.onChange((job) => tell(`${job.state} ${job.code} ${job.labelBytes}`))
  scheduler.start()
  sources.configure(config)
  // Its death is the test's.
  setInterval(() => undefined, 3_600_000)
}
