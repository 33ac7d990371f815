import type { X509Certificate } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { isIP, isIPv4, type LookupFunction } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { PlatenError } from '../words/errors.ts'
import { type Sentences, say } from '../words/say.ts'
import { freeIfWhole } from './memory.ts'
import { TimeLimit } from './wait.ts'

/** A request to a server that somebody else runs. Times are milliseconds. */
interface OutgoingRequest<T> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD'
  /** JSON, unless `headers` say what else. */
  readonly body?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  readonly connectMs: number
  /** For the whole, `read` included. */
  readonly wholeMs: number
  /** Finds the address in place of the system. */
  readonly lookup?: LookupFunction
  /** Judges the other side's certificate in place of names and authorities, before a byte of the request leaves (https). */
  readonly trusts?: (certificate: X509Certificate) => boolean
  /** Reads as much of the answer as is wanted; the connection ends with it. */
  readonly read: (response: IncomingMessage, url: URL) => Promise<T>
}

/** The head of an answer, and what `read` made of it. */
export interface HttpResponse<T> {
  readonly status: number
  readonly location: string
  /** Time that the other side asks to wait (429, 503); undefined when it says nothing. */
  readonly retryAfterMs: number | undefined
  readonly content: T
}

/** The other side took too long. */
class LateAnswer extends Error {
  readonly code = 'ERR_LATE_ANSWER'
  readonly seconds: number

  constructor(ms: number) {
    super(`no answer within ${ms} ms`)
    this.seconds = Math.ceil(ms / 1000)
  }
}

const unsent = new WeakSet<Error>()

/** Tells whether it ended a request that never had a connection, TLS included: nothing of it has left. */
export function isUnsent(error: unknown): boolean {
  return error instanceof Error && unsent.has(error)
}

/** A redirect to another server, which is not followed: the body is not for everybody. */
export class ForeignRedirect extends Error {
  readonly code = 'ERR_FOREIGN_REDIRECT'
  readonly origin: string

  constructor(origin: string) {
    super(`redirect to ${origin}`)
    this.origin = origin
  }
}

/** The other side is not the one that was known. */
class OtherCertificate extends Error {
  readonly code = 'ERR_OTHER_CERTIFICATE'
}

/** Answers "wait", "go on" (RFC 9110, 15.2) before the one that counts; nobody whom we ask needs any. */
const INTERIM_MOST = 10

/** The error of an other side that never came to its answer. */
class EndlessAnswer extends Error {
  readonly code = 'ERR_ENDLESS_ANSWER'

  constructor() {
    super(`more than ${INTERIM_MOST} interim answers`)
  }
}

/**
 * Ends every HTTP request of this program whose other side sends one interim answer after the other: they count as no
 * answer and have neither bound nor end (Node 24). Those of libraries too, which is why it is done by Node's own channel.
 */
export function boundInterimAnswers(): void {
  // Heard twice, a request would only be counted twice; so that it does no harm to call this again.
  unsubscribe('http.client.request.start', bound)
  subscribe('http.client.request.start', bound)
}

function bound(message: unknown): void {
  const { request } = message as { readonly request: ClientRequest }
  let count = 0
  request.on('information', () => {
    count += 1
    if (count > INTERIM_MOST) request.destroy(new EndlessAnswer())
  })
}

const REDIRECTS_MOST = 3
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 307, 308])

/**
 * Sends a request and follows redirects within the same origin; gives the last answer, whatever its status.
 * @throws ForeignRedirect, and as `exchange`
 */
export async function send<T>(
  address: string,
  outgoing: OutgoingRequest<T>,
  signal: AbortSignal,
): Promise<HttpResponse<T>> {
  let url = new URL(address)
  for (let redirects = 0; ; redirects += 1) {
    const answer = await exchange(url, outgoing, signal)
    const isLast = !REDIRECTS.has(answer.status) || redirects === REDIRECTS_MOST
    const next = isLast || answer.location === '' ? null : URL.parse(answer.location, url.href)
    if (next === null) return answer
    if (next.origin !== url.origin) throw new ForeignRedirect(next.origin)
    // Location has no credentials, and they belong to this origin.
    next.username = url.username
    next.password = url.password
    url = next
  }
}

/**
 * Sends a request on a connection of its own and reads the answer. Nothing is unpacked.
 * @throws an error for `describeNetwork`, what `read` throws; the signal's reason
 */
export async function exchange<T>(
  url: URL,
  outgoing: OutgoingRequest<T>,
  signal: AbortSignal,
): Promise<HttpResponse<T>> {
  signal.throwIfAborted()
  const { connectMs, wholeMs, read } = outgoing
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse<T>>()
  const socket = outgoing.trusts && (await connectTrusted(url, outgoing, signal))
  const request = open(url, outgoing, socket)
  let isConnected = socket !== undefined
  const fail = (error: Error): void => {
    if (!isConnected) unsent.add(error)
    reject(error)
  }
  const late = (ms: number) => setTimeout(() => fail(new LateAnswer(ms)), ms)
  const connecting = socket === undefined ? late(connectMs) : undefined
  const whole = late(wholeMs)
  const stop = (): void => reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  request.once('socket', (socket) => {
    const ready = url.protocol === 'https:' ? 'secureConnect' : 'connect'
    socket.once(ready, () => {
      isConnected = true
      clearTimeout(connecting)
    })
    // The parser, which listens before us, has copied what it wants.
    socket.on('data', (chunk: Buffer) => freeIfWhole(chunk))
  })
  request.on('error', fail)
  request.on('response', (response) => {
    read(response, url).then((content) => resolve({ ...readHead(response), content }), reject)
  })
  // Whoever expects to be asked for the body sends none to a server that refuses (RFC 9110, 10.1.1).
  if (outgoing.headers?.['Expect'] === undefined) request.end(outgoing.body)
  else request.once('continue', () => request.end(outgoing.body)).flushHeaders()
  try {
    return await promise
  } finally {
    clearTimeout(connecting)
    clearTimeout(whole)
    signal.removeEventListener('abort', stop)
    request.destroy()
  }
}

/** @throws OtherCertificate, an error for `describeNetwork`; the signal's reason */
async function connectTrusted(
  url: URL,
  { connectMs, trusts }: Pick<OutgoingRequest<unknown>, 'connectMs' | 'trusts'>,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const name = isIP(host) === 0 ? { servername: host } : {}
  const place = { host, port: Number(url.port || 443), rejectUnauthorized: false, ...name }
  const socket = process.getBuiltinModule('node:tls').connect(place)
  using limit = new TimeLimit(connectMs, signal)
  try {
    await once(socket, 'secureConnect', { signal: limit.signal })
    const certificate = socket.getPeerX509Certificate()
    if (certificate === undefined || !trusts?.(certificate)) throw new OtherCertificate()
    return socket
  } catch (error) {
    // What may still come of it is of no interest.
    socket.on('error', () => undefined).destroy()
    signal.throwIfAborted()
    throw limit.isOver ? new LateAnswer(connectMs) : error
  }
}

function open(
  url: URL,
  { method, body, headers, lookup }: Omit<OutgoingRequest<unknown>, 'read'>,
  socket: TLSSocket | undefined,
): ClientRequest {
  // Not by import: the ESM facade of node:http loads all of fetch, 6 MB.
  const http = process.getBuiltinModule('node:http')
  const https = process.getBuiltinModule('node:https')
  const settings = {
    method,
    ...(lookup !== undefined && { lookup }),
    // A connection each: nothing is kept open between two requests.
    ...(socket === undefined ? { agent: false } : { createConnection: () => socket }),
    headers: {
      Accept: 'application/json',
      'Accept-Encoding': 'identity',
      ...(body === undefined
        ? {}
        : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
      ...headers,
    },
  }
  return url.protocol === 'https:' ? https.request(url, settings) : http.request(url, settings)
}

function readHead({
  statusCode = 0,
  headers,
}: IncomingMessage): Omit<HttpResponse<unknown>, 'content'> {
  const { location = '', 'retry-after': retryAfter = '' } = headers
  const isAsked = statusCode === 429 || statusCode === 503
  return {
    status: statusCode,
    location,
    retryAfterMs: isAsked ? readRetryAfter(retryAfter) : undefined,
  }
}

const DAY_MS = 86_400_000

/**
 * Retry-After in seconds or as a date (RFC 9110, 10.2.3), at most a day; undefined when it says nothing. No time to wait, or
 * one that is over by our clock, is nothing too: taken at its word, we would call without a pause.
 */
function readRetryAfter(text: string): number | undefined {
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return ms > 0 ? Math.min(ms, DAY_MS) : undefined
}

/** Node's codes of a connection that failed. */
const WORDS = {
  ECONNREFUSED: 'refusesCalls',
  ECONNRESET: 'brokeOff',
  EPIPE: 'brokeOff',
  ENOTFOUND: 'nameUnknown',
  EAI_AGAIN: 'noNameServer',
  EHOSTUNREACH: 'noWay',
  ENETUNREACH: 'noNetwork',
  ERR_ENDLESS_ANSWER: 'endless',
  CERT_HAS_EXPIRED: 'expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'untrusted',
  ERR_OTHER_CERTIFICATE: 'otherCertificate',
  ERR_TLS_CERT_ALTNAME_INVALID: 'otherName',
} as const

/** True for `999.1.1.1` and `10.0.0`: a host that ends in a number is an IPv4 address (URL Standard, 3.5), and these are none. */
export function isMistypedAddress(host: string): boolean {
  return /(?:^|\.)(?:\d+|0x[0-9a-f]*)\.?$/i.test(host) && !isIPv4(host)
}

/** A failed connection to `whom` as one sentence; our own errors pass as they are. */
export function explainNetwork(whom: string, cause: unknown): PlatenError {
  if (cause instanceof PlatenError) return cause
  const code = codeOf(cause)
  const detail = Object.hasOwn(WORDS, code) ? '' : code
  return new PlatenError('SOURCE_UNREACHABLE', describeNetwork(whom, cause), { cause, detail })
}

/** Explains in one sentence why a connection to `where` failed. */
export function describeNetwork(where: string, cause: unknown): Sentences {
  if (cause instanceof LateAnswer) return say('lateAnswer', { where, seconds: cause.seconds })
  const code = codeOf(cause)
  if (code === 'ETIMEDOUT') return say('silent', { printer: where })
  if (Object.hasOwn(WORDS, code)) return say(WORDS[code as keyof typeof WORDS], { where })
  if (/^(?:HPE_|EPROTO$|ERR_SSL)/.test(code)) return say('oddAnswer', { where })
  if (/CERT|UNABLE_TO_/.test(code)) return say('badCertificate', { where })
  return say('isOffline', { printer: where })
}

/** The code of a system error; '' without one. */
export function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
}
