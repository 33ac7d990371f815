import type { Server } from 'node:net'
import { readCode } from '../config/write.ts'
import { PlatenError } from '../errors.ts'

/**
 * Lets servers of a door listen where the box does; `localhost` takes both loopback addresses, '' all there are.
 * @throws PlatenError PORT_TAKEN; none is left listening then
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
    return new PlatenError('PORT_TAKEN', `Port ${port} is for the administrator only.`, {
      cause,
      hint: 'Choose a port above 1023 in the settings.',
    })
  }
  return new PlatenError('PORT_TAKEN', `Port ${port} cannot be opened (${code}).`, {
    cause,
    hint: 'Stop the other program that uses it, or choose another port in the settings.',
  })
}
