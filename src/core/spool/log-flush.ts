import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import { PlatenError } from '../../words/errors.ts'

/** Callbacks for a commit that is on disk, or whose fate is unknown. Decision `flush-in-a-thread`. */
export interface CommitCallbacks {
  done(): void
  fail(error: PlatenError): void
}

/**
 * Flushes the log of the database. SQLite would do so in each COMMIT, and the event loop would stand still as long as the disk takes; here
 * a thread waits. One flush takes along everything committed before it.
 */
export class LogFlush {
  readonly #file: string
  readonly #landings = new Set<CommitCallbacks>()
  #fd: number | undefined
  #isUnderWay = false
  #isClosed = false
  #fault: PlatenError | undefined

  /** `file`: the -wal file of an open database. */
  constructor(file: string) {
    this.#file = file
  }

  /** True when a commit waits for a flush. */
  get isDue(): boolean {
    return this.#landings.size > 0
  }

  /** True after a failed flush: later commits may or may not be on disk, and only a new opening tells. */
  get isBroken(): boolean {
    return this.#fault !== undefined
  }

  /** @throws PlatenError SPOOL_BROKEN after a flush that failed */
  check(): void {
    if (this.#fault !== undefined) throw this.#fault
  }

  /** Adds a commit: it lands with the next flush, in the order of commits. */
  add(landing: CommitCallbacks): void {
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

  /** Closes the file, after the last flush. */
  close(): void {
    this.#isClosed = true
    if (!this.#isUnderWay) this.#drop()
  }

  #open(): number {
    // Windows flushes only what may be written.
    this.#fd ??= openSync(this.#file, 'r+')
    return this.#fd
  }

  #landed(due: readonly CommitCallbacks[], cause: unknown): void {
    this.#isUnderWay = false
    if (this.#isClosed) {
      this.#drop()
      return
    }
    if (cause !== null) this.#break(cause)
    else this.#land(due)
    this.soon()
  }

  /** Reports landed commits; some may have landed with another flush. */
  #land(due: readonly CommitCallbacks[]): void {
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

/** Calls the callbacks of commits. What a callback writes is followed up after the rest, in the order of commits. */
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
