import type { Server } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import { describeOwnAddresses } from '../system/address.ts'
import { loadLate } from '../system/process.ts'
import { PlatenError } from '../words/errors.ts'
import { type Bounds, boundsWith } from './bounds.ts'
import { Connections } from './guard/connections.ts'
import { createGuardedServer } from './guard/index.ts'
import type { Fetcher, RequestListener } from './request-listener.ts'

export type { Fetcher } from './request-listener.ts'

/** How a server listens. */
export interface ServeSettings {
  /** `localhost` listens on both loopback addresses, '' on all interfaces. */
  readonly host: string
  /** 0 = any free one. */
  readonly port: number
  /** Listening sockets that were bound before we started; with any, `host` and `port` are not bound. */
  readonly fds?: readonly number[]
  /** Key and certificate: HTTPS. */
  readonly tls?: SecureContextOptions
  readonly bounds?: Partial<Bounds>
  /** Of all servers together; else this one has its own. */
  readonly connections?: Connections
}

/** A listening server. */
export interface Listener {
  readonly servers: readonly (Server | TlsServer)[]
  /** As bound: the first address, and the port also when 0 was asked for. */
  readonly address: { readonly host: string; readonly port: number }
  /** New connections get this key and certificate from now on; only for HTTPS. */
  renew(tls: SecureContextOptions): void
  /** Takes no more requests, ends idle connections at once and all others after `graceMs`. */
  close(graceMs: number): Promise<void>
}

/**
 * Listens. Every time and size of a connection is bounded by `bounds.ts`.
 * @throws PlatenError PORT_TAKEN when the address cannot be had, whatever the reason
 */
export async function serve(app: Fetcher, settings: ServeSettings): Promise<Listener> {
  const bounds = boundsWith(settings.bounds)
  const { connections = new Connections(bounds) } = settings
  const guard = { bounds, connections, tls: settings.tls }
  const load = loadOnce(app)
  const open = (): Server | TlsServer => createGuardedServer(load, guard)
  const { fds = [] } = settings
  const { servers, port } = await (fds.length > 0 ? takeOver(open, fds) : bind(open, settings))
  return {
    servers,
    address: { host: addressOf(servers[0]), port },
    renew(tls) {
      for (const server of servers) if ('setSecureContext' in server) server.setSecureContext(tls)
    },
    async close(graceMs) {
      await Promise.all(servers.map((server) => closeServer(server, connections, graceMs)))
    },
  }
}

interface Bound {
  readonly servers: readonly (Server | TlsServer)[]
  /** The port of the first. */
  readonly port: number
}

async function bind(open: () => Server | TlsServer, settings: ServeSettings): Promise<Bound> {
  const servers: (Server | TlsServer)[] = []
  let { port } = settings
  for (const host of hostsOf(settings.host)) {
    const server = open()
    const bound = await listen(server, { host, port })
    if (typeof bound !== 'number') {
      if (canDoWithout(host, bound.code ?? '', settings.port, servers.length === 0)) continue
      throw cannotBind(settings, port, bound)
    }
    servers.push(server)
    port = bound
  }
  return { servers, port }
}

/** The service manager that bound them keeps them open while we restart: nobody is refused meanwhile. */
async function takeOver(open: () => Server | TlsServer, fds: readonly number[]): Promise<Bound> {
  const servers: (Server | TlsServer)[] = []
  const ports: number[] = []
  for (const fd of fds) {
    const server = open()
    const bound = await listen(server, { fd })
    if (typeof bound !== 'number') throw unavailable(`the passed socket ${fd}`, bound)
    servers.push(server)
    ports.push(bound)
  }
  return { servers, port: ports[0] ?? 0 }
}

function addressOf(server: Server | TlsServer | undefined): string {
  return (server?.address() as AddressInfo | null)?.address ?? ''
}

function hostsOf(host: string): readonly string[] {
  // A browser may try either; a server on only one of them looks dead half of the time.
  if (host === 'localhost') return ['127.0.0.1', '::1']
  // Dual stack where there is IPv6, else IPv4.
  return host === '' ? ['::', '0.0.0.0'] : [host]
}

/** The classes of fetch cost 6 MB and 30 ms: a server that waits for its first request does without. */
function loadOnce(app: Fetcher): () => Promise<RequestListener> {
  let listener: Promise<RequestListener> | undefined
  return () => {
    listener ??= loadLate(() => import('./request-listener.ts')).then((loaded) =>
      loaded.createRequestListener(app),
    )
    return listener
  }
}

/** The port, or why there is none. */
function listen(
  server: Server | TlsServer,
  place: { readonly host: string; readonly port: number } | { readonly fd: number },
): Promise<number | NodeJS.ErrnoException> {
  return new Promise((resolve) => {
    server.once('error', resolve)
    server.listen({ ...place, backlog: BACKLOG }, () => {
      server.removeListener('error', resolve)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

/** Whether another address of the same host will do. */
function canDoWithout(host: string, code: string, wantedPort: number, isFirst: boolean): boolean {
  const isAbsent = code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT'
  if (isFirst) return isAbsent && host === '::'
  // Dual stack has IPv4 already; and a port of the system's choice may be free on one loopback address only.
  return isAbsent || (code === 'EADDRINUSE' && (host === '0.0.0.0' || wantedPort === 0))
}

const SWEEP_MS = 20
/** Connections that wait to be taken: Node takes one a turn of its event loop, and who finds no room tries again after seconds. */
const BACKLOG = 1_024

const isWindows = process.platform === 'win32'

const REASONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    EADDRINUSE: 'another program is listening there',
    EACCES: isWindows
      ? 'Windows keeps it for another program'
      : 'permission denied; ports below 1024 need a special capability',
  }),
)
/** Why it is the host that cannot be had, whatever the port. */
const HOST_REASONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    EADDRNOTAVAIL: 'this machine has no such address',
    EAFNOSUPPORT: 'this machine has no such address',
    EINVAL: 'this machine has no such address',
    ENOTFOUND: 'this name is not known',
  }),
)

function cannotBind(
  { host }: ServeSettings,
  port: number,
  cause: NodeJS.ErrnoException,
): PlatenError {
  const isLookup = cause.syscall === 'getaddrinfo'
  const hostReason =
    HOST_REASONS.get(cause.code ?? '') ??
    (isLookup ? 'this name cannot be looked up now' : undefined)
  if (host !== '' && hostReason !== undefined) {
    const message = `Cannot listen on the host "${host}": ${hostReason}.`
    const hint = `Correct host in config.json: this computer has ${describeOwnAddresses()}; or set it to "" for all of them.`
    return new PlatenError('PORT_TAKEN', message, { cause, hint })
  }
  return unavailable(`port ${port} of ${host || 'any interface'}`, cause)
}

function unavailable(place: string, cause: NodeJS.ErrnoException): PlatenError {
  const reason = REASONS.get(cause.code ?? '') ?? cause.message
  const isRight = cause.code === 'EACCES'
  const more = isRight
    ? {
        hint: isWindows
          ? 'Set another port in config.json; Hyper-V, Docker and IIS keep some for themselves.'
          : 'Set a port above 1023 in config.json, or grant the capability.',
      }
    : {}
  return new PlatenError('PORT_TAKEN', `Cannot listen on ${place}: ${reason}.`, { cause, ...more })
}

async function closeServer(
  server: Server | TlsServer,
  connections: Connections,
  graceMs: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // A connection whose last answer is out (a stream, a wait) is idle only now, and would else be kept for its time.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
  // Node's own closeAllConnections misses connections that have not finished a TLS handshake.
  const timer = setTimeout(() => connections.destroyOf(server), graceMs)
  await closed
  clearInterval(sweep)
  clearTimeout(timer)
}
