import type { AddressInfo, Server } from 'node:net'

/**
 * Connections that wait to be taken: Node takes one a turn of its event loop, and who finds no room tries again after
 * seconds.
 */
const BACKLOG = 1_024

/**
 * Lets servers listen at a host: `localhost` is both loopback addresses, '' all interfaces. Port 0 is any free one, the same
 * for all where it can be.
 * @throws the system's error; no server is left listening
 */
export async function bindHost<S extends Server>(
  open: () => S,
  { host, port: wanted }: { readonly host: string; readonly port: number },
): Promise<readonly S[]> {
  const servers: S[] = []
  let port = wanted
  for (const address of addressesOf(host)) {
    const server = open()
    try {
      port = await listenOn(server, { host: address, port })
      servers.push(server)
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (canDoWithout(address, code, wanted, servers.length === 0)) continue
      for (const opened of servers) opened.close()
      throw error
    }
  }
  return servers
}

/** Lets a server listen at one address, or on a socket that was bound before; gives its port. @throws the system's error */
export async function listenOn(
  server: Server,
  place: { readonly host: string; readonly port: number } | { readonly fd: number },
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({ ...place, backlog: BACKLOG }, () => {
    server.off('error', reject)
    resolve()
  })
  await promise
  return (server.address() as AddressInfo).port
}

function addressesOf(host: string): readonly string[] {
  // A browser may try either; a server on only one of them looks dead half of the time.
  if (host === 'localhost') return ['127.0.0.1', '::1']
  // Dual stack where there is IPv6, else IPv4.
  return host === '' ? ['::', '0.0.0.0'] : [host]
}

/** Tells whether another address of the same host will do. */
function canDoWithout(address: string, code: string, wanted: number, isFirst: boolean): boolean {
  const isAbsent = code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT'
  if (isFirst) return isAbsent && address === '::'
  // Dual stack has IPv4 already; and a port of the system's choice may be free on one loopback address only.
  return isAbsent || (code === 'EADDRINUSE' && (address === '0.0.0.0' || wanted === 0))
}
