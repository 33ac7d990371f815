import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { readFaults } from '../config/store.ts'
import { FAILURES, type FailureCode, PlatenError } from '../errors.ts'
import { saidJson } from '../read-sentences.ts'
import { say } from '../sentences.ts'
import type { Bounds } from './bounds.ts'

/** What Node says of a request that never became one, and what we say; all others are BODY_BROKEN. */
const FAULTS: Readonly<Record<string, readonly [FailureCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['HEADERS_TOO_LARGE', 'The headers of the request are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['BODY_TIMEOUT', 'The request did not arrive in time.'],
}

/** Answers what the HTTP parser refused, in the one shape, and ends the connection. */
export function answerBadRequest(error: Error & { readonly code?: string }, socket: Socket): void {
  // An answer that has begun cannot be followed by another; a reset connection takes none.
  const isTls = /^(ERR_SSL|ERR_TLS|EPROTO)/.test(error.code ?? '')
  if (!socket.writable || isTls || error.code === 'ECONNRESET' || hasAnswerBegun(socket)) {
    socket.destroy()
    return
  }
  const [code, message] = FAULTS[error.code ?? ''] ?? ['BODY_BROKEN', 'This is not HTTP/1.1.']
  const body = JSON.stringify(refusalJson(new PlatenError(code, message)))
  socket.end(
    [
      `HTTP/1.1 ${FAILURES[code].status} Refused`,
      'Connection: close',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  )
  // A client that floods does not read either.
  socket.setTimeout(1_000, () => socket.destroy())
}

const deadlines = new WeakMap<IncomingMessage, NodeJS.Timeout>()

/** Ends a request that is not whole in time; one that nobody reads, since it was refused, is ended by `lingerOn`. */
export function boundRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { requestTimeoutMs }: Bounds,
): void {
  const timer = setTimeout(() => {
    const late = new Error('the request is not whole in time')
    const error = Object.assign(late, { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    if (!incoming.complete) answerBadRequest(error, incoming.socket)
  }, requestTimeoutMs)
  timer.unref()
  deadlines.set(incoming, timer)
  incoming.once('end', () => clearTimeout(timer))
  outgoing.once('close', () => clearTimeout(timer))
}

/**
 * A backup of a gigabyte takes hours over a slow Wi-Fi: of it only the pauses and the pace are bounded, by its reader. To be
 * called once its sender has shown that it may send one.
 */
export function allowLong(incoming: IncomingMessage | undefined): void {
  if (incoming !== undefined) clearTimeout(deadlines.get(incoming))
}

/** Ends the connection of a client that does not read a finished answer; its next request gets a fresh time limit. */
export function boundAnswer(
  { socket }: IncomingMessage,
  outgoing: ServerResponse,
  { answerIdleMs, socketIdleMs }: Bounds,
): void {
  outgoing.once('prefinish', () => socket.setTimeout(answerIdleMs))
  // Before Node's own listener, which knows what an idle connection gets.
  outgoing.prependOnceListener('finish', () => socket.setTimeout(socketIdleMs))
}

/**
 * Lets a refused body run out for a while: closing on a sender that still sends would reset the connection, and the
 * sender would never see why (RFC 9112, 9.6).
 */
export function lingerOn(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  bounds: Bounds,
): void {
  outgoing.once('finish', () => {
    if (incoming.complete || incoming.destroyed) return
    const { socket } = incoming
    const seen = socket.bytesRead
    const timer = setTimeout(() => socket.destroySoon(), bounds.lingerMs)
    // Counted on the socket: once the answer is sent, Node silently drops the rest of the body.
    const count = (): void => {
      if (socket.bytesRead - seen > bounds.lingerBytes) socket.destroySoon()
    }
    socket.on('data', count)
    const stop = (): void => {
      clearTimeout(timer)
      socket.off('data', count)
      socket.off('close', stop)
    }
    incoming.once('end', stop)
    socket.on('close', stop)
    incoming.resume()
  })
}

function hasAnswerBegun(socket: Socket): boolean {
  const { _httpMessage: message } = socket as Socket & { _httpMessage?: ServerResponse | null }
  return message?.headersSent ?? false
}

/** Where a refusal can only be temporary: seconds until it makes sense to try again (RFC 9110, 10.2.3). */
const RETRY_AFTER: Readonly<Record<number, string>> = { 408: '1', 429: '60', 503: '10', 507: '60' }

/** The value of Retry-After for a status, or undefined. */
export function retryAfterOf(status: number): string | undefined {
  return RETRY_AFTER[status]
}

/** The one shape of errors outside `/packlist` and `/v1`. */
interface RefusalJson {
  readonly Status: 'Error'
  readonly Message: string
  readonly code: string
  readonly hint: string
  /** Keys and values of both, for other languages: `readSentences`. */
  readonly texts?: unknown
  /** Of settings: all faults at once, by key. */
  readonly faults?: readonly unknown[]
}

/** The failure that a client sees: any other error is our own fault and stays in the log. */
export function toFailure(error: unknown): PlatenError {
  if (error instanceof PlatenError) return error
  return new PlatenError('INTERNAL', say('serverFault'), { cause: error })
}

/** A failure as JSON. */
export function refusalJson(failure: PlatenError): RefusalJson {
  const faults = readFaults(failure)
  return {
    Status: 'Error',
    Message: failure.message,
    code: failure.code,
    hint: failure.hint,
    ...saidJson(failure.message, failure.hint),
    ...(faults.length > 0 && { faults }),
  }
}
