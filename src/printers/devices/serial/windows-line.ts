import { closePort, Inbox, type Line } from './line.ts'

/** What we use of an open port of `@serialport/bindings-cpp` on Windows. */
export interface WindowsPort {
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
  /** Ends a write under way and empties both directions (PurgeComm). */
  flush(): Promise<void>
  close(): Promise<void>
}

/** A serial line of Windows, whose driver says when it has sent a piece. */
export class WindowsLine implements Line {
  readonly slackBytes = 0
  readonly ended: Promise<void>
  readonly #port: WindowsPort
  readonly #inbox = new Inbox()
  readonly #resolveEnded: () => void
  #fault: unknown
  #closed: Promise<void> | undefined

  private constructor(port: WindowsPort) {
    this.#port = port
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ended = promise
    this.#resolveEnded = resolve
  }

  /** Takes an open port over. RTS is raised here: the package leaves it low unless it is the flow control. */
  static async start(port: WindowsPort, flow: 'xonxoff' | 'rtscts' | 'none'): Promise<WindowsLine> {
    if (flow !== 'rtscts') {
      await port.set({ dtr: true, rts: true, cts: false, dsr: false, brk: false })
    }
    const line = new WindowsLine(port)
    void line.#listen()
    return line
  }

  get fault(): unknown {
    return this.#fault
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#fault !== undefined) throw this.#fault
    try {
      await this.#port.write(Buffer.from(bytes))
    } catch (error) {
      this.end(error)
    }
    if (this.#fault !== undefined) throw this.#fault
  }

  take(): Uint8Array {
    return this.#inbox.take()
  }

  end(reason: unknown): void {
    if (this.#fault !== undefined) return
    this.#fault = reason ?? new Error('ended')
    this.#resolveEnded()
  }

  close(): Promise<void> {
    const isSound = this.#fault === undefined
    this.end(new Error('closed'))
    this.#closed ??= closePort(this.#port, isSound)
    return this.#closed
  }

  async #listen(): Promise<void> {
    const buffer = Buffer.alloc(4_096)
    try {
      while (this.#fault === undefined) {
        const { bytesRead } = await this.#port.read(buffer, 0, buffer.length)
        this.#inbox.add(buffer.subarray(0, bytesRead))
      }
    } catch (error) {
      this.end(error)
    }
  }
}
