import type { IncomingMessage } from 'node:http'
import { CarrierFault, type CarrierSender, type HttpCall, type RawReply } from '#carriers'
import { codeOf, exchange, isUnsent } from '../../system/http-client.ts'
import { SHIPPING_BOUNDS } from './bounds.ts'
import { Turns } from './turns.ts'

const CONNECT_MS = 10_000

/** The settings of an `Outbound`. */
interface OutboundSettings {
  /** Calls under way at once; more wait. */
  readonly atOnce: number
  /** Size of one answer. */
  readonly replyBytes: number
  /** True when the wait for a place counts as the carrier's time: nobody waits longer for a rate because others are slow. */
  readonly isTimed: boolean
}

/** Sends calls to carriers: the only way out of the shipping API. */
export class Outbound implements CarrierSender {
  readonly #settings: OutboundSettings
  readonly #turns: Turns

  constructor({
    atOnce = SHIPPING_BOUNDS.atOnce,
    replyBytes = SHIPPING_BOUNDS.replyBytes,
    isTimed = false,
  }: Partial<OutboundSettings> = {}) {
    this.#settings = { atOnce, replyBytes, isTimed }
    this.#turns = new Turns(atOnce)
  }

  async send(origin: string, call: HttpCall, timeoutMs: number): Promise<RawReply> {
    const began = performance.now()
    await this.#enter(timeoutMs)
    const waited = this.#settings.isTimed ? Math.round(performance.now() - began) : 0
    const leftMs = Math.max(1, timeoutMs - waited)
    try {
      const { method, path, headers, body } = call
      const outgoing = {
        method,
        headers,
        connectMs: Math.min(CONNECT_MS, leftMs),
        wholeMs: leftMs,
        ...(body === undefined ? {} : { body }),
        read: (response: IncomingMessage) => readReply(response, this.#settings.replyBytes),
      }
      return (await exchange(addressAt(origin, path), outgoing, NEVER)).content
    } catch (error) {
      throw toFault(error)
    } finally {
      this.#turns.leave()
    }
  }

  async #enter(timeoutMs: number): Promise<void> {
    if (await this.#turns.take(this.#settings.isTimed ? timeoutMs : LONGEST_MS)) return
    throw new CarrierFault('CARRIER_TIMEOUT', LATE)
  }
}

/** A signal that never aborts: a call goes on when its client has gone, because what it buys must be written down. */
const NEVER = new AbortController().signal

/** The longest wait of a bought label for its turn: the limit of timers. */
const LONGEST_MS = 2 ** 31 - 1

const LATE = 'The carrier did not answer in time.'

/** Faults after which the carrier certainly never got the request: no connection was made, or a key cannot be a header. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_NOT_YET_VALID',
  'ERR_INVALID_CHAR',
])

/** Tells whether a failed request may have reached the other side. */
export function isSent(error: unknown): boolean {
  return !isUnsent(error) && !NEVER_SENT.has(codeOf(error))
}

/** Explains why a call failed, without quoting it; an error from elsewhere than the connection stays unchanged. */
export function toFault(error: unknown): unknown {
  const code = codeOf(error)
  if (code === '' && !isUnsent(error)) return error
  const more = { isSent: isSent(error), cause: error }
  if (code === 'ERR_LATE_ANSWER') return new CarrierFault('CARRIER_TIMEOUT', LATE, more)
  const shown = code === '' ? '' : ` (${code})`
  return new CarrierFault('CARRIER_FAULT', `The connection to the carrier failed${shown}.`, more)
}

class LongReply extends Error {
  readonly code = 'ERR_LONG_REPLY'
}

/**
 * Makes the address of a call, never at another host: a path that begins with two slashes would name one where an address is resolved (RFC
 * 3986, 5.2).
 */
function addressAt(origin: string, path: string): URL {
  const url = new URL(origin)
  const query = path.indexOf('?')
  url.pathname = query < 0 ? path : path.slice(0, query)
  url.search = query < 0 ? '' : path.slice(query)
  return url
}

async function readReply(response: IncomingMessage, most: number): Promise<RawReply> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > most) throw new LongReply('the answer is too long')
    chunks.push(chunk)
  }
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(response.headers)) headers[name] = String(value)
  return { status: response.statusCode ?? 0, headers, bytes: Buffer.concat(chunks) }
}
