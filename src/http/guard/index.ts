/*
The guard: what is between the network and the routes. Every bound is a row of ../bounds.ts, whose names stand here.

  a connection      connections, connectionsOfAddress, connectionsKept      connections.ts
       |            one too many replaces an idle one of who has the most
       v
  TLS, if any       headersTimeoutMs; a plain one may ask for it            here, upgrade.ts
       |
       v
  a head            headersTimeoutMs, headerBytes, headers                  here
       |            what is not HTTP is answered 400, 408 or 431            refusals.ts
       v
  several heads     requestsUnderWay of a connection, the rest is not       pipelining.ts
       |            read; where many come, the clients take turns
       v
  a body            requestTimeoutMs for the whole request                  time-limits.ts
       |            bodyBytes, bodyIdleMs, bodyBytesPerSecond               body.ts, as a route reads it
       |            bodyBytesTogether, bodyBytesFree, bodyWaitMs            body.ts, body-limits.ts
       |            one that was refused: lingerMs, lingerBytes             time-limits.ts
       v
  an answer         answerIdleMs if nobody reads it                         time-limits.ts
       |            unreadBytes of all answers together                     connections.ts
       v
  the next request  keepAliveMs; socketIdleMs at any time                   here
*/

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import type { HttpBounds } from '../bounds.ts'
import type { RequestListener } from '../request-listener.ts'
import type { Connections } from './connections.ts'
import { paceRequests } from './pipelining.ts'
import { answerBadRequest, noteAnswer } from './refusals.ts'
import { boundAnswer, boundRequest, lingerOn } from './time-limits.ts'
import { asksForTls } from './upgrade.ts'

// Not by import: that reads every export of node:http, and WebSocket among them loads all of Node's fetch (6 MB).
const { createServer } = process.getBuiltinModule('node:http')

/** Settings of a guarded server. */
export interface GuardSettings {
  readonly bounds: HttpBounds
  /** The connections of all servers together. */
  readonly connections: Connections
  /** Key and certificate: HTTPS. */
  readonly tls?: SecureContextOptions | undefined
}

/** Makes a server whose connections, requests and answers are all bounded. `load` gives what answers the requests. */
export function createGuardedServer(
  load: () => Promise<RequestListener>,
  { bounds, connections, tls }: GuardSettings,
): Server | TlsServer {
  const options = {
    maxHeaderSize: bounds.headerBytes,
    headersTimeout: bounds.headersTimeoutMs,
    requestTimeout: 0, // Node's own knows no exception: see boundRequest
    keepAliveTimeout: bounds.keepAliveMs,
    connectionsCheckingInterval: Math.min(5_000, bounds.headersTimeoutMs / 2),
    requireHostHeader: false, // refused by the request listener, in the one shape
    // Every other request to change the protocol is answered as if it had not asked.
    shouldUpgradeCallback: (incoming: IncomingMessage) =>
      server.listenerCount('upgrade') > 0 && asksForTls(incoming),
  }
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    pace(incoming, outgoing)
    share(incoming, outgoing)
    // It may be this one that had to give way.
    if (incoming.socket.destroyed) return
    noteAnswer(incoming, outgoing)
    boundAnswer(incoming, outgoing, bounds)
    const answer = await load()
    // Most labels come in one packet with their head, and are here whole by now: nothing is left to bound.
    if (!incoming.complete) {
      boundRequest(incoming, outgoing, bounds)
      lingerOn(incoming, outgoing, bounds)
    }
    await answer(incoming, outgoing)
  }
  const server: Server | TlsServer = tls
    ? createTlsServer({ ...options, handshakeTimeout: bounds.headersTimeoutMs, ...tls }, handle)
    : createServer(options, handle)
  // The 100 Continue is sent by whatever is going to read the body.
  server.on('checkContinue', handle)
  // Node's own answer to any other expectation would be counted by nobody; nothing speaks against an answer.
  server.on('checkExpectation', handle)
  server.on('clientError', (error, socket) => answerBadRequest(error, socket as Socket))
  const share = connections.watch(server)
  const pace = paceRequests(server, bounds.requestsUnderWay, connections.turns)
  server.maxHeadersCount = bounds.headers
  server.setTimeout(bounds.socketIdleMs)
  return server
}
