import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpBounds } from '../bounds.ts'
import { answerBadRequest } from './refusals.ts'

const deadlines = new WeakMap<IncomingMessage, NodeJS.Timeout>()

/** Ends a request that is not whole in time; one that nobody reads, since it was refused, is ended by `lingerOn`. */
export function boundRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { requestTimeoutMs }: HttpBounds,
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
  { answerIdleMs, socketIdleMs }: HttpBounds,
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
  bounds: HttpBounds,
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
