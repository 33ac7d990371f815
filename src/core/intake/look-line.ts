import { setImmediate as turn } from 'node:timers/promises'
import { TimeLimit, waitFor } from '../../system/wait.ts'
import { PlatenError } from '../../words/errors.ts'
import { say } from '../../words/say.ts'

/**
 * Gives requests their turns to have their labels looked at: one request at a time, and no two begin in the same turn of the event loop.
 * The senders take turns, so that a sender of many delays the others by one. Decision `looks-in-a-line`.
 */
export class LookLine {
  readonly #waitMs: number
  /** Waiting requests by sender; the first sender is next. */
  readonly #waiting = new Map<string, (() => void)[]>()
  /** The sender whose labels are looked at, or were in this turn. */
  #sender: string | undefined

  /** `waitMs`: the longest wait of a request. */
  constructor(waitMs: number) {
    this.#waitMs = waitMs
  }

  /** True while labels of this sender are looked at or wait: what it sends after them stays behind them. */
  has(sender: string): boolean {
    return this.#sender === sender || this.#waiting.has(sender)
  }

  /**
   * Takes the steps in the sender's turn, pausing for others.
   * @throws PlatenError SERVER_BUSY when it waits too long; the client's reason when it has gone; what the steps throw
   */
  async walk<T>(
    sender: string,
    steps: Generator<void, T>,
    client: AbortSignal | undefined,
  ): Promise<T> {
    if (this.#sender === undefined) this.#sender = sender
    else await this.#wait(sender, client)
    try {
      let step = steps.next()
      while (step.done !== true) {
        await turn()
        step = steps.next()
      }
      return step.value
    } finally {
      setImmediate(() => this.#next())
    }
  }

  async #wait(sender: string, client: AbortSignal | undefined): Promise<void> {
    using limit = new TimeLimit(this.#waitMs, ...(client === undefined ? [] : [client]))
    let hasTurn = false
    let begin = (): void => undefined
    await waitFor((resolve) => {
      begin = () => {
        hasTurn = true
        resolve()
      }
      const own = this.#waiting.get(sender)
      if (own === undefined) this.#waiting.set(sender, [begin])
      else own.push(begin)
    }, limit.signal)
    if (hasTurn) return
    this.#remove(sender, begin)
    client?.throwIfAborted()
    throw new PlatenError('SERVER_BUSY', say('manyLooks'))
  }

  #remove(sender: string, begin: () => void): void {
    const left = (this.#waiting.get(sender) ?? []).filter((one) => one !== begin)
    if (left.length === 0) this.#waiting.delete(sender)
    else this.#waiting.set(sender, left)
  }

  #next(): void {
    this.#putLast(this.#sender ?? '')
    const [first] = this.#waiting
    this.#sender = first?.[0]
    if (first === undefined) return
    const [sender, [begin, ...others]] = first
    if (others.length > 0) this.#waiting.set(sender, others)
    else this.#waiting.delete(sender)
    begin?.()
  }

  /** Puts a sender that had its turn behind all others. */
  #putLast(sender: string): void {
    const own = this.#waiting.get(sender)
    if (own === undefined) return
    this.#waiting.delete(sender)
    this.#waiting.set(sender, own)
  }
}
