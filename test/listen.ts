import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type http from 'node:http'
import type https from 'node:https'
import net, { type AddressInfo } from 'node:net'
import type { Test } from 'tap'

const HOST = '127.0.0.1'
const LOWEST_PORT = 10_000
const USUAL_FIRST_PORT = 32_768

/** Has a server listen on a free port of this machine until the end of the test; resolves with the port. */
export async function listen(
  t: Test,
  server: net.Server | http.Server | https.Server,
): Promise<number> {
  t.teardown(() => {
    server.close()
    if ('closeAllConnections' in server) server.closeAllConnections()
  })
  server.listen(0, HOST)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/**
 * A port of this machine that nobody listens on now. It lies below those that the system gives away by itself, so that it
 * stays free, or can be taken again after a while, whatever other tests do beside this one.
 */
export async function findClosedPort(): Promise<number> {
  const server = await listenLow(net.createServer())
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Has a server listen on a free port below those that the system gives away by itself. */
export async function listenLow(server: net.Server, host = HOST): Promise<net.Server> {
  for (let tries = 1; ; tries++) {
    try {
      server.listen(randomInt(LOWEST_PORT, findFirstGivenPort()), host)
      await once(server, 'listening')
      return server
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
      if (!isTaken || tries === 100) throw error
    }
  }
}

/** The first of the ports that the system gives away by itself. */
function findFirstGivenPort(): number {
  if (process.platform !== 'linux') return USUAL_FIRST_PORT
  const first = Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10)
  return first > LOWEST_PORT + 5_000 ? first : USUAL_FIRST_PORT
}
