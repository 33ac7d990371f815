import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { ARRIVAL, ArrivalPace } from '../../core/request/arrival.ts'
import {
  BODY_BUDGET,
  BodyBudget,
  type BudgetSettings,
  type BudgetShare,
} from '../../core/request/body-budget.ts'
import { Connections } from '../../http/guard/connections.ts'
import { LoadedLate } from '../../system/loaded-late.ts'
import type { DoorBox, OpenDoor } from '../door/door.ts'
import { listenAtBoth, serveUntil } from '../door/listen.ts'
import { Session, type SessionParts } from './session.ts'
import { Signatures } from './signatures.ts'

/** The pairs of ports that qz-tray.js tries (`connectConfig.port`): wss, and ws on the next one. */
const PAIRS = [8181, 8282, 8383, 8484] as const

/** Bounds of the door; docs/doors.md names them. */
const QZ_BOUNDS = {
  /** Connections open at once. */
  connections: 64,
  /** Connections open at once from one address. */
  connectionsOfAddress: 16,
  /** Connections of these that are kept for this computer. */
  connectionsKept: 4,
  /** Milliseconds of silence after which a connection is closed; clients send a ping each minute. */
  silentMs: 600_000,
  /** Bytes of events that a client does not read. */
  unreadBytes: 2 ** 20,
} as const

/** Bytes of memory for each byte of a message while it is read: as it came, whole, as text, and as the values in the text. */
const TIMES = 4
/** The same factor for a file at an address, which is not text. */
const FILE_TIMES = 2

/** The memory for all messages and files, counted as above: 8 MB of messages beside the largest, and the first 128 KB of each are free. */
const QZ_BUDGET: BudgetSettings = {
  limitBytes: TIMES * 8 * 2 ** 20,
  freeBytes: TIMES * 128 * 1024,
  waitMs: BODY_BUDGET.waitMs,
}

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
  const room = new QzConnections({
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

interface OpenPorts {
  readonly servers: readonly Server[]
  readonly places: readonly string[]
}

/** Opens the first pair of ports that is free. */
async function openPorts(
  settings: QzSettings,
  box: DoorBox,
  room: QzConnections,
): Promise<OpenPorts> {
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

async function openPair(
  host: string,
  pair: number,
  box: DoorBox,
  room: QzConnections,
): Promise<OpenPorts> {
  const ports = { host, http: pair + 1, https: pair }
  const { servers, isSecure } = await listenAtBoth((server) => room.serve(server), ports, box)
  return { servers, places: [...(isSecure ? [`port ${pair} (wss)`] : []), `port ${pair + 1} (ws)`] }
}

/** A file at an address. */
interface WantedFile {
  readonly address: string
  readonly mostBytes: number
  /** Resolves when there is room for the bytes. @throws PlatenError SERVER_BUSY */
  readonly weigh: (bytes: number) => Promise<void>
}

/** Fetches a file unless a signal aborts. @throws PlatenError */
type FetchFile = (wanted: WantedFile, signal: AbortSignal) => Promise<Uint8Array>

/**
 * Makes the fetch that all connections share; like the other doors it reaches hosts of the internet, two at a time. The code is loaded by
 * the first fetch.
 */
function createFetch(hosts: readonly string[], stopping: AbortSignal): FetchFile {
  const late = new LoadedLate(async () => {
    const { fetchLabel, lineUp, lookUpAll } = await import('../door/fetch-label.ts')
    const line = lineUp({ atOnce: 2, waiting: 32, waitMs: 30_000 })
    return { line, fetchLabel, rules: { hosts, lookUp: lookUpAll } }
  })
  return async ({ address, mostBytes, weigh }, signal) => {
    const { line, fetchLabel, rules } = await late.open()
    const wanted = { address, credentials: '', mostBytes }
    const ends = [stopping, signal]
    return await line.enter(async () => {
      const bytes = await fetchLabel(wanted, rules, ends)
      // In its turn still: two at most wait with what nobody counts.
      await weigh(bytes.length)
      return bytes
    }, ends)
  }
}

interface RoomParts {
  readonly box: DoorBox
  readonly limits: QzLimits
  readonly signatures: Signatures | undefined
  readonly fetchFile: FetchFile
}

interface ArrivingMessage {
  readonly pace: ArrivalPace
  readonly timer: NodeJS.Timeout
  /** The time at which its last bytes came. */
  at: number
}

interface Inside {
  arrival: Arrival
  /** The watch over the message that is not whole. */
  arriving: ArrivingMessage | undefined
  /** Messages in hand. */
  inHand: number
  /** The work in hand. */
  work: Promise<void>
}

/** A message from its first byte until it is answered. */
interface Arrival {
  /** The share that it holds, with the files that it names. */
  readonly share: BudgetShare
  /** Pieces for which there is no room yet. */
  waiting: number
}

/** The connections of all ports, shared out. */
class QzConnections {
  readonly #parts: RoomParts
  readonly #inside = new Map<WebSocket, Inside>()
  readonly #budget = new BodyBudget(QZ_BUDGET)
  /** All connections, including those that have asked for nothing. */
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
    const inside: Inside = {
      arrival: this.#expect(owner),
      arriving: undefined,
      inHand: 0,
      work: Promise.resolve(),
    }
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
      fetchFile: (address, mostBytes) => {
        const weigh = (bytes: number) => inside.arrival.share.take(FILE_TIMES * bytes)
        return fetchFile({ address, mostBytes, weigh }, gone.signal)
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
      stopArriving(inside)
      if (inside.inHand === 0) inside.arrival.share.release()
      gone.abort()
      session.close()
    })
    client.on('message', (data, isBinary) => {
      stopArriving(inside)
      const done = this.#connections.work(request.socket)
      if (isBinary) {
        done()
        return client.close(1003)
      }
      // One at a time: the sender waits, not our memory.
      client.pause()
      inside.inHand += 1
      // Taken out when it is read: these functions would keep it until it is answered.
      const texts = [data.toString()]
      inside.work = inside.work
        .then(() => session.answer(texts.pop() ?? ''))
        .then((text) => {
          if (text !== undefined) send(text)
        })
        .catch((error: unknown) => box.fault(error))
        .finally(() => {
          done()
          inside.inHand -= 1
          if (inside.inHand > 0) return
          inside.arrival.share.release()
          if (!this.#inside.has(client)) return
          inside.arrival = this.#expect(owner)
          client.resume()
        })
    })
  }

  /** Ends a connection whose message, once begun, stops coming or comes drop by drop. */
  #arrive(client: WebSocket, inside: Inside, bytes: number): void {
    const { arriving } = inside
    if (arriving === undefined) {
      const timer = setTimeout(() => client.terminate(), ARRIVAL.bodyIdleMs)
      inside.arriving = { pace: new ArrivalPace(ARRIVAL), timer, at: performance.now() }
      return
    }
    const now = performance.now()
    if (arriving.pace.note(bytes, now - arriving.at) !== undefined) client.terminate()
    arriving.at = now
    arriving.timer.refresh()
  }

  #expect(owner: string): Arrival {
    return { share: this.#budget.open(owner), waiting: 0 }
  }

  /** Pauses reading a message until there is room for what has come of it. */
  #weigh(client: WebSocket, inside: Inside, bytes: number): void {
    const { arrival } = inside
    arrival.waiting += 1
    client.pause()
    arrival.share.take(TIMES * bytes).then(
      () => {
        arrival.waiting -= 1
        if (inside.arrival === arrival && arrival.waiting === 0 && inside.inHand === 0)
          client.resume()
      },
      () => {
        if (inside.arrival === arrival && inside.inHand === 0) client.terminate()
      },
    )
    // Asked after what is resolved already: the sender cannot hurry while we do not read.
    queueMicrotask(() => {
      if (arrival.waiting > 0) stopArriving(inside)
    })
  }
}

/** Ends the watch over a message that is whole, or that we ourselves do not read. */
function stopArriving(inside: Inside): void {
  clearTimeout(inside.arriving?.timer)
  inside.arriving = undefined
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** The settings of the door. */
export interface QzSettings {
  readonly host: string
  /** The port for wss; undefined = the first free pair of those that clients try. */
  readonly port: number | undefined
  /** The certificate, PEM; '' = signatures count for nothing. */
  readonly certificate: string
  /** Hosts that files may be fetched from whatever their address. */
  readonly hosts: readonly string[]
}
