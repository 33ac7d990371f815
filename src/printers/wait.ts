// What of waiting the devices need; the library imports none of the program's.

/** Waits until `sooner` is settled, the time is over or the signal aborts; never throws. */
export async function pauseUntil(
  sooner: Promise<void>,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = (): void => resolve()
  signal.addEventListener('abort', stop, { once: true })
  const timer = setTimeout(stop, ms)
  sooner.then(stop, stop)
  await promise
  signal.removeEventListener('abort', stop)
  clearTimeout(timer)
}

/** True when `work` settled, false when the signal aborted first. Never rejects; the caller sees whether `work` did. */
export async function untilAborted(work: Promise<unknown>, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false
  const { promise, resolve } = Promise.withResolvers<false>()
  const stop = () => resolve(false)
  signal.addEventListener('abort', stop, { once: true })
  const settled = work.then(
    () => true,
    () => true,
  )
  const isSettled = await Promise.race([settled, promise])
  signal.removeEventListener('abort', stop)
  return isSettled
}

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

/** Does one work after the other, in the order asked; one that fails does not stop the next. */
export function takeTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  const forget = () => undefined // what came of it may be large, and the caller has it
  return (work) => {
    const done = last.then(work)
    last = done.then(forget, forget)
    return done
  }
}
