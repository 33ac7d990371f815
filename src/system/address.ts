import { spawn } from 'node:child_process'
import { lookup as lookUp } from 'node:dns/promises'
import { createServer, isIP, isIPv6 } from 'node:net'
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'

type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>

// Interface names of containers, virtual machines, bridges and tunnels: other computers do not reach these.
const VIRTUAL = /^(?:docker|veth|br-|virbr|vmnet|vboxnet|tun|tap|utun|wg|tailscale|cni|lxc|podman)/
const WIRED = /^(?:en|eth|end)/

/**
 * The address at which other computers of the network most likely reach this one; `127.0.0.1` when there is none. `family`:
 * of the addresses that the server listens on.
 */
export function findInternalAddress({
  family = 'both',
  interfaces = networkInterfaces(),
}: {
  readonly family?: 'IPv4' | 'both'
  readonly interfaces?: Interfaces
} = {}): string {
  const candidates = Object.entries(interfaces).flatMap(([name, entries]) =>
    (entries ?? [])
      .filter((entry) => !entry.internal && !entry.address.startsWith('fe80:'))
      .filter((entry) => family === 'both' || entry.family === family)
      .map((entry) => ({ address: entry.address, rank: rankAddress(name, entry) })),
  )
  return candidates.sort((a, b) => a.rank - b.rank)[0]?.address ?? '127.0.0.1'
}

const MOST_TOLD = 12

/** The addresses that a server of this computer can listen on, for a sentence. */
export function describeOwnAddresses(): string {
  const all = Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .filter(({ address }) => !address.startsWith('fe80:'))
    .sort((a, b) => Number(a.internal) - Number(b.internal))
    .map(({ address }) => address)
  const told = [...new Set(all)].slice(0, MOST_TOLD)
  return told.length === 0 ? 'none' : told.join(', ')
}

/** Lower is better: real before virtual, IPv4 before IPv6, wired before wireless. */
function rankAddress(name: string, { family, address }: NetworkInterfaceInfo): number {
  const selfGiven = address.startsWith('169.254.') // RFC 3927: no DHCP server answered
  return (
    (VIRTUAL.test(name) ? 8 : 0) +
    (selfGiven ? 4 : 0) +
    (family === 'IPv4' ? 0 : 2) +
    (WIRED.test(name) ? 0 : 1)
  )
}

const LOOPBACK = ['localhost', '127.0.0.1', '::1']
/** Hosts that mean all addresses of this computer: of both families, or of one. */
const EVERYWHERE: ReadonlyMap<string, 'IPv4' | 'both'> = new Map([
  ['', 'both'],
  ['[::]', 'both'], // dual stack, as Node opens it
  ['[::ffff:0:0]', 'IPv4'],
  ['0.0.0.0', 'IPv4'],
])

/** Tells whether other computers reach a server of this `host`: not one that listens to its own computer only. */
export function isReachable(host: string): boolean {
  return !LOOPBACK.includes(host.toLowerCase())
}

/** Reads of which addresses of this computer a `host` means all, which is not a place to connect to; undefined for one place. */
export function readEverywhere(host: string): 'IPv4' | 'both' | undefined {
  // The URL Standard writes an address in one way only.
  const name = isIPv6(host) ? new URL(`http://[${host}]`).hostname : host
  return EVERYWHERE.get(name)
}

const LOOKUP_MS = 3_000
const NOT_OURS = ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']

/** The reason why a `host` may keep the next start from listening. */
interface HostDoubt {
  /** False: it could not be found out, as its name could not be looked up now. */
  readonly isWrong: boolean
  /** Message with the given host, and the addresses that there are. */
  readonly message: string
}

/** For tests; what is not given is as shipped. */
export interface HostLookup {
  readonly lookUp?: (
    name: string,
    options: { readonly all: true },
  ) => Promise<readonly { readonly address: string }[]>
  readonly lookUpMs?: number
}

/** Finds what speaks against a `host`; undefined when a server can listen there now. Does what the start does: looks up, binds. */
export async function doubtHost(
  host: string,
  { lookUp: ask = lookUp, lookUpMs = LOOKUP_MS }: HostLookup = {},
): Promise<HostDoubt | undefined> {
  if (host === 'localhost' || readEverywhere(host) !== undefined) return undefined
  const own = `this computer has ${describeOwnAddresses()}`
  const found = isIP(host) === 0 ? await inTime(findAddress(host, ask), lookUpMs) : host
  if (found === undefined) {
    const message = `"${host}" could not be looked up now: the network may be down. Unless it leads to an address of this computer, the next start fails; ${own}.`
    return { isWrong: false, message }
  }
  if (found === '') return { isWrong: true, message: `got "${host}", which has no address; ${own}` }
  if (!NOT_OURS.includes(await tryToListen(found))) return undefined
  const place = found === host ? `"${host}"` : `"${host}", which leads to ${found}`
  return { isWrong: true, message: `got ${place}, wanted an address of this computer; ${own}` }
}

/** The address that Node's listen takes of a name; '' for a name that has none, undefined when nobody could be asked. */
async function findAddress(
  name: string,
  ask: NonNullable<HostLookup['lookUp']>,
): Promise<string | undefined> {
  try {
    const all = await ask(name, { all: true })
    return all.find(({ address }) => !/^fe[89ab]/i.test(address))?.address ?? ''
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOTFOUND' ? '' : undefined
  }
}

/** Undefined when it takes longer: a resolver without a network has its own patience of half a minute. */
async function inTime<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, ms, undefined)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Listens for a moment, on a port of the system's choice; the code of what went wrong, or ''. */
function tryToListen(address: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const server = createServer((socket) => socket.destroy())
  server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
  server.listen({ host: address, port: 0 }, () => server.close(() => resolve('')))
  return promise
}

/** Announcement of the page's address, and whether to open it. */
interface PageAnnouncement {
  readonly version: string
  /** The host as configured: '' = every interface. */
  readonly host: string
  /** The port as bound. */
  readonly port: string
  readonly open_browser: boolean
  /** Command that opens a page on this computer; undefined = nobody sits before it. */
  readonly opener: ProgramCall | undefined
}

/** Says on standard output where the page is, and opens it in a browser where that is wanted. */
export function announce(
  { version, host, port, open_browser: isWanted, opener }: PageAnnouncement,
  log: { debug(fields: object, message: string): void },
): void {
  const address = findPageAddress(host, port)
  // It may be a file on a disk that is full, or its reader be gone: labels print without.
  process.stdout.on('error', () => undefined)
  process.stdout.write(`platen ${version} listens on ${address}\n`)
  if (!isWanted) return
  const opened = openBrowser(address, opener)
  void opened.then((why) => why !== undefined && log.debug({ why }, 'browser not opened'))
}

/** The address of the page as a browser can open it. */
export function findPageAddress(host: string, port: string): string {
  const family = readEverywhere(host)
  const name = family === undefined ? host : findInternalAddress({ family })
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}/`
}

/** A program and its arguments. */
export type ProgramCall = readonly [program: string, ...args: readonly string[]]

/** Finds the command that opens a page in the browser of this computer; undefined when nobody sits before it. */
export function findOpener(
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
): ProgramCall | undefined {
  if (platform === 'win32') return ['cmd', '/c', 'start', ''] // the first text in quotes is a window title
  const isRemote = env['SSH_CONNECTION'] !== undefined
  if (platform === 'darwin') return isRemote ? undefined : ['open']
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open'] : undefined
}

/**
 * Opens the page. Resolves with undefined once the opener is done, or with a sentence why it could not: nothing that should
 * stop a print server.
 */
export function openBrowser(
  url: string,
  opener: ProgramCall | undefined,
): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  if (opener === undefined) return Promise.resolve('This computer has no display.')
  const [program, ...args] = opener
  const child = spawn(program, [...args, url], {
    stdio: 'ignore',
    detached: true,
    windowsHide: true,
  })
  child.once('error', (error) => resolve(`${program} does not start: ${error.message}.`))
  child.once('exit', (code) => resolve(code === 0 ? undefined : `${program} ended with ${code}.`))
  child.unref()
  return promise
}
