import type { Connection } from '../../device.ts'
import { PrinterFault } from '../../fault.ts'
import { pauseUntil } from '../../wait.ts'
import type { SerialLine } from './line.ts'
import { countSeconds, type SerialSettings } from './settings.ts'

const SMALLEST_PIECE = 64
const LARGEST_PIECE = 16_384
// An adapter's own memory, in bytes: what has left the computer may still be in it (FT2232H: 4096, most: 128 to 512).
const ADAPTER_BYTES = 512

/**
 * Bytes that take half a second, so that a line at work shows progress and a stopped one shows that.
 * Decision `serial-stays-open`.
 */
export function choosePiece(settings: SerialSettings): number {
  const half = Math.floor(0.5 / countSeconds(1, settings))
  return Math.min(LARGEST_PIECE, Math.max(SMALLEST_PIECE, half))
}

/**
 * A job's use of a serial line. Nobody acknowledges bytes on such a line: "accepted" means that they have left this
 * computer, or will at the printer's own pace. A printer that stops the line (XOFF) is waited for, however long.
 */
export class SerialConnection implements Connection {
  readonly chunkBytes: number
  readonly #line: SerialLine
  readonly #settings: SerialSettings
  readonly #release: () => void
  #isOpen = true

  constructor(line: SerialLine, settings: SerialSettings, release: () => void) {
    this.#line = line
    this.#settings = settings
    this.#release = release
    this.chunkBytes = choosePiece(settings)
    line.take() // what the printer said to nobody is not the answer to a question of this job
  }

  async send(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    let taken = 0
    try {
      if (this.#line.fault !== undefined) throw this.#line.fault
      while (taken < bytes.length) {
        const piece = bytes.subarray(taken, taken + this.chunkBytes)
        await this.#write(piece, signal)
        taken += piece.length
      }
    } catch (error) {
      const accepted = Math.max(0, taken - this.#line.slackBytes)
      throw this.#lost(error, `at least ${accepted} of ${bytes.length} bytes`, signal, accepted)
    }
  }

  async receive(ms: number, signal: AbortSignal): Promise<Uint8Array> {
    await pauseUntil(this.#line.ended, ms, signal)
    return this.#line.take()
  }

  /** Waits as long as the last bytes are on their way; a serial printer cannot say that the label was printed. */
  async confirm(signal: AbortSignal): Promise<boolean> {
    const rest = this.#line.slackBytes + ADAPTER_BYTES
    await pauseUntil(this.#line.ended, countSeconds(rest, this.#settings) * 1_000, signal)
    const { fault } = this.#line
    if (fault !== undefined && !signal.aborted) throw this.#lost(fault, 'its last bytes', signal)
    return false
  }

  [Symbol.asyncDispose](): Promise<void> {
    if (this.#isOpen) {
      this.#isOpen = false
      this.#release()
    }
    return Promise.resolve()
  }

  async #write(piece: Uint8Array, signal: AbortSignal): Promise<void> {
    const { promise, reject } = Promise.withResolvers<never>()
    // A line that ended is closed: that drops what the driver holds, and forgets that the printer stopped it.
    const stop = () => {
      reject(signal.reason)
      this.#line.end(signal.reason)
    }
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    try {
      await Promise.race(signal.aborted ? [promise] : [promise, this.#line.write(piece)])
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  #lost(error: unknown, what: string, signal: AbortSignal, accepted?: number): PrinterFault {
    const { path } = this.#settings
    const message = signal.aborted
      ? `The label to ${path} was stopped after ${what}.`
      : `The serial port ${path} went away after ${what} had left this computer.`
    return new PrinterFault('PRINTER_LOST', message, {
      cause: signal.aborted ? signal.reason : error,
      ...(accepted === undefined ? {} : { accepted }),
    })
  }
}
