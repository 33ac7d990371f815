import { PlatenError } from '../../words/errors.ts'
import type { SpoolDatabase } from './database.ts'
import { IntakeLine } from './shares.ts'
import type { SpoolClock } from './types.ts'

/** Most requests that may wait for a commit: more of one client than any browser or script has under way. Decision `group-commit`. */
export const WAITING_MOST = { ofOwner: 128, all: 512 } as const

/** Most bytes of their labels in memory; beyond this the oldest are written at once. */
const WAITING_BYTES = 2 ** 20

/** Time for which one commit takes requests; the next steps of printers come before them, and connections after. */
const SLICE_MS = 10

/**
 * Rest of requests while printers print, as a multiple of their slice: reading and answering a request costs about four times its slice,
 * and the printers get as much again.
 */
const PRINTERS_PART = 8

/** A printer that wrote no step for this long is slow or dead: requests do not wait for it. */
const PRINTS_MS = 250

/** The longest rest after a commit. */
const REST_MOST_MS = 20

/**
 * Share of a slow flush for which requests wait after it: clients that were answered by it send their next label only now, and all of them
 * then share one flush instead of two. Below a millisecond, which timers cannot wait, the disk is fast enough.
 */
const FLUSH_PART = 1 / 4

const PACE: SpoolClock = {
  now: () => performance.now(),
  soon: (turn) => void setImmediate(turn),
  later: (ms, turn) => void setTimeout(turn, ms),
}

/** A piece of work whose result must be on disk. */
interface CommitPart {
  readonly bytes: number
  /** Does the work, in the open transaction or in one of its own. */
  run(): void
  /** Reports the outcome of the last run; called only once it is on disk. */
  settle(): void
  /** Notes that the work is not on disk. */
  fail(error: unknown): void
}

/**
 * Commits that serve everyone who waits for one: a flush costs the same for one label and for fifty. The steps of printers come first;
 * requests get a slice of each commit, and their clients take turns. Nothing is reported before it is on disk, and a part that fails is
 * rolled back without the others.
 *
 *          step(), take()            the event loop's next turn
 *   idle ------------------> scheduled --------------------> commit: all steps, then requests for SLICE_MS
 *    ^                        ^     ^                          |
 *    |                        |     | #takesAt has come        | written
 *    |                        |   resting                      v
 *    |                        |     ^                        landing: steps and requests that come now
 *    |           steps wait   |     | only requests wait       |        wait for the next commit
 *    | nothing waits          |     |                          |
 *    +------------------------+-----+--------------------------+ on disk, or refused: all of its parts are told
 *
 * A step that comes while it rests is scheduled at once. `flush`, and too many bytes, commit without waiting for a turn.
 */
export class GroupCommit {
  readonly #db: SpoolDatabase
  readonly #pace: SpoolClock
  readonly #fault: (error: unknown) => void
  readonly #line = new IntakeLine<CommitPart>(WAITING_MOST)
  readonly #steps: CommitPart[] = []
  #bytes = 0
  #isScheduled = false
  /** Time of the next timer. */
  #wakesAt = Number.POSITIVE_INFINITY
  /** True while the last commit is on its way to the disk: parts that come meanwhile share the next one. */
  #isLanding = false
  /** Time until which requests wait for the printers. */
  #takesAt = Number.NEGATIVE_INFINITY
  #steppedAt = Number.NEGATIVE_INFINITY

  constructor(db: SpoolDatabase, fault: (error: unknown) => void, pace: SpoolClock = PACE) {
    this.#db = db
    this.#fault = fault
    this.#pace = pace
  }

  /** Adds a step of a printer to the next commit. Rejects with what the work throws. */
  step<T>(work: () => T): Promise<T> {
    const { part, promise } = makePart(work, 0)
    this.#steps.push(part)
    this.#schedule()
    return promise
  }

  /**
   * Adds a request of a client, with labels of that many bytes, to the next commit that has room for it.
   * @throws PlatenError SERVER_BUSY; what the work throws
   */
  take<T>(owner: string, work: () => T, bytes = 0): Promise<T> {
    const { part, promise } = makePart(work, bytes)
    this.#bytes += bytes
    const refused = this.#line.add(owner, part)
    this.#bytes -= refused?.bytes ?? 0
    refused?.fail(refuseBusy())
    refused?.settle()
    if (this.#bytes > WAITING_BYTES) this.#commitNow(() => this.#bytes > WAITING_BYTES)
    this.#schedule()
    return promise
  }

  /** True while a commit is on its way to the disk: its content is in the database, but not reported to anybody yet. */
  get isLanding(): boolean {
    return this.#isLanding
  }

  /** Commits everything that waits, before the spool closes. */
  flush(): void {
    while (this.#steps.length + this.#line.size > 0) this.#commitNow(() => true)
    this.#db.settle()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#pace.soon(() => this.#turn())
  }

  #turn(): void {
    this.#isScheduled = false
    if (this.#isLanding) return
    const began = this.#pace.now()
    const takes = began >= this.#takesAt
    if (this.#steps.length > 0 || (takes && this.#line.size > 0))
      this.#commit(() => takes && this.#pace.now() - began < SLICE_MS)
    this.#goOn()
  }

  #goOn(): void {
    if (this.#isLanding || this.#steps.length + this.#line.size === 0) return
    const now = this.#pace.now()
    const at = this.#steps.length > 0 ? now : this.#takesAt
    if (at <= now) this.#schedule()
    if (at <= now || at >= this.#wakesAt) return
    this.#wakesAt = at
    this.#pace.later(at - now, () => {
      this.#wakesAt = Number.POSITIVE_INFINITY
      this.#turn()
    })
  }

  /** Commits all steps, and requests while `takesMore`; the flush runs beside the event loop. */
  #commit(takesMore: () => boolean): void {
    this.#write(takesMore)
    this.#db.flushSoon()
  }

  /** Commits all steps, and requests while `takesMore`; on disk when it returns. */
  #commitNow(takesMore: () => boolean): void {
    this.#write(takesMore)
    try {
      this.#db.settle()
    } catch (error) {
      this.#fault(error) // those whose parts are lost have been told
    }
  }

  #write(takesMore: () => boolean): void {
    const began = this.#pace.now()
    const ran: CommitPart[] = []
    const alone: CommitPart[] = []
    try {
      const effects = this.#db.together(() => {
        for (const part of this.#parts(takesMore)) {
          ran.push(part)
          if (!this.#tryPart(part)) alone.push(part)
        }
      })
      this.#rest(ran.length, began)
      this.#land(ran, () => {
        this.#follow(effects)
        for (const part of alone) this.#commitAlone(part)
      })
    } catch {
      if (ran.length === 0) ran.push(...this.#parts(takesMore)) // it could not even begin
      // None of it is on disk; each tries by itself, and learns what its own error is.
      for (const part of ran) this.#commitAlone(part)
      for (const part of ran) part.settle()
    }
  }

  /** Waits for the disk, and reports to the parts only then. */
  #land(parts: readonly CommitPart[], follow: () => void): void {
    this.#isLanding = true
    const began = this.#pace.now()
    const settle = (): void => {
      this.#isLanding = false
      const ended = this.#pace.now()
      const restMs = Math.min((ended - began) * FLUSH_PART, REST_MOST_MS)
      if (parts.length > 1 && restMs >= 1) this.#takesAt = Math.max(this.#takesAt, ended + restMs)
      for (const part of parts) part.settle()
      this.#goOn()
    }
    this.#db.land({
      done() {
        follow()
        settle()
      },
      fail(error) {
        for (const part of parts) part.fail(error)
        settle()
      },
    })
  }

  /** Makes requests wait where many write: the next commit then serves more of them, and the event loop is free. */
  #rest(parts: number, began: number): void {
    const ended = this.#pace.now()
    const takesAt = ended + Math.min(ended - began, REST_MOST_MS)
    if (parts > 1) this.#takesAt = Math.max(this.#takesAt, takesAt)
  }

  #commitAlone(part: CommitPart): void {
    try {
      this.#follow(this.#db.alone(() => part.run()))
    } catch (error) {
      part.fail(error)
    }
  }

  *#parts(takesMore: () => boolean): Generator<CommitPart> {
    // One by one: those that a failing commit has not come to wait for the next.
    for (let step = this.#steps.shift(); step !== undefined; step = this.#steps.shift()) {
      this.#steppedAt = this.#pace.now()
      yield step
    }
    if (this.#line.size > 0 && takesMore()) yield* this.#slice(takesMore)
  }

  *#slice(takesMore: () => boolean): Generator<CommitPart> {
    const began = this.#pace.now()
    do {
      const part = this.#line.next()
      if (part === undefined) break
      this.#bytes -= part.bytes
      yield part
    } while (takesMore())
    const ended = this.#pace.now()
    const prints = began - this.#steppedAt < PRINTS_MS
    this.#takesAt = prints ? ended + PRINTERS_PART * (ended - began) : ended
  }

  /** Runs a part; false when the disk refused it: on its own it may find room. */
  #tryPart(part: CommitPart): boolean {
    try {
      this.#db.part(() => part.run())
      return true
    } catch (error) {
      if (!this.#db.isInTransaction) throw error // SQLite took all of it back
      const isDisk = error instanceof PlatenError && error.code.startsWith('SPOOL_')
      return !(isDisk && error.cause !== undefined)
    }
  }

  #follow(effects: readonly (() => void)[]): void {
    try {
      this.#db.effects.call(effects)
    } catch (error) {
      this.#fault(error)
    }
  }
}

function makePart<T>(
  work: () => T,
  bytes: number,
): { readonly part: CommitPart; readonly promise: Promise<T> } {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  let settle = (): void => undefined
  const part: CommitPart = {
    bytes,
    run() {
      try {
        const done = work()
        settle = () => resolve(done)
      } catch (error) {
        part.fail(error)
        throw error
      }
    },
    settle: () => settle(),
    fail(error) {
      settle = () => reject(error)
    },
  }
  return { part, promise }
}

function refuseBusy(): PlatenError {
  const { ofOwner, all } = WAITING_MOST
  const message = `Too many requests wait to be written; wanted at most ${ofOwner} of one client and ${all} in all.`
  return new PlatenError('SERVER_BUSY', message)
}
