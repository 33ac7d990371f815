import { PlatenError } from '../../src/words/errors.ts'
import type { Ledger } from './ledger.ts'

/** Something that may happen in a history, and how often. */
export type Chance = readonly [often: number, action: () => unknown]

/** Actions, each as often as it shall happen. */
export function weigh(chances: readonly Chance[]): readonly (() => unknown)[] {
  return chances.flatMap(([often, action]) => Array.from({ length: often }, () => action))
}

/** Somebody who presses buttons and sends labels, and does not wait for the answers. */
export class Operator {
  readonly #ledger: Ledger
  readonly #excuses: (error: unknown) => boolean
  readonly #open = new Set<Promise<unknown>>()

  /** `excuses`: whether an error came of a disk that was made to fail. */
  constructor(ledger: Ledger, excuses: (error: unknown) => boolean = isFullDisk) {
    this.#ledger = ledger
    this.#excuses = excuses
  }

  /** Does something and goes on. Only these refusals are in order; of a run that is over nobody hears one. */
  act(
    words: string,
    allowed: readonly string[],
    isOver: () => boolean,
    action: () => unknown,
  ): void {
    this.#ledger.say(words)
    const run = async (): Promise<unknown> => await action()
    const done = run().catch((error: unknown) => {
      if (!isOver()) this.refuse(words, allowed, error)
    })
    this.begin(done)
  }

  /** Somebody was refused. */
  refuse(words: string, allowed: readonly string[], error: unknown): void {
    const isAllowed = error instanceof PlatenError && allowed.includes(error.code)
    if (isAllowed || this.#excuses(error)) this.#ledger.say(`  ${words}: ${String(error)}`)
    else this.#ledger.fault(`${words}: ${String(error)}`)
  }

  /** Something that is under way; it does not reject. */
  begin(work: Promise<unknown>): void {
    this.#open.add(work)
    void work.finally(() => this.#open.delete(work))
  }

  /** Resolves when all that was begun until now has been answered. */
  async answered(): Promise<void> {
    await Promise.all(this.#open)
  }
}

/** Tells whether an error says that the disk is full. */
export function isFullDisk(error: unknown): boolean {
  return error instanceof PlatenError && error.code === 'SPOOL_FULL'
}
