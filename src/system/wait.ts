import { setTimeout as sleep } from 'node:timers/promises'

/** Waits between tries: 1, 2, 4 .. 60 s, each shortened by up to half so that a fleet does not call at once. */
export const BACK_OFF = { firstMs: 1000, mostMs: 60_000 } as const

/** Milliseconds to wait after so many failures in a row; `random` is 0..1. */
export function backOffMs(failures: number, random: number, limits = BACK_OFF as BackOff): number {
  const ms = Math.min(limits.mostMs, limits.firstMs * 2 ** Math.min(Math.max(failures, 1) - 1, 16))
  return ms * (0.5 + random / 2)
}

/** Milliseconds. */
export interface BackOff {
  readonly firstMs: number
  readonly mostMs: number
}

/** True for what a signal aborts with: nobody waits any more, or the time was over. */
export function isAbort(error: unknown): boolean {
  return (
    error instanceof DOMException && (error.name === 'AbortError' || error.name === 'TimeoutError')
  )
}

/** Until `begin` calls what it was given, or the signal aborts; never throws. */
export async function waitFor(
  begin: (resolve: () => void) => void,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = (): void => resolve()
  signal.addEventListener('abort', stop, { once: true })
  begin(stop)
  await promise
  signal.removeEventListener('abort', stop)
}

/** Waits, or ends early when the signal aborts; never throws. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal })
  } catch {
    // The caller looks at the signal.
  }
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

/** Work that gets less than this share of a processor is stopped too: it is blocked on something. */
const LEAST_SHARE = 1 / 6
/** The processor time is not asked for more often. */
const ASK_MS = 100

/** The limit that was up. */
export interface TimeUp {
  readonly seconds: number
  readonly isProcessorTime: boolean
}

/**
 * Calls `onUp` once a process or thread has worked for `limitMs` from now on. Processor time counts, so that nothing is
 * refused because the machine has other work; six times as long by the clock, and it is up too, as where `usedMs` cannot
 * tell it.
 */
export function watchTime(
  usedMs: () => Promise<number | undefined>,
  limitMs: number,
  onUp: (time: TimeUp) => void,
): { end(): void } {
  let isEnded = false
  const began = usedMs()
  const check = async (): Promise<void> => {
    const [now, before] = [await usedMs(), await began]
    if (isEnded || now === undefined || before === undefined) return
    const left = limitMs - (now - before)
    if (left <= 0) onUp({ seconds: limitMs / 1000, isProcessorTime: true })
    else timer = setTimeout(() => void check(), Math.max(ASK_MS, left))
  }
  let timer = setTimeout(() => void check(), limitMs)
  const wallMs = limitMs / LEAST_SHARE
  const wall = setTimeout(() => onUp({ seconds: wallMs / 1000, isProcessorTime: false }), wallMs)
  return {
    end() {
      isEnded = true
      clearTimeout(timer)
      clearTimeout(wall)
    },
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

/** Bounds of a queue: how many work at once, how many wait for them at most, and how long. */
export interface QueueBounds {
  readonly atOnce: number
  readonly waiting: number
  readonly waitMs: number
}

/** Lets a few work at once; the others wait, first come first. */
export class WaitingLine {
  readonly #bounds: QueueBounds
  readonly #busy: () => Error
  #free: number
  /** Each is given the place of one that left. */
  readonly #line: (() => void)[] = []

  /** `busy`: what is thrown at whoever cannot wait any longer. */
  constructor(bounds: QueueBounds, busy: () => Error) {
    this.#bounds = bounds
    this.#busy = busy
    this.#free = bounds.atOnce
  }

  /**
   * Does the work in its turn.
   * @throws what `busy` gives when too many wait, or too long; what the work throws
   */
  async enter<T>(work: () => Promise<T>, signals: readonly AbortSignal[]): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await this.#wait(signals)
    try {
      return await work()
    } finally {
      const next = this.#line.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
  }

  async #wait(signals: readonly AbortSignal[]): Promise<void> {
    const { waiting, waitMs } = this.#bounds
    if (this.#line.length >= waiting) throw this.#busy()
    using limit = new TimeLimit(waitMs, ...signals)
    let hasPlace = false
    let take = (): void => undefined
    await waitFor((resolve) => {
      take = () => {
        hasPlace = true
        resolve()
      }
      this.#line.push(take)
    }, limit.signal)
    if (hasPlace) return
    const place = this.#line.indexOf(take)
    if (place >= 0) this.#line.splice(place, 1)
    throw this.#busy()
  }
}

/** Waiters for news of something, by its id. */
export class NewsWaiters {
  readonly #signal: AbortSignal
  readonly #waiting = new Map<string, (() => void)[]>()

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** Until there is news of it, for so long at most, or until the signal aborts; never throws. */
  async of(id: string, ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    await waitFor((end) => {
      timer = setTimeout(end, ms).unref()
      this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), end])
    }, this.#signal)
    clearTimeout(timer)
  }

  tell(id: string): void {
    for (const end of this.#waiting.get(id) ?? []) end()
    this.#waiting.delete(id)
  }
}

/** Work under way, for whoever closes and has to wait for it. */
export class PendingWork {
  readonly #running = new Set<Promise<unknown>>()

  get isEmpty(): boolean {
    return this.#running.size === 0
  }

  /** Begins the work; what it throws at once becomes a rejection. */
  async do<T>(work: () => Promise<T>): Promise<T> {
    const running = work()
    this.#running.add(running)
    try {
      return await running
    } finally {
      this.#running.delete(running)
    }
  }

  /** Resolves when all is over, well or not; never rejects. */
  async end(): Promise<void> {
    await Promise.allSettled(this.#running)
  }
}
