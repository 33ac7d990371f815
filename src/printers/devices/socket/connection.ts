import type { Socket } from 'node:net'
import type { Connection } from '../../device.ts'
import { PrinterFault } from '../../fault.ts'
import { pauseUntil } from '../../wait.ts'
import { type CloseBehavior, SocketInbox, TcpMonitor, type TcpRow } from './peer.ts'

/** Times of a network printer, in milliseconds. Decision `reset-after-end`. */
export interface SocketLimits {
  /** Until a connection must stand. */
  readonly connectMs: number
  /** Time for a printer that has every byte to close its side, or to refuse. */
  readonly confirmMs: number
  /** Time to close for a printer that may never do it, where the system does not say whether it has every byte. */
  readonly blindMs: number
  /** Time that such a system waits for the end of a connection that brought nothing. */
  readonly silentMs: number
  /** Time for a printer that has every byte to refuse them before the end of data, which it may answer with a reset. */
  readonly settleMs: number
  /** A printer that answers nothing for so long, not even its network chip, is gone. */
  readonly vanishMs: number
  /** Time for a closed job's socket to go on draining in the background. */
  readonly lingerMs: number
}

/** Dependencies of a connection. */
export interface SocketParts {
  /** For messages. */
  readonly name: string
  readonly times: SocketLimits
  readonly tables: string
  /** Way in which this printer ends a connection. */
  readonly closeBehavior: CloseBehavior
  /** Called once, when the next connection may be opened. */
  readonly release: () => void
}

const CHUNK_BYTES = 16_384 // one awaited write; an abort takes effect between two of them at the latest
const PIECE_BYTES = 2_048 // a printer that takes 1 KB/s shows progress every 2 s
const FIRST_POLL_MS = 50 // nearly every printer has taken a piece, or closed, by then
const LONGEST_POLL_MS = 500
const LONGEST_TIMER_MS = 2 ** 31 - 1 // of setTimeout

/**
 * A job's connection to a network printer. A write that "succeeded" only means that this computer's network layer took
 * the bytes; a reset that comes later is told by the next `send`, by `finish` or by `confirm`. How far a slow printer is
 * is read from the kernel where it can be (Linux): its buffers take 40 KB and more, and tell of room in steps of a third.
 * Elsewhere the only sign that a printer has read everything is that it closes after our end of data.
 *
 *   open --send--> open                     bytes go out in pieces; the last byte alone once the printer has ended its side
 *   open --finish, confirm--> draining      while it may answer our end with a reset: wait until it has every byte
 *   draining --our end of data--> waiting   until every byte is acknowledged, then until it closes, at most `#patienceMs`
 *   waiting --> finished                    `#isTaken`: the system showed the bytes as taken, or the printer closed
 *   open, draining, waiting --abort, no answer for `vanishMs`--> reset
 *   open, draining, waiting --fault--> lost PRINTER_LOST, and how the printer closes is forgotten when it came after `send`
 *   any --dispose--> reset when finished without being taken, else lingering for `lingerMs`
 */
export class SocketConnection implements Connection {
  readonly chunkBytes = PIECE_BYTES
  readonly #socket: Socket
  readonly #name: string
  readonly #times: SocketLimits
  readonly #closeBehavior: CloseBehavior
  readonly #release: () => void
  readonly #closed: Promise<void>
  readonly #ended: Promise<void>
  readonly #inbox: SocketInbox
  readonly #monitor: TcpMonitor
  #fault: Error | undefined
  #peerEnded = false
  #isFinished = false
  #isTaken = false
  #hasSent = false
  #disposed = false

  constructor(socket: Socket, parts: SocketParts) {
    this.#socket = socket
    this.#name = parts.name
    this.#times = parts.times
    this.#closeBehavior = parts.closeBehavior
    this.#release = parts.release
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
    this.#inbox = new SocketInbox(socket)
    this.#monitor = new TcpMonitor(socket, parts.tables, parts.times.vanishMs, (silentMs) => {
      this.#fault ??= new Error(`no answer for ${Math.round(silentMs / 1_000)} s`)
      this.#cut()
    })
  }

  async send(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    let accepted = 0
    this.#hasSent = true
    const stop = () => this.#cut()
    signal.addEventListener('abort', stop, { once: true })
    try {
      if (signal.aborted) stop()
      while (accepted < bytes.length) {
        const chunk = bytes.subarray(accepted, this.#chunkEnd(accepted, bytes.length))
        if (this.#peerEnded && bytes.length - accepted === 1) {
          await pauseUntil(this.#closed, this.#times.settleMs, signal)
        }
        await this.#deliver(chunk, signal)
        accepted += chunk.length
      }
    } catch (error) {
      throw this.#lost(error, `${accepted} of ${bytes.length} bytes`, signal, accepted)
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  async receive(ms: number, signal: AbortSignal): Promise<Uint8Array> {
    await pauseUntil(this.#ended, ms, signal)
    return this.#inbox.take()
  }

  async finish(flowing: () => void, signal: AbortSignal): Promise<boolean> {
    await this.#drain(flowing, signal)
    if (!signal.aborted) return this.#isTaken
    if (!this.#monitor.hasRow) this.#closeBehavior.forget()
    this.#cut()
    throw this.#lost(undefined, 'all bytes', signal)
  }

  async confirm(signal: AbortSignal): Promise<boolean> {
    await this.#drain(() => undefined, signal)
    return false
  }

  [Symbol.asyncDispose](): Promise<void> {
    if (!this.#disposed) {
      this.#disposed = true
      // What it may not have taken must not come out beside the next label.
      if (this.#hasSent && this.#isFinished && !this.#isTaken) this.#cut()
      else this.#linger()
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

  /** Resolves when the network layer took the bytes, or when the printer took as many of those before them. */
  async #deliver(chunk: Uint8Array, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    let isWritten = false
    this.#socket.write(chunk, (error) => {
      isWritten = true
      if (error) reject(error)
      else resolve()
    })
    promise.catch(() => undefined) // when it is not awaited any more, the socket's own fault tells of it
    let first: TcpRow | undefined
    for (let wait = FIRST_POLL_MS; ; wait = Math.min(wait * 2, LONGEST_POLL_MS)) {
      await pauseUntil(promise, wait, signal)
      if (isWritten || signal.aborted) break
      const row = await this.#monitor.read()
      first ??= row
      const taken = (first?.unacknowledged ?? 0) - (row?.unacknowledged ?? 0)
      if (row !== undefined && taken >= chunk.length) return
    }
    await promise
  }

  /** Ends our side, and waits until the printer has every byte and had time to refuse. */
  async #drain(flowing: () => void, signal: AbortSignal): Promise<void> {
    if (this.#isFinished) return this.#refuseFault(signal)
    const isTaken = await this.#isTakenBeforeEnd(flowing, signal)
    this.#refuseFault(signal)
    const wasEnded = this.#peerEnded
    if (wasEnded) await this.#holdOpen(signal)
    this.#socket.end()
    await this.#awaitAcknowledgement(FIRST_POLL_MS, flowing, signal)
    await pauseUntil(this.#closed, this.#patienceMs, signal)
    const isReset = isTaken && isResetByPeer(this.#fault)
    if (isReset) this.#fault = undefined
    this.#refuseFault(signal)
    if (signal.aborted) return
    this.#isFinished = true
    const hasClosed = this.#peerEnded && !wasEnded
    this.#isTaken = this.#monitor.hasRow || hasClosed
    if (isReset) this.#closeBehavior.learn('reset')
    else if (hasClosed) this.#closeBehavior.learn('close')
    else if (this.#monitor.hasRow && !wasEnded) this.#closeBehavior.learn('open')
  }

  /** Tells how long the printer may take to close after our end of data. */
  get #patienceMs(): number {
    const { blindMs, confirmMs } = this.#times
    if (this.#monitor.hasRow) return confirmMs
    return this.#closeBehavior.closes ? LONGEST_TIMER_MS : blindMs
  }

  /** A printer that closed its side cannot do so once more: where nothing is seen, it gets its time before our end. */
  async #holdOpen(signal: AbortSignal): Promise<void> {
    await this.#monitor.read()
    if (!this.#monitor.hasRow) await pauseUntil(this.#closed, this.#times.blindMs, signal)
  }

  /**
   * True when the printer has every byte and did not refuse them: a reset that answers our end of data then loses nothing.
   * Asked only of printers that may answer so, for it takes a moment.
   */
  async #isTakenBeforeEnd(flowing: () => void, signal: AbortSignal): Promise<boolean> {
    if (!this.#closeBehavior.mayReset || this.#peerEnded) return false
    const row = await this.#awaitAcknowledgement(0, flowing, signal)
    if (row === undefined) return false
    await pauseUntil(this.#closed, this.#times.settleMs, signal)
    // A reset takes the row away, also one that this process has not heard of yet.
    return !signal.aborted && (await this.#monitor.read())?.unacknowledged === 0
  }

  /** Resolves when the printer has every byte; without a row when that cannot be seen, or when the connection has ended. */
  async #awaitAcknowledgement(
    firstMs: number,
    flowing: () => void,
    signal: AbortSignal,
  ): Promise<TcpRow | undefined> {
    let left = Number.POSITIVE_INFINITY
    for (let wait = firstMs; ; wait = Math.min(wait * 2 || FIRST_POLL_MS, LONGEST_POLL_MS)) {
      await pauseUntil(this.#closed, wait, signal)
      if (signal.aborted || this.#socket.destroyed) return undefined
      const row = await this.#monitor.read()
      if (row === undefined || row.unacknowledged === 0) return row
      if (row.unacknowledged < left) flowing()
      left = row.unacknowledged
    }
  }

  #refuseFault(signal: AbortSignal): void {
    if (this.#fault === undefined) return
    this.#closeBehavior.forget()
    throw this.#lost(this.#fault, 'its last bytes', signal)
  }

  /** A reset throws away what waits in this computer, so that little more of a label that was given up comes out. */
  #cut(): void {
    const socket = this.#socket
    // libuv refuses a reset (EINVAL) while our side is just being closed, and the event loop then spins forever.
    const isClosing =
      socket.writableEnded && !socket.writableFinished && socket.writableLength === 0
    if (isClosing) socket.once('finish', () => socket.resetAndDestroy())
    else socket.resetAndDestroy()
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

  #lost(error: unknown, what: string, signal: AbortSignal, accepted?: number): PrinterFault {
    const message = signal.aborted
      ? `The label to ${this.#name} was stopped after ${what}.`
      : `The connection to ${this.#name} broke after ${what} had been handed to the network.`
    return new PrinterFault('PRINTER_LOST', message, {
      cause: signal.aborted ? signal.reason : (this.#fault ?? error),
      ...(accepted === undefined ? {} : { accepted }),
    })
  }
}

function isResetByPeer(fault: Error | undefined): boolean {
  return fault !== undefined && 'code' in fault && fault.code === 'ECONNRESET'
}
