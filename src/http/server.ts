import type { Server, ServerResponse } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import { describeOwnAddresses } from '../system/address.ts'
import { LoadedLate } from '../system/loaded-late.ts'
import { loadLate } from '../system/process.ts'
import { PlatenError } from '../words/errors.ts'
import { bindHost, listenOn } from './bind.ts'
import { boundsWith, type HttpBounds } from './bounds.ts'
import { Connections } from './guard/connections.ts'
import { createGuardedServer } from './guard/index.ts'
import type { Fetcher, RequestListener } from './request-listener.ts'
import { refusalJson, toUnloaded } from './server-faults.ts'

export type { Fetcher } from './request-listener.ts'

/** The settings by which a server listens. Decision `idle-modules`. */
export interface ServeSettings {
  /** `localhost` listens on both loopback addresses, '' on all interfaces. */
  readonly host: string
  /** 0 = any free one. */
  readonly port: number
  /** Listening sockets that were bound before we started; with any, `host` and `port` are not bound. */
  readonly fds?: readonly number[]
  /** Key and certificate: HTTPS. */
  readonly tls?: SecureContextOptions
  readonly bounds?: Partial<HttpBounds>
  /** The connections of all servers together; else this one has its own. */
  readonly connections?: Connections
  /** Called when a file of the program that answers requests could not be loaded. */
  readonly onUnloaded?: (error: unknown) => void
}

/** A listening server. */
export interface Listener {
  readonly servers: Servers
  /** The first address as bound, and the port, also when 0 was asked for. */
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
  const load = loadOnce(app, settings.onUnloaded)
  const open = (): Server | TlsServer => createGuardedServer(load, guard)
  const { fds = [] } = settings
  const servers = await (fds.length > 0 ? takeOver(open, fds) : bind(open, settings))
  const first = servers[0]?.address() as AddressInfo | null | undefined
  return {
    servers,
    address: { host: first?.address ?? '', port: first?.port ?? 0 },
    renew(tls) {
      for (const server of servers) if ('setSecureContext' in server) server.setSecureContext(tls)
    },
    async close(graceMs) {
      await Promise.all(servers.map((server) => closeServer(server, connections, graceMs)))
    },
  }
}

type Servers = readonly (Server | TlsServer)[]

async function bind(open: () => Server | TlsServer, settings: ServeSettings): Promise<Servers> {
  try {
    return await bindHost(open, settings)
  } catch (error) {
    throw cannotBind(settings, error as NodeJS.ErrnoException & { readonly port?: number })
  }
}

/** The service manager that bound them keeps them open while we restart: nobody is refused meanwhile. */
async function takeOver(open: () => Server | TlsServer, fds: readonly number[]): Promise<Servers> {
  const servers: (Server | TlsServer)[] = []
  for (const fd of fds) {
    const server = open()
    try {
      await listenOn(server, { fd })
    } catch (error) {
      throw unavailable(`the passed socket ${fd}`, error as NodeJS.ErrnoException)
    }
    servers.push(server)
  }
  return servers
}

/**
 * Loads what answers requests with the first one: the classes of fetch cost 6 MB and 30 ms, which a server that waits can do without. While
 * loading fails, requests are refused, and each tries again.
 */
function loadOnce(app: Fetcher, onUnloaded: ServeSettings['onUnloaded']) {
  const late = new LoadedLate(async () => {
    const { createRequestListener } = await loadLate(() => import('./request-listener.ts'))
    return createRequestListener(app)
  })
  return async (): Promise<RequestListener> => {
    try {
      return await late.open()
    } catch (error) {
      onUnloaded?.(error)
      return (_, outgoing) => refuseUnloaded(error, outgoing)
    }
  }
}

function refuseUnloaded(error: unknown, outgoing: ServerResponse): Promise<void> {
  const failure = toUnloaded(error)
  outgoing.writeHead(failure.status, { 'content-type': 'application/json', connection: 'close' })
  outgoing.end(JSON.stringify(refusalJson(failure)))
  return Promise.resolve()
}

const SWEEP_MS = 20

const isWindows = process.platform === 'win32'

const REASONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    EADDRINUSE: 'another program is listening there',
    EACCES: isWindows
      ? 'Windows keeps it for another program'
      : 'permission denied; ports below 1024 need a special capability',
  }),
)
/** Reasons why a host cannot be bound, whatever the port. */
const HOST_REASONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    EADDRNOTAVAIL: 'this machine has no such address',
    EAFNOSUPPORT: 'this machine has no such address',
    EINVAL: 'this machine has no such address',
    ENOTFOUND: 'this name is not known',
  }),
)

function cannotBind(
  { host, port }: ServeSettings,
  cause: NodeJS.ErrnoException & { readonly port?: number },
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
  return unavailable(`port ${cause.port ?? port} of ${host || 'any interface'}`, cause)
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
