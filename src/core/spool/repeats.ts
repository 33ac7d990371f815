import { PlatenError } from '../../words/errors.ts'
import type { Job } from '../job.ts'
import { type JobRow, numberOf, textOf, toJob } from './columns.ts'
import type { SpoolDatabase } from './database.ts'
import type { RunTime } from './room.ts'
import type { Repeat } from './types.ts'
import { REPEAT_KEPT_MS, REPEATS_GONE } from './upkeep.ts'

/** Run-time may fall back so far with a power cut (spool.ts), and a request takes its time. */
const SLACK_MS = 20 * 60 * 1000
/** Fewer than 7 days, so that no key is forgotten before. */
const ALL_KNOWN_MS = REPEAT_KEPT_MS - 3 * SLACK_MS
/** Stands in the place of a fingerprint: no request has it, so one that is still under way is refused. */
const REFUSED = 'withdrawn'

/** A moment of a spool that outlasts changes of the clock: which spool it was, and its run-time then. */
export interface SpoolMoment {
  /** Of the ids. */
  readonly epoch: string
  readonly run: number
}

/** The requests that the spool knows by their keys, so that one that comes twice makes no jobs twice. */
export class Repeats {
  readonly #db: SpoolDatabase
  readonly #run: RunTime

  constructor(db: SpoolDatabase, run: RunTime) {
    this.#db = db
    this.#run = run
  }

  /**
   * The jobs of an earlier request with this key, else of one of its family with this fingerprint, less those no longer
   * in the list, on disk; undefined when there was none.
   * @throws PlatenError IDEMPOTENCY_CONFLICT when the request with this key was another one
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

  /** The jobs that were taken with this key, less those no longer in the list; on disk. */
  list(key: string): readonly Job[] {
    const row = this.#db.read(() => this.#db.sql.findRepeat.get(key))
    return row === undefined ? [] : this.#jobsOf(row)
  }

  /** Remembers requests whose labels are not ours to print, as of another box; one that is known stays as it is. */
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

  /** Forgets the keys that begin so: they will not come again, and another request may use them. */
  forget(beginnings: readonly string[]): void {
    this.#db.write(() => {
      // U+FFFF lies above every letter that our sources put into a key.
      for (const key of beginnings) this.#db.sql.dropRepeat.run(key, `${key}\uffff`)
    })
  }

  /**
   * Refuses a key forever, on disk when it returns; undefined = it was not used, and what is under way with it will be
   * refused. Else the jobs that were taken with it, less those no longer in the list.
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

  /** The same request under another key of the family. */
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
