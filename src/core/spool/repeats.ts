import { PlatenError } from '../../words/errors.ts'
import type { Job } from '../job.ts'
import { type JobRow, numberOf, textOf, toJob } from './columns.ts'
import type { SpoolDatabase } from './database.ts'
import type { RunTime } from './room.ts'
import type { Repeat } from './types.ts'
import { REPEAT_KEPT_MS, REPEATS_GONE } from './upkeep.ts'

/** Margin for run-time, which may fall back this far with a power cut (spool.ts), and for the duration of a request. */
const SLACK_MS = 20 * 60 * 1000
/** Age up to which no key since is forgotten: less than 7 days. */
const ALL_KNOWN_MS = REPEAT_KEPT_MS - 3 * SLACK_MS
/** Replaces a fingerprint: no request has it, so one that is still under way is refused. */
const REFUSED = 'withdrawn'

/** A moment in the life of a spool, unaffected by changes of the clock: the spool, and its run-time then. */
export interface SpoolMoment {
  /** The beginning of all ids of the spool. */
  readonly epoch: string
  readonly run: number
}

/** The requests that the spool knows by their keys, so that one that comes twice makes no second jobs. */
export class Repeats {
  readonly #db: SpoolDatabase
  readonly #run: RunTime

  constructor(db: SpoolDatabase, run: RunTime) {
    this.#db = db
    this.#run = run
  }

  /**
   * Finds the jobs of an earlier request with this key, else of one of its family with this fingerprint, without those no longer in the
   * list; they are on disk. Undefined when there was none.
   * @throws PlatenError IDEMPOTENCY_CONFLICT when the request with this key was a different one
   */
  find(repeat: Repeat): readonly Job[] | undefined {
    const { key, fingerprint } = repeat
    const since = this.#run.now() - REPEAT_KEPT_MS
    const isFresh = (row: JobRow): boolean => numberOf(row, 'run') >= since
    const own = this.#db.read(() => this.#db.sql.findRepeat.get(key))
    const known = own !== undefined && isFresh(own) ? own : this.#findRelative(repeat, isFresh)
    if (known === undefined) return undefined
    if (textOf(known, 'fingerprint') !== fingerprint) {
      throw new PlatenError(
        'IDEMPOTENCY_CONFLICT',
        'This idempotency key was used before for another request; wanted the same labels and options, or a new key.',
      )
    }
    return this.#jobsOf(known)
  }

  /** Lists the jobs that were taken with this key, without those no longer in the list; they are on disk. */
  list(key: string): readonly Job[] {
    const row = this.#db.read(() => this.#db.sql.findRepeat.get(key))
    return row === undefined ? [] : this.#jobsOf(row)
  }

  /** Remembers requests whose labels this server does not print, e.g. of another box; a known key stays as it is. */
  remember(repeats: readonly Repeat[]): void {
    const run = this.#run.now()
    this.#db.write(() => {
      for (const { key, fingerprint } of repeats) {
        if (this.#db.sql.findRepeat.get(key) === undefined) {
          this.#db.sql.addRepeat.run(key, fingerprint, 0, 0, run, '')
        }
      }
    })
  }

  /** Forgets keys by their beginnings: they will not come again, and another request may use them. */
  forget(beginnings: readonly string[]): void {
    this.#db.write(() => {
      // U+FFFF lies above every letter that our sources put into a key.
      for (const key of beginnings) this.#db.sql.dropRepeat.run(key, `${key}\uffff`)
    })
  }

  /**
   * Refuses a key forever, on disk when it returns. Undefined = it was not used, and a request under way with it will be refused. Otherwise
   * the jobs that were taken with it, without those no longer in the list.
   * @throws PlatenError SPOOL_FULL, SPOOL_BROKEN
   */
  refuse(key: string): readonly Job[] | undefined {
    const jobs = this.#db.write(() => {
      const row = this.#db.sql.findRepeat.get(key)
      const taken = numberOf(row, 'jobs')
      if (taken === 0) {
        this.#db.sql.addRepeat.run(key, REFUSED, 0, 0, this.#run.now(), '')
        return undefined
      }
      const first = numberOf(row, 'first_seq')
      return this.#db.sql.range.all(first, first + taken - 1).map(toJob)
    })
    // What was taken a moment ago may still wait for its flush.
    this.#db.settle()
    return jobs
  }

  /** True when it is known here what became of a key: it made jobs, or is refused. One of a backup tells neither. */
  isDecided(key: string): boolean {
    const row = this.#db.read(() => this.#db.sql.findRepeat.get(key))
    return numberOf(row, 'jobs') > 0 || textOf(row, 'fingerprint') === REFUSED
  }

  /** Now. */
  moment(): SpoolMoment {
    return { epoch: this.#epoch(), run: this.#run.now() }
  }

  /** True when every request that was taken since is still known. */
  knowsAllSince({ epoch, run }: SpoolMoment): boolean {
    const now = this.#run.now()
    const gone = Number(
      textOf(
        this.#db.read(() => this.#db.sql.meta.get(REPEATS_GONE)),
        'value',
      ),
    )
    return (
      epoch === this.#epoch() &&
      run <= now + SLACK_MS &&
      now - run < ALL_KNOWN_MS &&
      (gone === 0 || run > gone + SLACK_MS)
    )
  }

  #epoch(): string {
    return textOf(
      this.#db.read(() => this.#db.sql.meta.get('epoch')),
      'value',
    )
  }

  /** Finds the same request under another key of the family. */
  #findRelative(
    { family, fingerprint }: Repeat,
    isFresh: (row: JobRow) => boolean,
  ): JobRow | undefined {
    if (family === undefined) return undefined
    // U+FFFF lies above every letter of a sender.
    const last = `${family}\uffff`
    return this.#db.read(() => this.#db.sql.findFamily.all(family, last, fingerprint)).find(isFresh)
  }

  #jobsOf(row: JobRow): readonly Job[] {
    const first = numberOf(row, 'first_seq')
    const last = first + numberOf(row, 'jobs') - 1
    this.#db.settle()
    return this.#db.read(() => this.#db.sql.range.all(first, last)).map(toJob)
  }
}
