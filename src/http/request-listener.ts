import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import { PlatenError } from '../words/errors.ts'
import { refusalJson, toFailure } from './server-faults.ts'

/** The part of a Hono app that a request listener needs. */
export interface Fetcher {
  fetch(request: Request, env: unknown): Response | Promise<Response>
}

/** Answers one request of a Node server. */
export type RequestListener = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>

/** Stands for the name that a request of HTTP/1.0 need not give: it is none of this machine's, nor of anybody (RFC 6761). */
const NO_NAME = 'unnamed.invalid'

/**
 * Lets a Hono app answer the requests of a Node server. One of HTTP/1.0 without Host is a request under a foreign name, which
 * may print; one of HTTP/1.1 is refused (RFC 9112, 3.2).
 */
export function createRequestListener(app: Fetcher): RequestListener {
  const options = { autoCleanupIncoming: false, errorHandler: refuseTarget }
  const named = getRequestListener(app.fetch, options)
  const old = getRequestListener(app.fetch, { ...options, hostname: NO_NAME })
  return async (incoming, outgoing) => {
    await (incoming.httpVersion === '1.0' ? old : named)(incoming, outgoing)
  }
}

/** Answers a request that never reaches the app, because its target or its Host is not a URL. */
function refuseTarget(error: unknown): Response {
  const failure =
    error instanceof RequestError
      ? new PlatenError('BODY_BROKEN', 'The address or the Host header is not valid.')
      : toFailure(error)
  const headers = { connection: 'close' } // who does not speak HTTP is not asked what else it wants
  return Response.json(refusalJson(failure), { status: failure.status, headers })
}
