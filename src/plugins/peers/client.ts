import type { IncomingMessage } from 'node:http'
import { isObject } from '../../settings/field.ts'
import { describeNetwork, exchange } from '../../system/http-client.ts'
import { type BackOff, backOffMs, waitFor } from '../../system/wait.ts'
import { PlatenError } from '../../words/errors.ts'
import { say } from '../../words/say.ts'
import { type Peer, type PeerStore, pinOf, refuseUnknown } from './store.ts'

/** The header by which a paired print server identifies itself with each call: its identity, a dot, its key. */
export const PEER_HEADER = 'X-Platen-Peer'
/** The header with the time since which the other side must remember requests: see tickets.ts. */
export const TICKET_HEADER = 'X-Platen-Ticket'

/**
 * The header with the outage for which a rule of the sender hands a label over: minutes, a semicolon, its printer, escaped as in an
 * address.
 */
export const BECAUSE_HEADER = 'X-Platen-Because'

const CONNECT_MS = 4_000
const ANSWER_BYTES = 256 * 1024

const SEARCH_EVERY_MS = 60_000
const PLACES_MOST = 32

/** A possible address of another print server. */
export interface FoundPlace {
  readonly name: string
  readonly address: string
  /** More of its addresses. */
  readonly others?: readonly string[]
  readonly port: string
}

/** The parts of the calls. */
export interface ClientParts {
  readonly store: PeerStore
  /** Finds print servers of this kind that the network announces now. */
  readonly search: (
    signal: AbortSignal,
  ) => Promise<readonly Pick<FoundPlace, 'address' | 'others' | 'port'>[]>
  readonly signal: AbortSignal
}

/** A call to a print server. */
export interface PeerCall {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Time from the connection on. */
  readonly wholeMs?: number
}

/** Formats host and port as in an address. */
export function makeAddress(host: string, port: string): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The result of a call. `isSent` false: not a byte of the request has left. */
export type PeerAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly json: PeerJson }
  | { readonly kind: 'lost'; readonly isSent: boolean; readonly error: PlatenError }

type PeerJson = Readonly<Record<string, unknown>>

/**
 * Calls paired print servers by HTTPS: the server must have the key that was seen at the pairing, and only then anything is sent. Each gets
 * one request at a time.
 */
export class PeerClient {
  readonly #parts: ClientParts
  readonly #tails = new Map<string, Promise<unknown>>()
  readonly #searchedAt = new Map<string, number>()

  constructor(parts: ClientParts) {
    this.#parts = parts
  }

  /** Calls a print server. Rejects only when the program ends. */
  call(peer: Pick<Peer, 'id'>, call: PeerCall): Promise<PeerAnswer> {
    const before = this.#tails.get(peer.id) ?? Promise.resolve()
    const turn = before.then(() => this.#call(peer.id, call))
    const tail = turn.catch(() => undefined)
    this.#tails.set(peer.id, tail)
    return turn
  }

  async #call(id: string, call: PeerCall): Promise<PeerAnswer> {
    const peer = this.#parts.store.get(id)
    if (peer === undefined) return { kind: 'lost', isSent: false, error: refuseUnknown() }
    const first = await this.#send(peer, call)
    if (first.kind === 'answer' || first.isSent) return first
    const moved = await this.#findAgain(peer)
    return moved === undefined ? first : await this.#send(moved, call)
  }

  async #send(peer: Peer, call: PeerCall): Promise<PeerAnswer> {
    const headers = { ...call.headers, [PEER_HEADER]: `${this.#parts.store.id}.${peer.key}` }
    const trusts = (pin: string): boolean => pin === peer.pin
    return await callPinned({ ...peer, trusts }, { ...call, headers }, this.#parts.signal)
  }

  /** Searches for a print server that may have another address since (DHCP), by its certificate, once in a while. */
  async #findAgain(peer: Peer): Promise<Peer | undefined> {
    const { search, signal, store } = this.#parts
    const now = performance.now()
    if (now - (this.#searchedAt.get(peer.id) ?? Number.NEGATIVE_INFINITY) < SEARCH_EVERY_MS) return
    this.#searchedAt.set(peer.id, now)
    const found = await search(signal)
    const trusts = (pin: string): boolean => pin === peer.pin
    const places = found.flatMap(({ address, others = [], port }) =>
      [address, ...others].map((host) => makeAddress(host, port)),
    )
    for (const address of places.slice(0, PLACES_MOST)) {
      const call = { method: 'GET', path: '/peers/hello' } as const
      const answer = await callPinned({ name: peer.name, address, trusts }, call, signal)
      if (answer.kind === 'lost') continue
      // Somebody may have removed it meanwhile, or paired it again.
      if (store.get(peer.id)?.key !== peer.key) return undefined
      const moved = { ...peer, address }
      try {
        store.put(moved)
      } catch (error) {
        // Not noted, it is looked for again.
        if (!(error instanceof PlatenError)) throw error
      }
      return moved
    }
    return undefined
  }
}

/** The target of a call, and the certificate that may answer there. */
export interface PeerEndpoint {
  readonly name: string
  readonly address: string
  readonly trusts: (pin: string) => boolean
}

/** Calls a print server that need not be paired yet. */
export async function callPinned(
  place: PeerEndpoint,
  { method, path, headers = {}, body, wholeMs = 10_000 }: PeerCall,
  signal: AbortSignal,
): Promise<PeerAnswer> {
  let isSent = false
  try {
    const { status, content } = await exchange(
      new URL(`https://${place.address}${path}`),
      {
        method,
        headers,
        wholeMs,
        connectMs: CONNECT_MS,
        read: readJson,
        ...(body !== undefined && { body }),
        trusts(certificate) {
          isSent = place.trusts(pinOf(certificate))
          return isSent
        },
      },
      signal,
    )
    return { kind: 'answer', status, json: content }
  } catch (cause) {
    signal.throwIfAborted()
    return { kind: 'lost', isSent, error: explain(place.name, cause) }
  }
}

function explain(name: string, cause: unknown): PlatenError {
  const isOther =
    cause instanceof Error && 'code' in cause && cause.code === 'ERR_OTHER_CERTIFICATE'
  const hint = isOther ? { hint: say('pairAnew') } : {}
  return new PlatenError('PEER_UNREACHABLE', describeNetwork(name, cause), { cause, ...hint })
}

/** Reads a JSON answer. One that is not JSON of a permitted size counts as empty; its status still counts. */
async function readJson(response: IncomingMessage): Promise<PeerJson> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > ANSWER_BYTES) return {}
    chunks.push(chunk)
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString())
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** The parts of the work for peers. */
export interface WorkParts {
  /** Takes the next step for a peer: resolves with false when it is to be tried again later; undefined = nothing to do. Never throws. */
  readonly step: (peer: string) => Promise<boolean> | undefined
  readonly backOff: BackOff
  readonly signal: AbortSignal
}

/** Takes steps for each peer, one after the other, and pauses after one that failed. */
export class PeerWork {
  readonly #parts: WorkParts
  /** Functions that end the pauses of peers with work. */
  readonly #wakes = new Map<string, () => void>()

  constructor(parts: WorkParts) {
    this.#parts = parts
  }

  /** Begins work for a peer, and ends its pause. */
  begin(peer: string): void {
    const wake = this.#wakes.get(peer)
    if (wake !== undefined) {
      wake()
      return
    }
    this.#wakes.set(peer, () => undefined)
    void this.#run(peer)
  }

  async #run(peer: string): Promise<void> {
    const { step, backOff, signal } = this.#parts
    let failures = 0
    while (!signal.aborted) {
      const taken = step(peer)
      if (taken === undefined) break
      failures = (await taken) ? 0 : failures + 1
      if (failures > 0) await this.#rest(peer, backOffMs(failures, Math.random(), backOff))
    }
    this.#wakes.delete(peer)
  }

  async #rest(peer: string, ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    await waitFor((end) => {
      timer = setTimeout(end, ms).unref()
      this.#wakes.set(peer, end)
    }, this.#parts.signal)
    clearTimeout(timer)
    this.#wakes.set(peer, () => undefined)
  }
}
