import type { Connection, Printer } from '#printers'
import { freeIfWhole } from '../../system/memory.ts'
import { TimeLimit } from '../../system/wait.ts'
import { PlatenError } from '../../words/errors.ts'
import { loadPayload, type Payload } from '../drawing/payload.ts'
import {
  warnOfLanguage,
  warnOfMedia,
  warnOfOpenLabel,
  warnOfRasterOnly,
} from '../drawing/target.ts'
import type { Change, Job } from '../job.ts'
import * as moves from '../moves.ts'
import {
  type Blockage,
  explainClosed,
  explainLostConnection,
  explainSpool,
  PRINTING,
} from '../reasons/blocked-printer.ts'
import { cancelInHand, checkPlace } from './commands.ts'
import type { QueueParts } from './parts.ts'
import { isRefusal, postpone, StallNotice, verify } from './verify.ts'

/** Result of an attempt: `next` = the job is settled; `wait` = blocked, try again; `rest` = stopped. Decision `completed-after-close`. */
export type AttemptVerdict = 'next' | 'wait' | 'rest'

const CANCEL_MS = 2000
const LONGEST_NOTE_WAIT = 3 // the wait after a third failure: shutdown must not hang on a broken disk

/** Whether the printer accepted the last byte, and whether it confirmed the label. */
type LastByteOutcome = Pick<moves.AttemptOutcome, 'isTaken' | 'confirmed'>

/** The job of an attempt, with what earlier attempts left. */
export interface PrintTask {
  readonly job: Job
  readonly printer: Printer
  /** The number of times that the program died while it drew this label. */
  readonly crashes: number
  /** The payload that an earlier attempt drew. */
  readonly drawn: Payload | undefined
  /** Reports the state of the printer to the page. */
  readonly report: (status: Blockage['status']) => void
}

/** A try to bring one job to its printer: draw, open, note "processing" on disk, send, confirm, note the end. */
export class Attempt {
  readonly job: Job
  readonly #parts: QueueParts
  readonly #task: PrintTask
  readonly #stall: StallNotice
  readonly #controller = new AbortController()
  readonly #done = Promise.withResolvers<void>()
  #why: 'cancel' | 'stop' | undefined
  #payload: Payload | undefined
  #hasBegun = false
  #mayPrint = true
  #sent = 0

  constructor(parts: QueueParts, task: PrintTask) {
    this.#parts = parts
    this.#task = task
    this.job = task.job
    this.#stall = new StallNotice(parts, task.job, task.report)
  }

  /** True from the moment that bytes may leave. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  /** The drawn payload, for the next attempt at the same job. */
  get drawn(): Payload | undefined {
    return this.#payload
  }

  /** Cancels the attempt; resolves when the job has come to rest, one way or the other. */
  cancel(): Promise<void> {
    this.#why ??= 'cancel'
    this.#controller.abort()
    return this.#done.promise
  }

  /** Stops the attempt because the program ends: nothing new begins, and a transfer is cut. */
  stop(): void {
    this.#why ??= 'stop'
    this.#controller.abort()
  }

  /** Runs the attempt, once. Rejects when the spool cannot write; the label then waits, and its queue tries again. */
  async run(): Promise<AttemptVerdict> {
    try {
      return await this.#tryOnce()
    } finally {
      this.#done.resolve()
    }
  }

  async #tryOnce(): Promise<AttemptVerdict> {
    try {
      const { drawn, printer, crashes } = this.#task
      this.#payload =
        drawn ??
        (await loadPayload(this.#parts, this.job, printer, crashes, this.#controller.signal))
      if (this.#payload === undefined) return 'next'
      const taken = await this.#transfer(this.#payload)
      const confirmed = taken.confirmed || (await this.#verify(this.#payload))
      await this.#complete(this.#payload, { ...taken, confirmed })
      // Nobody reads a raw label any more; left to V8, thousands of them would lie about in a flood.
      if (taken.isTaken && this.#payload.target === '') freeIfWhole(this.#payload.bytes)
      return 'next'
    } catch (error) {
      return await this.#settle(error)
    }
  }

  async #transfer(payload: Payload): Promise<LastByteOutcome> {
    const connection = await this.#open()
    let taken: LastByteOutcome
    try {
      await this.#begin(payload)
      await this.#keepPicture(connection, payload.preview)
      await this.#send(connection, payload.bytes)
      const isTaken = await this.#finish(connection)
      taken = { isTaken, confirmed: await this.#confirm(connection) }
    } catch (error) {
      this.#mayPrint = connection.mayPrint !== false && !(this.#sent === 0 && isRefusal(error))
      await this.#abandon(connection)
      throw error
    }
    await connection[Symbol.asyncDispose]()
    return taken
  }

  async #open(): Promise<Connection> {
    using limit = new TimeLimit(this.#parts.timing.openMs, this.#controller.signal)
    return await this.#parts.printers.open(this.job.printer, limit.signal)
  }

  /** Notes the beginning on disk before the first byte leaves: this one flush keeps a label from printing twice after a crash. */
  async #begin({ bytes, preview, target }: Payload): Promise<void> {
    const { spool } = this.#parts
    const warning = warnOfLanguage(this.job.format, this.#task.printer)
    const at = this.#parts.now()
    await spool.commits.step(() => {
      this.#controller.signal.throwIfAborted()
      checkPlace(this.#parts, this.#task.printer, target !== '')
      const extras = { totalBytes: bytes.length, preview, place: this.#task.printer.uri }
      spool.move(this.job.id, (job) => moves.begin(job, at, warning), extras)
      spool.afterCommit(() => {
        this.#hasBegun = true
      })
    })
    this.#task.report(PRINTING)
  }

  async #keepPicture(connection: Connection, png: Uint8Array | undefined): Promise<void> {
    try {
      if (png !== undefined) await connection.keepPicture?.(png)
    } catch (error) {
      this.#parts.fault(error) // a label must not fail for want of its picture
    }
  }

  async #send(connection: Connection, bytes: Uint8Array): Promise<void> {
    const chunkBytes = connection.chunkBytes ?? this.#parts.timing.chunkBytes
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      const chunk = bytes.subarray(at, at + chunkBytes)
      using watch = this.#stall.watch(connection)
      try {
        await connection.send(chunk, this.#controller.signal)
      } catch (error) {
        if (error instanceof PlatenError) this.#sent += error.accepted ?? 0
        throw error
      }
      this.#sent += chunk.length
      watch.flowing()
    }
  }

  /** Waits for bytes that are still on their way, e.g. in the spool of CUPS, with the same patience as for sending. */
  async #finish(connection: Connection): Promise<boolean> {
    using watch = this.#stall.watch(connection)
    const isTaken = await connection.finish?.(watch.flowing, this.#controller.signal)
    watch.flowing()
    return isTaken ?? true
  }

  async #confirm(connection: Connection): Promise<boolean> {
    using limit = new TimeLimit(this.#parts.timing.confirmMs, this.#controller.signal)
    try {
      return (await connection.confirm?.(limit.signal)) ?? false
    } catch (error) {
      if (error instanceof PlatenError && error.code === 'PRINTER_LOST') throw error
      this.#parts.fault(error)
      return false // it could not be asked: every byte was taken, which is "sent"
    }
  }

  /** Asks a printer that can tell whether the label came out; the end of the program does not make a sent label doubtful. */
  async #verify({ bytes }: Payload): Promise<boolean> {
    const { asker, timing } = this.#parts
    const isOpen = warnOfOpenLabel(this.job.format, bytes).length > 0 // the printer waits for the rest of it
    if (isOpen) asker?.takeCount(this.job.printer)
    if (asker === undefined || isOpen) return false
    const show = (reasons: readonly string[]) => this.#stall.tell(reasons)
    try {
      return await verify({ asker, timing, show }, this.job.printer, this.#controller.signal)
    } catch (error) {
      if (this.#why === 'stop') return false
      throw error
    }
  }

  /** Leaves a connection after a failure; errors of leaving are only logged. */
  async #abandon(connection: Connection): Promise<void> {
    try {
      if (this.#why === 'cancel') await connection.cancel?.(AbortSignal.timeout(CANCEL_MS))
      await connection[Symbol.asyncDispose]()
    } catch (error) {
      this.#parts.fault(error)
    }
  }

  async #complete(payload: Payload, taken: LastByteOutcome): Promise<void> {
    const { format } = this.job
    const { printer } = this.#task
    const warnings = [
      warnOfLanguage(format, printer),
      warnOfRasterOnly(format, payload.bytes, printer),
      warnOfOpenLabel(format, payload.bytes),
      warnOfMedia(this.job, payload.bytes, printer),
    ]
    const outcome = {
      at: this.#parts.now(),
      sentBytes: this.#sent,
      ...taken,
      notes: [...warnings.filter((warning) => warning.length > 0), ...payload.notes],
    }
    await this.#note((job) => moves.complete(job, outcome))
    const label = { id: this.job.id, bytes: this.#sent }
    if (!taken.confirmed) this.#parts.underway.add(printer, label, performance.now())
  }

  async #settle(error: unknown): Promise<AttemptVerdict> {
    if (!this.#hasBegun && this.#isDecided()) return 'next'
    if (this.#why === 'cancel') {
      this.#parts.asker?.takeCount(this.job.printer) // its output would be counted toward the next label
      const sent = this.#hasBegun && this.#mayPrint ? this.#sent : undefined
      const change = cancelInHand(this.#task.printer, this.#parts.now(), sent, this.#listBefore())
      await this.#note(change, sent !== undefined)
      return 'next'
    }
    if (!this.#hasBegun) return this.#why === 'stop' ? 'rest' : this.#block(error)
    if (!this.#mayPrint) return this.#block(error)
    const policy = this.#parts.policy()
    this.#stall.end()
    const before = this.#listBefore()
    await this.#note((job) => moves.interrupt(job, this.#sent, policy, before), true)
    this.#task.report(explainLostConnection(this.job.printer).status)
    return this.#why === 'stop' ? 'rest' : 'wait' // a printer that breaks every label must not get them all at once
  }

  /** Lists labels that may be wiped when this one is cleared from the printer. */
  #listBefore(): readonly string[] {
    return this.#parts.underway.list(this.#task.printer, performance.now())
  }

  /** Tells whether a person has decided about the label meanwhile, e.g. that the one that was cut off did come out. */
  #isDecided(): boolean {
    return this.#parts.spool.history.get(this.job.id)?.state !== 'pending'
  }

  /** Leaves the job where it is, with a sentence: no byte has left the box. */
  #block(error: unknown): AttemptVerdict {
    if (!(error instanceof PlatenError)) this.#parts.fault(error)
    const isSpool = error instanceof PlatenError && error.code.startsWith('SPOOL_')
    const blockage = isSpool
      ? explainSpool(this.job.printer, error)
      : explainClosed(this.job.printer, error)
    this.#task.report(blockage.status)
    if (!isSpool) postpone(this.#parts, this.job, blockage)
    return 'wait'
  }

  /** Notes an end, however long the disk takes: without it the next job must not begin. */
  async #note(change: (job: Job) => Change, isCut = false): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        const { spool } = this.#parts
        await spool.commits.step(() => {
          // Another change may have been written while this one waited.
          if (this.#hasBegun || !this.#isDecided()) spool.move(this.job.id, change, { isCut })
        })
        return
      } catch (error) {
        const isDisk = error instanceof PlatenError && error.code.startsWith('SPOOL_')
        if (!isDisk || this.#why === 'stop') throw error
        this.#task.report(explainSpool(this.job.printer, error).status)
        await this.#parts.pause(Math.min(tries, LONGEST_NOTE_WAIT))
      }
    }
  }
}
