import type { StatementSync } from 'node:sqlite'
import { PlatenError } from '../../words/errors.ts'
import { say } from '../../words/say.ts'
import type { JobState } from '../job.ts'
import { type JobRow, numberOf, textOf } from './columns.ts'
import type { SpoolDatabase } from './database.ts'
import type { Outbox, Result } from './outbox.ts'
import type { Clock, RunMark, RunTime } from './room.ts'
import { megabytes } from './shares.ts'

/** Time for which a repeat of a request is known, in milliseconds of run-time (design 3.1: 7 days). Decision `running-time`. */
export const REPEAT_KEPT_MS = 7 * 24 * 3600 * 1000

/** Most repeats that are known, beside those of labels that wait. */
export const REPEATS_MOST = 50_000

/** Run-time of the newest request that was forgotten before its 7 days were over, in `meta`. */
export const REPEATS_GONE = 'repeats_gone'

// Rows per turn of housekeeping: a turn must stay short, the next one takes the rest.
const TURN = 1000
/** Limit of one turn in bytes: the pages of each label are read to free them, which takes a card as long as reading the label. */
const TURN_BYTES = 8 * 2 ** 20

/** Evictions in one transaction, of 20 labels or 100 rows each. */
const EVICTIONS = 50

function dropLabel(db: SpoolDatabase, row: JobRow): void {
  const seq = numberOf(row, 'seq')
  db.sql.dropLabel.run(seq)
  db.sql.dropPreview.run(seq)
}

/** Notes rows of ended jobs that are no longer in the list. */
function noteDropped(db: SpoolDatabase, rows: readonly JobRow[]): number {
  for (const row of rows) {
    const from = textOf(row, 'state') as JobState
    db.tally.note({ from, printer: '', sender: '', bytes: 0 })
  }
  return rows.length
}

/** Evicts the oldest labels of ended jobs, then their rows. False when nothing is left to evict. */
function evict(db: SpoolDatabase): boolean {
  const labels = db.sql.endedBefore.all(Number.MAX_SAFE_INTEGER, 20)
  for (const row of labels) dropLabel(db, row)
  return labels.length > 0 || noteDropped(db, db.sql.dropOldestRows.all()) > 0
}

function fits(db: SpoolDatabase, bytes: number): boolean {
  return db.usedBytes() + bytes <= db.limitBytes
}

/** Evicts as much as one transaction may: each is a flush, and copies of one label free nothing until the last of them goes. */
function evictFor(db: SpoolDatabase, bytes: number): boolean {
  let turns = 0
  while (turns < EVICTIONS && !fits(db, bytes) && evict(db)) turns += 1
  return turns > 0
}

/**
 * Frees room for a request. Labels of ended jobs go first, oldest first, then their rows; waiting labels are never dropped.
 * @throws PlatenError SPOOL_FULL
 */
export function makeRoom(db: SpoolDatabase, bytes: number): void {
  const freeBytes = db.freeBytes()
  if (freeBytes < db.wantedFreeBytes(bytes)) {
    throw new PlatenError('SPOOL_FULL', say('diskLow', { free: megabytes(freeBytes) }), {
      detail: `Wanted ${megabytes(db.wantedFreeBytes(bytes))}.`,
    })
  }
  while (!fits(db, bytes)) {
    if (!db.write(() => evictFor(db, bytes))) {
      const used = `${megabytes(db.usedBytes())} of ${megabytes(db.limitBytes)}`
      throw new PlatenError('SPOOL_FULL', say('waitingFill'), {
        detail: `They take ${used}; ${megabytes(bytes)} more do not fit.`,
      })
    }
  }
}

/** Periods for which things are kept. */
interface Retention {
  /** Labels of ended jobs, milliseconds of run-time. */
  readonly labelsMs: number
  readonly endedJobsMost: number
  readonly repeatsMost: number
}

/** Takes one turn of retention; inside a transaction. `run` is run-time now. */
export function retain(db: SpoolDatabase, run: number, retention: Retention): void {
  let bytes = 0
  for (const row of db.sql.endedBefore.all(run - retention.labelsMs, TURN)) {
    dropLabel(db, row)
    bytes += numberOf(row, 'label_bytes')
    if (bytes >= TURN_BYTES) break
  }
  const aged = db.sql.dropRows.all(run - Math.max(retention.labelsMs, REPEAT_KEPT_MS))
  // The tally counts those that have just gone until this transaction is on disk.
  const excess = db.tally.ended - noteDropped(db, aged) - retention.endedJobsMost
  if (excess > 0) {
    for (const row of db.sql.oldestEnded.all(Math.min(excess, TURN))) {
      noteDropped(db, [row])
      dropLabel(db, row)
      db.sql.dropRow.run(numberOf(row, 'seq'))
    }
  }
  db.sql.dropRepeats.run(run - REPEAT_KEPT_MS)
  forgetBeyond(db, retention.repeatsMost)
}

/**
 * Forgets the oldest repeats of the senders that have the most, so that no sender makes others forgotten. A label that waits keeps its own
 * repeat: what cannot be forgotten of one sender is not taken from another.
 */
function forgetBeyond(db: SpoolDatabase, most: number): void {
  if (numberOf(db.sql.countRepeats.get(), 'repeats') <= most) return
  const senders = db.sql.repeatsOfSenders.all().map((row) => ({
    sender: textOf(row, 'sender'),
    repeats: numberOf(row, 'repeats'),
  }))
  const share = shareOf(
    senders.map(({ repeats }) => repeats),
    most,
  )
  let gone = Number(textOf(db.sql.meta.get(REPEATS_GONE), 'value'))
  for (const { sender, repeats } of senders) {
    if (repeats <= share) continue
    for (const row of db.sql.dropOldestRepeats.all(sender, repeats - share)) {
      gone = Math.max(gone, numberOf(row, 'run'))
    }
  }
  db.sql.setMeta.run(REPEATS_GONE, String(gone))
}

/** The number that each may keep, so that all together keep at most `most`: those with fewer leave the rest to the others. */
function shareOf(counts: readonly number[], most: number): number {
  let left = most
  let others = counts.length
  for (const count of counts.toSorted((a, b) => a - b)) {
    const share = Math.floor(left / others)
    if (count > share) return share
    left -= count
    others -= 1
  }
  return most
}

/** Reads the last mark of run-time; undefined in a new spool. */
export function readRunMark({ sql }: SpoolDatabase): RunMark | undefined {
  const read = (key: string): string => textOf(sql.meta.get(key), 'value')
  if (read('run') === '') return undefined
  return { runMs: Number(read('run')), uptimeMs: Number(read('uptime')), bootId: read('boot') }
}

/** Writes a mark of run-time; inside a transaction. */
export function writeRunMark({ sql }: SpoolDatabase, mark: RunMark): void {
  sql.setMeta.run('run', String(mark.runMs))
  sql.setMeta.run('uptime', String(mark.uptimeMs))
  sql.setMeta.run('boot', mark.bootId)
}

/** Tables of other parts in the spool's database: the same durability, the same reserves against a full disk. */
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

  /** Run-time, for ages (room.ts). */
  run(): number {
    return this.#run.now()
  }

  /** Limit for the whole spool. */
  get limitBytes(): number {
    return this.#db.limitBytes
  }

  /**
   * Prepares a statement, which its user keeps.
   * @throws PlatenError SPOOL_BROKEN
   */
  prepare(sql: string): StatementSync {
    return this.#db.prepare(sql)
  }

  /** @throws PlatenError SPOOL_BROKEN */
  read<T>(work: () => T): T {
    return this.#db.read(work)
  }

  /**
   * Runs one transaction, flushed when it returns.
   * @throws PlatenError SPOOL_FULL, SPOOL_BROKEN; nothing was written
   */
  write<T>(work: () => T): T {
    const done = this.#db.write(work)
    this.#outbox.announce()
    return done
  }

  /** Notes an event for the result address; inside a transaction. */
  tell(result: Result): void {
    this.#outbox.note(result)
  }

  /**
   * Refuses what has no room; drops labels of ended jobs to make room.
   * @throws PlatenError SPOOL_FULL
   */
  checkRoom(bytes: number): void {
    makeRoom(this.#db, bytes)
  }
}
