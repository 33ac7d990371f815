import type { Job } from '../job.ts'
import type { Scheduler } from '../queue/scheduler.ts'
import type { Spool } from '../spool/spool.ts'

/** The jobs of labels that were bought here, for whoever bought them. */
export class BoughtLabels {
  readonly #spool: Spool
  readonly #scheduler: Pick<Scheduler, 'giveBack'>

  constructor(spool: Spool, scheduler: Pick<Scheduler, 'giveBack'>) {
    this.#spool = spool
    this.#scheduler = scheduler
  }

  /** All jobs of a purchase, reprints and moved ones too, oldest first. */
  list(purchase: number): readonly Job[] {
    return this.#spool.history.ofPurchase(purchase)
  }

  /** All jobs of the purchase that this job's label was bought by. */
  siblings(id: string): readonly Job[] {
    const { purchase } = this.#spool.history.purchaseOf(id)
    return purchase === 0 ? [] : this.list(purchase)
  }

  get(id: string): Job | undefined {
    return this.#spool.history.get(id)
  }

  /** Calls after the commit of every job added or moved. Gives back what ends the calls. */
  onChange(listener: () => void): () => void {
    return this.#spool.onChange(listener)
  }

  /**
   * All that is written in one transaction, on disk when it returns.
   * @throws PlatenError SPOOL_FULL, SPOOL_BROKEN; what the work throws: nothing was written
   */
  together<T>(work: () => T): T {
    return this.#spool.together(work)
  }

  /** The shipment was given back: those of these labels that wait are canceled. Inside `together`. */
  giveBack(ids: readonly string[]): void {
    this.#scheduler.giveBack(ids)
  }
}
