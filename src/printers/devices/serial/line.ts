import { readSync, writeSync } from 'node:fs'

/** An open serial line, the same for every platform. It has one user at a time. Decision `serial-progress`. */
export interface SerialLine {
  /** Bytes that may still wait in this computer once `write` has resolved. */
  readonly slackBytes: number
  /** The reason why it can no longer be used: unplugged, failed or closed; undefined while it is sound. */
  readonly fault: unknown
  /** Resolves when the line ends, for whatever reason. */
  readonly ended: Promise<void>
  /**
   * Resolves once the line has taken the bytes and at most `slackBytes` of them have not left yet. A printer that stops the
   * line is waited for without limit. Rejects when the line ends; how much of `bytes` was taken is then unknown.
   */
  write(bytes: Uint8Array): Promise<void>
  /** Takes what the printer has said since the last call. */
  take(): Uint8Array
  /** Ends it: `write` rejects with the reason. It is still to be closed. */
  end(reason: unknown): void
  /**
   * Ends it and closes: a sound line sends its last bytes, one that has ended drops them where the driver can. Never fails;
   * harmless when closed.
   */
  close(): Promise<void>
}

const INBOX_BYTES = 65_536 // what a printer may say before anybody asks; the rest is dropped

/** Bytes that came in and were not asked for yet, within bounds. */
export class SerialInbox {
  #parts: Uint8Array[] = []
  #length = 0

  add(bytes: Uint8Array): void {
    const kept = bytes.slice(0, INBOX_BYTES - this.#length)
    if (kept.length === 0) return
    this.#parts.push(kept)
    this.#length += kept.length
  }

  take(): Uint8Array {
    const bytes = Buffer.concat(this.#parts)
    this.#parts = []
    this.#length = 0
    return bytes
  }
}

/** An open port of `@serialport/bindings-cpp`, on any platform. */
interface Port {
  /** Empties both directions; on Windows it ends a write under way too (PurgeComm). */
  flush(): Promise<void>
  close(): Promise<void>
}

/** Parts of a line that are alike on all platforms: its input and its end. */
class PortLine<P extends Port> {
  readonly ended: Promise<void>
  protected readonly port: P
  protected readonly inbox = new SerialInbox()
  readonly #resolveEnded: () => void
  #fault: unknown
  #closed: Promise<void> | undefined

  constructor(port: P) {
    this.port = port
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ended = promise
    this.#resolveEnded = resolve
  }

  get fault(): unknown {
    return this.#fault
  }

  take(): Uint8Array {
    return this.inbox.take()
  }

  end(reason: unknown): void {
    if (this.#fault !== undefined) return
    this.#fault = reason ?? new Error('ended')
    this.drop()
    this.#resolveEnded()
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  /** Drops what is under way when the line ends. */
  protected drop(): void {}

  /** Never fails: a port that is gone is closed too. */
  async #close(): Promise<void> {
    const isSound = this.#fault === undefined
    this.end(new Error('closed'))
    if (!isSound) await this.port.flush().catch(() => undefined) // unplugged: nothing to throw away
    await this.port.close().catch(() => undefined)
  }
}

/** The part we use of an open port of `@serialport/bindings-cpp` on Linux and macOS. */
export interface UnixPort extends Port {
  readonly fd: number | null
  readonly poller: UnixPoller
}

/** Readiness of a file descriptor; every event comes with an error or null. */
interface UnixPoller {
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
export class UnixLine extends PortLine<UnixPort> implements SerialLine {
  readonly slackBytes: number
  readonly #buffer = new Uint8Array(4_096)
  #waiting: PromiseWithResolvers<void> | undefined

  constructor(port: UnixPort, platform: NodeJS.Platform = process.platform) {
    super(port)
    this.slackBytes = platform === 'darwin' ? DARWIN_SLACK : LINUX_SLACK
    port.poller.on('readable', (error) => this.#hear(error))
    port.poller.on('writable', (error) => this.#flow(error))
    port.poller.poll(READABLE) // always: it is also how an unplugged adapter shows
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      at += this.#tryWrite(bytes.subarray(at))
      await this.#writable()
    }
  }

  protected override drop(): void {
    this.#waiting?.reject(this.fault)
    this.port.poller.poll(0) // its native half would go on between two events that both are ready
  }

  /** Bytes taken at once; 0 while the line is full or stopped. */
  #tryWrite(bytes: Uint8Array): number {
    try {
      if (this.fault !== undefined || this.port.fd === null) throw this.fault
      return writeSync(this.port.fd, bytes)
    } catch (error) {
      if (isAgain(error)) return 0
      this.end(error)
      throw error
    }
  }

  #writable(): Promise<void> {
    this.#waiting = Promise.withResolvers<void>()
    if (this.fault === undefined) this.port.poller.poll(READABLE | WRITABLE)
    else this.#waiting.reject(this.fault)
    return this.#waiting.promise
  }

  #flow(error: Error | null): void {
    if (error !== null) this.end(error)
    if (this.fault !== undefined) return
    this.#waiting?.resolve()
    this.#waiting = undefined
    this.port.poller.poll(READABLE)
  }

  #hear(error: Error | null): void {
    if (error !== null) this.end(error)
    else this.#read()
    if (this.fault !== undefined) return
    this.port.poller.poll(this.#waiting === undefined ? READABLE : READABLE | WRITABLE)
  }

  #read(): void {
    if (this.port.fd === null) return
    try {
      const count = readSync(this.port.fd, this.#buffer)
      this.inbox.add(this.#buffer.subarray(0, count))
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

/** The part we use of an open port of `@serialport/bindings-cpp` on Windows. */
export interface WindowsPort extends Port {
  /** Resolves once the driver has taken all of it. */
  write(bytes: Buffer): Promise<void>
  /** Waits for at least one byte. */
  read(buffer: Buffer, offset: number, length: number): Promise<{ readonly bytesRead: number }>
  set(signals: {
    dtr: boolean
    rts: boolean
    cts: boolean
    dsr: boolean
    brk: boolean
  }): Promise<void>
}

/** A serial line of Windows, whose driver says when it has sent a piece. */
export class WindowsLine extends PortLine<WindowsPort> implements SerialLine {
  readonly slackBytes = 0

  /** Takes an open port over. RTS is raised here: the package leaves it low unless it is the flow control. */
  static async start(port: WindowsPort, flow: 'xonxoff' | 'rtscts' | 'none'): Promise<WindowsLine> {
    if (flow !== 'rtscts') {
      await port.set({ dtr: true, rts: true, cts: false, dsr: false, brk: false })
    }
    const line = new WindowsLine(port)
    void line.#listen()
    return line
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.fault !== undefined) throw this.fault
    try {
      await this.port.write(Buffer.from(bytes))
    } catch (error) {
      this.end(error)
    }
    if (this.fault !== undefined) throw this.fault
  }

  async #listen(): Promise<void> {
    const buffer = Buffer.alloc(4_096)
    try {
      while (this.fault === undefined) {
        const { bytesRead } = await this.port.read(buffer, 0, buffer.length)
        this.inbox.add(buffer.subarray(0, bytesRead))
      }
    } catch (error) {
      this.end(error)
    }
  }
}
