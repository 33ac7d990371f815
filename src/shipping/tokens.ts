import { createHash } from 'node:crypto'
import type { Remark } from './answers.ts'
import type { Account, Token } from './carrier.ts'

const RENEW_EARLY_MS = 60_000
const KEPT_MOST = 100

type Got = Token | { readonly errors: readonly Remark[] }

/** Whose token it is. */
export interface TokenOwner {
  readonly carrier: string
  readonly isTest: boolean
  readonly account: Account
  /** The last one was refused. */
  readonly isAgain: boolean
}

/** The carriers' access tokens, in memory only; got when they are needed, renewed a minute early. */
export class Tokens {
  readonly #now: () => number
  readonly #kept = new Map<string, { readonly got: Promise<Got>; endsAt: number }>()

  /** @param now milliseconds of a clock that nobody sets */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** The token; several who want it at once wait for one call. A refusal is not kept. */
  async get(owner: TokenOwner, ask: () => Promise<Got>): Promise<Got> {
    const name = nameOf(owner)
    const known = this.#kept.get(name)
    if (known !== undefined && known.endsAt > this.#now() && !owner.isAgain) return await known.got
    // Until it is known how long it lasts, all wait for this one.
    const entry = { got: ask(), endsAt: Number.POSITIVE_INFINITY }
    this.#kept.delete(name)
    this.#kept.set(name, entry)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT_MOST) break
      this.#kept.delete(oldest)
    }
    const isEnded = (): void => {
      if (this.#kept.get(name) === entry) this.#kept.delete(name)
    }
    try {
      const got = await entry.got
      if ('errors' in got) isEnded()
      else entry.endsAt = this.#now() + got.expiresIn * 1_000 - RENEW_EARLY_MS
      return got
    } catch (error) {
      isEnded()
      throw error
    }
  }
}

/** A digest, so that no credential is a key of a map that somebody logs. */
function nameOf({ carrier, isTest, account }: TokenOwner): string {
  const { client_id: id = '', client_secret: secret = '', child_key: child = '' } = account
  return createHash('sha256')
    .update(JSON.stringify([carrier, isTest, id, secret, child]))
    .digest('hex')
}
