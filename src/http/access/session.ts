import { createHash, randomBytes } from 'node:crypto'
import type { Credentials } from './credentials.ts'

const LIFE_MS = 12 * 3_600_000
const MAX_SESSIONS = 100

/** Who is logged in: in memory only, for 12 hours, the oldest of 100 first to go. */
export class Sessions {
  readonly #now: () => number
  // When each ends. By the digest of the cookie, so that the time of a look-up tells nothing about a cookie.
  readonly #open = new Map<string, number>()
  readonly #onEnd: () => void
  #proof = ''

  /** @param onEnd told when sessions have ended before their time */
  constructor(now: () => number, onEnd: () => void = () => undefined) {
    this.#now = now
    this.#onEnd = onEnd
  }

  /**
   * Says which credentials count from now on. Others than before end every session for good: whoever sets the old
   * password again revives none.
   */
  follow(credentials: Credentials | undefined): void {
    const proof = credentials === undefined ? '' : proofOf(credentials)
    if (proof === this.#proof) return
    this.#proof = proof
    this.#open.clear()
    this.#onEnd()
  }

  /** Opens a session after a login; returns the cookie's value. */
  open(): string {
    const id = randomBytes(32).toString('base64url')
    this.#open.set(digest(id), this.#now() + LIFE_MS)
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= MAX_SESSIONS) break
      this.#open.delete(oldest)
    }
    return id
  }

  /** Whether the cookie is of a session that lives. */
  has(id: string): boolean {
    const ends = this.#open.get(digest(id))
    if (ends === undefined) return false
    if (ends > this.#now()) return true
    this.close(id)
    return false
  }

  close(id: string): void {
    if (this.#open.delete(digest(id))) this.#onEnd()
  }

  /** Seconds that a session lasts, for the cookie. */
  get lifeSeconds(): number {
    return LIFE_MS / 1000
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}

function proofOf({ username, password }: Credentials): string {
  return digest(JSON.stringify([username, password]))
}
