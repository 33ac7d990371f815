import { PlatenError } from '../../errors.ts'
import type { SpoolDatabase } from './database.ts'
import type { Clock } from './run-time.ts'
import type { Loads } from './tally.ts'

const CHECK_EVERY_MS = 1000

/** Whether the spool can still be written, and how much room it has. */
export class Health {
  readonly #db: SpoolDatabase
  readonly #clock: Clock
  #checkedAt = Number.NEGATIVE_INFINITY

  constructor(db: SpoolDatabase, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** Bytes in use, the most they may be, and what the partition has left. */
  usage(): { bytes: number; quotaBytes: number; freeBytes: number } {
    return {
      bytes: this.#db.usedBytes(),
      quotaBytes: this.#db.quotaBytes,
      freeBytes: this.#db.freeBytes(),
    }
  }

  /**
   * Proves that the disk still takes writes: a real one, unless one succeeded within the last second.
   * @throws PlatenError SPOOL_BROKEN
   */
  check(): void {
    if (this.#clock.uptimeMs() - this.#checkedAt < CHECK_EVERY_MS) return
    try {
      this.#db.write(() => this.#db.sql.setMeta.run('checked', String(this.#clock.now())))
      this.#checkedAt = this.#clock.uptimeMs()
    } catch (cause) {
      if (cause instanceof PlatenError && cause.code === 'SPOOL_BROKEN') throw cause
      throw new PlatenError('SPOOL_BROKEN', 'The spool cannot be written: its disk is full.', {
        cause,
      })
    }
  }

  /**
   * True when a read answers and a test write comes back. A full disk is not a reason to start the program anew; a flush that
   * failed is one.
   */
  answers(): boolean {
    if (this.#db.isBroken) return false
    this.#db.read(() => this.#db.sql.lastSeq.get())
    try {
      this.check()
    } catch (error) {
      return error instanceof PlatenError
    }
    return true
  }

  /** What waits, by its holders. */
  loads(): Loads {
    return this.#db.tally.loads
  }

  /** Whether a request of `bytes` more would be accepted now and leave the waiting labels below `share` of the quota. */
  hasRoom(bytes: number, share = 1): boolean {
    // Labels of ended jobs make way, so only those that wait count.
    return (
      this.#db.tally.whole.bytes + bytes <= this.#db.limitBytes * share &&
      this.#db.freeBytes() >= this.#db.wantedFreeBytes(bytes)
    )
  }
}
