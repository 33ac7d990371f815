import { networkInterfaces } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { joinGroup } from '../printers/known/mdns.ts'
import { findInternalAddress } from '../system/address.ts'
import { type Announced, announceServices, findRival } from '../system/mdns.ts'
import type { Station } from './core.ts'

const MOST_NAMES = 9
/** Two computers that start at the same time do not see each other earlier. */
const SECOND_LOOK_MS = 10_000

/**
 * Announces services under this computer's name, or as `box-2` where another computer has it; of two that start at once the
 * one with the higher address gives way. Where avahi told the name it has looked itself. Gives what tells of a change.
 */
export async function tellUnderFreeName(
  station: Station,
  first: string,
  list: (host: string) => readonly Announced[],
  signal: AbortSignal,
): Promise<() => void> {
  const [given] = station.info().names
  let telling = new AbortController()
  let change = (): void => undefined
  let current = first
  const start = async (name: string): Promise<void> => {
    current = name
    telling.abort()
    telling = new AbortController()
    const host = given ?? `${name}.local`
    if (name !== first) station.networkName = name
    const settings = { host, socket: await joinGroup({}) }
    const tell = await announceServices(settings, AbortSignal.any([signal, telling.signal]))
    change = () => tell(list(host))
    change()
  }
  followAddresses(() => void start(current), signal)
  if (given !== undefined) {
    await start(first)
    return () => change()
  }
  const name = await findFreeName(first, 1)
  await start(name)
  void giveWay(name, signal).then(async (other) => {
    if (other !== undefined && !signal.aborted) await start(other)
  })
  return () => change()
}

const ADDRESSES_MS = 30_000

/** Calls `moved` when this computer has other addresses than before: what was told of them leads nowhere. */
function followAddresses(moved: () => void, signal: AbortSignal): void {
  let known = listAddresses()
  const timer = setInterval(() => {
    const now = listAddresses()
    if (now === known) return
    known = now
    moved()
  }, ADDRESSES_MS).unref()
  signal.addEventListener('abort', () => clearInterval(timer), { once: true })
}

function listAddresses(): string {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return all.map(({ address }) => address).join()
}

async function findFreeName(first: string, from: number): Promise<string> {
  for (let n = from; n < MOST_NAMES; n++) {
    const name = n === 1 ? first : `${first}-${n}`
    if ((await lookFor(name)) === undefined) return name
  }
  return first
}

/** The name to take instead, when another computer has taken this one meanwhile. */
async function giveWay(name: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    await sleep(SECOND_LOOK_MS, undefined, { signal, ref: false })
  } catch {
    return undefined
  }
  const rival = await lookFor(name)
  if (rival === undefined || rival > findInternalAddress()) return undefined
  return await findFreeName(name, 2)
}

async function lookFor(name: string): Promise<string | undefined> {
  return await findRival({ host: `${name}.local`, socket: await joinGroup({}) })
}
