import type { IncomingMessage, Server } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'
import {
  createSecureContext,
  type SecureContext,
  type SecureContextOptions,
  TLSSocket,
} from 'node:tls'

/** A version of TLS in the header `Upgrade` (RFC 2817, section 3). */
const TLS = /(?:^|[\s,])TLS\/1\.\d\b/i

const SWITCHING =
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: TLS/1.2, HTTP/1.1\r\n\r\n'
/** The answer to the OPTIONS itself comes inside TLS; CUPS waits for it before it sends anything else. */
const INSIDE = 'HTTP/1.1 200 OK\r\nAllow: GET, HEAD, OPTIONS, POST\r\nContent-Length: 0\r\n\r\n'

/** True for `OPTIONS *` with `Upgrade: TLS/1.2`, the one request that changes its connection to TLS. */
export function asksForTls({ method, url, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && url === '*' && TLS.test(headers.upgrade ?? '')
}

/**
 * Lets connections of the plain ports become TLS (RFC 2817), as print dialogs ask for that have an `ipp://` address and
 * want encryption; from then on they are connections of `secure`. Returns the function that renews key and certificate.
 */
export function offerTls(
  plain: readonly Server[],
  secure: TlsServer,
  tls: SecureContextOptions,
  handshakeMs: number,
): (tls: SecureContextOptions) => void {
  let context = createSecureContext(tls)
  for (const server of plain) {
    // What came with the head is dropped: a client waits for the 101 before it begins TLS (RFC 2817, 3.1).
    server.on('upgrade', (_, socket: Socket) => {
      switchOver(socket, context, { secure, handshakeMs })
    })
  }
  return (renewed) => {
    context = createSecureContext(renewed)
  }
}

function switchOver(
  socket: Socket,
  secureContext: SecureContext,
  { secure, handshakeMs }: { readonly secure: TlsServer; readonly handshakeMs: number },
): void {
  // Who reads the requests of the plain connection must not see what is encrypted.
  socket.removeAllListeners('data')
  socket.write(SWITCHING)
  const safe = new TLSSocket(socket, { isServer: true, secureContext })
  const timer = setTimeout(() => socket.destroy(), handshakeMs)
  safe.once('close', () => clearTimeout(timer))
  safe.once('error', () => socket.destroy())
  safe.once('secure', () => {
    clearTimeout(timer)
    safe.write(INSIDE)
    secure.emit('secureConnection', safe)
  })
}
