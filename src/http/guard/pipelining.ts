import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { ownerOfSocket } from '../access/addresses.ts'

const HEAD_END = Buffer.from('\r\n\r\n')
const NOTHING = Buffer.alloc(0)

/**
 * The time for which new requests are begun in one turn of the event loop; Node accepts one new connection a turn.
 * Decision `one-head-at-a-time`.
 */
const TURN_MS = 2

/** A request that waits to begin. */
interface Waiter {
  /** The owner whose turn it needs. */
  readonly owner: string
  release(): void
}

/** Connections that go on in one turn of the event loop, more than begin a request in its time; the rest wait again. */
const RELEASED = 8

/**
 * Decides whose request begins next. Where more come than are answered, the clients take turns, however many connections each
 * has: requests of a crowd do not delay those of others.
 */
export class PipelineTurns {
  readonly #waiting = new Map<string, Set<Waiter>>()
  #isScheduled = false
  #startMs: number | undefined

  /** Tells whether another request may begin in this turn of the event loop. */
  mayBegin(): boolean {
    const now = performance.now()
    if (this.#startMs === undefined) {
      this.#startMs = now
      this.#schedule()
    }
    return now - this.#startMs < TURN_MS
  }

  /** Calls `release` of the waiter when it is its client's turn. */
  wait(waiter: Waiter): void {
    const mates = this.#waiting.get(waiter.owner)
    if (mates === undefined) this.#waiting.set(waiter.owner, new Set([waiter]))
    else mates.add(waiter)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#startMs = undefined
      for (let count = 0; count < RELEASED; count += 1) this.#releaseNext()
      if (this.#waiting.size > 0) this.#schedule()
    })
  }

  #releaseNext(): void {
    const [next] = this.#waiting
    if (next === undefined) return
    const [owner, mates] = next
    this.#waiting.delete(owner)
    const [waiter] = mates
    if (waiter === undefined) return
    mates.delete(waiter)
    // To the end, behind all other clients.
    if (mates.size > 0) this.#waiting.set(owner, mates)
    waiter.release()
  }
}

/**
 * Bounds the requests of one connection that are under way together; beyond `most` the rest stays in the socket, unread.
 * Returns the function to call with every request.
 *
 * Node makes a request of every head in a piece of 64 KiB (1,700 fit) before a handler can stop it, so its parser is taken off
 * the socket and handed one head at a time. Whatever a handler does comes too late, maxRequestsPerSocket too: with connections
 * ended at their fifth request, 250 of one address that pipeline let another address wait 14 to 26 s for an answer (0.15 s
 * with this, measured with test/e2e/flood-child.ts). The test "no request is made of a head that has to wait" needs it.
 */
export function paceRequests(
  server: Server | TlsServer,
  most: number,
  turns: PipelineTurns,
): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  const feeders = new WeakMap<Socket, Feeder>()
  const event = 'setSecureContext' in server ? 'secureConnection' : 'connection'
  // Node's own listener came first: it has tied its parser to the socket.
  server.on(event, (socket: Socket) => feeders.set(socket, new Feeder(socket, most, turns)))
  return (incoming, outgoing) => feeders.get(incoming.socket)?.begin(incoming, outgoing)
}

/** Stands between a socket and Node's parser. */
class Feeder implements Waiter {
  readonly owner: string
  readonly #socket: Socket
  readonly #turns: PipelineTurns
  readonly #parsers: readonly ((chunk: Buffer) => void)[]
  readonly #most: number
  #underWay = 0
  #last: IncomingMessage | undefined
  /** The bytes left of a body whose length its head declared. */
  #bodyLeft = 0
  /** The last bytes that the parser got: a head may end across two pieces. */
  #tail: Buffer = NOTHING
  #isHeld = false

  constructor(socket: Socket, most: number, turns: PipelineTurns) {
    this.owner = ownerOfSocket(socket.remoteAddress)
    this.#socket = socket
    this.#turns = turns
    this.#most = most
    this.#parsers = socket.listeners('data') as ((chunk: Buffer) => void)[]
    for (const parse of this.#parsers) socket.removeListener('data', parse)
    // A listener of ours also makes the parser leave the socket's handle, which it reads past the stream.
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
  }

  begin(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { 'content-length': length, 'transfer-encoding': coding } = incoming.headers
    this.#last = incoming
    this.#bodyLeft = coding === undefined ? Number(length ?? 0) : 0
    this.#underWay += 1
    outgoing.once('close', () => {
      this.#underWay -= 1
      if (this.#isHeld) this.#turns.wait(this)
    })
  }

  /** Resumes the socket with what was held back. */
  release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#socket.resume()
  }

  #take(chunk: Buffer): void {
    this.#isHeld = false
    const before = this.#last
    let rest = chunk
    while (rest.length > 0 && !this.#socket.destroyed) {
      if (this.#last?.complete !== false && !this.#mayBegin(before)) {
        this.#hold(rest)
        return
      }
      const piece = rest.subarray(0, this.#measure(rest))
      rest = rest.subarray(piece.length)
      this.#parse(piece)
      // Node waits for the reader of a body or of answers, and goes on by itself.
      if (rest.length > 0 && this.#socket.isPaused()) {
        this.#socket.unshift(rest)
        return
      }
    }
  }

  /** Measures how much of it begins at most one request. */
  #measure(rest: Buffer): number {
    if (this.#bodyLeft > 0) return Math.min(this.#bodyLeft, rest.length)
    const joined = Buffer.concat([this.#tail, rest.subarray(0, HEAD_END.length - 1)])
    const across = joined.indexOf(HEAD_END)
    if (across >= 0) return across + HEAD_END.length - this.#tail.length
    const at = rest.indexOf(HEAD_END)
    return at < 0 ? rest.length : at + HEAD_END.length
  }

  #parse(piece: Buffer): void {
    if (this.#bodyLeft > 0) {
      this.#bodyLeft -= piece.length
      this.#tail = NOTHING
    } else this.#tail = Buffer.concat([this.#tail, piece.subarray(-3)]).subarray(-3)
    for (const parse of this.#parsers) parse.call(this.#socket, piece)
  }

  /** Lets one request of each piece begin, so that other connections come in between. */
  #mayBegin(before: IncomingMessage | undefined): boolean {
    return this.#underWay < this.#most && this.#last === before && this.#turns.mayBegin()
  }

  #hold(rest: Buffer): void {
    this.#isHeld = true
    this.#socket.pause()
    this.#socket.unshift(rest)
    if (this.#underWay < this.#most) this.#turns.wait(this)
  }
}
