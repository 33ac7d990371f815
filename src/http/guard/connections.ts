import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { findPeer, OWN_MACHINE, ownerOf, ownerOfSocket } from '../access/addresses.ts'
import type { HttpBounds } from '../bounds.ts'
import { PipelineTurns } from './pipelining.ts'

/** A request that is under way. Decision `shares-of-connections`. */
interface Request {
  readonly incoming: Pick<IncomingMessage, 'complete'>
  readonly outgoing: Pick<ServerResponse, 'writableLength'>
}

interface OpenConnection {
  readonly socket: Socket
  readonly server: Pick<Server, 'on'>
  /** The owner. */
  owner: string
  readonly requests: Set<Request>
  /** A count that says when it was last opened, asked something or answered; not a time. */
  turn: number
}

/** The ranks by which a connection gives way. */
const RANKS = { idle: 0, sending: 1, working: 2 } as const
type Rank = keyof typeof RANKS

const SWEEP_MS = 1_000

type ConnectionBounds = Pick<
  HttpBounds,
  'connections' | 'connectionsOfAddress' | 'connectionsKept' | 'unreadBytes'
>

/**
 * Shares the open connections out, those of all ports together, HTTPS too. An address that has its share gives way to
 * itself; where all places are taken, who has the most gives way to who has fewer. First idle connections, then those
 * that have waited longest for the rest of a body, and requests that are being worked on only of who has more than a
 * fair share. Where nobody gives way, the new one is closed.
 */
export class Connections {
  /** The turns in which requests of all these connections begin. */
  readonly turns = new PipelineTurns()
  readonly #bounds: ConnectionBounds
  // A TLS socket has the addresses of the plain one below it.
  readonly #all = new Map<string, OpenConnection>()
  #turns = 0
  #sweep: NodeJS.Timeout | undefined

  constructor(bounds: ConnectionBounds) {
    this.#bounds = bounds
  }

  /** Returns the function to call with every request. */
  watch(
    server: Pick<Server, 'on' | 'maxConnections'>,
  ): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
    server.on('connection', (socket) => this.#add(server, socket))
    // Sockets that are being closed still count for Node.
    server.maxConnections = 2 * this.#bounds.connections
    return (incoming, outgoing) => this.#note(incoming, outgoing)
  }

  /** A message of a connection that no longer speaks HTTP is worked on, until the function that this returns is called. */
  work(socket: Socket): () => void {
    const open = this.#all.get(keyOf(socket))
    if (open === undefined) return () => undefined
    const request: Request = { incoming: { complete: true }, outgoing: { writableLength: 0 } }
    open.requests.add(request)
    open.turn = this.#next()
    return () => {
      open.requests.delete(request)
      open.turn = this.#next()
    }
  }

  /** Ends all that one server has, also those that have not said yet what they want. */
  destroyOf(server: Pick<Server, 'on'>): void {
    for (const open of this.#all.values()) if (open.server === server) open.socket.destroy()
  }

  #add(server: Pick<Server, 'on'>, socket: Socket): void {
    const key = keyOf(socket)
    const owner = ownerOfSocket(socket.remoteAddress)
    const open: OpenConnection = { socket, server, owner, requests: new Set(), turn: this.#next() }
    this.#all.set(key, open)
    socket.once('close', () => {
      if (this.#all.get(key) === open) this.#all.delete(key)
      if (this.#all.size > 0) return
      clearInterval(this.#sweep)
      this.#sweep = undefined
    })
    this.#sweep ??= setInterval(() => this.#dropUnread(), SWEEP_MS).unref()
    this.#makeRoom(open)
  }

  #note(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const open = this.#all.get(keyOf(incoming.socket))
    if (open === undefined) return
    const request: Request = { incoming, outgoing }
    open.requests.add(request)
    open.turn = this.#next()
    outgoing.once('close', () => {
      open.requests.delete(request)
      open.turn = this.#next()
    })
    // A proxy of this machine hands on many clients; what it says of them is believed of nobody else.
    if (ownerOfSocket(open.socket.remoteAddress) !== OWN_MACHINE) return
    const owner = ownerOf(findPeer(incoming))
    if (owner === open.owner) return
    open.owner = owner
    this.#makeRoom(open)
  }

  #makeRoom(newcomer: OpenConnection): void {
    const { connectionsOfAddress } = this.#bounds
    const others = [...this.#all.values()].filter((open) => open !== newcomer)
    const mates = others.filter(({ owner }) => owner === newcomer.owner)
    if (newcomer.owner !== OWN_MACHINE && mates.length >= connectionsOfAddress) {
      const willing = mates.filter((open) => rankOf(open) !== 'working')
      this.#close(first(willing, byRank) ?? newcomer)
    } else if (!this.#hasRoom(newcomer, others)) {
      this.#close(this.#choose(newcomer, others) ?? newcomer)
    }
  }

  #hasRoom(newcomer: OpenConnection, others: readonly OpenConnection[]): boolean {
    const { connections, connectionsKept } = this.#bounds
    if (others.length >= connections) return false
    if (newcomer.owner === OWN_MACHINE) return true
    return countRemote(others) < connections - connectionsKept
  }

  /** Chooses the connection that is closed for the newcomer: none of an owner that has fewer. */
  #choose(newcomer: OpenConnection, others: readonly OpenConnection[]): OpenConnection | undefined {
    const { connections, connectionsKept } = this.#bounds
    const counts = new Map([[newcomer.owner, 1]])
    for (const { owner } of others) counts.set(owner, (counts.get(owner) ?? 0) + 1)
    const countOf = ({ owner }: OpenConnection): number => counts.get(owner) ?? 0
    const own = countOf(newcomer)
    const fair = Math.floor(connections / counts.size)
    const isOwnKept = (counts.get(OWN_MACHINE) ?? 0) <= connectionsKept
    const willing = others.filter(
      ({ owner }) => owner !== OWN_MACHINE || newcomer.owner === OWN_MACHINE || !isOwnKept,
    )
    // A crowd gives way first, with what it has under way too: who has few may only just have connected.
    const crowd = willing.filter((open) => countOf(open) > Math.max(own, fair))
    const larger = (a: OpenConnection, b: OpenConnection): number => countOf(b) - countOf(a)
    const idle = willing.filter((open) => rankOf(open) === 'idle' && countOf(open) >= own)
    return (
      first(crowd, (a, b) => byRankOnly(a, b) || larger(a, b) || byAge(a, b)) ??
      first(idle, (a, b) => larger(a, b) || byAge(a, b))
    )
  }

  #close(open: OpenConnection): void {
    this.#all.delete(keyOf(open.socket))
    open.socket.destroy()
  }

  /** Answers that nobody takes are in our memory; each client's own time limit comes too late for a crowd. */
  #dropUnread(): void {
    const sizes = [...this.#all.values()].map((open) => ({ open, bytes: countUnread(open) }))
    let total = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const { open, bytes } of sizes.sort((a, b) => b.bytes - a.bytes)) {
      if (total <= this.#bounds.unreadBytes) return
      total -= bytes
      this.#close(open)
    }
  }

  #next(): number {
    this.#turns += 1
    return this.#turns
  }
}

function rankOf({ requests }: OpenConnection): Rank {
  if (requests.size === 0) return 'idle'
  const [one] = requests
  return requests.size === 1 && one?.incoming.complete === false ? 'sending' : 'working'
}

function byRankOnly(a: OpenConnection, b: OpenConnection): number {
  return RANKS[rankOf(a)] - RANKS[rankOf(b)]
}

function byAge(a: OpenConnection, b: OpenConnection): number {
  return a.turn - b.turn
}

/** Compares by rank, then by who has waited longest. */
function byRank(a: OpenConnection, b: OpenConnection): number {
  return byRankOnly(a, b) || byAge(a, b)
}

function first(
  opens: readonly OpenConnection[],
  compare: (a: OpenConnection, b: OpenConnection) => number,
): OpenConnection | undefined {
  return opens.reduce<OpenConnection | undefined>(
    (best, open) => (best === undefined || compare(open, best) < 0 ? open : best),
    undefined,
  )
}

function countRemote(opens: readonly OpenConnection[]): number {
  return opens.filter(({ owner }) => owner !== OWN_MACHINE).length
}

function countUnread({ requests }: OpenConnection): number {
  let bytes = 0
  for (const { outgoing } of requests) bytes += outgoing.writableLength
  return bytes
}

/** Makes the key of a connection: one client may use the same port towards two of our ports, and towards two of our addresses. */
function keyOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`
}
