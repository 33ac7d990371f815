import { createHash, randomBytes } from 'node:crypto'
import type { Credentials } from './credentials.ts'

const LIFE_MS = 12 * 3_600_000
const MAX_SESSIONS = 100

interface Session {
  /** Of the credentials that opened it: a changed password ends every session. */
  readonly proof: string
  readonly ends: number
}

/** Who is logged in: in memory only, for 12 hours, the oldest of 100 first to go. */
export class Sessions {
  readonly #now: () => number
  // By the digest of the cookie, so that the time of a look-up tells nothing about a cookie.
  readonly #open = new Map<string, Session>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Opens a session after a login; returns the cookie's value. */
  open(credentials: Credentials): string {
    const id = randomBytes(32).toString('base64url')
    this.#open.set(digest(id), { proof: proofOf(credentials), ends: this.#now() + LIFE_MS })
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= MAX_SESSIONS) break
      this.#open.delete(oldest)
    }
    return id
  }

  /** Whether the cookie is of a session that lives, opened with the credentials of now. */
  has(id: string, credentials: Credentials): boolean {
    const session = this.#open.get(digest(id))
    if (session === undefined) return false
    if (session.ends > this.#now() && session.proof === proofOf(credentials)) return true
    this.close(id)
    return false
  }

  close(id: string): void {
    this.#open.delete(digest(id))
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
