import type { Socket } from 'node:dgram'
import type { EventEmitter } from 'node:events'
import { networkInterfaces } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { findInternalAddress } from './address.ts'

/** A service as the network is told of it (RFC 6763). */
export interface AnnouncedService {
  /** Name for people, without dots; at most 63 bytes. */
  readonly name: string
  /** `ipp` for `_ipp._tcp`. */
  readonly type: string
  readonly subtypes?: readonly string[]
  readonly port: number
  readonly txt: Readonly<Record<string, string>>
}

/** Dependencies of the announcement. */
interface AnnounceSettings {
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
): Promise<(services: readonly AnnouncedService[]) => void> {
  if (socket === undefined || signal.aborted) return () => undefined
  noteOwn()
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

/** The part of `bonjour-service` that asks, which its types hide. */
interface Asker extends EventEmitter {
  query(question: { readonly questions: readonly { name: string; type: string }[] }): void
}
interface MdnsResponse {
  readonly answers: readonly { name: string; type: string; data: unknown }[]
}

/** Addresses of this computer since the start: what was told under one that is gone must not look like another computer. */
const owned = new Set<string>()

function noteOwn(): ReadonlySet<string> {
  for (const { address } of Object.values(networkInterfaces()).flatMap((list) => list ?? []))
    owned.add(address)
  return owned
}

const PROBES = 3
const PROBE_MS = 250

/**
 * The address of another computer that has this name, `bench-3.local`; undefined when there is none (RFC 6762, 8.1). Closes
 * the socket.
 */
async function findRival({
  host,
  socket,
  udpPort = MDNS_PORT,
}: AnnounceSettings): Promise<string | undefined> {
  if (socket === undefined) return undefined
  const { default: library } = await import('bonjour-service')
  const options: object = { port: udpPort, socket, bind: false }
  const bonjour = new library.Bonjour(options, () => undefined)
  const asker = (bonjour as unknown as { readonly server: { readonly mdns: Asker } }).server.mdns
  const own = noteOwn()
  let rival: string | undefined
  asker.on('response', ({ answers }: MdnsResponse) => {
    for (const { name, type, data } of answers) {
      if (type !== 'A' || name.toLowerCase() !== host.toLowerCase()) continue
      if (typeof data === 'string' && !own.has(data)) rival = data
    }
  })
  for (let n = 0; n < PROBES && rival === undefined; n++) {
    asker.query({ questions: [{ name: host, type: 'A' }] })
    await sleep(PROBE_MS, undefined, { ref: false })
  }
  bonjour.destroy()
  return rival
}

const MOST_NAMES = 9
/** Two computers that start at the same time do not see each other earlier. */
const SECOND_LOOK_MS = 10_000

/** A computer that gives its services a name. */
export interface NamedHost {
  /** Name that it wants. */
  readonly first: string
  /** Name that avahi gave it already, `bench-3.local`; undefined = nothing. */
  readonly given: string | undefined
  /** Its services as they are now, at `host`. */
  readonly list: (host: string) => readonly AnnouncedService[]
  /** A socket in the group of mDNS; undefined where there is no multicast. */
  readonly join: () => Promise<Socket | undefined>
  /** Hears of the other name that it is found at. */
  readonly renamed: (name: string) => void
  /** Milliseconds between two looks at the addresses of this computer. */
  readonly addressesMs?: number
}

/**
 * Announces services under this computer's name, or as `box-2` where another computer has it; of two that start at once the
 * one with the higher address gives way. Where avahi told the name it has looked itself. Gives what tells of a change.
 */
export async function tellUnderFreeName(
  named: NamedHost,
  signal: AbortSignal,
): Promise<() => void> {
  const { first, given, list, join, renamed, addressesMs = ADDRESSES_MS } = named
  let telling = new AbortController()
  let change = (): void => undefined
  let current = first
  const start = async (name: string): Promise<void> => {
    current = name
    telling.abort()
    telling = new AbortController()
    const host = given ?? `${name}.local`
    if (name !== first) renamed(name)
    const settings = { host, socket: await join() }
    const tell = await announceServices(settings, AbortSignal.any([signal, telling.signal]))
    change = () => tell(list(host))
    change()
  }
  followAddresses(() => void start(current), addressesMs, signal)
  if (given !== undefined) {
    await start(first)
    return () => change()
  }
  const name = await findFreeName(first, 1, join)
  await start(name)
  void resolveConflict(name, join, signal).then(async (other) => {
    if (other !== undefined && !signal.aborted) await start(other)
  })
  return () => change()
}

const ADDRESSES_MS = 30_000

/** Calls `moved` when this computer has other addresses than before: what was told of them leads nowhere. */
function followAddresses(moved: () => void, everyMs: number, signal: AbortSignal): void {
  let known = listAddresses()
  const timer = setInterval(() => {
    const now = listAddresses()
    if (now === undefined || now === known) return
    known = now
    moved()
  }, everyMs).unref()
  signal.addEventListener('abort', () => clearInterval(timer), { once: true })
}

/** Undefined while the system does not tell, e.g. since the program has no more files to open. */
function listAddresses(): string | undefined {
  try {
    const all = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
    return all.map(({ address }) => address).join()
  } catch {
    return undefined
  }
}

async function findFreeName(first: string, from: number, join: NamedHost['join']): Promise<string> {
  for (let n = from; n < MOST_NAMES; n++) {
    const name = n === 1 ? first : `${first}-${n}`
    if ((await lookFor(name, join)) === undefined) return name
  }
  return first
}

/** The name to take instead, when another computer has taken this one meanwhile. */
async function resolveConflict(
  name: string,
  join: NamedHost['join'],
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    await sleep(SECOND_LOOK_MS, undefined, { signal, ref: false })
  } catch {
    return undefined
  }
  const rival = await lookFor(name, join)
  if (rival === undefined || rival > findInternalAddress()) return undefined
  return await findFreeName(name, 2, join)
}

async function lookFor(name: string, join: NamedHost['join']): Promise<string | undefined> {
  return await findRival({ host: `${name}.local`, socket: await join() })
}
