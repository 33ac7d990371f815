import type { Socket } from 'node:dgram'

/** A service as the network is told of it (RFC 6763). */
export interface Announced {
  /** What people read, without dots; at most 63 bytes. */
  readonly name: string
  /** `ipp` for `_ipp._tcp`. */
  readonly type: string
  readonly subtypes?: readonly string[]
  readonly port: number
  readonly txt: Readonly<Record<string, string>>
}

/** What the announcement is made with. */
export interface AnnounceSettings {
  /** Name of the computer, as its services are found at: `bench-3.local`. */
  readonly host: string
  /** A socket in the group of mDNS; undefined where there is no multicast. */
  readonly socket: Socket | undefined
  /** UDP port of mDNS; tests take another. */
  readonly udpPort?: number
}

const MDNS_PORT = 5_353

/**
 * Tells the network of services until the signal aborts. Gives what changes the list: those that are gone are taken back.
 * Where there is no multicast nothing is told.
 */
export async function announceServices(
  { host, socket, udpPort = MDNS_PORT }: AnnounceSettings,
  signal: AbortSignal,
): Promise<(services: readonly Announced[]) => void> {
  if (socket === undefined || signal.aborted) return () => undefined
  // In the bundle a CommonJS package has its default export only.
  const { default: library } = await import('bonjour-service')
  // A socket of our own: of the library's one a failed bind would end the program.
  const options: object = { port: udpPort, socket, bind: false }
  const bonjour = new library.Bonjour(options, () => undefined)
  signal.addEventListener('abort', () => bonjour.unpublishAll(() => bonjour.destroy()), {
    once: true,
  })
  // It must not hold up the end of the program.
  socket.unref()
  const told = new Map<string, { readonly stop?: (() => void) | CallableFunction }>()
  return (services) => {
    if (signal.aborted) return
    const wanted = new Map(services.map((service) => [JSON.stringify(service), service]))
    for (const [key, service] of told) {
      if (wanted.has(key)) continue
      told.delete(key)
      ;(service.stop as (() => void) | undefined)?.call(service)
    }
    for (const [key, { name, type, subtypes = [], port, txt }] of wanted) {
      if (told.has(key)) continue
      // probe: the library would write a taken name to the console; ours has the computer's own name in it.
      const service = { name, type, subtypes: [...subtypes], port, host, txt, probe: false }
      told.set(key, bonjour.publish(service))
    }
  }
}
