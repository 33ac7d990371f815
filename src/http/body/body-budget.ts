import { PlatenError } from '../../errors.ts'

/** What one request has taken of the budget. */
export interface Share {
  /**
   * Resolves once so many more bytes fit.
   * @throws PlatenError SERVER_BUSY after `waitMs`
   */
  take(bytes: number): Promise<void>
  /** Gives all back. */
  release(): void
}

interface Holder {
  bytes: number
  /** Of these, what counts: all but the free ones. */
  charged: number
  /** Tries again; called when somebody has given something back. */
  retry: (() => void) | undefined
}

/** What the budget is made from. */
export interface BudgetSettings {
  /** For all bodies together, beyond their free bytes and one whole body. */
  readonly limitBytes: number
  /** The first bytes of a body are free: an ordinary label waits for nobody. */
  readonly freeBytes: number
  readonly waitMs: number
}

/**
 * Bounds the bodies of all requests being read together, so that many large ones cannot fill the memory. A request that
 * does not fit waits, unread, for the others. The largest always fits, so that never all wait for each other, and one
 * that only drips cannot hold up those that send.
 */
export class BodyBudget {
  readonly #settings: BudgetSettings
  /** In the order in which they began. */
  readonly #holders = new Set<Holder>()
  #charged = 0

  constructor(settings: BudgetSettings) {
    this.#settings = settings
  }

  /** To be released whatever happens. */
  open(): Share {
    const holder: Holder = { bytes: 0, charged: 0, retry: undefined }
    this.#holders.add(holder)
    return {
      take: (bytes) =>
        this.#tryAdd(holder, bytes) ? Promise.resolve() : this.#wait(holder, bytes),
      release: () => {
        this.#holders.delete(holder)
        this.#charged -= holder.charged
        for (const other of this.#holders) other.retry?.()
      },
    }
  }

  #tryAdd(holder: Holder, bytes: number): boolean {
    const { limitBytes, freeBytes } = this.#settings
    const charged = Math.max(0, holder.bytes + bytes - freeBytes)
    const more = charged - holder.charged
    if (more > 0 && this.#charged + more > limitBytes && holder !== this.#largest()) return false
    holder.bytes += bytes
    holder.charged = charged
    this.#charged += more
    return true
  }

  /** Of equals the oldest. */
  #largest(): Holder | undefined {
    let largest: Holder | undefined
    for (const holder of this.#holders) {
      if (largest === undefined || holder.charged > largest.charged) largest = holder
    }
    return largest
  }

  #wait(holder: Holder, bytes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        holder.retry = undefined
        const message = `More than ${this.#settings.limitBytes} bytes of other requests are arriving at this moment.`
        reject(new PlatenError('SERVER_BUSY', message))
      }, this.#settings.waitMs)
      holder.retry = () => {
        if (!this.#tryAdd(holder, bytes)) return
        holder.retry = undefined
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
