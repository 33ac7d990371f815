import { PlatenError } from '../../words/errors.ts'

/** Bounds on the pace at which data must arrive once it has begun, at every way in. */
export interface ArrivalBounds {
  /** Longest pause. */
  readonly bodyIdleMs: number
  /** Lowest pace, measured over `bodyIdleMs`. */
  readonly bodyBytesPerSecond: number
}

/** Bounds for bodies, and for messages of programs: a slow mobile line is a hundred times as fast. */
export const ARRIVAL: ArrivalBounds = { bodyIdleMs: 10_000, bodyBytesPerSecond: 100 }

/** Time for the first bytes of a connection: TLS, and the head of a request. */
export const GREETING_MS = 10_000

/** Measures the pace of one sender; only the time spent waiting for it counts. */
export class ArrivalPace {
  readonly #bounds: ArrivalBounds
  #bytes = 0
  #ms = 0

  constructor(bounds: ArrivalBounds) {
    this.#bounds = bounds
  }

  /** Notes that so many bytes came in so long. Returns the span that was too slow; undefined = it may go on. */
  note(bytes: number, ms: number): { readonly bytes: number; readonly ms: number } | undefined {
    const { bodyIdleMs, bodyBytesPerSecond } = this.#bounds
    this.#bytes += bytes
    this.#ms += ms
    if (this.#ms < bodyIdleMs) return undefined
    const span = { bytes: this.#bytes, ms: this.#ms }
    this.#bytes = 0
    this.#ms = 0
    return span.bytes < (bodyBytesPerSecond * span.ms) / 1_000 ? span : undefined
  }
}

/**
 * Passes chunks on; gives up after `bodyIdleMs` without one, or when they arrive too slowly.
 * @throws PlatenError BODY_TIMEOUT, BODY_BROKEN
 */
export async function* paceChunks(
  body: AsyncIterable<Uint8Array>,
  bounds: ArrivalBounds,
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = body[Symbol.asyncIterator]()
  let bytes = 0
  const pace = new ArrivalPace(bounds)
  let isOver = false
  try {
    for (;;) {
      const start = performance.now()
      const next = await within(chunks.next(), bounds.bodyIdleMs, bytes).catch((error: unknown) => {
        isOver = true
        throw error
      })
      if (next.done) return
      bytes += next.value.length
      // Of the sender alone: while others are waited for, nothing of it is read.
      const slow = pace.note(next.value.length, performance.now() - start)
      if (slow !== undefined) throw tooSlow(slow)
      yield next.value
    }
  } finally {
    // One that waits for its next chunk cannot be returned from; the server ends that connection.
    if (!isOver) await chunks.return?.()
  }
}

function tooSlow({ bytes, ms }: { readonly bytes: number; readonly ms: number }): PlatenError {
  const seconds = Math.round(ms / 1_000)
  const message = `The label arrives too slowly: ${bytes} bytes came in ${seconds} s.`
  return new PlatenError('BODY_TIMEOUT', message)
}

/** @throws PlatenError BODY_TIMEOUT, BODY_BROKEN */
async function within<T>(step: Promise<T>, ms: number, bytes: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const message = `No byte of the body arrived for ${ms / 1_000} s, after ${bytes} bytes.`
      reject(new PlatenError('BODY_TIMEOUT', message))
    }, ms)
  })
  const sure = step.catch((cause: unknown) => {
    throw new PlatenError('BODY_BROKEN', `The body ended after ${bytes} bytes.`, { cause })
  })
  // The loser of the race is not awaited; its failure is of no interest.
  sure.catch(() => undefined)
  try {
    return await Promise.race([sure, late])
  } finally {
    clearTimeout(timer)
  }
}
