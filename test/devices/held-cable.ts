import { EventEmitter, once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tie } from './tcp-proxy.ts'

/** IPP 2.0, Send-Document (RFC 8011, 5.4.15): a request begins so. */
const SEND_DOCUMENT = Buffer.from([2, 0, 0, 6])
const KEPT_BYTES = 5

/** A cable between a print client and a server, on which the next document, or the answer to it, gets stuck. */
export class HeldCable {
  readonly port: number
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #events = new EventEmitter()
  #held: 'document' | 'answer' | undefined

  private constructor(server: Server, target: number) {
    this.#server = server
    this.port = (server.address() as AddressInfo).port
    server.on('connection', (client) => this.#join(client, connect(target, '127.0.0.1')))
  }

  static async open(target: number): Promise<HeldCable> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new HeldCable(server, target)
  }

  /** Resolves when it is stuck; what is stuck never arrives. */
  async hold(what: 'document' | 'answer'): Promise<void> {
    this.#held = what
    await once(this.#events, 'held')
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #join(client: Socket, server: Socket): void {
    let stuck: 'document' | 'answer' | undefined
    tie(this.#sockets, client, server)
    client.on('data', (bytes) => {
      if (stuck === 'document') return
      if (this.#held !== undefined && bytes.includes(SEND_DOCUMENT)) {
        stuck = this.#held
        this.#held = undefined
        this.#events.emit('held')
      }
      server.write(stuck === 'document' ? bytes.subarray(0, -KEPT_BYTES) : bytes)
    })
    server.on('data', (bytes) => {
      // "100 Continue" lets the document go.
      if (stuck !== 'answer' || bytes.includes('100 Continue')) client.write(bytes)
    })
  }
}
