import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** An open connection and how many of its requests are under way. */
interface Open {
  readonly socket: Socket
  requests: number
}

/**
 * Bounds the open connections of a server, of HTTPS too. One too many takes the place of the one that has been idle longest,
 * so that clients which connect and say nothing keep nobody out; only when every connection has a request under way is the
 * new one closed. Gives the function that is to be told of every request.
 */
export function boundConnections(
  server: Pick<Server, 'on' | 'maxConnections'>,
  most: number,
): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  // In the order of their last request; a TLS socket has the addresses of the plain one below it.
  const all = new Map<string, Open>()
  server.on('connection', (socket) => {
    const key = keyOf(socket)
    all.set(key, { socket, requests: 0 })
    socket.once('close', () => {
      if (all.get(key)?.socket === socket) all.delete(key)
    })
    if (all.size > most) closeIdlest(all)
  })
  // Sockets that are being closed still count for Node.
  server.maxConnections = 2 * most
  return (incoming, outgoing) => {
    const key = keyOf(incoming.socket)
    const open = all.get(key)
    if (open === undefined) return
    open.requests += 1
    outgoing.once('close', () => {
      open.requests -= 1
      if (all.get(key) !== open) return
      all.delete(key)
      all.set(key, open)
    })
  }
}

function closeIdlest(all: Map<string, Open>): void {
  for (const [key, { socket, requests }] of all) {
    if (requests > 0) continue
    all.delete(key)
    socket.destroy()
    return
  }
}

function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
