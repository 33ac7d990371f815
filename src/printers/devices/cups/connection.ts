import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from '../../device.ts'
import { PrinterFault } from '../../fault.ts'
import { type SpoolerAddress, SpoolerLine, STATUS } from './ipp-client.ts'
import {
  type CupsJob,
  cancelJob,
  createJob,
  DocumentUpload,
  describeDocument,
  explainVerdict,
  type JobSighting,
  judgeJob,
  sightJob,
} from './job.ts'
import { readQueue } from './queue.ts'

/** Settings of a connection to a queue. Decision `cups-completed`. */
export interface CupsTarget {
  readonly address: SpoolerAddress
  /** Path of the queue, e.g. `/printers/Zebra`. */
  readonly path: string
  /** For messages. */
  readonly name: string
}

const WHOLE_LABEL_BYTES = 67_108_864 // one send = one upload: when it fails, nothing of the label can have printed
const QUEUE_MS = 500 // between looks at a queue that somebody stopped
const FIRST_LOOK_MS = 25 // a small label is through in less
const LONGEST_LOOK_MS = 1_000
const CLEAN_UP_MS = 5_000

/**
 * Sends a label through a CUPS queue. CUPS gets a job without a document first, and begins to print only when `finish` has
 * ended the document: a label that is cut before never prints, and one that is cut after is canceled by its number.
 */
export class CupsConnection implements Connection {
  readonly chunkBytes = WHOLE_LABEL_BYTES
  mayPrint = false
  readonly #target: CupsTarget
  readonly #line: SpoolerLine
  readonly #release: () => void
  #job: CupsJob | undefined
  #upload: DocumentUpload | undefined
  #isHandedOver = false
  #isEnded = false
  #fault: PrinterFault | undefined
  #isOpen = true

  constructor(target: CupsTarget, line: SpoolerLine, release: () => void) {
    this.#target = target
    this.#line = line
    this.#release = release
  }

  /**
   * Waits while the queue is stopped, so that no label lies in a spool that nobody here can see.
   * @throws PrinterFault PRINTER_OFFLINE: nothing of the label can print; PRINTER_LOST after an abort
   */
  async send(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    if (this.#fault !== undefined) throw this.#fault
    try {
      if (signal.aborted) throw signal.reason
      if (bytes.length === 0) return
      this.#upload ??= await this.#begin(signal)
      await this.#upload.write(bytes, signal)
    } catch (error) {
      throw this.#fail(error, signal)
    }
  }

  /** CUPS brings no answers of the printer back. */
  receive(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array())
  }

  async status(signal: AbortSignal): Promise<readonly string[]> {
    const line = new SpoolerLine(this.#target.address)
    try {
      const queue = await readQueue(line, this.#target.path, signal)
      if (queue === undefined) return ['offline']
      // Of a stopped queue CUPS still tells the reasons of its last job, which are not what it waits for.
      return queue.isRunning ? queue.reasons : ['paused']
    } catch (error) {
      if (error instanceof PrinterFault && !signal.aborted) return ['offline']
      throw error
    } finally {
      line.close()
    }
  }

  /** Follows the job to its end, however long the queue is stopped or the printer takes no data. */
  async finish(flowing: () => void, signal: AbortSignal): Promise<boolean> {
    if (this.#fault !== undefined) throw this.#fault
    if (this.#upload === undefined || this.#isEnded) return true
    try {
      await this.#handOver(this.#upload, signal)
      await this.#follow(flowing, signal)
      this.#isEnded = true
      return true
    } catch (error) {
      throw this.#fail(error, signal, 'PRINTER_LOST')
    }
  }

  /** False: a completed job says that CUPS's backend got rid of every byte, not that the printer printed it. */
  async confirm(signal: AbortSignal): Promise<boolean> {
    await this.finish(() => undefined, signal)
    return false
  }

  async cancel(signal: AbortSignal): Promise<void> {
    if (this.#job === undefined || this.#isEnded) return
    await cancelJob(this.#line, this.#job, signal)
    this.#isEnded = true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    const limit = AbortSignal.timeout(CLEAN_UP_MS)
    try {
      if (this.#fault !== undefined) await this.#clean(limit)
      else if (this.#upload !== undefined) await this.#handOver(this.#upload, limit)
    } finally {
      this.#line.close()
      this.#release()
    }
  }

  async #begin(signal: AbortSignal): Promise<DocumentUpload> {
    const { address, path, name } = this.#target
    for (;;) {
      const queue = await readQueue(this.#line, path, signal)
      if (queue === undefined) {
        throw new PrinterFault('PRINTER_OFFLINE', `CUPS has no queue ${name} any more.`)
      }
      if (queue.isRunning) break
      await sleep(QUEUE_MS, undefined, { signal })
    }
    this.#job = await createJob(this.#line, path, signal)
    return new DocumentUpload(address, describeDocument(path, this.#job))
  }

  async #handOver(upload: DocumentUpload, signal: AbortSignal): Promise<void> {
    if (this.#isHandedOver) return
    this.mayPrint = true
    const { status } = await upload.finish(signal).catch((error: unknown) => {
      this.mayPrint = signal.aborted || upload.mayBeTaken
      throw error
    })
    if (status >= STATUS.firstFailure) {
      // Not possible: somebody canceled it there, and may not want it any more.
      this.mayPrint = status === STATUS.notPossible
      const code = `0x${status.toString(16).padStart(4, '0')}`
      const message = `CUPS refused the label for its queue ${this.#target.name} (IPP status ${code}).`
      throw new PrinterFault('PRINTER_LOST', message)
    }
    this.#isHandedOver = true
  }

  async #follow(flowing: () => void, signal: AbortSignal): Promise<void> {
    let before: JobSighting | undefined
    for (let wait = FIRST_LOOK_MS; ; wait = Math.min(wait * 2, LONGEST_LOOK_MS)) {
      const now = await this.#look(signal)
      if (now !== undefined && this.#isTaken(before, now)) return
      if (now?.phase === 'printing' && (await this.#isWell(signal))) flowing()
      before = now ?? before
      await sleep(wait, undefined, { signal })
    }
  }

  #isTaken(before: JobSighting | undefined, now: JobSighting): boolean {
    const verdict = judgeJob(before, now)
    const message = explainVerdict(verdict, this.#target.name)
    if (message !== undefined) throw new PrinterFault('PRINTER_LOST', message)
    return verdict === 'taken'
  }

  /** Undefined while CUPS does not answer: it is restarted by its system, and the job is in its spool. */
  async #look(signal: AbortSignal): Promise<JobSighting | undefined> {
    if (this.#job === undefined) return undefined
    try {
      return await sightJob(this.#line, this.#job, signal)
    } catch (error) {
      if (signal.aborted || !(error instanceof PrinterFault)) throw error
      return undefined
    }
  }

  /** CUPS counts no bytes: while it prints and names no trouble, the label is on its way. */
  async #isWell(signal: AbortSignal): Promise<boolean> {
    return (await this.status(signal)).length === 0
  }

  #fail(error: unknown, signal: AbortSignal, code?: 'PRINTER_LOST'): PrinterFault {
    if (signal.aborted) {
      const message = `The label to the CUPS queue ${this.#target.name} was stopped.`
      this.#fault = new PrinterFault('PRINTER_LOST', message, { cause: signal.reason, accepted: 0 })
    } else if (error instanceof PrinterFault && (code === undefined || error.code === code)) {
      this.#fault = error
    } else {
      const words = error instanceof Error ? error.message : String(error)
      this.#fault = new PrinterFault(code ?? 'PRINTER_OFFLINE', words, { cause: error })
    }
    return this.#fault
  }

  /** A job that was given up must not come out later. */
  async #clean(signal: AbortSignal): Promise<void> {
    this.#upload?.abandon()
    try {
      await this.cancel(signal)
    } catch (error) {
      // CUPS does not answer: the original error has been reported already.
      if (!(error instanceof PrinterFault)) throw error
    }
  }
}
