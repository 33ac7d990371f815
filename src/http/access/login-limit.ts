import { randomUUID } from 'node:crypto'
import type { Sender } from './addresses.ts'

/** The number of wrong ones that are looked at in a minute. Decision `guessed-passwords`. */
export interface WrongMost {
  /** The number of one network, before it has to wait. */
  readonly own: number
  /** The number of all networks but this machine together, before new ones have to wait. */
  readonly together: number
}

const PASSWORDS: WrongMost = { own: 5, together: 30 }
/** The time for which a wrong password counts. */
const WINDOW_MS = 60_000
/** Networks that are remembered; the one that failed longest ago is forgotten first. */
const MAX_NETWORKS = 1_000
/** Networks that a right password came from; the one that logged in longest ago is forgotten first. */
const MAX_KNOWN = 100

/** The reason why a password is not checked: `own`: wrong ones came from this network; `all`: from many at once. */
export type LoginWait = 'own' | 'all'

/**
 * Counts wrong passwords, so that guessing is slow: at most 7,200 a day from one network, 43,200 from all together. Nobody
 * can lock out another with it: this machine, and networks that a right password came from, wait for their own wrong ones
 * only. A right password clears its network; while one waits, even a right one is not looked at.
 */
export class LoginLimit {
  readonly #now: () => number
  readonly #wrong = new Map<string, readonly number[]>()
  readonly #known = new Set<string>()
  readonly #most: WrongMost
  #together: readonly number[] = []

  constructor(now: () => number, most = PASSWORDS) {
    this.#now = now
    this.#most = most
  }

  /** Tells why a sender has to wait; undefined when it may try now. */
  waits({ network, isLoopback }: Sender): LoginWait | undefined {
    if (this.#recent(this.#wrong.get(network)).length >= this.#most.own) return 'own'
    if (isLoopback || this.#known.has(network)) return undefined
    return this.#recent(this.#together).length >= this.#most.together ? 'all' : undefined
  }

  /** Notes a wrong password. */
  fail({ network, isLoopback }: Sender): void {
    const recent = [...this.#recent(this.#wrong.get(network)), this.#now()]
    this.#wrong.delete(network) // to its end, so that the map stays ordered by the last failure
    this.#wrong.set(network, recent.slice(-this.#most.own))
    dropBeyond(this.#wrong, MAX_NETWORKS)
    if (isLoopback) return
    this.#together = [...this.#recent(this.#together), this.#now()].slice(-this.#most.together)
  }

  /** Notes a right password. */
  pass({ network }: Sender): void {
    this.#wrong.delete(network)
    this.#known.delete(network)
    this.#known.add(network)
    dropBeyond(this.#known, MAX_KNOWN)
  }

  /** Networks remembered now. */
  get size(): number {
    return this.#wrong.size
  }

  #recent(times: readonly number[] = []): readonly number[] {
    const since = this.#now() - WINDOW_MS
    return times.filter((at) => at > since)
  }
}

/** The oldest go first. */
function dropBeyond(
  all: { keys(): Iterable<string>; delete(key: string): unknown; readonly size: number },
  most: number,
): void {
  for (const oldest of all.keys()) {
    if (all.size <= most) return
    all.delete(oldest)
  }
}

/** The time for which one log line and one notice cover all wrong passwords of an address. */
const HOUR_MS = 3_600_000
/** Addresses tracked per hour; the rest count as one, so that nobody can fill the log. */
const MAX_ADDRESSES = 100
const OTHERS = 'other addresses'

/** Wrong passwords of one address in one hour. */
export interface GuessNotice {
  /** Its own, so that a page shows it once. */
  readonly id: string
  readonly address: string
  readonly count: number
  /** Seconds since the last one. */
  readonly seconds: number
}

interface LoginAttempts {
  readonly id: string
  readonly address: string
  readonly begins: number
  count: number
  last: number
}

/** Wrong passwords by address and hour: a line in the log for the first of each, a notice on the page for all. */
export class Guesses {
  readonly #now: () => number
  readonly #tell: (address: string) => void
  readonly #entries = new Map<string, LoginAttempts>()

  /** @param tell called once for each address and hour */
  constructor(now: () => number, tell: (address: string) => void) {
    this.#now = now
    this.#tell = tell
  }

  /** Notes a wrong password. */
  note({ network, address }: Sender): void {
    this.#forgetOld()
    const isCrowd = !this.#entries.has(network) && this.#entries.size >= MAX_ADDRESSES
    const key = isCrowd ? OTHERS : network
    const entry = this.#entries.get(key) ?? this.#begin(key, isCrowd ? OTHERS : address)
    entry.count += 1
    entry.last = this.#now()
  }

  /** Lists the notices of the last hour, the latest first. */
  list(): readonly GuessNotice[] {
    this.#forgetOld()
    return [...this.#entries.values()]
      .sort((one, other) => other.last - one.last)
      .map(({ id, address, count, last }) => {
        return { id, address, count, seconds: Math.round((this.#now() - last) / 1_000) }
      })
  }

  #begin(key: string, address: string): LoginAttempts {
    const entry = { id: randomUUID(), address, begins: this.#now(), count: 0, last: this.#now() }
    this.#entries.set(key, entry)
    this.#tell(address)
    return entry
  }

  #forgetOld(): void {
    const since = this.#now() - HOUR_MS
    for (const [key, { begins }] of this.#entries) if (begins <= since) this.#entries.delete(key)
  }
}
