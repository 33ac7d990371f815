import type { Job } from '../job.ts'
import { numberOf, textOf, toJob } from './columns.ts'
import type { SpoolDatabase } from './database.ts'
import type { RunTime } from './room.ts'
import { REPEAT_KEPT_MS, REPEATS_GONE } from './upkeep.ts'

const TICKET = /^([a-z2-9]{4})\.(\d{1,15})$/
/** Run-time may fall back so far with a power cut (spool.ts), and a request takes its time. */
const SLACK_MS = 20 * 60 * 1000
/** Fewer than 7 days, so that no key is forgotten before its ticket is void. */
const VALID_MS = REPEAT_KEPT_MS - 3 * SLACK_MS
/** Stands in the place of a fingerprint: no request has it, so one that is still under way is refused. */
const WITHDRAWN = 'withdrawn'

/**
 * For another print server that hands labels over: a ticket says since when this spool remembers requests. What comes under
 * a ticket that still holds, and is not known, was never taken; whatever became of clocks, disk and spool since.
 */
export class Tickets {
  readonly #db: SpoolDatabase
  readonly #run: RunTime

  constructor(db: SpoolDatabase, run: RunTime) {
    this.#db = db
    this.#run = run
  }

  /** One of now: the epoch of the ids, and run-time. */
  issue(): string {
    return `${this.#epoch()}.${Math.floor(this.#run.now())}`
  }

  /** True when every request that was taken since is still known. */
  holds(ticket: string): boolean {
    const [, epoch, digits] = TICKET.exec(ticket) ?? []
    const [since, now] = [Number(digits), this.#run.now()]
    const gone = Number(
      textOf(
        this.#db.read(() => this.#db.sql.meta.get(REPEATS_GONE)),
        'value',
      ),
    )
    return (
      epoch === this.#epoch() &&
      since <= now + SLACK_MS &&
      now - since < VALID_MS &&
      (gone === 0 || since > gone + SLACK_MS)
    )
  }

  /** True when it is known here what became of a key: it made jobs, or is withdrawn. A backup tells neither. */
  isKnown(key: string): boolean {
    const row = this.#db.read(() => this.#db.sql.findRepeat.get(key))
    return numberOf(row, 'jobs') > 0 || textOf(row, 'fingerprint') === WITHDRAWN
  }

  /**
   * Refuses a key forever, on disk when it returns; undefined = it was not used, and what is under way with it will be
   * refused. Else the jobs that were taken with it, less those no longer in the list.
   * @throws PlatenError SPOOL_FULL, SPOOL_BROKEN
   */
  withdraw(key: string): readonly Job[] | undefined {
    const jobs = this.#db.write(() => {
      const row = this.#db.sql.findRepeat.get(key)
      const taken = numberOf(row, 'jobs')
      if (taken === 0) {
        this.#db.sql.addRepeat.run(key, WITHDRAWN, 0, 0, this.#run.now(), '')
        return undefined
      }
      const first = numberOf(row, 'first_seq')
      return this.#db.sql.range.all(first, first + taken - 1).map(toJob)
    })
    // What was taken a moment ago may still wait for its flush.
    this.#db.settle()
    return jobs
  }

  #epoch(): string {
    return textOf(
      this.#db.read(() => this.#db.sql.meta.get('epoch')),
      'value',
    )
  }
}
