import { cpSync } from 'node:fs'
import type { Printer } from '#printers'
import { Renderer } from '../../src/core/drawing/renderer.ts'
import { Intake } from '../../src/core/intake/intake.ts'
import type { Change, Job } from '../../src/core/job.ts'
import type { InterruptPolicy } from '../../src/core/moves.ts'
import { Printers } from '../../src/core/printers/registry.ts'
import { Scheduler } from '../../src/core/queue/scheduler.ts'
import { Spool } from '../../src/core/spool/spool.ts'
import type { MoveExtras, SpoolSettings } from '../../src/core/spool/types.ts'
import { Backups } from '../../src/plugins/peers/backup.ts'
import { createSocketDevice } from '../../src/printers/devices/socket/index.ts'
import { StatusAsker } from '../../src/printers/status/asker.ts'
import { PlatenError } from '../../src/words/errors.ts'
import { WORKER } from '../core/bench.ts'
import { PDF_FILES } from '../core/pdf-files.ts'
import { pluginTables } from '../plugins/tables.ts'

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

/** What a box is started with. */
export interface BoxSettings {
  readonly folder: string
  readonly printers: readonly Printer[]
  readonly policy: () => InterruptPolicy
  /** The clock of the spool, by which labels expire. */
  readonly uptimeMs: () => number
  readonly random: () => number
  /** The disk has no room for what is written now. */
  readonly isFull: () => boolean
  /** Its printers are asked how they are. */
  readonly answers: boolean
  readonly keepsLine: boolean
  readonly onChange: (job: Job) => void
  /** The rule of a printer is about to move a job. */
  readonly onRule: (id: string) => void
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

function refuseFull(): PlatenError {
  return new PlatenError('SPOOL_FULL', 'The disk is full.')
}

/** The parts of one run of the program, as the program puts them together. */
export class Box {
  readonly folder: string
  readonly spool: Spool
  readonly printers: Printers
  readonly scheduler: Scheduler
  readonly intake: Intake
  readonly backups: Backups
  readonly #ended = new AbortController()
  readonly #renderer = new Renderer({ pdf: PDF_FILES, worker: WORKER })

  constructor(settings: BoxSettings) {
    const { folder, uptimeMs, fault, random } = settings
    const socket = createSocketDevice(PATIENCE)
    const asking = settings.keepsLine ? { ...ASKING, keepsLine: true as const } : ASKING
    this.folder = folder
    this.spool = new FullSpool(
      { folder, tables: pluginTables, minFreeBytes: 0, ballastBytes: 0, uptimeMs, bootId: 'one' },
      settings.isFull,
    )
    this.spool.onChange(settings.onChange)
    this.printers = new Printers({
      printers: settings.printers,
      defaultName: 'A',
      devices: [{ ...socket, asking }],
    })
    const asker = settings.answers
      ? new StatusAsker({ printers: this.printers, ...ASKS })
      : undefined
    this.scheduler = new Scheduler({
      spool: this.spool,
      printers: this.printers,
      renderer: this.#renderer,
      asker,
      onInterrupt: settings.policy,
      timing: TIMING,
      housekeepMs: 20,
      random,
      fault,
    })
    this.intake = new Intake({
      pdfs: this.#renderer.pdfs,
      spool: this.spool,
      printers: this.printers,
      scheduler: this.scheduler,
    })
    this.backups = this.#openBackups(settings)
  }

  /** A second of the box's clock counts as a minute. */
  #openBackups({ uptimeMs, onRule, fault }: BoxSettings): Backups {
    const { printers, spool, intake } = this
    const moveWaiting: Intake['moveWaiting'] = (from, to, rule) => {
      const only = (job: Job): boolean => {
        const isWanted = rule?.only?.(job) ?? true
        if (isWanted) onRule(job.id)
        return isWanted
      }
      return intake.moveWaiting(from, to, { ...rule, only })
    }
    return new Backups({
      printers,
      spool,
      fault,
      intake: { moveWaiting },
      warn: () => undefined,
      peers: () => Promise.reject(new Error('no other box')),
      now: () => uptimeMs() * 60,
      signal: this.#ended.signal,
    })
  }

  start(): void {
    this.scheduler.start()
    this.backups.start()
    for (const { name } of this.printers.list()) this.scheduler.wake(name)
  }

  /** Takes changed settings over. */
  configure(printers: readonly Printer[]): void {
    const before = this.printers.list()
    this.printers.configure(printers, 'A')
    for (const { name } of [...before, ...printers]) this.scheduler.wake(name)
  }

  /** Ends as the program does, apart from the closing of the spool. */
  stop(graceMs: number): Promise<void> {
    this.#ended.abort()
    return this.scheduler.stop(graceMs)
  }

  async close(): Promise<void> {
    this.intake.close()
    this.spool.close()
    await this.#renderer.close()
  }

  /** Ends as with kill -9: a copy of what is on disk now goes to `folder`, and nothing more of this run counts. */
  async kill(folder: string): Promise<void> {
    cpSync(this.folder, folder, { recursive: true })
    await this.stop(0)
    await this.close()
  }
}
