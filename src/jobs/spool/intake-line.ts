/** What may wait for a commit, in requests. */
export interface LineBounds {
  readonly ofOwner: number
  readonly all: number
}

/** Requests that wait for a commit: those of each client in their order, and the clients take turns. */
export class IntakeLine<T> {
  readonly #bounds: LineBounds
  /** Whose turn it is comes first. */
  readonly #owners = new Map<string, T[]>()
  #size = 0

  constructor(bounds: LineBounds) {
    this.#bounds = bounds
  }

  /** How many wait. */
  get size(): number {
    return this.#size
  }

  /** Gives back who has to go for want of room: one of the client that has the most, perhaps the newcomer. */
  add(owner: string, item: T): T | undefined {
    const own = this.#owners.get(owner)
    if (own !== undefined && own.length >= this.#bounds.ofOwner) return item
    if (own === undefined) this.#owners.set(owner, [item])
    else own.push(item)
    this.#size += 1
    return this.#size > this.#bounds.all ? this.#dropOfLargest() : undefined
  }

  /** The first of the client whose turn it is. */
  next(): T | undefined {
    const [first] = this.#owners
    if (first === undefined) return undefined
    const [owner, [item, ...rest]] = first
    this.#owners.delete(owner)
    // To the end, behind all other clients.
    if (rest.length > 0) this.#owners.set(owner, rest)
    this.#size -= 1
    return item
  }

  #dropOfLargest(): T | undefined {
    const [largest] = [...this.#owners].sort(([, a], [, b]) => b.length - a.length)
    if (largest === undefined) return undefined
    const [owner, items] = largest
    this.#size -= 1
    const dropped = items.pop()
    if (items.length === 0) this.#owners.delete(owner)
    return dropped
  }
}
