const KNOWN_MOST = 200

/** Remembers the last ids that were told of, so that a message that comes again and again is told of once. */
export class FirstTime {
  readonly #known = new Set<string>()

  /** True when the id is new, or so old that it was forgotten. */
  of(id: string): boolean {
    if (this.#known.has(id)) return false
    this.#known.add(id)
    const [oldest] = this.#known
    if (this.#known.size > KNOWN_MOST && oldest !== undefined) this.#known.delete(oldest)
    return true
  }
}
