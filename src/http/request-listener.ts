import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import { PlatenError } from '../errors.ts'
import { refusalJson, toFailure } from './server-faults.ts'

/** What a request listener needs of a Hono app. */
export interface Fetcher {
  fetch(request: Request, env: unknown): Response | Promise<Response>
}

/** Answers one request of a Node server. */
export type RequestListener = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>

/** Lets a Hono app answer the requests of a Node server. */
export function createRequestListener(app: Fetcher): RequestListener {
  return getRequestListener(app.fetch, { autoCleanupIncoming: false, errorHandler: refuseTarget })
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
