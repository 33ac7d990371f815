import type { Server as TlsServer } from 'node:https'
import type { Config } from '../settings/schema.ts'
import { PlatenError } from '../words/errors.ts'
import { boundsWith } from './bounds.ts'
import { Connections } from './guard/connections.ts'
import { offerTls } from './guard/upgrade.ts'
import { type Fetcher, type Listener, type ServeSettings, serve } from './server.ts'
import {
  type CertificateSettings,
  type Certificates,
  ensureCertificates,
  keepFresh,
  readCertificates,
} from './tls/certificates.ts'

/** The settings of listening. */
export interface ListenSettings {
  readonly app: Fetcher
  /** The present settings: the names that the certificate is made for may change. */
  readonly config: Pick<Config, 'host' | 'port' | 'use_ssl' | 'secure_port' | 'allowed_hosts'>
  readonly bounds?: ServeSettings['bounds']
  /** Sockets that a service manager bound for us: `http` and `https`. HTTPS ones are served even without `use_ssl`. */
  readonly sockets?: readonly { readonly name: string; readonly fd: number }[]
  /** Names and addresses of the machine now, for the certificate. */
  readonly ownNames: () => readonly string[]
  /** Further names by which parts of the program are reached, for the certificate. */
  readonly furtherNames: () => readonly string[]
  /** The folder where the box keeps its authority and its certificate. */
  readonly tlsFolder: string
  readonly certificateEntry: URL
  /** Called with the certificates at startup and after each renewal. */
  readonly onCertificates: (certificates: Certificates) => void
  /** Called when a certificate could not be renewed; the old one stays in use. */
  readonly onFault: (error: unknown) => void
  /** Called when a file of the program that answers requests could not be loaded. */
  readonly onUnloaded: (error: unknown) => void
}

/** The servers of this program. */
export interface Listening {
  /** The host as bound. */
  readonly host: string
  readonly port: string
  /** '' without HTTPS. */
  readonly securePort: string
  readonly certificates: () => Certificates | undefined
  /** The settings changed, and perhaps the names that the certificate is made for. */
  checkNames(): void
  /** Takes no more requests; ends what still runs after `graceMs`. */
  close(graceMs: number): Promise<void>
}

/**
 * Listens on the HTTP port, and on the HTTPS port with a certificate that renews itself when `use_ssl` asks for it. Files of
 * certificates that cannot be read or written keep no label from printing: there is no HTTPS then, or that of before.
 * @throws PlatenError PORT_TAKEN, INTERNAL
 */
export async function listen(settings: ListenSettings, signal: AbortSignal): Promise<Listening> {
  const { app, config, bounds = {}, onUnloaded } = settings
  const { host } = config
  const fds = findSockets(settings, 'http')
  const connections = new Connections(boundsWith(bounds))
  const shared = { bounds, fds, connections, onUnloaded }
  const plain = await serve(app, { host, port: Number(config.port), ...shared })
  const wantsSecure = config.use_ssl || findSockets(settings, 'https').length > 0
  const secure = wantsSecure ? await listenSecure(settings, connections, plain, signal) : undefined
  return {
    host: plain.address.host,
    port: String(plain.address.port),
    securePort: secure === undefined ? '' : String(secure.listener.address.port),
    certificates: () => secure?.watch.certificates,
    checkNames: () => void secure?.watch.check(),
    async close(graceMs) {
      await secure?.watch[Symbol.asyncDispose]()
      await Promise.all([plain.close(graceMs), secure?.listener.close(graceMs)])
    },
  }
}

function findSockets({ sockets = [] }: ListenSettings, name: string): readonly number[] {
  return sockets.filter((socket) => socket.name === name).map(({ fd }) => fd)
}

async function ensureOrKeep(
  settings: CertificateSettings,
  onFault: ListenSettings['onFault'],
  signal: AbortSignal,
): Promise<Certificates | undefined> {
  try {
    return await ensureCertificates(settings, signal)
  } catch (error) {
    if (!(error instanceof PlatenError) || error.code !== 'STATE_UNWRITABLE') throw error
    onFault(error)
    return await readCertificates(settings.folder)
  }
}

async function listenSecure(
  settings: ListenSettings,
  connections: Connections,
  plain: Listener,
  signal: AbortSignal,
): Promise<{ listener: Listener; watch: ReturnType<typeof keepFresh> } | undefined> {
  const {
    app,
    config,
    bounds = {},
    ownNames,
    furtherNames,
    tlsFolder,
    certificateEntry,
    onCertificates,
    onFault,
    onUnloaded,
  } = settings
  const names = (): readonly string[] => {
    const { allowed_hosts: hosts = [] } = settings.config
    const own = config.host === '' ? [] : [config.host]
    return [...ownNames(), ...own, ...hosts, ...furtherNames()]
  }
  const kept = { folder: tlsFolder, certificateEntry, now: Date.now }
  const certificates = await ensureOrKeep({ ...kept, names: names() }, onFault, signal)
  if (certificates === undefined) return undefined
  onCertificates(certificates)
  const { key, cert } = certificates
  const port = Number(config.secure_port)
  const fds = findSockets(settings, 'https')
  const tls = { key, cert }
  const shared = { bounds, fds, connections, onUnloaded }
  const listener = await serve(app, { host: config.host, port, tls, ...shared })
  const [first] = listener.servers
  const { headersTimeoutMs } = boundsWith(bounds)
  const renewOffer = offerTls(plain.servers, first as TlsServer, tls, headersTimeoutMs)
  const server = {
    setSecureContext: (renewed: object) => {
      listener.renew(renewed)
      renewOffer(renewed)
    },
  }
  const told = { onFresh: onCertificates, onFailure: onFault }
  const watch = keepFresh({ ...kept, ...told, server, certificates, names })
  return { listener, watch }
}
