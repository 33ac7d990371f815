import { type BackOff, backOffMs, waitFor } from '../wait.ts'

/** What is to be done with peers. */
export interface WorkParts {
  /** The next step for a peer: resolves with false when it is to be tried again later; undefined = nothing to do. Never throws. */
  readonly step: (peer: string) => Promise<boolean> | undefined
  readonly backOff: BackOff
  readonly signal: AbortSignal
}

/** Takes steps for each peer, one after the other, and rests after one that failed. */
export class PeerWork {
  readonly #parts: WorkParts
  /** What ends the rest of those that are worked for. */
  readonly #wakes = new Map<string, () => void>()

  constructor(parts: WorkParts) {
    this.#parts = parts
  }

  /** There is something to do; a rest ends. */
  begin(peer: string): void {
    const wake = this.#wakes.get(peer)
    if (wake !== undefined) {
      wake()
      return
    }
    this.#wakes.set(peer, () => undefined)
    void this.#run(peer)
  }

  async #run(peer: string): Promise<void> {
    const { step, backOff, signal } = this.#parts
    let failures = 0
    while (!signal.aborted) {
      const taken = step(peer)
      if (taken === undefined) break
      failures = (await taken) ? 0 : failures + 1
      if (failures > 0) await this.#rest(peer, backOffMs(failures, Math.random(), backOff))
    }
    this.#wakes.delete(peer)
  }

  async #rest(peer: string, ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    await waitFor((end) => {
      timer = setTimeout(end, ms).unref()
      this.#wakes.set(peer, end)
    }, this.#parts.signal)
    clearTimeout(timer)
    this.#wakes.set(peer, () => undefined)
  }
}
