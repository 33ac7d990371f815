import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import { PlatenError } from '../../words/errors.ts'

/** What follows a commit once it is on disk, or when nobody can know whether it is. Decision `flush-in-a-thread`. */
export interface Landing {
  done(): void
  fail(error: PlatenError): void
}

/**
 * Flushes the log of the database. SQLite would do so in each COMMIT, and the event loop would stand still as long as the
 * disk takes; here the wait is in a thread. One flush takes along all that was committed before it.
 */
export class LogFlush {
  readonly #file: string
  readonly #landings = new Set<Landing>()
  #fd: number | undefined
  #isUnderWay = false
  #isClosed = false
  #fault: PlatenError | undefined

  /** `file`: the -wal of a database that is open. */
  constructor(file: string) {
    this.#file = file
  }

  /** What was committed waits for a flush. */
  get isDue(): boolean {
    return this.#landings.size > 0
  }

  /** A flush has failed: what was committed since the one before may be on disk or not, and only a new opening tells. */
  get isBroken(): boolean {
    return this.#fault !== undefined
  }

  /** @throws PlatenError SPOOL_BROKEN after a flush that failed */
  check(): void {
    if (this.#fault !== undefined) throw this.#fault
  }

  /** Something was committed: it lands with the next flush, in the order of its commits. */
  add(landing: Landing): void {
    this.#landings.add(landing)
  }

  /** Flushes beside the event loop. */
  soon(): void {
    if (this.#isUnderWay || this.#landings.size === 0) return
    const due = [...this.#landings]
    this.#isUnderWay = true
    try {
      this.check()
      fdatasync(this.#open(), (cause) => this.#landed(due, cause))
    } catch (cause) {
      this.#landed(due, cause)
    }
  }

  /**
   * Flushes before it returns.
   * @throws PlatenError SPOOL_BROKEN
   */
  now(): void {
    // A second flush of what was lost succeeds: the system has told of it once, and thinks its pages clean.
    this.check()
    const due = [...this.#landings]
    try {
      fdatasyncSync(this.#open())
    } catch (cause) {
      this.#break(cause)
      this.check()
    }
    this.#land(due)
  }

  /** After the last flush. */
  close(): void {
    this.#isClosed = true
    if (!this.#isUnderWay) this.#drop()
  }

  #open(): number {
    // Windows flushes only what may be written.
    this.#fd ??= openSync(this.#file, 'r+')
    return this.#fd
  }

  #landed(due: readonly Landing[], cause: unknown): void {
    this.#isUnderWay = false
    if (this.#isClosed) {
      this.#drop()
      return
    }
    if (cause !== null) this.#break(cause)
    else this.#land(due)
    this.soon()
  }

  /** Some may have landed with another flush. */
  #land(due: readonly Landing[]): void {
    for (const landing of due) if (this.#landings.delete(landing)) landing.done()
  }

  #break(cause: unknown): void {
    const why = cause instanceof Error ? cause.message : String(cause)
    const message = `The disk did not keep what was written to ${this.#file}: ${why}. Nothing is accepted or printed until the print server is started again.`
    this.#fault ??= new PlatenError('SPOOL_BROKEN', message, { cause })
    const lost = [...this.#landings]
    this.#landings.clear()
    for (const landing of lost) landing.fail(this.#fault)
  }

  #drop(): void {
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
  }
}

/** Calls what follows commits. What a call writes is followed after the rest, in the order of the commits. */
export class Effects {
  #waiting: (() => void)[] | undefined

  /** @throws the first error of a call, once all have been called */
  call(effects: readonly (() => void)[]): void {
    if (this.#waiting !== undefined) {
      this.#waiting.push(...effects)
      return
    }
    const waiting = [...effects]
    const errors: unknown[] = []
    this.#waiting = waiting
    for (const effect of waiting) {
      try {
        effect()
      } catch (error) {
        errors.push(error)
      }
    }
    this.#waiting = undefined
    if (errors.length > 0) throw errors[0]
  }
}
