import type { Server as HttpServer } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import type { Server } from 'node:net'
import { GREETING_MS } from '../../core/request/arrival.ts'
import { bindHost } from '../../http/bind.ts'
import { readCode } from '../../settings/write.ts'
import { PlatenError } from '../../words/errors.ts'
import { say } from '../../words/say.ts'
import type { DoorBox } from './door.ts'

/**
 * Makes servers of a door listen where the box does: `localhost` takes both loopback addresses, '' all there are.
 * @throws PlatenError PORT_TAKEN; no listener is left open
 */
export async function listenAt<S extends Server>(
  open: () => S,
  place: { readonly host: string; readonly port: number },
): Promise<readonly S[]> {
  try {
    return await bindHost(open, place)
  } catch (cause) {
    throw cannotListen(place.port, cause)
  }
}

// Not by import, which would load all of Node's fetch: see http/guard/index.ts.
const { createServer } = process.getBuiltinModule('node:http')
const { createServer: createTlsServer } = process.getBuiltinModule('node:https')

/**
 * Opens a port for HTTP and, where the box has a certificate, one for HTTPS; `serve` sets up each server.
 * @throws PlatenError PORT_TAKEN; no listener is left open
 */
export async function listenAtBoth(
  serve: <S extends HttpServer>(server: S) => S,
  { host, http, https }: { readonly host: string; readonly http: number; readonly https: number },
  box: Pick<DoorBox, 'certificates'>,
): Promise<{ readonly servers: readonly HttpServer[]; readonly isSecure: boolean }> {
  const plain = await listenAt(() => serve(createServer(GREETING)), { host, port: http })
  const certificates = box.certificates()
  if (certificates === undefined) return { servers: plain, isSecure: false }
  try {
    const open = () =>
      followCertificates(serve(createTlsServer({ ...certificates, ...GREETING })), box)
    const secure = await listenAt(open, { host, port: https })
    return { servers: [...plain, ...secure], isSecure: true }
  } catch (error) {
    for (const server of plain) server.close()
    throw error
  }
}

/** The time limits of a greeting. By default Node checks the times of heads and requests only every half minute. */
const GREETING = {
  handshakeTimeout: GREETING_MS,
  headersTimeout: GREETING_MS,
  connectionsCheckingInterval: 5_000,
} as const

function cannotListen(port: number, cause: unknown): PlatenError {
  const code = readCode(cause)
  if (code === 'EACCES') {
    return new PlatenError('PORT_TAKEN', say('portReserved', { port }), {
      cause,
      hint: say('higherPort'),
    })
  }
  return new PlatenError('PORT_TAKEN', say('portTaken', { port }), {
    cause,
    detail: code,
    hint: say('freePort'),
  })
}

/** Waits until the door is to close, then calls `close`, which settles the work in hand. Rejects when a server breaks. */
export async function serveUntil(
  servers: readonly Server[],
  signal: AbortSignal,
  close: () => Promise<void>,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  for (const server of servers) server.on('error', reject)
  signal.addEventListener('abort', () => resolve(), { once: true })
  if (signal.aborted) resolve()
  try {
    await promise
  } finally {
    await close()
  }
}

/** Gives a TLS server the box's current certificates at each connection: renewed ones need no restart. */
export function followCertificates<S extends Server & Pick<TlsServer, 'setSecureContext'>>(
  server: S,
  box: Pick<DoorBox, 'certificates'>,
): S {
  let known = box.certificates()
  // Before the listener that begins TLS.
  server.prependListener('connection', () => {
    const now = box.certificates()
    if (now === undefined || now === known) return
    known = now
    server.setSecureContext(now)
  })
  return server
}
