import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** Stands between a client and a server that may come and go, and can be slow. */
export class TcpProxy {
  readonly port: number
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #bytesPerTick = Number.POSITIVE_INFINITY

  private constructor(server: Server, target: () => number) {
    this.#server = server
    this.port = (server.address() as AddressInfo).port
    server.on('connection', (client) => this.#join(client, target()))
  }

  /** `target` is asked for the server's port at every connection. */
  static async open(target: () => number): Promise<TcpProxy> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new TcpProxy(server, target)
  }

  /** At most so many bytes every 5 ms from the server to the client; Infinity = as they come. */
  pace(bytesPerTick: number): void {
    this.#bytesPerTick = bytesPerTick
  }

  /** Breaks every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #join(client: Socket, port: number): void {
    const server = connect(port, '127.0.0.1')
    tie(this.#sockets, client, server)
    client.pipe(server)
    server.on('readable', () => this.#pass(server, client))
  }

  #pass(server: Socket, client: Socket): void {
    const waiting = server.readableLength
    if (server.destroyed || waiting === 0) {
      server.read() // notices the end
      return
    }
    const size = Math.min(waiting, this.#bytesPerTick)
    const bytes = server.read(size) as Buffer | null
    if (bytes === null || client.destroyed) return
    client.write(bytes)
    if (waiting > size) setTimeout(() => this.#pass(server, client), 5)
  }
}

/** Two connections that end together; those that are open are in `sockets`. */
export function tie(sockets: Set<Socket>, client: Socket, server: Socket): void {
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    sockets.add(one)
    one.on('error', () => undefined)
    one.on('close', () => {
      sockets.delete(one)
      other.destroy()
    })
  }
}
