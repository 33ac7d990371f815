import { EventEmitter, once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Test } from 'tap'
import { listenLow } from '../listen.ts'

const HOST = '127.0.0.1'
/**
 * More than the network keeps of a label that a printer does not read. Linux lets a sender be 4 MB ahead (tcp_wmem) and keeps 128 kB
 * for one that has not read yet (tcp_rmem).
 */
export const LARGE_BYTES = 6_000_000

/** The behavior of a stand-in network printer towards connections that are open or come. */
export interface SinkManners {
  /** Takes connections, reads nothing. */
  readonly stall?: boolean
  /** Reads at most so many bytes every 5 ms. */
  readonly bytesPerTick?: number
  /** Resets the connection once it has read so many bytes. */
  readonly resetAfter?: number
  /** Closes both directions once it has read so many bytes; what comes later is refused by the system. */
  readonly closeAfter?: number
  /** Says this when a connection opens. */
  readonly greeting?: Uint8Array
  /** Closes its sending side at once and reads on. */
  readonly mute?: boolean
  /** Answers the end of the other side with a reset, as some print servers do. */
  readonly resetAtEnd?: boolean
  /** Does not close its side when the other one has. */
  readonly keepOpen?: boolean
}

/** The content of one connection. */
export interface SinkConnection {
  readonly bytes: Uint8Array
  readonly state: 'open' | 'ended' | 'reset'
}

/** A network printer that records what it gets, on a free port of the loopback address. */
export class TcpSink {
  readonly port: number
  readonly #events = new EventEmitter()
  readonly #sockets = new Set<Socket>()
  readonly #connections: { parts: Uint8Array[]; length: number; state: SinkConnection['state'] }[] =
    []
  #server: Server
  #manners: SinkManners

  private constructor(server: Server, manners: SinkManners) {
    this.#server = server
    this.#manners = manners
    this.port = (server.address() as AddressInfo).port
    this.#events.setMaxListeners(100)
    server.on('connection', (socket) => this.#serve(socket))
  }

  static async open(manners: SinkManners = {}, host = HOST): Promise<TcpSink> {
    return new TcpSink(await listenLow(createServer({ allowHalfOpen: true }), host), manners)
  }

  /** Opens a sink that closes with the test. */
  static async openFor(t: Test, manners?: SinkManners, host?: string): Promise<TcpSink> {
    const sink = await TcpSink.open(manners, host)
    t.teardown(() => sink.close())
    return sink
  }

  get uri(): string {
    return `socket://127.0.0.1:${this.port}`
  }

  /** All connections so far, in the order they came. */
  get connections(): readonly SinkConnection[] {
    return this.#connections.map(({ parts, state }) => ({
      // Only for who looks at them: with each piece of a large label somebody asks for the states.
      get bytes() {
        return Buffer.concat(parts)
      },
      state,
    }))
  }

  /** Bytes read so far, over all connections. */
  get length(): number {
    return this.#connections.reduce((sum, each) => sum + each.length, 0)
  }

  /** True when nobody is connected. */
  get isAlone(): boolean {
    return this.#sockets.size === 0
  }

  /** Connections that have ended and brought at least so many bytes; a look at the printer brings none, or a few. */
  countEnded(bytes: number): number {
    return this.#connections.filter(({ state, length }) => state !== 'open' && length >= bytes)
      .length
  }

  /** Changes the manners of open and coming connections. */
  behave(manners: SinkManners): void {
    this.#manners = manners
    for (const socket of this.#sockets) socket.emit('manners')
  }

  /** Resolves when `wanted` says so; asked again after every event of the sink. */
  async until(wanted: (sink: TcpSink) => boolean): Promise<void> {
    while (!wanted(this)) await once(this.#events, 'change')
  }

  /** Resolves with the bytes of each connection once `count` of them have ended. */
  async jobs(count: number): Promise<readonly Uint8Array[]> {
    const ended = () => this.connections.filter(({ state }) => state !== 'open')
    await this.until(() => ended().length >= count)
    return ended().map(({ bytes }) => bytes)
  }

  /** Resets every open connection, as a pulled power cord and a restart do. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  /** Refuses connections from now on; open ones stay. */
  async down(): Promise<void> {
    const server = this.#server
    server.close()
    if (this.#sockets.size === 0) await once(server, 'close')
  }

  /** Takes connections again, on the same port. */
  async up(): Promise<void> {
    const server = createServer({ allowHalfOpen: true })
    server.listen(this.port, HOST)
    await once(server, 'listening')
    this.#server = server.on('connection', (socket) => this.#serve(socket))
  }

  /** Ends the stand-in and every connection. */
  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #serve(socket: Socket): void {
    const record = {
      parts: [] as Uint8Array[],
      length: 0,
      state: 'open' as SinkConnection['state'],
    }
    this.#connections.push(record)
    this.#sockets.add(socket)
    const end = (state: SinkConnection['state']) => {
      if (record.state === 'open') record.state = state
      this.#events.emit('change')
    }
    if (this.#manners.greeting !== undefined) socket.write(this.#manners.greeting)
    if (this.#manners.mute) socket.end()
    socket.on('readable', () => this.#read(socket, record))
    socket.on('manners', () => this.#read(socket, record))
    socket.on('end', () => {
      end('ended')
      if (this.#manners.resetAtEnd) socket.resetAndDestroy()
      else if (!this.#manners.keepOpen) socket.end()
    })
    socket.on('error', () => end('reset'))
    socket.on('close', () => {
      this.#sockets.delete(socket)
      end('reset')
    })
    this.#events.emit('change')
  }

  #read(socket: Socket, record: { parts: Uint8Array[]; length: number }): void {
    const { stall, bytesPerTick, resetAfter, closeAfter } = this.#manners
    if (stall || socket.destroyed) return
    const waiting = socket.readableLength
    const bytes = socket.read(
      bytesPerTick === undefined || waiting === 0 ? undefined : Math.min(bytesPerTick, waiting),
    ) as Buffer | null
    if (bytes === null) return
    record.parts.push(bytes)
    record.length += bytes.length
    if (record.length >= (resetAfter ?? Number.POSITIVE_INFINITY)) socket.resetAndDestroy()
    if (record.length >= (closeAfter ?? Number.POSITIVE_INFINITY)) socket.destroy()
    this.#events.emit('change')
    if (bytesPerTick !== undefined) setTimeout(() => this.#read(socket, record), 5)
  }
}
