import { lookup as lookUp } from 'node:dns/promises'
import { createServer, isIP } from 'node:net'
import { describeOwnAddresses } from './address.ts'
import { readEverywhere } from './reachable.ts'

const LOOKUP_MS = 3_000
const NOT_OURS = ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']

/** Why a `host` may keep the next start from listening. */
export interface HostDoubt {
  /** False: it could not be found out, as its name could not be looked up now. */
  readonly isWrong: boolean
  /** What was got, and the addresses that there are. */
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

/** What speaks against a `host`; undefined when a server can listen there now. Does what the start does: looks up, binds. */
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
