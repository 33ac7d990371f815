import { PlatenError } from '../../words/errors.ts'
import { say } from '../../words/say.ts'

/** Bounds of the line before the processes that read PDFs. Decision `two-pdf-processes`. */
export interface PdfLineBounds {
  /** Questions that wait. One sender may have them all while no other comes. */
  readonly waiting: number
  /** Bytes of the PDFs that wait. */
  readonly bytes: number
  /** How long one waits for its turn. */
  readonly waitMs: number
  /** How long one works while others wait. */
  readonly sliceMs: number
  /** Two large PDFs are not read at the same time: bytes of both. */
  readonly bytesTogether: number
}

/** A question about a PDF. */
export interface PdfWork<T> {
  /** Whose it is: the senders have turns. */
  readonly owner: string
  /** Of the PDF. */
  readonly bytes: number
  /** False = of a label that is on disk: it is not refused, and not stopped for others. */
  readonly isBounded: boolean
  readonly signal: AbortSignal | undefined
  /** Does it in a lane; the signal ends it. It may be called again, once it was stopped for others. */
  readonly run: (lane: number, signal: AbortSignal) => Promise<T>
}

interface QueuedPdfQuestion extends PdfWork<unknown> {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  /** Of `performance.now()`; infinite = it waits as long as it takes. */
  readonly deadline: number
  timer: NodeJS.Timeout | undefined
  /** Has had its slice, or was stopped for others: it may work in the long lane only. */
  isSlow: boolean
}

interface Running {
  readonly entry: QueuedPdfQuestion
  readonly lane: number
  readonly stop: AbortController
  readonly slice: NodeJS.Timeout
  /** Works as long as it takes. */
  isLong: boolean
  isStopped: boolean
}

/** The latest of the sender that has most; undefined when the newcomer would have as many. */
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
 * Whose turn it is. One question works at a time; one that takes longer than its slice while another sender waits goes on as the
 * long one, and a second lane opens for the others. A second long one is stopped and waits until the first has ended. So a
 * slow PDF holds up nobody else for longer than a slice, and the memory of two is enough.
 */
export class PdfLine {
  readonly #bounds: PdfLineBounds
  readonly #waiting: QueuedPdfQuestion[] = []
  readonly #running = new Set<Running>()
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
   * Whoever has most in a full line gives its latest to a sender that would have less.
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

  /** Who asked has gone. */
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

  /** Begins what can begin. */
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

  #mayStart(entry: QueuedPdfQuestion, long: Running | undefined): boolean {
    if (long === undefined) return true
    if (entry.isSlow || entry.owner === long.entry.owner) return false
    return entry.bytes + long.entry.bytes <= this.#bounds.bytesTogether
  }

  #long(): Running | undefined {
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
    const running: Running = {
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

  #end(running: Running): void {
    clearTimeout(running.slice)
    this.#running.delete(running)
    this.#go()
    if (this.#running.size === 0 && this.isEmpty) this.#served.clear()
  }

  /** What has had its slice makes way: it becomes the long one, or is stopped while there is another. */
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

  /** The other lane is free, and nobody fits beside the long one. */
  #makeRoom(): void {
    const long = this.#long()
    if (long === undefined || this.#running.size > 1 || !long.entry.isBounded) return
    const fresh = this.#waiting.filter((entry) => !entry.isSlow && this.#isOther(entry, long))
    if (fresh.length > 0 && !fresh.some((entry) => this.#mayStart(entry, long))) this.#stop(long)
  }

  #isWaitedFor(running: Running): boolean {
    return this.#waiting.some((entry) => !entry.isSlow && this.#isOther(entry, running))
  }

  #isOther({ owner }: QueuedPdfQuestion, running: Running): boolean {
    return owner !== running.entry.owner
  }

  #stop(running: Running): void {
    if (running.isStopped) return
    running.isStopped = true
    running.stop.abort(new DOMException('Others wait.', 'AbortError'))
  }
}

function busy(): PlatenError {
  return new PlatenError('SERVER_BUSY', say('manyPdfs'))
}
