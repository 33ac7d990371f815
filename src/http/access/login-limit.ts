/** Wrong passwords that one network may send before it has to wait. */
const MAX_WRONG = 5
/** How long a wrong password counts. */
const WINDOW_MS = 60_000
/** Networks that are remembered; the one that failed longest ago is forgotten first. */
const MAX_NETWORKS = 1_000

/**
 * Counts wrong passwords by network, so that guessing is slow (at most 7,200 a day) and nobody can lock out another.
 * A right password clears the count; while a network waits, even a right one is not looked at.
 */
export class LoginLimit {
  readonly #now: () => number
  readonly #wrong = new Map<string, readonly number[]>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Milliseconds until this network may try again; 0 when it may now. */
  waitMs(network: string): number {
    const recent = this.#recent(network)
    if (recent.length < MAX_WRONG) return 0
    return (recent[0] ?? 0) + WINDOW_MS - this.#now()
  }

  /** Notes a wrong password. */
  fail(network: string): void {
    const recent = [...this.#recent(network), this.#now()]
    this.#wrong.delete(network) // to its end, so that the map stays ordered by the last failure
    this.#wrong.set(network, recent.slice(-MAX_WRONG))
    for (const oldest of this.#wrong.keys()) {
      if (this.#wrong.size <= MAX_NETWORKS) break
      this.#wrong.delete(oldest)
    }
  }

  /** Forgets the wrong passwords of a network, after a right one. */
  clear(network: string): void {
    this.#wrong.delete(network)
  }

  /** Networks remembered now. */
  get size(): number {
    return this.#wrong.size
  }

  #recent(network: string): readonly number[] {
    const since = this.#now() - WINDOW_MS
    return (this.#wrong.get(network) ?? []).filter((at) => at > since)
  }
}
