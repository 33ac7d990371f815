import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { PlatenError } from '../../errors.ts'
import { Connections } from '../../http/connections.ts'
import { ARRIVAL, Pace } from '../../request/arrival.ts'
import type { DoorBox, OpenDoor } from '../door.ts'
import { listenAtBoth, serveUntil } from '../listen.ts'
import { Session, type SessionParts } from './session.ts'
import { Signatures } from './signatures.ts'

/** The pairs of ports that qz-tray.js tries (`connectConfig.port`): wss, and ws on the next one. */
const PAIRS = [8181, 8282, 8383, 8484] as const

/** Bounds of the door; docs/doors.md names them. */
const QZ_BOUNDS = {
  /** Open at once. */
  connections: 64,
  /** Of these, of one address. */
  connectionsOfAddress: 16,
  /** Of these, kept for this machine. */
  connectionsKept: 4,
  /** Clients send a ping each minute. */
  silentMs: 600_000,
  /** Bytes of messages on their way, of all connections: base64 of two largest requests. */
  bytesTogether: 48 * 2 ** 20,
  /** Events that a client does not take. */
  unreadBytes: 2 ** 20,
} as const

type QzLimits = { readonly [K in keyof typeof QZ_BOUNDS]: number }

/**
 * Opens the ports.
 * @throws PlatenError PORT_TAKEN, FIELD_INVALID
 */
export async function serveQz(
  settings: QzSettings,
  box: DoorBox,
  signal: AbortSignal,
): Promise<OpenDoor> {
  const signatures = settings.certificate === '' ? undefined : new Signatures(settings.certificate)
  const room = new Room({
    box,
    limits: QZ_BOUNDS,
    signatures,
    fetchFile: createFetch(settings.hosts, signal),
  })
  const { servers, places } = await openPorts(settings, box, room)
  const closed = serveUntil(servers, signal, async () => {
    for (const server of servers) server.close()
    await room.leave()
    for (const server of servers) server.closeAllConnections()
  })
  return { places, closed }
}

interface Opened {
  readonly servers: readonly Server[]
  readonly places: readonly string[]
}

/** The first pair that is free. */
async function openPorts(settings: QzSettings, box: DoorBox, room: Room): Promise<Opened> {
  const pairs = settings.port === undefined ? PAIRS : [settings.port]
  let fault: unknown
  for (const pair of pairs) {
    try {
      return await openPair(settings.host, pair, box, room)
    } catch (error) {
      fault = error
    }
  }
  throw fault
}

async function openPair(host: string, pair: number, box: DoorBox, room: Room): Promise<Opened> {
  const ports = { host, http: pair + 1, https: pair }
  const { servers, isSecure } = await listenAtBoth((server) => room.serve(server), ports, box)
  return { servers, places: [...(isSecure ? [`port ${pair} (wss)`] : []), `port ${pair + 1} (ws)`] }
}

/** Fetches the file at an address unless a signal aborts. @throws PlatenError */
type FetchFile = (address: string, mostBytes: number, signal: AbortSignal) => Promise<Uint8Array>

/** Fetches of all connections, as PrintNode's door does it: hosts of the internet, two at a time. Loaded by the first. */
function createFetch(hosts: readonly string[], stopping: AbortSignal): FetchFile {
  const load = async () => {
    const { fetchLabel, lineUp, lookUpAll } = await import('../printnode/fetch-label.ts')
    const line = lineUp({ atOnce: 2, waiting: 32, waitMs: 30_000 })
    return { line, fetchLabel, rules: { hosts, lookUp: lookUpAll } }
  }
  let loaded: ReturnType<typeof load> | undefined
  return async (address, mostBytes, signal) => {
    loaded ??= load()
    const { line, fetchLabel, rules } = await loaded
    const wanted = { address, credentials: '', mostBytes }
    const ends = [stopping, signal]
    return await line.enter(() => fetchLabel(wanted, rules, ends), ends)
  }
}

interface RoomParts {
  readonly box: DoorBox
  readonly limits: QzLimits
  readonly signatures: Signatures | undefined
  readonly fetchFile: FetchFile
}

interface Arriving {
  readonly pace: Pace
  readonly timer: NodeJS.Timeout
  /** When its last bytes came. */
  at: number
}

interface Inside {
  /** Bytes of a message that is not whole. */
  held: number
  /** What the one in hand takes until it is answered, fetched files too. */
  busy: number
  /** Watches over the message that is not whole. */
  arriving: Arriving | undefined
  /** What is in hand. */
  work: Promise<void>
}

/** The connections of all ports, shared out. */
class Room {
  readonly #parts: RoomParts
  readonly #inside = new Map<WebSocket, Inside>()
  /** They wait for room. */
  readonly #paused = new Set<WebSocket>()
  /** Those too that have asked for nothing. */
  readonly #connections: Connections
  readonly #sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })

  constructor(parts: RoomParts) {
    this.#parts = parts
    this.#connections = new Connections(parts.limits)
  }

  serve<S extends Server>(server: S): S {
    const share = this.#connections.watch(server)
    server.on('request', (request, answer) => {
      share(request, answer)
      answer.writeHead(426, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' })
      answer.end('This port is for pages that print through QZ Tray; it speaks WebSocket.\n')
    })
    server.on('upgrade', (request, socket, head) => this.#enter(request, socket, head))
    server.on('clientError', (_, socket) => socket.destroy())
    return server
  }

  async leave(): Promise<void> {
    const works = [...this.#inside.values()].map(({ work }) => work)
    for (const socket of this.#inside.keys()) socket.pause()
    await Promise.all(works)
    for (const socket of this.#inside.keys()) socket.terminate()
  }

  #enter(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => undefined)
    const { box, signatures } = this.#parts
    const owner = box.ownerOf((socket as Socket).remoteAddress)
    // Without a certificate nobody else could do anything here.
    const isStranger = signatures === undefined && box.callerOf(request.headers) === 'foreign'
    if (isStranger) {
      refuse(socket, '403 Forbidden')
      return
    }
    // The largest request, as base64 in JSON.
    const options = this.#sockets.options as { maxPayload?: number }
    options.maxPayload = Math.ceil(box.config().max_body_mb * 2 ** 20 * 1.37) + 65_536
    this.#sockets.handleUpgrade(request, socket, head, (client) => {
      this.#take(client, request, owner)
    })
  }

  #take(client: WebSocket, request: IncomingMessage, owner: string): void {
    const { box, limits, signatures, fetchFile } = this.#parts
    const inside: Inside = { held: 0, busy: 0, arriving: undefined, work: Promise.resolve() }
    this.#inside.set(client, inside)
    const send = (text: string): void => {
      if (client.bufferedAmount > limits.unreadBytes) client.terminate()
      else client.send(text, () => undefined)
    }
    const isTrusted = (): boolean => box.callerOf(request.headers) !== 'foreign'
    const gone = new AbortController()
    const parts: SessionParts = {
      box,
      network: owner,
      isTrusted,
      signatures,
      send,
      client: () => gone.signal,
      fetchFile: async (address, mostBytes) => {
        const bytes = await fetchFile(address, mostBytes, gone.signal)
        inside.busy += bytes.length
        if (this.#sum() > limits.bytesTogether)
          throw new PlatenError('SERVER_BUSY', 'Too many labels arrive at once.')
        return bytes
      },
    }
    const session = new Session(parts)
    request.socket.setTimeout(limits.silentMs, () => client.terminate())
    // Before the reader of messages: what is whole with this chunk is counted with it.
    request.socket.prependListener('data', (chunk: Buffer) => {
      this.#arrive(client, inside, chunk.length)
      this.#weigh(client, inside, chunk.length)
    })
    client.on('ping', () => stopArriving(inside))
    client.on('pong', () => stopArriving(inside))
    client.on('error', () => client.terminate())
    client.on('close', () => {
      this.#inside.delete(client)
      this.#paused.delete(client)
      stopArriving(inside)
      gone.abort()
      session.close()
    })
    client.on('message', (data, isBinary) => {
      // As it came, and as text.
      inside.busy = 2 * inside.held
      inside.held = 0
      stopArriving(inside)
      const done = this.#connections.work(request.socket)
      if (isBinary) {
        done()
        return client.close(1003)
      }
      // One at a time: the sender waits, not our memory.
      client.pause()
      inside.work = inside.work
        .then(() => session.answer(data.toString()))
        .then((text) => {
          if (text !== undefined) send(text)
        })
        .catch((error: unknown) => box.fault(error))
        .finally(() => {
          inside.busy = 0
          done()
          client.resume()
          for (const one of this.#paused) one.resume()
          this.#paused.clear()
        })
    })
  }

  /** A message that has begun has to come, and not drop by drop. */
  #arrive(client: WebSocket, inside: Inside, bytes: number): void {
    const { arriving } = inside
    if (arriving === undefined) {
      const timer = setTimeout(() => client.terminate(), ARRIVAL.bodyIdleMs)
      inside.arriving = { pace: new Pace(ARRIVAL), timer, at: performance.now() }
      return
    }
    const now = performance.now()
    if (arriving.pace.note(bytes, now - arriving.at) !== undefined) client.terminate()
    arriving.at = now
    arriving.timer.refresh()
  }

  #sum(): number {
    return [...this.#inside.values()].reduce((sum, { held, busy }) => sum + held + busy, 0)
  }

  /** While all connections together hold too much, none is read until a message is answered; else the fullest is closed. */
  #weigh(client: WebSocket, inside: Inside, bytes: number): void {
    inside.held += bytes
    if (this.#sum() <= this.#parts.limits.bytesTogether) return
    const all = [...this.#inside.values()]
    if (all.some(({ busy }) => busy > 0)) {
      client.pause()
      stopArriving(inside)
      this.#paused.add(client)
    } else if (inside.held >= Math.max(...all.map(({ held }) => held))) client.terminate()
  }
}

/** It is whole, or it is we who do not read it. */
function stopArriving(inside: Inside): void {
  clearTimeout(inside.arriving?.timer)
  inside.arriving = undefined
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** What the door works with. */
export interface QzSettings {
  readonly host: string
  /** Of wss; undefined = the first free pair of those that clients try. */
  readonly port: number | undefined
  /** PEM; '' = signatures count for nothing. */
  readonly certificate: string
  /** Hosts that files may be fetched from wherever their address lies. */
  readonly hosts: readonly string[]
}
