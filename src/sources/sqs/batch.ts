import type { SqsMessage, SqsQueue } from './queue.ts'

/** Messages that were received together, until each is taken or goes back. */
export class Batch {
  readonly #queue: Pick<SqsQueue, 'hide'>
  #rest: readonly SqsMessage[]
  #renewAt = 0

  /** They have just come, and are ours for so many seconds. */
  constructor(queue: Pick<SqsQueue, 'hide'>, messages: readonly SqsMessage[], seconds: number) {
    this.#queue = queue
    this.#rest = messages
    this.#begin(seconds)
  }

  /** Those that are not taken yet and, as far as we know, are ours. */
  get rest(): readonly SqsMessage[] {
    return this.#rest
  }

  /** Half of their time is over. */
  get isOld(): boolean {
    return performance.now() >= this.#renewAt
  }

  /** Begins their time anew; those that the queue has taken back are not ours any more. */
  async renew(seconds: number): Promise<void> {
    const ours: SqsMessage[] = []
    for (const message of this.#rest) {
      if (await this.#queue.hide(message, seconds)) ours.push(message)
    }
    this.#rest = ours
    this.#begin(seconds)
  }

  /** This one is settled. */
  drop(message: SqsMessage): void {
    this.#rest = this.#rest.filter((each) => each !== message)
  }

  #begin(seconds: number): void {
    this.#renewAt = performance.now() + (seconds * 1000) / 2
  }
}
