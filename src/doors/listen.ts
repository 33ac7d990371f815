import type { Server } from 'node:net'
import { readCode } from '../config/write.ts'
import { PlatenError } from '../errors.ts'
import { say } from '../sentences.ts'
import type { DoorBox } from './door.ts'

/**
 * Lets servers of a door listen where the box does; `localhost` takes both loopback addresses, '' all there are.
 * @throws PlatenError PORT_TAKEN; no listener is left open
 */
export async function listenAt(
  open: () => Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<readonly Server[]> {
  const servers: Server[] = []
  for (const one of host === 'localhost' ? ['127.0.0.1', '::1'] : [host]) {
    const server = open()
    try {
      await listen(server, one, port)
      servers.push(server)
    } catch (cause) {
      if (one === '::1' && NO_IPV6.has(readCode(cause))) continue
      for (const opened of servers) opened.close()
      throw cannotListen(port, cause)
    }
  }
  return servers
}

/** A computer without IPv6. */
const NO_IPV6: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])

function listen(server: Server, host: string, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(host === '' ? { port } : { host, port }, () => {
    server.off('error', reject)
    resolve()
  })
  return promise
}

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

/** Until the door is to close, then `close`, which settles what is in hand. Rejects when a server breaks. */
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

/** Gives a server of TLS the certificates of the box, looked at every `renewMs`: a renewed one needs no restart. */
export function followCertificates<S extends Server>(
  server: S,
  box: Pick<DoorBox, 'certificates'>,
  renewMs: number,
): S {
  const timer = setInterval(() => {
    const certificates = box.certificates()
    if (certificates === undefined || !('setSecureContext' in server)) return
    ;(server as unknown as { setSecureContext(to: object): void }).setSecureContext(certificates)
  }, renewMs).unref()
  server.on('close', () => clearInterval(timer))
  return server
}
