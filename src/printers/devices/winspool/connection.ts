import { PlatenError } from '../../../errors.ts'
import { pause } from '../../../wait.ts'
import type { Connection } from '../../device.ts'
import type { Handle, Out, Spooler } from './spooler.ts'
import { readJobStatus } from './structs.ts'
import { explainCode, explainSpooler, JOB_UNKNOWN, judgeJob, listReasons } from './words.ts'

const PIECE_BYTES = 16_384
const POLL_MS = 500
const DELETE = 5 // JOB_CONTROL_DELETE

/** One label as one RAW document in a queue of Windows. "Accepted" means that the spooler has it on disk. */
export class SpoolConnection implements Connection {
  readonly #spooler: Spooler
  readonly #name: string
  readonly #handle: Handle
  readonly #release: () => void
  #job = 0
  #stage: 'new' | 'open' | 'ended' | 'broken' | 'closed' = 'new'

  constructor(spooler: Spooler, name: string, handle: Handle, release: () => void) {
    this.#spooler = spooler
    this.#name = name
    this.#handle = handle
    this.#release = release
  }

  async send(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    let accepted = 0
    try {
      signal.throwIfAborted()
      if (this.#stage === 'new') this.#begin()
      while (accepted < bytes.length) {
        accepted += this.#write(bytes.subarray(accepted, accepted + PIECE_BYTES))
        await new Promise(setImmediate) // each write is a call that holds the whole program up
        signal.throwIfAborted()
      }
    } catch (error) {
      if (error instanceof PlatenError && error.code === 'PRINTER_OFFLINE') throw error
      this.#stage = 'broken'
      throw this.#lost(error, signal, accepted, bytes.length)
    }
  }

  receive(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array())
  }

  status(): Promise<readonly string[]> {
    const status = this.#readStatus()
    return Promise.resolve(status === undefined ? [] : listReasons(status))
  }

  /** Ends the document and follows it through the queue; a queue cannot say that the label was printed. */
  async confirm(signal: AbortSignal): Promise<boolean> {
    if (this.#stage === 'open') this.#end()
    while (!signal.aborted) {
      const status = this.#readStatus()
      const fate = status === undefined ? 'sent' : judgeJob(status)
      if (fate === 'deleted') {
        const message = `Somebody took the label for ${this.#name} out of the queue of Windows.`
        throw new PlatenError('PRINTER_LOST', message)
      }
      if (fate === 'sent') break
      await pause(POLL_MS, signal)
    }
    return false
  }

  cancel(): Promise<void> {
    if (this.#job !== 0) this.#spooler.SetJobW(this.#handle, this.#job, 0, null, DELETE)
    return Promise.resolve()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#stage === 'closed') return
    if (this.#stage === 'broken') await this.cancel() // a cut label must not come out of the queue later
    if (this.#job !== 0 && this.#stage !== 'ended') this.#end()
    this.#stage = 'closed'
    this.#spooler.ClosePrinter(this.#handle)
    this.#release()
  }

  #begin(): void {
    const document = { pDocName: 'platen label', pOutputFile: null, pDatatype: 'RAW' } as const
    this.#job = this.#spooler.StartDocPrinterW(this.#handle, 1, document)
    if (this.#job === 0) throw explainSpooler(this.#spooler.GetLastError(), this.#name)
    this.#stage = 'open'
    this.#spooler.StartPagePrinter(this.#handle)
  }

  #write(piece: Uint8Array): number {
    if (this.#stage !== 'open') throw new Error(`the document is ${this.#stage}`)
    const written: Out<number> = [0]
    const isDone = this.#spooler.WritePrinter(this.#handle, piece, piece.length, written) !== 0
    if (isDone && written[0] > 0) return Math.min(written[0], piece.length)
    throw new Error(explainCode(this.#spooler.GetLastError(), JSON.stringify(this.#name)))
  }

  #end(): void {
    this.#spooler.EndPagePrinter(this.#handle)
    this.#spooler.EndDocPrinter(this.#handle)
    this.#stage = 'ended'
  }

  /** The job's status bits; undefined when the queue has it no more, or cannot say. */
  #readStatus(): number | undefined {
    if (this.#job === 0) return undefined
    const needed: Out<number> = [0]
    this.#spooler.GetJobW(this.#handle, this.#job, 1, null, 0, needed)
    if (needed[0] === 0 && this.#spooler.GetLastError() === JOB_UNKNOWN) return undefined
    const bytes = new Uint8Array(Math.max(96, needed[0])) // JOB_INFO_1W and its texts
    const isDone = this.#spooler.GetJobW(this.#handle, this.#job, 1, bytes, bytes.length, needed)
    return isDone === 0 ? undefined : readJobStatus(bytes)
  }

  #lost(error: unknown, signal: AbortSignal, accepted: number, length: number): PlatenError {
    const why = error instanceof Error && !signal.aborted ? ` ${error.message}` : ''
    const message = `The label for ${this.#name} stopped after Windows had taken ${accepted} of ${length} bytes.${why}`
    const cause = signal.aborted ? signal.reason : error
    return new PlatenError('PRINTER_LOST', message, { cause, accepted })
  }
}
