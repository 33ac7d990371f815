import { join } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { PlatenError } from '../../words/errors.ts'
import { numberOf } from './columns.ts'
import { type CommitCallbacks, Effects, LogFlush } from './log-flush.ts'
import { makeFolder, noteDamage, openOrRecover } from './recovery.ts'
import { BALLAST_BYTES, Ballast, defaultMinFree, defaultQuota, readDisk } from './room.ts'
import { isDamage, PAGE_BYTES, SQLITE, sqliteCode, trustFlushes } from './schema.ts'
import type { Statements } from './statements.ts'
import { SpoolTally } from './tally.ts'
import type { SpoolSettings } from './types.ts'

const FILE = 'spool.db'

/**
 * The open database under the spool: its transactions, its reserves against a full disk, and the findings of its opening. Every foreign
 * error leaves as SPOOL_FULL or SPOOL_BROKEN. Decision `one-process`.
 */
export class SpoolDatabase {
  /** Findings of the opening, in sentences; empty when all was well. */
  readonly notices: readonly string[]
  readonly sql: Statements
  /** Statements of plugins that run when a label gets another job. */
  readonly follow: readonly StatementSync[]
  /** Counts of jobs and bytes, kept in step with every transaction. */
  readonly tally: SpoolTally
  readonly quotaBytes: number
  readonly #folder: string
  readonly #minFreeBytes: number
  readonly #ballast: Ballast
  readonly #onCommit: ((seconds: number) => void) | undefined
  readonly #db: DatabaseSync
  readonly #log: LogFlush
  /** Start times of the commits that wait for a flush. */
  #begun: number[] = []
  readonly effects = new Effects()
  /** Callbacks for after the commit of the open group; undefined when there is none. */
  #effects: (() => void)[] | undefined
  #groupFreeBytes: number | undefined
  #damage: PlatenError | undefined

  /** @throws PlatenError STATE_UNWRITABLE, SPOOL_NEWER, SPOOL_TAKEN, SPOOL_FULL, SPOOL_BROKEN */
  constructor(settings: SpoolSettings, now: () => number) {
    this.#folder = settings.folder
    this.#onCommit = settings.onCommit
    makeFolder(this.#folder)
    this.quotaBytes = settings.quotaBytes ?? defaultQuota(this.#folder)
    this.#minFreeBytes = settings.minFreeBytes ?? defaultMinFree(this.#folder)
    this.#ballast = new Ballast(this.#folder, settings.ballastBytes ?? BALLAST_BYTES)
    const file = join(this.#folder, FILE)
    const { quotaBytes } = this
    const opened = this.read(() =>
      openOrRecover(
        { file, quotaBytes, ballast: this.#ballast, plugins: settings.tables ?? [] },
        now(),
      ),
    )
    this.#db = opened.db
    this.notices = opened.notices
    this.#log = new LogFlush(`${file}-wal`)
    // Opening flushed by itself.
    trustFlushes(this.#db)
    this.sql = opened.sql
    this.follow = (settings.tables ?? []).flatMap(({ follow }) =>
      follow === undefined ? [] : this.prepare(follow),
    )
    this.tally = this.read(() => new SpoolTally(this.#db))
  }

  /** Runs a short read. */
  read<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw this.#wrap(error)
    }
  }

  /** Runs one transaction and flushes it before it returns. On a full disk it drops the ballast and tries once more. */
  write<T>(work: () => T): T {
    if (this.#effects !== undefined) return this.part(work)
    const done = this.#transactTwice(work)
    this.flush()
    return done
  }

  #transactTwice<T>(work: () => T): T {
    try {
      return this.#transact(work)
    } catch (error) {
      if (sqliteCode(error) === SQLITE.FULL && this.#ballast.drop()) {
        return this.read(() => this.#transact(work))
      }
      throw this.#wrap(error)
    }
  }

  /**
   * Flushes everything that was committed.
   * @throws PlatenError SPOOL_BROKEN
   */
  flush(): void {
    this.#log.now()
    this.#observe()
  }

  /** Calls `done` or `fail` after the flush that takes along the latest commit. */
  land({ done, fail }: CommitCallbacks): void {
    const landed = (): void => {
      this.#observe()
      done()
    }
    this.#log.add({ done: landed, fail })
  }

  /** Flushes beside the event loop. */
  flushSoon(): void {
    this.#log.soon()
  }

  /**
   * Makes sure that everything committed is on disk; does nothing inside a transaction.
   * @throws PlatenError SPOOL_BROKEN
   */
  settle(): void {
    this.#log.check()
    if (this.#log.isDue && !this.#db.isTransaction) this.flush()
  }

  /** True when a commit waits for its flush. */
  get isLanding(): boolean {
    return this.#log.isDue
  }

  /** True after a failed flush: what is on disk is unknown until the database is opened again. */
  get isBroken(): boolean {
    return this.#log.isBroken
  }

  /** The error of the first read of a damaged page; the next opening repairs it. */
  get damage(): PlatenError | undefined {
    return this.#damage
  }

  /**
   * Runs one transaction for everything that `work` does in parts, not flushed yet; returns the callbacks for after its flush.
   * @throws PlatenError SPOOL_FULL, SPOOL_BROKEN; nothing was written
   */
  together(work: () => void): readonly (() => void)[] {
    const effects: (() => void)[] = []
    const before = this.tally.mark()
    this.#effects = effects
    this.#groupFreeBytes = undefined
    try {
      this.read(() => this.#transact(work))
      return effects
    } catch (error) {
      this.tally.undo(before)
      throw error
    } finally {
      this.#effects = undefined
    }
  }

  /** Runs a part inside `together`, which is taken whole or not at all. */
  part<T>(work: () => T): T {
    if (!this.#db.isTransaction) throw new PlatenError('SPOOL_BROKEN', 'The transaction is gone.')
    const before = this.tally.mark()
    const effects = this.#effects?.length ?? 0
    this.sql.beginPart.run()
    this.tally.begin()
    try {
      const done = work()
      this.sql.endPart.run()
      this.tally.commit()
      return done
    } catch (error) {
      this.tally.undo(before)
      this.#effects?.splice(effects)
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK TO part; RELEASE part')
      throw sqliteCode(error) === 0 ? error : this.#wrap(error)
    }
  }

  /** Runs one part in a transaction of its own and flushes it. On a full disk it drops the ballast and tries once more. */
  alone(work: () => void): readonly (() => void)[] {
    const once = () => {
      const effects = this.together(() => this.part(work))
      this.flush()
      return effects
    }
    try {
      return once()
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined
      if (sqliteCode(cause) === SQLITE.FULL && this.#ballast.drop()) return once()
      throw error
    }
  }

  /** Calls `effect` once everything written so far is on disk; not if it is rolled back. */
  afterCommit(effect: () => void): void {
    if (this.#effects === undefined) this.effects.call([effect])
    else this.#effects.push(effect)
  }

  /** Prepares a statement for a part that has tables of its own. */
  prepare(sql: string): StatementSync {
    return this.read(() => this.#db.prepare(sql))
  }

  /** False inside a group that SQLite has rolled back. */
  get isInTransaction(): boolean {
    return this.#db.isTransaction
  }

  /** Bytes of the pages in use. */
  usedBytes(): number {
    return this.read(() => {
      const pages = numberOf(this.sql.pageCount.get(), 'page_count')
      return (pages - numberOf(this.sql.freeCount.get(), 'freelist_count')) * PAGE_BYTES
    })
  }

  /** Limit for new labels, short of the quota, so that jobs in the spool always find a page to end on. */
  get limitBytes(): number {
    return this.quotaBytes - Math.min(2 ** 20, Math.floor(this.quotaBytes / 8))
  }

  /** Limit beyond which only ends of jobs are written: half of what new labels leave. */
  get tightBytes(): number {
    return (this.limitBytes + this.quotaBytes) / 2
  }

  /** Free bytes of the partition; read once for an open group, which takes none before its commit. */
  freeBytes(): number {
    if (this.#effects === undefined) return this.read(() => readDisk(this.#folder).freeBytes)
    this.#groupFreeBytes ??= this.read(() => readDisk(this.#folder).freeBytes)
    return this.#groupFreeBytes
  }

  /** Bytes that the partition must have free for a request of that size. */
  wantedFreeBytes(bytes: number): number {
    return bytes + this.#minFreeBytes
  }

  /** Makes the ballast again when it was dropped and there is room. */
  restoreBallast(): void {
    this.read(() => this.#ballast.restore(this.freeBytes(), this.#minFreeBytes))
  }

  /** False after `close`. */
  get isOpen(): boolean {
    return this.#db.isOpen
  }

  /** Closes the database; after a failed flush the file stays as it is: closing would move what may be lost out of the log. */
  close(): void {
    this.#log.close()
    if (!this.#log.isBroken) this.#db.close()
  }

  #transact<T>(work: () => T): T {
    this.#log.check()
    const began = performance.now()
    this.#db.exec('BEGIN IMMEDIATE')
    this.tally.begin()
    try {
      const done = work()
      this.#db.exec('COMMIT')
      this.tally.commit()
      this.tally.forget()
      this.#begun.push(began)
      return done
    } catch (error) {
      // SQLITE_FULL has rolled back already, and a second ROLLBACK would throw.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      throw error
    }
  }

  #observe(): void {
    const now = performance.now()
    for (const began of this.#begun.splice(0)) this.#onCommit?.((now - began) / 1_000)
  }

  #wrap(cause: unknown): unknown {
    if (cause instanceof PlatenError) return cause
    const why = cause instanceof Error ? cause.message : String(cause)
    const code = sqliteCode(cause) === SQLITE.FULL ? 'SPOOL_FULL' : 'SPOOL_BROKEN'
    const message = `The spool in ${this.#folder} cannot be used: ${why}.`
    const error = new PlatenError(code, message, { cause })
    if (isDamage(cause) && this.#damage === undefined) {
      this.#damage = error
      noteDamage(this.#folder)
    }
    return error
  }
}
