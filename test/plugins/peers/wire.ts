import { connect, createServer, type Socket } from 'node:net'
import type { Test } from 'tap'
import { listen } from '../../listen.ts'

/** The effect of a go-between on a connection; what is left out is passed on whole. */
export interface Cut {
  /** Bytes of the client that it hands on. */
  readonly up?: number
  /** The same of the server. */
  readonly down?: number
  /** At that byte it falls silent; else the connection breaks. */
  readonly isSilent?: boolean
}

/** A wire between two boxes that breaks as the test says. */
export class Wire {
  readonly place: string
  /** Connections so far. */
  count = 0
  /** Bytes of the last connection. */
  last = { up: 0, down: 0 }
  /** Effects on the connections from now on; the last one stays. */
  cuts: Cut[] = []
  readonly #sockets = new Set<Socket>()
  #reached = Promise.withResolvers<void>()

  private constructor(port: number) {
    this.place = `127.0.0.1:${port}`
  }

  static async open(t: Test, to: string): Promise<Wire> {
    const server = createServer()
    const wire = new Wire(await listen(t, server))
    server.on('connection', (socket) => wire.#carry(socket, Number(to.split(':')[1])))
    t.teardown(() => wire.breakAll())
    return wire
  }

  /** Sets what becomes of the next connections; resolves when one of them has come to its byte. */
  plan(...cuts: Cut[]): Promise<void> {
    this.cuts = cuts
    this.#reached = Promise.withResolvers()
    return this.#reached.promise
  }

  /** Breaks what is open. */
  breakAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #carry(client: Socket, port: number): void {
    this.count += 1
    const cut = (this.cuts.length > 1 ? this.cuts.shift() : this.cuts[0]) ?? {}
    const { up = Number.POSITIVE_INFINITY, down = Number.POSITIVE_INFINITY } = cut
    const sums = { up: 0, down: 0 }
    this.last = sums
    const server = connect(port, '127.0.0.1')
    const arrive = (): void => {
      this.#reached.resolve()
      if (cut.isSilent) return
      // What was handed on arrives; the rest never does.
      server.end()
      client.destroy()
    }
    const pass = (from: Socket, to: Socket, way: 'up' | 'down', most: number): void => {
      this.#sockets.add(from)
      from.on('error', () => undefined)
      from.on('close', () => {
        this.#sockets.delete(from)
        to.end()
      })
      from.on('data', (chunk: Buffer) => {
        const room = Math.max(0, most - sums[way])
        sums[way] += chunk.length
        if (!to.destroyed && room > 0) to.write(chunk.subarray(0, room))
        if (chunk.length >= room) arrive()
      })
    }
    pass(client, server, 'up', up)
    pass(server, client, 'down', down)
    if (up === 0) arrive()
  }
}
