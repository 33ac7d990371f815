import { join } from 'node:path'
import type { Test } from 'tap'
import type { Printer } from '#printers'
import { Renderer } from '../../src/core/drawing/renderer.ts'
import { Intake } from '../../src/core/intake/intake.ts'
import { hasEnded, type Job, type JobState } from '../../src/core/job.ts'
import { Printers } from '../../src/core/printers/registry.ts'
import type { PrinterStatus } from '../../src/core/printers/status.ts'
import type { Timing } from '../../src/core/queue/parts.ts'
import { Scheduler, type SchedulerParts } from '../../src/core/queue/scheduler.ts'
import type { PrintOptions } from '../../src/core/request/fields.ts'
import { Spool } from '../../src/core/spool/spool.ts'
import type { SpoolSettings } from '../../src/core/spool/types.ts'
import type { PrinterDetails } from '../../src/labels/languages/status.ts'
import type { Device } from '../../src/printers/device.ts'
import { createFileDevice } from '../../src/printers/devices/file.ts'
import { createSocketDevice } from '../../src/printers/devices/socket/index.ts'
import { type AskerParts, StatusAsker } from '../../src/printers/status/asker.ts'
import { allPlugins } from '../plugins/all.ts'
import { zplLabel } from './labels.ts'
import { PDF_FILES } from './pdf-files.ts'
import { makePrinter } from './printers/make-printer.ts'
import '../teardown-first.ts'

/** A printer's entry with everything left out. */
export function printer(name: string, uri: string, language: string | undefined = 'zpl'): Printer {
  return makePrinter(name, { uri, language })
}

/** Quick enough for tests; the order of the times is as in the field. */
export const QUICK: Partial<Timing> = {
  retryFirstMs: 20,
  retryMostMs: 100,
  spaceMs: 2,
  stallMs: 100,
}

/** A printer that resets must be noticed, however late a busy machine hears of it. One that ends as it should takes no wait. */
const LONG_PATIENCE = { connectMs: 60_000, confirmMs: 60_000, settleMs: 20 }

/** The entry of the real render thread. */
export const WORKER = new URL('../../src/labels/worker.ts', import.meta.url)

/** The settings of a bench. */
export interface BenchSettings extends Partial<Omit<SchedulerParts, 'spool' | 'printers'>> {
  readonly printers: readonly Printer[]
  /** '' = none chosen, as when it is left out. */
  readonly defaultName?: string
  readonly folder?: string
  readonly devices?: readonly Device[]
  readonly uptimeMs?: () => number
  readonly quotaBytes?: number
  /** Printers are asked how they are, with these times. */
  readonly asks?: Pick<AskerParts, 'answerMs' | 'quietMs' | 'stuckMs' | 'now'>
  readonly openSpool?: (settings: SpoolSettings) => Spool
}

const benches = new WeakMap<Test, number>()

/** A second one of a test gets a folder in that of the first: another `t.testdir()` would remove what is in use. */
function makeFolder(t: Test): string {
  const before = benches.get(t) ?? 0
  benches.set(t, before + 1)
  return before === 0 ? t.testdir() : join(t.testdirName, `bench-${before}`)
}

/** A whole print server but for HTTP, and what a test wants to know of it. */
export class Bench {
  readonly folder: string
  readonly spool: Spool
  readonly printers: Printers
  readonly scheduler: Scheduler
  readonly intake: Intake
  readonly renderer: Renderer
  readonly faults: unknown[] = []
  /** Printers' own descriptions, by device URI. */
  readonly learned = new Map<string, PrinterDetails>()
  // In the field the HTTP server keeps the process alive; the scheduler's own timers do not.
  readonly #alive = setInterval(() => undefined, 3_600_000)

  constructor(t: Test, settings: BenchSettings) {
    this.folder = settings.folder ?? makeFolder(t)
    this.spool = (settings.openSpool ?? ((given) => new Spool(given)))({
      folder: this.folder,
      tables: allPlugins.tables(),
      minFreeBytes: 0,
      ballastBytes: 0,
      ...(settings.uptimeMs ? { uptimeMs: settings.uptimeMs } : {}),
      ...(settings.quotaBytes ? { quotaBytes: settings.quotaBytes } : {}),
    })
    this.printers = new Printers({
      printers: settings.printers,
      defaultName: settings.defaultName ?? '',
      devices: settings.devices ?? [
        createSocketDevice(LONG_PATIENCE),
        createFileDevice(this.folder),
      ],
    })
    this.renderer = new Renderer({ pdf: PDF_FILES, worker: WORKER })
    this.scheduler = new Scheduler({
      renderer: this.renderer,
      fault: (error) => this.faults.push(error),
      housekeepMs: 200,
      ...settings,
      timing: { ...QUICK, ...settings.timing },
      asker: settings.asks && this.#createAsker(settings.asks),
      spool: this.spool,
      printers: this.printers,
    })
    this.intake = new Intake({
      fault: (error) => this.faults.push(error),
      pdfs: this.renderer.pdfs,
      spool: this.spool,
      printers: this.printers,
      scheduler: this.scheduler,
      nameWay: (source) => allPlugins.nameWay(source),
    })
    t.teardown(() => this.close())
  }

  #createAsker(times: BenchSettings['asks']): StatusAsker {
    const learn = (uri: string, facts: PrinterDetails): void => {
      this.learned.set(uri, { ...this.learned.get(uri), ...facts })
    }
    return new StatusAsker({ printers: this.printers, learn, ...times })
  }

  /** Ends everything at once; harmless twice. */
  async close(): Promise<void> {
    clearInterval(this.#alive)
    await this.scheduler.stop(0)
    await this.renderer.close()
    this.spool.close()
  }

  /** Sends ZPL labels that bear these marks. */
  print(
    marks: readonly (string | number)[],
    more: { printer?: string; bytes?: number } = {},
  ): readonly string[] {
    const labels = marks.map((mark) => zplLabel(mark, more.bytes ?? 0))
    const options = more.printer === undefined ? {} : { printer: more.printer }
    return this.intake.takeAlone({ labels, options, source: 'http' }).jobs.map((job) => job.id)
  }

  /** The job as it is now. */
  job(id: string | undefined): Job {
    const job = this.spool.history.get(id ?? '')
    if (job === undefined) throw new Error(`no job ${id}`)
    return job
  }

  /** Sends a label as it is; gives its job. */
  accept(label: Uint8Array, options: PrintOptions = {}): string | undefined {
    return this.intake.takeAlone({ labels: [label], options, source: 'http' }).jobs[0]?.id
  }

  /** Resolves when the job is in this state. */
  until(id: string | undefined, state: JobState | 'ended'): Promise<Job> {
    return this.untilJob(id, (job) => (state === 'ended' ? hasEnded(job) : job.state === state))
  }

  /** Resolves when the job is as wanted. */
  async untilJob(id: string | undefined, isThere: (job: Job) => boolean): Promise<Job> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const end = this.spool.onChange((job) => {
      if (job.id === id && isThere(job)) resolve()
    })
    if (!isThere(this.job(id))) await promise
    end()
    return this.job(id)
  }

  /** Resolves when the printer's state is as wanted. */
  async untilPrinter(
    name: string,
    wanted: (status: PrinterStatus) => boolean,
  ): Promise<PrinterStatus> {
    const status = (): PrinterStatus => {
      const known = this.printers.get(name)
      if (known === undefined) throw new Error(`no printer ${name}`)
      return known.status
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    const end = this.printers.onChange(() => {
      if (wanted(status())) resolve()
    })
    if (!wanted(status())) await promise
    end()
    return status()
  }
}
