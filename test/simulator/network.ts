import type { Dice } from './history.ts'

/** A network that spoils some of the calls that it carries; a fate says what becomes of one and its answer. */
export class Network<Fate> {
  /** Fraction of calls that it spoils: 0..1. */
  trouble = 0
  readonly #dice: Dice
  readonly #fine: Fate
  readonly #fates: readonly Fate[]

  constructor(dice: Dice, fine: Fate, fates: readonly Fate[]) {
    this.#dice = dice
    this.#fine = fine
    this.#fates = fates
  }

  /** Returns the fate of the next call. */
  next(): Fate {
    return this.#dice.chance(this.trouble)
      ? (this.#dice.pick(this.#fates) ?? this.#fine)
      : this.#fine
  }
}
