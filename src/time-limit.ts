/**
 * A signal that aborts when the time is over or another one aborts, and that leaves nothing behind once it is disposed of.
 * AbortSignal.timeout() and AbortSignal.any() stay in memory until the time is over: at a hundred labels a second and 30 s,
 * that was 60 MB.
 */
export class TimeLimit implements Disposable {
  readonly #controller = new AbortController()
  readonly #others: readonly AbortSignal[]
  readonly #timer: NodeJS.Timeout
  readonly #passOn: (event: Event) => void
  #isOver = false

  constructor(ms: number, ...others: readonly AbortSignal[]) {
    this.#others = others
    this.#passOn = ({ target }) => this.#controller.abort((target as AbortSignal).reason)
    this.#timer = setTimeout(() => this.#end(), ms).unref()
    const over = others.find(({ aborted }) => aborted)
    if (over !== undefined) this.#controller.abort(over.reason)
    for (const other of others) other.addEventListener('abort', this.#passOn, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** True when the time was over first. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** From here on the signal stays as it is. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    for (const other of this.#others) other.removeEventListener('abort', this.#passOn)
  }

  #end(): void {
    if (this.signal.aborted) return
    this.#isOver = true
    this.#controller.abort(new DOMException('The time is over.', 'TimeoutError'))
  }
}
