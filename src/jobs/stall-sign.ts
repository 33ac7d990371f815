import * as moves from './moves.ts'
import type { QueueParts } from './queue-parts.ts'
import { type Blockage, explainStalled, PRINTING } from './sentences.ts'

/** Says on a job and on its printer's card that the printer keeps the label waiting, and that it goes on. */
export class StallSign {
  readonly #parts: Pick<QueueParts, 'spool' | 'fault'>
  readonly #printer: string
  readonly #job: string
  readonly #report: (status: Blockage['status']) => void
  #shown: string | undefined

  constructor(
    parts: Pick<QueueParts, 'spool' | 'fault'>,
    job: { readonly id: string; readonly printer: string },
    report: (status: Blockage['status']) => void,
  ) {
    this.#parts = parts
    this.#printer = job.printer
    this.#job = job.id
    this.#report = report
  }

  get isUp(): boolean {
    return this.#shown !== undefined
  }

  /**
   * `said` is what the printer tells of itself, if it can. Written only when it is new: each write wears the card.
   * @throws PlatenError SPOOL_*; the next time tries again
   */
  raise(said: readonly string[]): void {
    const { status, sentence } = explainStalled(this.#printer, said)
    if (this.#shown === sentence.message) return
    this.#parts.spool.move(this.#job, (job) => moves.stall(job, sentence))
    this.#shown = sentence.message
    this.#report(status)
  }

  /** The label goes on. */
  clear(): void {
    if (!this.isUp) return
    this.#shown = undefined
    try {
      this.#parts.spool.move(this.#job, moves.flow)
    } catch (error) {
      this.#parts.fault(error) // only the word on the page is old; after a restart both mean "started"
    }
    this.#report(PRINTING)
  }

  /** The attempt is over: a late answer must not bring the sign back. */
  drop(): void {
    this.#shown = undefined
  }
}
