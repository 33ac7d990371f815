/** The right of a stream to go on. */
export interface Permit {
  /** Whether the stream may go on; ends it when not. */
  look(): boolean
  /** The stream has ended. */
  stop(): void
}

/** The streams that are open, each with what let it in. */
export class Permits {
  readonly #looks = new Set<() => boolean>()

  /** @param end ends the stream, which may not go on any more */
  open(isAllowed: () => boolean, end: () => void): Permit {
    const look = (): boolean => {
      const goesOn = isAllowed()
      if (!goesOn) end()
      return goesOn
    }
    this.#looks.add(look)
    return { look, stop: () => this.#looks.delete(look) }
  }

  /** Ends those that may not go on: a login ended, or the settings changed. */
  lookAtAll(): void {
    for (const look of this.#looks) look()
  }
}
