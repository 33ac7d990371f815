import { createHash } from 'node:crypto'
import type { IppWish } from './jobs.ts'

const KEPT_MS = 10 * 60_000
const KEPT_MOST = 100

/**
 * Jobs of Print-Job whose answer never reached their sender: Print-Job has no key, so whoever heard nothing sends it again.
 * The same from the same sender within ten minutes is answered with that job, once. Only those: whoever has heard the
 * answer and prints the same again wants it twice.
 */
export class LostAnswers {
  readonly #now: () => number
  readonly #jobs = new Map<string, { readonly id: number; readonly at: number }>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** The connection ended before the answer was on its way. */
  add(key: string, id: number): void {
    const [oldest] = this.#jobs.keys()
    if (oldest !== undefined && this.#jobs.size >= KEPT_MOST) this.#jobs.delete(oldest)
    this.#jobs.set(key, { id, at: this.#now() })
  }

  /** The job whose answer was lost; it is given once. */
  take(key: string): number | undefined {
    const lost = this.#jobs.get(key)
    this.#jobs.delete(key)
    return lost !== undefined && this.#now() - lost.at < KEPT_MS ? lost.id : undefined
  }
}

/** What tells one Print-Job from another. */
export function keyOfPrint(
  { printer, name, user, client }: Pick<IppWish, 'printer' | 'name' | 'user' | 'client'>,
  document: Uint8Array,
): string {
  const hash = createHash('sha256').update(JSON.stringify([printer, name, user, client]))
  return hash.update(document).digest('base64url')
}
