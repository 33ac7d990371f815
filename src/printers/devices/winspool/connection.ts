import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from '../../device.ts'
import { PrinterFault } from '../../fault.ts'
import {
  type CallSpooler,
  explainCode,
  explainSpooler,
  type Handle,
  JOB_UNKNOWN,
  judgeJob,
  listReasons,
  type Out,
  readJobStatus,
  type SpoolerResult,
} from './spooler.ts'

const PIECE_BYTES = 16_384
const POLL_MS = 500
const GROWTH_BYTES = 4_096
const DELETE = 5 // JOB_CONTROL_DELETE
/** Time that the end of a connection waits for a spooler that hangs: its calls are made whenever it goes on. */
const CLOSE_MS = 5_000

/** Waits for what ends first: the promise, or the signal with its reason. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Sends a label as a RAW document in a queue of Windows. "Accepted" means that the spooler has it on disk. */
export class SpoolConnection implements Connection {
  readonly #call: CallSpooler
  readonly #name: string
  readonly #handle: Handle
  readonly #release: () => void
  /** The last call that is under way. */
  #busy: Promise<unknown> = Promise.resolve()
  #job = 0
  #isClosing = false
  #stage: 'new' | 'open' | 'ended' | 'broken' = 'new'

  constructor(call: CallSpooler, name: string, handle: Handle, release: () => void) {
    this.#call = call
    this.#name = name
    this.#handle = handle
    this.#release = release
  }

  async send(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    let accepted = 0
    let offered = 0
    try {
      signal.throwIfAborted()
      if (this.#stage === 'new') await orAborted(this.#follow(this.#begin()), signal)
      while (accepted < bytes.length) {
        const piece = bytes.subarray(accepted, accepted + PIECE_BYTES)
        offered = accepted + piece.length
        accepted += await orAborted(this.#follow(this.#write(piece)), signal)
        signal.throwIfAborted()
      }
    } catch (error) {
      if (error instanceof PrinterFault && error.code === 'PRINTER_OFFLINE') throw error
      this.#stage = 'broken'
      // A piece that is under way may still be taken.
      throw this.#lost(error, signal, signal.aborted ? offered : accepted, bytes.length)
    }
  }

  #follow<T>(call: Promise<T>): Promise<T> {
    this.#busy = call.catch(() => undefined)
    return call
  }

  receive(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array())
  }

  async status(signal: AbortSignal): Promise<readonly string[]> {
    const status = await orAborted(this.#readStatus(), signal)
    return status === undefined ? [] : listReasons(status)
  }

  /** Ends the document and follows it through the queue; a queue cannot say that the label was printed. */
  async confirm(signal: AbortSignal): Promise<boolean> {
    if (this.#stage === 'open') await orAborted(this.#end(), signal)
    while (!signal.aborted) {
      const status = await orAborted(this.#readStatus(), signal)
      const fate = status === undefined ? 'sent' : judgeJob(status)
      if (fate === 'deleted') {
        const message = `Somebody took the label for ${this.#name} out of the queue of Windows.`
        throw new PrinterFault('PRINTER_LOST', message)
      }
      if (fate === 'sent') break
      await sleep(POLL_MS, undefined, { signal }).catch(() => undefined) // the caller looks at the signal
    }
    return false
  }

  async cancel(): Promise<void> {
    if (this.#job !== 0) await this.#call('SetJobW', this.#handle, this.#job, 0, null, DELETE)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosing) return
    this.#isClosing = true
    const closed = this.#close()
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, CLOSE_MS)
    await Promise.race([closed, late.promise])
    clearTimeout(timer)
  }

  /** The printer is free for another label only then. */
  async #close(): Promise<void> {
    await this.#busy
    const isEnded = this.#stage === 'ended'
    const isBroken = this.#stage === 'broken'
    if (isBroken) await this.cancel() // a cut label must not come out of the queue later
    if (this.#job !== 0 && !isEnded) await this.#endDocument()
    await this.#call('ClosePrinter', this.#handle)
    this.#release()
  }

  async #begin(): Promise<void> {
    const document = { pDocName: 'platen label', pOutputFile: null, pDatatype: 'RAW' } as const
    const { value, error } = await this.#call('StartDocPrinterW', this.#handle, 1, document)
    this.#job = value
    if (value === 0) throw explainSpooler(error, this.#name)
    if (this.#stage === 'new') this.#stage = 'open'
    await this.#call('StartPagePrinter', this.#handle)
  }

  async #write(piece: Uint8Array): Promise<number> {
    if (this.#stage !== 'open') throw new Error(`the document is ${this.#stage}`)
    const written: Out<number> = [0]
    const args = [this.#handle, piece, piece.length, written] as const
    const { value, error }: SpoolerResult = await this.#call('WritePrinter', ...args)
    if (value !== 0 && written[0] > 0) return Math.min(written[0], piece.length)
    throw new Error(explainCode(error, `"${this.#name}"`))
  }

  async #end(): Promise<void> {
    this.#stage = 'ended'
    await this.#endDocument()
  }

  async #endDocument(): Promise<void> {
    await this.#call('EndPagePrinter', this.#handle)
    await this.#call('EndDocPrinter', this.#handle)
  }

  /** The job's status bits; undefined when the queue has it no more, or cannot say. */
  async #readStatus(): Promise<number | undefined> {
    if (this.#job === 0) return undefined
    const needed: Out<number> = [0]
    const first = await this.#call('GetJobW', this.#handle, this.#job, 1, null, 0, needed)
    if (needed[0] === 0 && first.error === JOB_UNKNOWN) return undefined
    // JOB_INFO_1W and its texts, of which one may have come in between: too little room would count as a job that is gone.
    const bytes = new Uint8Array(Math.max(96, needed[0]) + GROWTH_BYTES)
    const into = [bytes, bytes.length, needed] as const
    const { value } = await this.#call('GetJobW', this.#handle, this.#job, 1, ...into)
    return value === 0 ? undefined : readJobStatus(bytes)
  }

  #lost(error: unknown, signal: AbortSignal, accepted: number, length: number): PrinterFault {
    const why = error instanceof Error && !signal.aborted ? ` ${error.message}` : ''
    const message = `The label for ${this.#name} stopped after Windows had taken ${accepted} of ${length} bytes.${why}`
    const cause = signal.aborted ? signal.reason : error
    return new PrinterFault('PRINTER_LOST', message, { cause, accepted })
  }
}
