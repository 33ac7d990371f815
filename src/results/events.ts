import type { Job } from '../jobs/job.ts'
import type { Crossing, Filling } from '../jobs/spool/fill-watch.ts'
import type { KnownPrinter } from '../printers/printer.ts'

/** Something became of a job or a printer; carries the new state whole. */
export type PlatenEvent =
  | { readonly type: 'job'; readonly job: Job }
  | { readonly type: 'printer'; readonly printer: KnownPrinter }
  /** A share of the spool is nearly full, or no longer; `fillings` are all that are. */
  | ({ readonly type: 'spool'; readonly fillings: readonly Filling[] } & Crossing)

/** Hands events on to all who follow them: the page, the metrics, later a result address. */
export class Events {
  readonly #listeners = new Set<(event: PlatenEvent) => void>()
  readonly #onFault: (error: unknown) => void

  /** `onFault` gets what a listener threw, so that one of them cannot stop a label or the others. */
  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault
  }

  emit(event: PlatenEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event)
      } catch (error) {
        this.#onFault(error)
      }
    }
  }

  /** Calls `listener` for every event from now on; gives the function that ends it. */
  subscribe(listener: (event: PlatenEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
