import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { Test } from 'tap'
import { findClosedPort } from '../listen.ts'

const LABEL_BYTES = 200 // a look at the printer brings less

/** A network printer that takes one label, and then no connection until that label is out. */
export class SlowPrinter {
  readonly port: number
  /** Received labels, in order. */
  readonly labels: string[] = []
  /** Called when a label is whole, before the printer has said that it has it; it says so when this has resolved. */
  onLabel: () => Promise<void> | void = () => undefined
  readonly #labelMs: number
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  #isClosed = false

  private constructor(port: number, labelMs: number) {
    this.port = port
    this.#labelMs = labelMs
  }

  static async open(t: Test, labelMs: number): Promise<SlowPrinter> {
    const printer = new SlowPrinter(await findClosedPort(), labelMs)
    t.teardown(() => printer.#close())
    await printer.#listen()
    return printer
  }

  get uri(): string {
    return `socket://127.0.0.1:${this.port}`
  }

  async #listen(): Promise<void> {
    if (this.#isClosed) return
    const server = createServer({ allowHalfOpen: true }, (socket) => this.#serve(socket))
    this.#server = server
    server.listen(this.port, '127.0.0.1')
    await once(server, 'listening')
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    let text = ''
    socket.on('error', () => undefined) // whoever prints is killed
    socket.on('data', (bytes: Buffer) => {
      const wasWhole = text.endsWith('^XZ\n')
      text += bytes.toString('latin1')
      if (wasWhole || text.length < LABEL_BYTES || !text.endsWith('^XZ\n')) return
      this.labels.push(text)
      void this.#print(socket)
    })
    socket.on('end', () => {
      if (text.length < LABEL_BYTES) socket.end()
    })
  }

  async #print(socket: Socket): Promise<void> {
    this.#server?.close()
    await this.onLabel()
    socket.end()
    setTimeout(() => void this.#listen(), this.#labelMs)
  }

  #close(): void {
    this.#isClosed = true
    this.#server?.close()
    for (const socket of this.#sockets) socket.destroy()
  }
}
