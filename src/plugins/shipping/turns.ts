/** Gives turns to a fixed number at once, the others in their order. */
export class Turns {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(atOnce: number) {
    this.#free = atOnce
  }

  /** Takes a turn if one is free; true if so. */
  tryTake(): boolean {
    if (this.#free === 0) return false
    this.#free -= 1
    return true
  }

  /** Resolves with true when a turn is free; with false after `ms`. */
  async take(ms: number): Promise<boolean> {
    if (this.tryTake()) return true
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const turn = (): void => resolve(true)
    this.#waiting.push(turn)
    const timer = setTimeout(() => {
      const place = this.#waiting.indexOf(turn)
      if (place === -1) return // it is just its turn
      this.#waiting.splice(place, 1)
      resolve(false)
    }, ms)
    const isTurn = await promise
    clearTimeout(timer)
    return isTurn
  }

  /** Passes the turn on to the next one. */
  leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free += 1
    else next()
  }
}
