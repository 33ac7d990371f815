import type { Sentences } from '../../words/say.ts'
import { hasEnded, type Job } from '../job.ts'
import type { PrinterStatus } from '../printers/status.ts'
import { numberOf, textOf } from './columns.ts'
import type { SpoolDatabase } from './database.ts'
import { PAGE_BYTES } from './schema.ts'

/** Most events that wait; the oldest go first (reliability: better to lose late news than the room of labels). Decision `outbox`. */
const EVENTS_MOST = 10_000

/** Quota in bytes for each waiting event, which bounds their number. */
const BYTES_PER_EVENT = 16 * 1024
/** Number of the oldest events that go when the spool itself runs out of room. */
const DROP_AT_ONCE = 16

/** Something to report to others: the end of a job, the state of a printer, that the spool fills, or what a plugin reports. */
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
      /** Has the shape of a printer's status, so that an older version, after an update that was undone, passes it on. */
      readonly printer: { readonly name: string; readonly status: SpoolStatus }
    }
  /** `name`: of the event; `facts`: as the receiver gets them. */
  | { readonly type: 'plugin'; readonly at: number; readonly name: string; readonly facts: object }

const OWN_TYPES: ReadonlySet<unknown> = new Set(['job', 'printer', 'spool'])

/** Writes a result for the disk: the facts of a plugin under the name of their event, as earlier versions read them. */
function writeResult(result: Result): string {
  if (result.type !== 'plugin') return JSON.stringify(result)
  const { at, name, facts } = result
  return JSON.stringify({ type: name, at, [name]: facts })
}

function readResult(text: string): Result {
  const result = JSON.parse(text)
  const { type: name, at } = result
  return OWN_TYPES.has(name) ? result : { type: 'plugin', at, name, facts: Object(result[name]) }
}

/** Fill level of a share of the spool. */
export interface SpoolStatus {
  readonly state: 'filling' | 'well'
  /** The keyword of IPP (RFC 8011, 5.4.12). */
  readonly reasons: readonly ('spool-area-full' | 'none')[]
  readonly message: Sentences
  readonly hint: Sentences
}

/** Tells whether others hear of a change: the label ended, now waits for a person, or no longer does. */
export function isNews(job: Job, before?: Job): boolean {
  if (hasEnded(job)) return true
  return (job.state === 'pending-held') !== (before?.state === 'pending-held')
}

/** A result that waits to be delivered. */
export interface PendingResult {
  /** Without gaps, in the order of events. */
  readonly seq: number
  /** The same at every attempt, and unique to this event. */
  readonly id: string
  readonly result: Result
}

/**
 * Results still to be delivered, on disk: an event is written in the transaction that makes it true and deleted when the receiver has
 * confirmed it. Closed (without a receiver), it writes nothing.
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
    this.#db.sql.addEvent.run(writeResult(result))
    this.#hasNews = true
  }

  /** Adds an event that belongs to no job. @throws PlatenError SPOOL_FULL, SPOOL_BROKEN */
  tell(result: Result): void {
    if (this.#isOpen) this.#db.write(() => this.note(result))
  }

  /** Calls the listener after events that come without a change of a job. */
  whenTold(listener: () => void): void {
    this.#onTold = listener
  }

  /** Announces events that were noted in a transaction that is over. */
  announce(): void {
    if (this.#hasNews) this.#onTold()
  }

  /** True when an event came since the last call; it may have been rolled back with its transaction. */
  takeNews(): boolean {
    const had = this.#hasNews
    this.#hasNews = false
    return had
  }

  /** Lists the oldest waiting events, in order, on disk: a number that was sent must never be issued again. */
  oldest(limit: number): readonly PendingResult[] {
    this.#db.settle()
    const epoch = textOf(this.#db.sql.meta.get('epoch'), 'value')
    return this.#db
      .read(() => this.#db.sql.oldestEvents.all(limit))
      .map((row) => {
        const seq = numberOf(row, 'seq')
        return { seq, id: `${epoch}-e${seq}`, result: readResult(textOf(row, 'event')) }
      })
  }

  /** Drops all events up to this one, which the receiver has. */
  delivered(seq: number): void {
    this.#db.write(() => this.#db.sql.dropEvents.run(seq))
  }

  /** Drops all events when there is no receiver any more; inside a transaction. */
  clear(): void {
    this.#db.sql.dropEvents.run(Number.MAX_SAFE_INTEGER)
  }

  /** Events dropped since the start because too many waited. */
  get dropped(): number {
    return this.#dropped
  }

  /** Number of waiting events. */
  waiting(): number {
    const { first, last } = this.#db.read(() => this.#ends())
    return last === 0 ? 0 : last - first + 1
  }

  #ends(): { readonly first: number; readonly last: number } {
    const row = this.#db.sql.eventEnds.get()
    return { first: numberOf(row, 'first'), last: numberOf(row, 'last') }
  }

  /** Drops the oldest events when room is short: news must never keep a label from ending. */
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
