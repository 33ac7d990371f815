import { PlatenError } from '../../words/errors.ts'

/** The share of the budget that one request has taken. Decision `arrived-bytes-count`. */
export interface BudgetShare {
  /**
   * Resolves once that many more bytes fit.
   * @throws PlatenError SERVER_BUSY after `waitMs`
   */
  take(bytes: number): Promise<void>
  /** Gives everything back; called at the end of a scope too. */
  release(): void
  [Symbol.dispose](): void
}

interface BudgetHolder {
  readonly owner: string
  bytes: number
  /** The bytes that count: all but the free ones. */
  charged: number
  /** Tries again; called when another request has given bytes back. */
  retry: (() => void) | undefined
}

/** The settings of the budget. */
export interface BudgetSettings {
  /** Bytes for all bodies together, beyond their free bytes and the largest body; one client has at most half of it. */
  readonly limitBytes: number
  /** The first bytes of a body, which are free: an ordinary label waits for nobody. */
  readonly freeBytes: number
  readonly waitMs: number
}

/**
 * Bounds the bodies of all requests in hand, from their first byte until their labels are on disk or refused, so that many large ones
 * cannot fill the memory. A request that does not fit waits, unread, for the others. The largest body does not count and always fits, so
 * that requests never all wait for each other; and one client, however slowly it sends, leaves room for the bodies of others.
 */
export class BodyBudget {
  readonly #settings: BudgetSettings
  /** Requests in the order in which they began. */
  readonly #holders = new Set<BudgetHolder>()

  constructor(settings: BudgetSettings) {
    this.#settings = settings
  }

  /** Opens the share of a request; the caller must release it whatever happens. `owner`: the client that sends the body. */
  open(owner: string): BudgetShare {
    const holder: BudgetHolder = { owner, bytes: 0, charged: 0, retry: undefined }
    this.#holders.add(holder)
    const release = (): void => {
      this.#holders.delete(holder)
      for (const other of this.#holders) other.retry?.()
    }
    return {
      release,
      [Symbol.dispose]: release,
      take: (bytes) =>
        this.#tryAdd(holder, bytes) ? Promise.resolve() : this.#wait(holder, bytes),
    }
  }

  #tryAdd(holder: BudgetHolder, bytes: number): boolean {
    const charged = Math.max(0, holder.bytes + bytes - this.#settings.freeBytes)
    if (charged > holder.charged && !this.#fits(holder, charged)) return false
    holder.bytes += bytes
    holder.charged = charged
    return true
  }

  #fits(holder: BudgetHolder, charged: number): boolean {
    const { limitBytes } = this.#settings
    const others = [...this.#holders].filter((other) => other !== holder)
    const largest = others.reduce((best, other) => (other.charged > best.charged ? other : best), {
      owner: '',
      charged: 0,
    })
    const all = sum(others)
    if (charged > largest.charged) return all <= limitBytes
    const own = sum(others.filter((other) => other !== largest && other.owner === holder.owner))
    return all - largest.charged + charged <= limitBytes && own + charged <= limitBytes / 2
  }

  #wait(holder: BudgetHolder, bytes: number): Promise<void> {
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

function sum(holders: readonly BudgetHolder[]): number {
  return holders.reduce((total, { charged }) => total + charged, 0)
}

/** The budget of the bodies of all ways in together. */
export const BODY_BUDGET = {
  limitBytes: 8 * 2 ** 20,
  freeBytes: 256 * 1024,
  waitMs: 20_000,
} as const
