import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Printer } from '#printers'
import { Renderer } from '../../src/core/drawing/renderer.ts'
import { Intake } from '../../src/core/intake/intake.ts'
import type { Change, Job } from '../../src/core/job.ts'
import type { InterruptPolicy } from '../../src/core/moves.ts'
import { Printers } from '../../src/core/printers/registry.ts'
import type { Timing } from '../../src/core/queue/parts.ts'
import { Scheduler } from '../../src/core/queue/scheduler.ts'
import { Spool } from '../../src/core/spool/spool.ts'
import type { MoveExtras, SpoolSettings } from '../../src/core/spool/types.ts'
import type { Device } from '../../src/printers/device.ts'
import { createSocketDevice } from '../../src/printers/devices/socket/index.ts'
import { StatusAsker } from '../../src/printers/status/asker.ts'
import { PlatenError } from '../../src/words/errors.ts'
import { WORKER } from '../core/bench.ts'
import { PDF_FILES } from '../core/pdf-files.ts'
import { allPlugins } from '../plugins/all.ts'
import type { Clock } from './clock.ts'

/** A printer that resets is noticed, however late a busy machine hears of it. */
const PATIENCE = { connectMs: 60_000, confirmMs: 60_000 }
/** No history waits for a clock longer than it must. */
const TIMING = {
  retryFirstMs: 1,
  retryMostMs: 4,
  spaceMs: 0,
  stallMs: 5,
  openMs: 60_000,
  confirmMs: 200,
  confirmAskMs: 1,
  blockedAskMs: 2,
}
const ASKS = { answerMs: 40, quietMs: 20, stuckMs: 5 }
const ASKING = { isTwoWay: true, idleSeconds: 0.2 } as const

/** The settings of one run of a box. */
export interface BoxSettings {
  readonly folder: string
  readonly printers: readonly Printer[]
  readonly defaultName: string
  /** Default: printers in the network, as `PaperPrinter` is one. */
  readonly device?: Device
  readonly clock: Clock
  /** Its jobs are dated by the clock of the history too, and not by that of the machine. */
  readonly datesJobs?: boolean
  readonly random: () => number
  readonly timing?: Partial<Timing>
  /** The policy for a label that is cut off; default `hold`. */
  readonly policy?: () => InterruptPolicy
  /** The disk has no room for what is written now; default: it has. */
  readonly isFull?: () => boolean
  /** Its printers are asked how they are. */
  readonly asks?: boolean
  /** Nobody else prints on them between two of our labels, as on a cable. */
  readonly keepsLine?: boolean
  readonly onChange: (job: Job) => void
  readonly fault: (error: unknown) => void
}

/** A spool on a disk that is full for some commits and takes others. */
class FullSpool extends Spool {
  readonly #isFull: () => boolean

  constructor(settings: SpoolSettings, isFull: () => boolean) {
    super(settings)
    this.#isFull = isFull
  }

  override add(...request: Parameters<Spool['add']>): ReturnType<Spool['add']> {
    if (this.#isFull()) throw refuseFull()
    return super.add(...request)
  }

  override move(id: string, change: (job: Job) => Change, extras?: MoveExtras): Job {
    return super.move(id, this.#refuse(change), extras)
  }

  override moveAll(ids: readonly string[], change: (job: Job) => Change): readonly Job[] {
    return super.moveAll(ids, this.#refuse(change))
  }

  /** In the transaction, which is taken back. */
  #refuse(change: (job: Job) => Change): typeof change {
    return (job) => {
      const changed = change(job)
      if (this.#isFull()) throw refuseFull()
      return changed
    }
  }
}

/** Makes the error of a full disk. */
export function refuseFull(): PlatenError {
  return new PlatenError('SPOOL_FULL', 'The disk is full.')
}

/** The parts of one run of the program, as the program puts them together. */
export class Box {
  readonly folder: string
  readonly spool: Spool
  readonly printers: Printers
  readonly scheduler: Scheduler
  readonly intake: Intake
  /** Nothing of it counts any more. */
  isOver = false
  protected readonly ended = new AbortController()
  protected readonly renderer = new Renderer({ pdf: PDF_FILES, worker: WORKER })

  constructor(settings: BoxSettings) {
    const { folder, clock, random, fault, keepsLine = false } = settings
    const now = settings.datesJobs === true ? { now: clock.now } : {}
    const asking = { ...ASKING, ...(keepsLine && { keepsLine: true as const }) }
    this.folder = folder
    this.spool = new FullSpool(
      {
        folder,
        tables: allPlugins.tables(),
        minFreeBytes: 0,
        ballastBytes: 0,
        uptimeMs: clock.uptimeMs,
        bootId: 'one',
        ...now,
      },
      settings.isFull ?? (() => false),
    )
    this.spool.onChange(settings.onChange)
    this.printers = new Printers({
      printers: settings.printers,
      defaultName: settings.defaultName,
      devices: [settings.device ?? { ...createSocketDevice(PATIENCE), asking }],
    })
    const { policy = () => 'hold' as const, asks = false } = settings
    this.scheduler = new Scheduler({
      spool: this.spool,
      printers: this.printers,
      renderer: this.renderer,
      asker: asks ? new StatusAsker({ printers: this.printers, ...ASKS }) : undefined,
      onInterrupt: policy,
      timing: { ...TIMING, ...settings.timing },
      housekeepMs: 20,
      random,
      fault,
      ...now,
    })
    this.intake = new Intake({
      pdfs: this.renderer.pdfs,
      spool: this.spool,
      printers: this.printers,
      scheduler: this.scheduler,
      ...now,
    })
  }

  /** It begins nothing new. */
  get isEnding(): boolean {
    return this.ended.signal.aborted
  }

  start(): void {
    this.scheduler.start()
    for (const { name } of this.printers.list()) this.scheduler.wake(name)
  }

  /** Takes changed settings over. */
  configure(printers: readonly Printer[], defaultName: string): void {
    const before = this.printers.list()
    this.printers.configure(printers, defaultName)
    for (const { name } of [...before, ...printers]) this.scheduler.wake(name)
  }

  /** Ends as the program does, apart from the closing of the spool. */
  stop(graceMs: number): Promise<void> {
    this.ended.abort()
    return this.scheduler.stop(graceMs)
  }

  async close(): Promise<void> {
    this.isOver = true
    this.intake.close()
    this.spool.close()
    await this.renderer.close()
  }

  /** Ends as with kill -9: a copy of what is on disk now goes to `folder`, and nothing more of this run counts. */
  async kill(folder: string): Promise<void> {
    this.isOver = true
    cpSync(this.folder, folder, { recursive: true })
    await this.stop(0)
    await this.close()
  }
}

/** The folders of one history: a run that is killed leaves its own to nobody. */
export class Folders {
  readonly home: string
  #runs = 0

  constructor(folder: string) {
    this.home = mkdtempSync(join(folder, 'history-'))
  }

  next(): string {
    this.#runs += 1
    const folder = join(this.home, String(this.#runs))
    mkdirSync(folder)
    return folder
  }

  remove(): void {
    rmSync(this.home, { recursive: true })
  }
}
