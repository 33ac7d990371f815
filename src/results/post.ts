import type { ClientRequest, IncomingMessage } from 'node:http'

/** Bounds of one request, in milliseconds. */
export interface PostLimits {
  readonly connectMs: number
  /** Until the status is there. */
  readonly answerMs: number
  /** The status decides; what follows is read so long for politeness. */
  readonly restMs: number
}

/** The bounds in use. */
export const POST_LIMITS: PostLimits = { connectMs: 10_000, answerMs: 30_000, restMs: 1000 }

const REST_BYTES = 16 * 1024
const REDIRECTS_MOST = 3
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 307, 308])
const DAY_MS = 86_400_000

/** How a request went: the other side has it, or why not. */
export type Outcome =
  | { readonly isDelivered: true }
  | {
      readonly isDelivered: false
      /** One sentence; never the path of the address, which may hold a secret. */
      readonly message: string
      /** The request was too large for the other side. */
      readonly isTooLarge?: boolean
      /** The other side said when to come again. */
      readonly retryAfterMs?: number
    }

interface Answer {
  readonly status: number
  readonly location: string
  readonly retryAfter: string
}

/**
 * Posts JSON and gives how it went; only a 2xx answer counts. Redirects are followed within the same origin, nothing is
 * unpacked, and of the answer only its status matters. Never rejects; an abort is a failure like any other.
 */
export async function post(
  address: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  limits: PostLimits = POST_LIMITS,
): Promise<Outcome> {
  let url = new URL(address)
  for (let redirects = 0; redirects <= REDIRECTS_MOST; redirects += 1) {
    const answer = await exchange(url, body, headers, limits, signal)
    if (typeof answer === 'string') return fail(`${url.host} ${answer}.`)
    if (answer.status >= 200 && answer.status <= 299) return { isDelivered: true }
    const next = REDIRECTS.has(answer.status) ? URL.parse(answer.location, url.href) : null
    if (next === null) return refuse(url, answer)
    if (next.origin !== url.origin) {
      return fail(
        `${url.host} sends results on to ${next.origin}, which is another server; set result_url to the right one.`,
      )
    }
    // Location has no credentials, and they belong to this origin.
    next.username = url.username
    next.password = url.password
    url = next
  }
  return fail(`${url.host} sends results on in a circle.`)
}

function fail(message: string): Outcome {
  return { isDelivered: false, message }
}

function refuse(url: URL, { status, retryAfter }: Answer): Outcome {
  const wait = status === 429 || status === 503 ? readRetryAfter(retryAfter) : undefined
  return {
    isDelivered: false,
    message: `${url.host} answered with HTTP ${status}; wanted 200.`,
    isTooLarge: status === 413,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  }
}

/** Retry-After in seconds or as a date (RFC 9110, 10.2.3), at most a day; undefined when it says nothing. */
function readRetryAfter(text: string): number | undefined {
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), DAY_MS)
}

/** Why no answer came, to follow the name of the other side. */
function describe(error: Error): string {
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'ECONNREFUSED') return 'refuses connections: nothing listens there'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'is a name that cannot be looked up'
  if (code === 'ERR_ENDLESS_ANSWER') return 'answers without an end'
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) {
    return `shows a certificate that cannot be trusted (${code})`
  }
  return `did not answer as it should${code === '' ? '' : ` (${code})`}`
}

/** The answer, or in words why there is none. */
async function exchange(
  url: URL,
  body: string,
  headers: Readonly<Record<string, string>>,
  limits: PostLimits,
  signal: AbortSignal,
): Promise<Answer | string> {
  if (signal.aborted) return 'was not asked'
  const { promise, resolve } = Promise.withResolvers<Answer | string>()
  const request = open(url, body, headers)
  const late = (): void => resolve('did not answer in time')
  const connecting = setTimeout(late, limits.connectMs)
  const waiting = setTimeout(late, limits.answerMs)
  const stop = (): void => resolve('was not waited for')
  signal.addEventListener('abort', stop, { once: true })
  request.once('socket', (socket) => {
    const ready = url.protocol === 'https:' ? 'secureConnect' : 'connect'
    socket.once(ready, () => clearTimeout(connecting))
  })
  request.on('error', (error) => resolve(describe(error)))
  request.on('response', (response) => {
    clearTimeout(waiting)
    void passOver(response, limits.restMs).then(() => resolve(readAnswer(response)))
  })
  request.end(body)
  const answer = await promise
  clearTimeout(connecting)
  clearTimeout(waiting)
  signal.removeEventListener('abort', stop)
  request.destroy()
  return answer
}

function open(url: URL, body: string, headers: Readonly<Record<string, string>>): ClientRequest {
  // Not by import: the ESM facade of node:http loads all of fetch, 6 MB.
  const http = process.getBuiltinModule('node:http')
  const https = process.getBuiltinModule('node:https')
  const settings = {
    method: 'POST',
    agent: false, // a connection each: nothing is kept open between two events
    headers: {
      ...headers,
      Accept: '*/*',
      'Accept-Encoding': 'identity',
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    },
  }
  return url.protocol === 'https:' ? https.request(url, settings) : http.request(url, settings)
}

function readAnswer({ statusCode = 0, headers }: IncomingMessage): Answer {
  const { location = '', 'retry-after': retryAfter = '' } = headers
  return { status: statusCode, location, retryAfter }
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
