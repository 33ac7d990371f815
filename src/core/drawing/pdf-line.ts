import { PlatenError } from '../../words/errors.ts'
import { say } from '../../words/say.ts'

/** Bounds of the line before the processes that read PDFs. Decision `two-pdf-processes`. */
export interface PdfLineBounds {
  /** Questions that may wait. One sender may use all places while no other comes. */
  readonly waiting: number
  /** Bytes of the PDFs that may wait. */
  readonly bytes: number
  /** Longest wait of a question for its turn. */
  readonly waitMs: number
  /** Longest work on a question while others wait. */
  readonly sliceMs: number
  /** Bytes of two PDFs that may be read at the same time; larger pairs take turns. */
  readonly bytesTogether: number
}

/** A question about a PDF. */
export interface PdfWork<T> {
  /** The sender; senders take turns. */
  readonly owner: string
  /** Size of the PDF. */
  readonly bytes: number
  /** False for a label that is on disk: it is not refused, and not stopped for others. */
  readonly isBounded: boolean
  readonly signal: AbortSignal | undefined
  /** Does the work in a lane; the signal ends it. May be called again after it was stopped for others. */
  readonly run: (lane: number, signal: AbortSignal) => Promise<T>
}

interface QueuedPdfQuestion extends PdfWork<unknown> {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  /** On the clock of `performance.now()`; infinite = no limit. */
  readonly deadline: number
  timer: NodeJS.Timeout | undefined
  /** True after its slice, or after it was stopped for others: it may then work in the long lane only. */
  isSlow: boolean
}

interface RunningQuestion {
  readonly entry: QueuedPdfQuestion
  readonly lane: number
  readonly stop: AbortController
  readonly slice: NodeJS.Timeout
  /** True when it may work as long as it takes. */
  isLong: boolean
  isStopped: boolean
}

/** Finds the latest question of the sender that has the most; undefined when the newcomer would have as many. */
function findLoser(
  waiting: readonly QueuedPdfQuestion[],
  newcomer: string,
): QueuedPdfQuestion | undefined {
  const countOf = (owner: string) => waiting.filter((one) => one.owner === owner).length
  const most = Math.max(...waiting.map(({ owner }) => countOf(owner)))
  if (countOf(newcomer) + 1 >= most) return undefined
  return waiting.findLast(({ owner }) => countOf(owner) === most)
}

const LANES = 2

/**
 * Gives questions about PDFs their turns. One question works at a time; one that takes longer than its slice while another sender waits
 * goes on as the long one, and a second lane opens for the others. A second long one is stopped and waits until the first has ended. So a
 * slow PDF holds nobody else up for longer than a slice, and the memory of two processes is enough.
 */
export class PdfLine {
  readonly #bounds: PdfLineBounds
  readonly #waiting: QueuedPdfQuestion[] = []
  readonly #running = new Set<RunningQuestion>()
  /** Senders by their last turn, the latest last. */
  readonly #served = new Set<string>()

  constructor(bounds: PdfLineBounds) {
    this.#bounds = bounds
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  /**
   * Does the work in its turn.
   * @throws PlatenError SERVER_BUSY when too many wait, or too long; the signal's reason; what the work throws
   */
  async do<T>(work: PdfWork<T>): Promise<T> {
    work.signal?.throwIfAborted()
    if (work.isBounded) this.#makePlace(work)
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const patience = work.isBounded ? this.#bounds.waitMs : Number.POSITIVE_INFINITY
    const deadline = performance.now() + patience
    const entry: QueuedPdfQuestion = {
      ...work,
      resolve,
      reject,
      deadline,
      timer: undefined,
      isSlow: false,
    }
    const leave = (): void => this.#leave(entry)
    work.signal?.addEventListener('abort', leave, { once: true })
    this.#queue(entry)
    this.#go()
    try {
      return (await promise) as T
    } finally {
      work.signal?.removeEventListener('abort', leave)
    }
  }

  /**
   * Makes room in a full line: the sender that has the most loses its latest question to a sender that would have fewer.
   * @throws PlatenError SERVER_BUSY
   */
  #makePlace({ owner, bytes }: PdfWork<unknown>): void {
    for (;;) {
      const bounded = this.#waiting.filter(({ isBounded }) => isBounded)
      const sum = bounded.reduce((total, one) => total + one.bytes, bytes)
      const isFull = bounded.length >= this.#bounds.waiting || sum > this.#bounds.bytes
      if (!isFull || bounded.length === 0) return
      const last = findLoser(bounded, owner)
      if (last === undefined) throw busy()
      this.#remove(last)
      last.reject(busy())
    }
  }

  #queue(entry: QueuedPdfQuestion, isNext = false): void {
    if (isNext) this.#waiting.unshift(entry)
    else this.#waiting.push(entry)
    if (!Number.isFinite(entry.deadline)) return
    entry.timer = setTimeout(
      () => {
        this.#remove(entry)
        entry.reject(busy())
      },
      Math.max(0, entry.deadline - performance.now()),
    )
  }

  /** Removes a question whose sender has gone. */
  #leave(entry: QueuedPdfQuestion): void {
    this.#remove(entry)
    entry.reject(entry.signal?.reason)
    const running = [...this.#running].find((one) => one.entry === entry)
    running?.stop.abort(entry.signal?.reason)
  }

  #remove(entry: QueuedPdfQuestion): void {
    clearTimeout(entry.timer)
    const at = this.#waiting.indexOf(entry)
    if (at >= 0) this.#waiting.splice(at, 1)
  }

  /** Starts every question that may start now. */
  #go(): void {
    this.#promote()
    this.#makeRoom()
    for (let next = this.#next(); next !== undefined; next = this.#next()) this.#start(next)
  }

  #next(): QueuedPdfQuestion | undefined {
    const long = this.#long()
    if (this.#running.size > (long === undefined ? 0 : 1)) return undefined
    const ready = this.#waiting.filter((entry) => this.#mayStart(entry, long))
    const [first] = ready
    if (first === undefined) return undefined
    // Who was never served, else who has waited longest since its turn.
    const order = [...this.#served]
    const turnOf = ({ owner }: QueuedPdfQuestion): number => order.indexOf(owner)
    return ready.reduce((best, one) => (turnOf(one) < turnOf(best) ? one : best), first)
  }

  #mayStart(entry: QueuedPdfQuestion, long: RunningQuestion | undefined): boolean {
    if (long === undefined) return true
    if (entry.isSlow || entry.owner === long.entry.owner) return false
    return entry.bytes + long.entry.bytes <= this.#bounds.bytesTogether
  }

  #long(): RunningQuestion | undefined {
    return [...this.#running].find(({ isLong }) => isLong)
  }

  #start(entry: QueuedPdfQuestion): void {
    this.#remove(entry)
    this.#served.delete(entry.owner)
    this.#served.add(entry.owner)
    const used = new Set([...this.#running].map(({ lane }) => lane))
    const lane = Array.from({ length: LANES }, (_, n) => n).find((n) => !used.has(n)) ?? 0
    const slice = setTimeout(() => {
      entry.isSlow = true
      this.#go()
    }, this.#bounds.sliceMs)
    const stop = new AbortController()
    const running: RunningQuestion = {
      entry,
      lane,
      stop,
      slice,
      isLong: entry.isSlow,
      isStopped: false,
    }
    this.#running.add(running)
    entry.run(lane, stop.signal).then(
      (value) => {
        entry.resolve(value)
        this.#end(running)
      },
      (error: unknown) => {
        // The next of its sender's.
        if (running.isStopped && entry.signal?.aborted !== true) this.#queue(entry, true)
        else entry.reject(error)
        this.#end(running)
      },
    )
  }

  #end(running: RunningQuestion): void {
    clearTimeout(running.slice)
    this.#running.delete(running)
    this.#go()
    if (this.#running.size === 0 && this.isEmpty) this.#served.clear()
  }

  /** Promotes a question that has used up its slice: it becomes the long one, or is stopped while there is another. */
  #promote(): void {
    const slow = [...this.#running].find((one) => one.entry.isSlow && !one.isLong)
    if (slow === undefined || !this.#isWaitedFor(slow)) return
    const long = this.#long()
    if (long === undefined) slow.isLong = true
    else if (slow.entry.isBounded) this.#stop(slow)
    else if (long.entry.isBounded) {
      this.#stop(long)
      long.isLong = false
      slow.isLong = true
    }
  }

  /** Stops the long question when the other lane is free, but none of the waiting questions fits beside it. */
  #makeRoom(): void {
    const long = this.#long()
    if (long === undefined || this.#running.size > 1 || !long.entry.isBounded) return
    const fresh = this.#waiting.filter((entry) => !entry.isSlow && this.#isOther(entry, long))
    if (fresh.length > 0 && !fresh.some((entry) => this.#mayStart(entry, long))) this.#stop(long)
  }

  #isWaitedFor(running: RunningQuestion): boolean {
    return this.#waiting.some((entry) => !entry.isSlow && this.#isOther(entry, running))
  }

  #isOther({ owner }: QueuedPdfQuestion, running: RunningQuestion): boolean {
    return owner !== running.entry.owner
  }

  #stop(running: RunningQuestion): void {
    if (running.isStopped) return
    running.isStopped = true
    running.stop.abort(new DOMException('Others wait.', 'AbortError'))
  }
}

function busy(): PlatenError {
  return new PlatenError('SERVER_BUSY', say('manyPdfs'))
}
