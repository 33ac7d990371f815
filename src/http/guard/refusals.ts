import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { PlatenError } from '../../words/errors.ts'
import { FAILURES, type FailureCode } from '../../words/failures.ts'
import { refusalJson } from '../server-faults.ts'

/** Codes by which Node refuses a request that never became one, and what we say; all others are BODY_BROKEN. */
const FAULTS: ReadonlyMap<string, readonly [FailureCode, string]> = new Map(
  Object.entries({
    HPE_HEADER_OVERFLOW: ['HEADERS_TOO_LARGE', 'The headers of the request are too large.'],
    ERR_HTTP_REQUEST_TIMEOUT: ['BODY_TIMEOUT', 'The request did not arrive in time.'],
  }),
)

/** Answers what the HTTP parser refused, in the one shape, and ends the connection. */
export function answerBadRequest(error: Error & { readonly code?: string }, socket: Socket): void {
  // An answer that has begun cannot be followed by another; a reset connection takes none.
  const isTls = /^(ERR_SSL|ERR_TLS|EPROTO)/.test(error.code ?? '')
  if (!socket.writable || isTls || error.code === 'ECONNRESET' || hasBegun(socket)) {
    socket.destroy()
    return
  }
  const [code, message] = FAULTS.get(error.code ?? '') ?? ['BODY_BROKEN', 'This is not HTTP/1.1.']
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

/** The answers of each connection that are not out yet. */
const underWay = new WeakMap<Socket, Set<ServerResponse>>()

/** Keeps an answer in mind until it is out: a refusal of the parser must not be written into it. */
export function noteAnswer({ socket }: IncomingMessage, outgoing: ServerResponse): void {
  const answers = underWay.get(socket) ?? new Set()
  underWay.set(socket, answers.add(outgoing))
  outgoing.once('close', () => answers.delete(outgoing))
}

function hasBegun(socket: Socket): boolean {
  return [...(underWay.get(socket) ?? [])].some(({ headersSent }) => headersSent)
}
