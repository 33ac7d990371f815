import type { IncomingMessage } from 'node:http'
import { inEnglish } from '../words/say.ts'
import { describeNetwork, ForeignRedirect, type HttpResponse, send } from './http-client.ts'

/** Bounds of one request, in milliseconds. */
export interface PostLimits {
  readonly connectMs: number
  /** Time until the status arrives. */
  readonly answerMs: number
  /** Time for which the rest is read, out of politeness: the status decides. */
  readonly restMs: number
}

/** The bounds in use. */
const POST_LIMITS: PostLimits = { connectMs: 10_000, answerMs: 30_000, restMs: 1000 }

const REST_BYTES = 16 * 1024

/** The result of a request: delivered, or why not. */
export type DeliveryOutcome =
  | { readonly isDelivered: true }
  | {
      readonly isDelivered: false
      /** A single sentence, never the path of the address, which may hold a secret. */
      readonly message: string
      /** True when the request was too large for the receiver. */
      readonly isTooLarge?: boolean
      /** The time after which the receiver wants the next request. */
      readonly retryAfterMs?: number
    }

/**
 * Posts JSON and returns the outcome; only a 2xx answer counts, and only the status of the answer matters. Never rejects; an abort is a
 * failure like any other.
 */
export async function post(
  address: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  { connectMs, answerMs, restMs }: PostLimits = POST_LIMITS,
): Promise<DeliveryOutcome> {
  const { host } = new URL(address)
  const times = { connectMs, wholeMs: answerMs + restMs }
  const read = (response: IncomingMessage): Promise<void> => passOver(response, restMs)
  const outgoing = { method: 'POST', body, headers: { Accept: '*/*', ...headers }, read } as const
  try {
    return judge(host, await send(address, { ...outgoing, ...times }, signal))
  } catch (error) {
    const message = signal.aborted ? `${host} was not waited for.` : explain(host, error)
    return { isDelivered: false, message }
  }
}

function judge(host: string, { status, retryAfterMs }: HttpResponse<void>): DeliveryOutcome {
  if (status >= 200 && status <= 299) return { isDelivered: true }
  return {
    isDelivered: false,
    message: `${host} answered with HTTP ${status}; wanted 200.`,
    isTooLarge: status === 413,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

/** Explains why no answer came. */
function explain(host: string, error: unknown): string {
  return error instanceof ForeignRedirect
    ? `${host} sends this on to ${error.origin}, which is another server; set its address in the settings to the right one.`
    : inEnglish(describeNetwork(host, error))
}

/** Lets the other side finish a short answer; a long or slow one is cut. */
function passOver(response: IncomingMessage, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > REST_BYTES) resolve()
  })
  response.on('close', resolve)
  response.on('error', () => resolve()) // the status has come, which is all that counts
  return promise.finally(() => clearTimeout(timer))
}
