import type { Socket } from 'node:dgram'

/** What is announced. */
export interface Presence {
  /** Name of the computer; the services are called after it. */
  readonly hostName: string
  readonly port: number
  /** '' = no HTTPS. */
  readonly securePort: string
  readonly version: string
}

/** What the announcement is made with. */
export interface AnnounceSettings {
  /** A socket in the group of mDNS; undefined where there is no multicast. */
  readonly socket: Socket | undefined
  /** UDP port of mDNS; tests take another. */
  readonly udpPort?: number
}

const MDNS_PORT = 5_353
const TYPES = ['http', 'platen']

/**
 * Tells the network of this server as `_http._tcp` and `_platen._tcp` (RFC 6763), until the signal aborts. Where there is no
 * multicast nothing is told. The appliance has avahi for this.
 */
export async function announceServices(
  { hostName, port, securePort, version }: Presence,
  { socket, udpPort = MDNS_PORT }: AnnounceSettings,
  signal: AbortSignal,
): Promise<void> {
  if (socket === undefined || signal.aborted) return
  // In the bundle a CommonJS package has its default export only.
  const { default: library } = await import('bonjour-service')
  // A socket of our own: of the library's one a failed bind would end the program.
  const options: object = { port: udpPort, socket, bind: false }
  const bonjour = new library.Bonjour(options, () => undefined)
  const first = hostName.split('.')[0] ?? hostName
  for (const type of TYPES) {
    const txt = { path: '/', version, tls: securePort }
    // probe: the library would write a taken name to the console; the computer's own is not taken.
    bonjour.publish({
      name: `Label printer ${first}`,
      type,
      port,
      host: `${first}.local`,
      txt,
      probe: false,
    })
  }
  signal.addEventListener('abort', () => bonjour.unpublishAll(() => bonjour.destroy()), {
    once: true,
  })
  // It must not hold up the end of the program.
  socket.unref()
}
