import { readSync, writeSync } from 'node:fs'
import { closePort, Inbox, type Line } from './line.ts'

/** What we use of an open port of `@serialport/bindings-cpp` on Linux and macOS. */
export interface UnixPort {
  readonly fd: number | null
  readonly poller: UnixPoller
  flush(): Promise<void>
  close(): Promise<void>
}

/** Readiness of a file descriptor; every event comes with an error or null. */
export interface UnixPoller {
  on(event: 'readable' | 'writable', listener: (error: Error | null) => void): unknown
  /** Replaces what is waited for; 0 = nothing. */
  poll(events: number): void
}

const READABLE = 1 // libuv's UV_READABLE
const WRITABLE = 2 // libuv's UV_WRITABLE

// Linux calls a tty writable while fewer bytes than this wait in its driver (WAKEUP_CHARS of drivers/tty/n_tty.c). That
// tells how much has left without tcdrain(), which holds one of libuv's four threads as long as the printer stops the line.
const LINUX_SLACK = 255
const DARWIN_SLACK = 2_048 // not measured

/**
 * A serial line of Linux or macOS. Reads and writes are our own, on the descriptor that the package opened and set: its own
 * reader spins at full speed once an adapter is unplugged, and its writer cannot be stopped in the middle.
 */
export class UnixLine implements Line {
  readonly slackBytes: number
  readonly ended: Promise<void>
  readonly #port: UnixPort
  readonly #inbox = new Inbox()
  readonly #resolveEnded: () => void
  readonly #buffer = new Uint8Array(4_096)
  #waiting: PromiseWithResolvers<void> | undefined
  #fault: unknown
  #closed: Promise<void> | undefined

  constructor(port: UnixPort, platform: NodeJS.Platform = process.platform) {
    this.#port = port
    this.slackBytes = platform === 'darwin' ? DARWIN_SLACK : LINUX_SLACK
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ended = promise
    this.#resolveEnded = resolve
    port.poller.on('readable', (error) => this.#hear(error))
    port.poller.on('writable', (error) => this.#flow(error))
    port.poller.poll(READABLE) // always: it is also how an unplugged adapter shows
  }

  get fault(): unknown {
    return this.#fault
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      at += this.#tryWrite(bytes.subarray(at))
      await this.#writable()
    }
  }

  take(): Uint8Array {
    return this.#inbox.take()
  }

  end(reason: unknown): void {
    if (this.#fault !== undefined) return
    this.#fault = reason ?? new Error('ended')
    this.#waiting?.reject(this.#fault)
    this.#port.poller.poll(0) // its native half would go on between two events that both are ready
    this.#resolveEnded()
  }

  close(): Promise<void> {
    const isSound = this.#fault === undefined
    this.end(new Error('closed'))
    this.#closed ??= closePort(this.#port, isSound)
    return this.#closed
  }

  /** Bytes taken at once; 0 while the line is full or stopped. */
  #tryWrite(bytes: Uint8Array): number {
    try {
      if (this.#fault !== undefined || this.#port.fd === null) throw this.#fault
      return writeSync(this.#port.fd, bytes)
    } catch (error) {
      if (isAgain(error)) return 0
      this.end(error)
      throw error
    }
  }

  #writable(): Promise<void> {
    this.#waiting = Promise.withResolvers<void>()
    if (this.#fault === undefined) this.#port.poller.poll(READABLE | WRITABLE)
    else this.#waiting.reject(this.#fault)
    return this.#waiting.promise
  }

  #flow(error: Error | null): void {
    if (error !== null) this.end(error)
    if (this.#fault !== undefined) return
    this.#waiting?.resolve()
    this.#waiting = undefined
    this.#port.poller.poll(READABLE)
  }

  #hear(error: Error | null): void {
    if (error !== null) this.end(error)
    else this.#read()
    if (this.#fault !== undefined) return
    this.#port.poller.poll(this.#waiting === undefined ? READABLE : READABLE | WRITABLE)
  }

  #read(): void {
    if (this.#port.fd === null) return
    try {
      const count = readSync(this.#port.fd, this.#buffer)
      this.#inbox.add(this.#buffer.subarray(0, count))
      if (count === 0) this.end(new Error('the port hung up'))
    } catch (error) {
      if (!isAgain(error)) this.end(error)
    }
  }
}

function isAgain(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'EAGAIN' || code === 'EINTR'
}
