import { randomUUID } from 'node:crypto'
import type { Sender } from './remote.ts'

/** How long one line and one notice stand for all wrong passwords of an address. */
const HOUR_MS = 3_600_000
/** Addresses that are told apart in an hour; those beyond are counted as one, so that nobody can fill the log. */
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

interface Entry {
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
  readonly #entries = new Map<string, Entry>()

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

  /** Those of the last hour, the latest first. */
  list(): readonly GuessNotice[] {
    this.#forgetOld()
    return [...this.#entries.values()]
      .sort((one, other) => other.last - one.last)
      .map(({ id, address, count, last }) => {
        return { id, address, count, seconds: Math.round((this.#now() - last) / 1_000) }
      })
  }

  #begin(key: string, address: string): Entry {
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
