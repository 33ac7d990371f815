/** What a printer was seen to do when our side of a connection ended. */
export type Ending = 'close' | 'reset' | 'open'

/** How one printer ends its connections, as far as it was seen since the start. */
export class Farewell {
  #ending: Ending | undefined

  /** Some print servers answer the end of data with a reset, with the whole label in hand. */
  get mayReset(): boolean {
    return this.#ending === undefined || this.#ending === 'reset'
  }

  get closes(): boolean {
    return this.#ending === 'close'
  }

  learn(ending: Ending): void {
    this.#ending = ending
  }

  /** It did otherwise: another printer may stand at its address. */
  forget(): void {
    this.#ending = undefined
  }
}
