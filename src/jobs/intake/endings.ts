import { waitFor } from '../../wait.ts'
import { isSettled, type Job } from '../job.ts'
import type { Spool } from '../spool/spool.ts'
import type { Taken } from './requests.ts'

/** Who waits for jobs to end. */
export class Endings {
  readonly #spool: Spool
  readonly #waiters = new Map<string, Set<() => void>>()

  constructor(spool: Spool) {
    this.#spool = spool
    spool.onChange((job) => {
      if (isSettled(job)) for (const wake of this.#waiters.get(job.id) ?? []) wake()
    })
  }

  /**
   * Resolves with the jobs once each has ended or is held for a person, or as they are when the signal aborts. Unknown ids
   * are left out.
   */
  async of(ids: readonly string[], signal: AbortSignal): Promise<readonly Job[]> {
    await Promise.race([this.#allSettled(ids, signal), waitFor(() => undefined, signal)])
    return ids.flatMap((id) => this.#spool.history.look(id) ?? [])
  }

  /** What a caller gets whose jobs are on disk. */
  taken(jobs: readonly Job[], repeated: boolean): Taken {
    const wait = (): Promise<void> => this.#allSettled(jobs.map((job) => job.id))
    let ended: Promise<void> | undefined
    return {
      jobs,
      repeated,
      // Made when asked for: most callers never wait.
      get ended() {
        ended ??= wait()
        return ended
      },
    }
  }

  async #allSettled(ids: readonly string[], signal?: AbortSignal): Promise<void> {
    for (const id of ids) await this.#oneSettled(id, signal)
  }

  #oneSettled(id: string, signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const job = this.#spool.history.look(id)
    if (job === undefined || isSettled(job) || signal?.aborted) return Promise.resolve()
    const waiters = this.#waiters.get(id) ?? new Set()
    const done = (): void => {
      signal?.removeEventListener('abort', done)
      waiters.delete(done)
      if (waiters.size === 0) this.#waiters.delete(id)
      resolve()
    }
    signal?.addEventListener('abort', done, { once: true })
    this.#waiters.set(id, waiters.add(done))
    return promise
  }
}
