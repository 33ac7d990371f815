import type { Socket } from 'node:net'
import { PlatenError } from '../errors.ts'
import type { Connection } from './device.ts'

/** Times of a network printer, in milliseconds. */
export interface SocketLimits {
  /** Until a connection must stand. */
  readonly connectMs: number
  /** How long `confirm` waits for the printer to close its side. */
  readonly confirmMs: number
  /** How long a closed job's socket may go on draining in the background. */
  readonly lingerMs: number
  /** How long a printer that closed its own side gets to refuse the last byte. */
  readonly settleMs: number
}

const CHUNK_BYTES = 16_384 // one awaited write; an abort takes effect between two of them at the latest
const INBOX_BYTES = 65_536 // what a printer may say before anybody asks; the rest is dropped

/**
 * One job's connection to a network printer. A write that "succeeded" only means that this computer's network layer took
 * the bytes; a reset that comes later is told by the next `send` or by `confirm`.
 */
export class SocketConnection implements Connection {
  readonly #socket: Socket
  readonly #name: string
  readonly #times: SocketLimits
  readonly #release: () => void
  readonly #closed: Promise<void>
  readonly #ended: Promise<void>
  #inbox: Uint8Array[] = []
  #fault: Error | undefined
  #peerEnded = false
  #disposed = false

  constructor(socket: Socket, name: string, times: SocketLimits, release: () => void) {
    this.#socket = socket
    this.#name = name
    this.#times = times
    this.#release = release
    this.#closed = new Promise((resolve) => socket.once('close', () => resolve()))
    this.#ended = new Promise((resolve) =>
      socket.once('end', resolve).once('close', () => resolve()),
    )
    socket.on('error', (error) => {
      this.#fault ??= error
    })
    socket.once('end', () => {
      this.#peerEnded = true
    })
    // Always read: closing a socket with unread bytes resets it, and a reset may drop the label's end.
    socket.on('data', (bytes: Uint8Array) => this.#keep(bytes))
  }

  async send(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    let accepted = 0
    try {
      while (accepted < bytes.length) {
        const chunk = bytes.subarray(accepted, this.#chunkEnd(accepted, bytes.length))
        if (this.#peerEnded && bytes.length - accepted === 1) await this.#settle(signal)
        await this.#write(chunk, signal)
        accepted += chunk.length
      }
    } catch (error) {
      throw this.#lost(error, `${accepted} of ${bytes.length} bytes`, signal, accepted)
    }
  }

  async receive(ms: number, signal: AbortSignal): Promise<Uint8Array> {
    await this.#pause(ms, signal, this.#ended)
    const bytes = Buffer.concat(this.#inbox)
    this.#inbox = []
    return bytes
  }

  async confirm(signal: AbortSignal): Promise<boolean> {
    this.#socket.end()
    await this.#pause(this.#times.confirmMs, signal, this.#closed)
    if (this.#fault !== undefined) throw this.#lost(this.#fault, 'its last bytes', signal)
    return false
  }

  [Symbol.asyncDispose](): Promise<void> {
    if (!this.#disposed) {
      this.#disposed = true
      this.#linger()
      this.#release()
    }
    return Promise.resolve()
  }

  /**
   * A printer that closed for good answers data with a reset, which only a later write can see. So once it has closed its
   * side, the last byte of a call goes alone, a moment after the others.
   */
  #chunkEnd(start: number, length: number): number {
    const end = Math.min(start + CHUNK_BYTES, length)
    return this.#peerEnded && end === length && length - start > 1 ? end - 1 : end
  }

  async #settle(signal: AbortSignal): Promise<void> {
    await this.#pause(this.#times.settleMs, signal, this.#closed)
  }

  #write(chunk: Uint8Array, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    // A reset throws away what waits in this computer, so that little more of an aborted label comes out.
    const stop = () => {
      this.#socket.resetAndDestroy()
    }
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    this.#socket.write(chunk, (error) => {
      signal.removeEventListener('abort', stop)
      if (error) reject(error)
      else resolve()
    })
    return promise
  }

  /** Waits until `sooner` resolves, the time is over or the signal aborts; never fails. */
  async #pause(ms: number, signal: AbortSignal, sooner: Promise<void>): Promise<void> {
    if (signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const stop = () => resolve()
    const timer = setTimeout(stop, ms)
    signal.addEventListener('abort', stop, { once: true })
    await Promise.race([sooner, promise])
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }

  #keep(bytes: Uint8Array): void {
    const held = this.#inbox.reduce((sum, part) => sum + part.length, 0)
    if (held < INBOX_BYTES) this.#inbox.push(bytes.subarray(0, INBOX_BYTES - held))
  }

  #linger(): void {
    const socket = this.#socket
    socket.end()
    if (socket.destroyed) return
    // The printer may still be reading: let the rest drain without holding up the process or the next label.
    socket.unref()
    const timer = setTimeout(() => socket.destroy(), this.#times.lingerMs).unref()
    socket.once('close', () => clearTimeout(timer))
  }

  #lost(error: unknown, what: string, signal: AbortSignal, accepted?: number): PlatenError {
    const message = signal.aborted
      ? `The label to ${this.#name} was stopped after ${what}.`
      : `The connection to ${this.#name} broke after ${what} had been handed to the network.`
    return new PlatenError('PRINTER_LOST', message, {
      cause: signal.aborted ? signal.reason : (this.#fault ?? error),
      ...(accepted === undefined ? {} : { accepted }),
    })
  }
}
