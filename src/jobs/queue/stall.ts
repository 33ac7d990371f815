import type { Connection } from '../../printers/device.ts'
import * as moves from '../moves.ts'
import type { QueueParts } from './parts.ts'
import { type Blockage, explainStalled, PRINTING } from './sentences.ts'

const STATUS_MS = 2000 // a printer that stalls may not answer at all

/** A wait for a printer that may take no data. */
export interface StallWatch extends Disposable {
  /** Bytes flow, so the wait begins anew. */
  readonly flowing: () => void
}

/** Shows on a job and on its printer's card that the printer keeps the label waiting, and takes that back. */
export class StallNotice {
  readonly #parts: Pick<QueueParts, 'spool' | 'printers' | 'fault' | 'timing'>
  readonly #printer: string
  readonly #job: string
  readonly #report: (status: Blockage['status']) => void
  #shown: string | undefined

  constructor(
    parts: Pick<QueueParts, 'spool' | 'printers' | 'fault' | 'timing'>,
    job: { readonly id: string; readonly printer: string },
    report: (status: Blockage['status']) => void,
  ) {
    this.#parts = parts
    this.#printer = job.printer
    this.#job = job.id
    this.#report = report
  }

  /** Shows the notice when no byte goes for a while, which is not a failure, but somebody must look. */
  watch(connection: Connection): StallWatch {
    let turn = 0
    const look = async (): Promise<void> => {
      const asked = turn
      try {
        if (this.#shown === undefined) this.show([])
        const said = (await connection.status?.(AbortSignal.timeout(STATUS_MS))) ?? []
        if (turn === asked && said.length > 0) this.show(said)
      } catch (error) {
        this.#parts.fault(error) // the transfer goes on all the same
      }
    }
    const timer = setInterval(() => void look(), this.#parts.timing.stallMs)
    const flowing = () => {
      turn += 1
      timer.refresh()
      this.hide()
    }
    const end = () => {
      turn += 1
      clearInterval(timer)
    }
    return { flowing, [Symbol.dispose]: end }
  }

  /**
   * `said` is what the printer tells of itself, if it can. Written only when it is new: each write wears the card.
   * @throws PlatenError SPOOL_*; the next time tries again
   */
  show(said: readonly string[]): void {
    const { status, sentence } = explainStalled(
      this.#printer,
      said,
      this.#parts.printers.pausedHint(this.#printer),
    )
    if (this.#shown === sentence.message) return
    this.#parts.spool.move(this.#job, (job) => moves.stall(job, sentence))
    this.#shown = sentence.message
    this.#report(status)
  }

  /** Bytes flow again. */
  hide(): void {
    if (this.#shown === undefined) return
    this.#shown = undefined
    try {
      this.#parts.spool.move(this.#job, moves.flow)
    } catch (error) {
      this.#parts.fault(error) // only the word on the page is old; after a restart both mean "started"
    }
    this.#report(PRINTING)
  }

  /** The attempt is over: a late answer must not bring the notice back. */
  end(): void {
    this.#shown = undefined
  }
}
