import type { StatementSync } from 'node:sqlite'
import type { SpoolDatabase } from './database.ts'
import type { Outbox, Result } from './outbox.ts'
import type { Clock, RunTime } from './run-time.ts'
import { makeRoom } from './upkeep.ts'

/** Tables of other parts in the spool's database: the same durability, the same walls against a full disk. */
export class Records {
  readonly #db: SpoolDatabase
  readonly #clock: Clock
  readonly #run: RunTime
  readonly #outbox: Outbox

  constructor(db: SpoolDatabase, clock: Clock, run: RunTime, outbox: Outbox) {
    this.#outbox = outbox
    this.#db = db
    this.#clock = clock
    this.#run = run
  }

  /** Milliseconds since the epoch; for people, as it may jump. */
  now(): number {
    return this.#clock.now()
  }

  /** Run-time, for ages (run-time.ts). */
  run(): number {
    return this.#run.now()
  }

  /** What the whole spool may take. */
  get limitBytes(): number {
    return this.#db.limitBytes
  }

  /** Made once by whoever uses it. @throws PlatenError SPOOL_BROKEN */
  prepare(sql: string): StatementSync {
    return this.#db.prepare(sql)
  }

  /** @throws PlatenError SPOOL_BROKEN */
  read<T>(work: () => T): T {
    return this.#db.read(work)
  }

  /** One transaction, flushed when it returns. @throws PlatenError SPOOL_FULL, SPOOL_BROKEN; nothing was written */
  write<T>(work: () => T): T {
    const done = this.#db.write(work)
    this.#outbox.announce()
    return done
  }

  /** What the result address is told; inside a transaction. */
  tell(result: Result): void {
    this.#outbox.note(result)
  }

  /**
   * Refuses what could not be written down afterwards; labels of ended jobs give way.
   * @throws PlatenError SPOOL_FULL
   */
  checkRoom(bytes: number): void {
    makeRoom(this.#db, bytes)
  }
}
