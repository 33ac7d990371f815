import { PlatenError } from '../../errors.ts'
import { TimeLimit } from '../../time-limit.ts'
import { waitFor } from '../../wait.ts'

/** How many work at once, how many wait for them at most, and how long. */
export interface LineBounds {
  readonly atOnce: number
  readonly waiting: number
  readonly waitMs: number
}

/** Lets a few work at once; the others wait, first come first. */
export class WaitingLine {
  readonly #bounds: LineBounds
  #free: number
  /** Each is given the place of one that left. */
  readonly #line: (() => void)[] = []

  constructor(bounds: LineBounds) {
    this.#bounds = bounds
    this.#free = bounds.atOnce
  }

  /**
   * Does the work in its turn.
   * @throws PlatenError SERVER_BUSY when too many wait, or too long; what the work throws
   */
  async enter<T>(work: () => Promise<T>, signals: readonly AbortSignal[]): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await this.#wait(signals)
    try {
      return await work()
    } finally {
      const next = this.#line.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
  }

  async #wait(signals: readonly AbortSignal[]): Promise<void> {
    const { waiting, waitMs } = this.#bounds
    if (this.#line.length >= waiting) throw busy()
    using limit = new TimeLimit(waitMs, ...signals)
    let hasPlace = false
    let take = (): void => undefined
    await waitFor((resolve) => {
      take = () => {
        hasPlace = true
        resolve()
      }
      this.#line.push(take)
    }, limit.signal)
    if (hasPlace) return
    const place = this.#line.indexOf(take)
    if (place >= 0) this.#line.splice(place, 1)
    throw busy()
  }
}

function busy(): PlatenError {
  return new PlatenError('SERVER_BUSY', 'Too many labels are to be fetched at once.')
}
