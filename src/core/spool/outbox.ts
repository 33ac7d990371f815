import type { Sentences } from '../../words/say.ts'
import { hasEnded, type Job } from '../job.ts'
import type { PrinterStatus } from '../printers/status.ts'
import { numberOf, textOf } from './columns.ts'
import type { SpoolDatabase } from './database.ts'
import { PAGE_BYTES } from './schema.ts'

/** Events that wait at most; the oldest go first (reliability: better late news lost than the labels' room). Decision `outbox`. */
const EVENTS_MOST = 10_000

/** The share of the quota that waiting events may take, in bytes for each of them. */
const BYTES_PER_EVENT = 16 * 1024
/** How many of the oldest go when the spool itself runs out of room. */
const DROP_AT_ONCE = 16

/** Something that others are told: what became of a job, how a printer is now, or that the spool fills. */
export type Result =
  /** `at`: milliseconds since the epoch. */
  | { readonly type: 'job'; readonly at: number; readonly job: Job }
  | {
      readonly type: 'printer'
      readonly at: number
      readonly printer: { readonly name: string; readonly status: PrinterStatus }
    }
  | {
      readonly type: 'spool'
      readonly at: number
      /** Shaped as a printer's, so that a version without such events passes them on after an update that was undone. */
      readonly printer: { readonly name: string; readonly status: SpoolStatus }
    }
  /** As the receiver gets it. */
  | { readonly type: 'shipment'; readonly at: number; readonly shipment: object }

/** How full a share of the spool is. */
export interface SpoolStatus {
  readonly state: 'filling' | 'well'
  /** IPP's word for it (RFC 8011, 5.4.12). */
  readonly reasons: readonly ('spool-area-full' | 'none')[]
  readonly message: Sentences
  readonly hint: Sentences
}

/** What others are told of a label: that it ended, waits for a person, or waits for one no more. */
export function isNews(job: Job, before?: Job): boolean {
  if (hasEnded(job)) return true
  return (job.state === 'pending-held') !== (before?.state === 'pending-held')
}

/** A result that waits to be told. */
export interface PendingResult {
  /** Without gaps, in the order of events. */
  readonly seq: number
  /** The same at every attempt, and of no other event ever. */
  readonly id: string
  readonly result: Result
}

/**
 * What others still have to be told, on disk: an event is written in the transaction that makes it true and deleted when
 * the other side has said that it has it. Closed (nobody wants to know), it writes nothing.
 */
export class Outbox {
  readonly #db: SpoolDatabase
  readonly #isOpen: boolean
  readonly #most: number
  #dropped = 0
  #hasNews = false
  #onTold: () => void = () => undefined

  constructor(db: SpoolDatabase, isOpen: boolean) {
    this.#db = db
    this.#isOpen = isOpen
    this.#most = Math.min(EVENTS_MOST, Math.max(1, Math.floor(db.quotaBytes / BYTES_PER_EVENT)))
  }

  /** Adds an event; inside a transaction. */
  note(result: Result): void {
    if (!this.#isOpen) return
    this.#makeRoom()
    this.#db.sql.addEvent.run(JSON.stringify(result))
    this.#hasNews = true
  }

  /** Adds an event that belongs to no job. @throws PlatenError SPOOL_FULL, SPOOL_BROKEN */
  tell(result: Result): void {
    if (this.#isOpen) this.#db.write(() => this.note(result))
  }

  /** Calls the listener after events that come with no change of a job. */
  whenTold(listener: () => void): void {
    this.#onTold = listener
  }

  /** Events were noted in a transaction that is over. */
  announce(): void {
    if (this.#hasNews) this.#onTold()
  }

  /** True when an event came since the last call; it may have been taken back with its transaction. */
  takeNews(): boolean {
    const had = this.#hasNews
    this.#hasNews = false
    return had
  }

  /** The oldest that wait, in order, on disk: a number that is told must never be given again. */
  oldest(limit: number): readonly PendingResult[] {
    this.#db.settle()
    const epoch = textOf(this.#db.sql.meta.get('epoch'), 'value')
    return this.#db
      .read(() => this.#db.sql.oldestEvents.all(limit))
      .map((row) => {
        const seq = numberOf(row, 'seq')
        return { seq, id: `${epoch}-e${seq}`, result: JSON.parse(textOf(row, 'event')) as Result }
      })
  }

  /** The other side has all events up to this one. */
  delivered(seq: number): void {
    this.#db.write(() => this.#db.sql.dropEvents.run(seq))
  }

  /** Drops all events, when there is no receiver any more; inside a transaction. */
  clear(): void {
    this.#db.sql.dropEvents.run(Number.MAX_SAFE_INTEGER)
  }

  /** How many were dropped since the start because too many waited. */
  get dropped(): number {
    return this.#dropped
  }

  /** How many wait. */
  waiting(): number {
    const { first, last } = this.#db.read(() => this.#ends())
    return last === 0 ? 0 : last - first + 1
  }

  #ends(): { readonly first: number; readonly last: number } {
    const row = this.#db.sql.eventEnds.get()
    return { first: numberOf(row, 'first'), last: numberOf(row, 'last') }
  }

  /** News must never keep a label from ending, so the oldest make way. */
  #makeRoom(): void {
    const { first, last } = this.#ends()
    if (last === 0) return
    const excess = last - first + 2 - this.#most
    const isTight = this.#db.usedBytes() + PAGE_BYTES > this.#db.tightBytes
    const drop = Math.min(Math.max(excess, isTight ? DROP_AT_ONCE : 0), last - first + 1)
    if (drop <= 0) return
    this.#db.sql.dropEvents.run(first + drop - 1)
    this.#dropped += drop
  }
}
