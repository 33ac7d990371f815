import type { IncomingMessage } from 'node:http'
import { exchange } from '../http-client.ts'
import { SHIPPING_BOUNDS } from './bounds.ts'
import type { HttpCall, Reply } from './carrier.ts'

const CONNECT_MS = 10_000

type Sending = readonly [origin: string, call: HttpCall, timeoutMs: number, signal: AbortSignal]

/** A reply whose body may be anything. */
export interface RawReply extends Omit<Reply, 'text'> {
  readonly bytes: Buffer
}

/** Sends calls to carriers: the one way out of the shipping API. */
export class Outbound {
  #free: number = SHIPPING_BOUNDS.atOnce
  readonly #waiting: (() => void)[] = []

  /**
   * The reply, whatever its status. No redirect is followed and nothing is sent twice.
   * @throws an error for `isSent`
   */
  async send(...asked: Sending): Promise<Reply> {
    const { status, headers, bytes } = await this.fetch(...asked)
    return { status, headers, text: bytes.toString('utf8') }
  }

  /** The same for what is no text. */
  async fetch(...[origin, call, timeoutMs, signal]: Sending): Promise<RawReply> {
    await this.#enter()
    try {
      const { method, path, headers, body } = call
      const outgoing = {
        ...{ method, headers, connectMs: Math.min(CONNECT_MS, timeoutMs), wholeMs: timeoutMs },
        ...(body === undefined ? {} : { body }),
        read: readReply,
      }
      return (await exchange(new URL(path, origin), outgoing, signal)).content
    } finally {
      this.#leave()
    }
  }

  async #enter(): Promise<void> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  #leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free += 1
    else next()
  }
}

/** Faults of which it is certain that the carrier never got the request: no connection was made. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  ...['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ...['SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'CERT_NOT_YET_VALID'],
])

/** Whether a call that failed may have reached the carrier. */
export function isSent(error: unknown): boolean {
  return !NEVER_SENT.has(codeOf(error))
}

/** Whether the time was over. */
export function isLate(error: unknown): boolean {
  return codeOf(error) === 'ERR_LATE_ANSWER'
}

/** Why a call failed, in words without anything of it. */
export function describeFault(error: unknown): string {
  if (isLate(error)) return 'The carrier did not answer in time.'
  const code = codeOf(error)
  return `The connection to the carrier failed${code === '' ? '' : ` (${code})`}.`
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

class LongReply extends Error {
  readonly code = 'ERR_LONG_REPLY'
}

async function readReply(response: IncomingMessage): Promise<RawReply> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > SHIPPING_BOUNDS.replyBytes) throw new LongReply('the answer is too long')
    chunks.push(chunk)
  }
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(response.headers)) headers[name] = String(value)
  return { status: response.statusCode ?? 0, headers, bytes: Buffer.concat(chunks) }
}
