import { hasEnded, type Job, type JobState } from '../job.ts'
import { numberOf, textOf } from './columns.ts'
import type { SpoolDatabase } from './database.ts'
import type { Clock, RunTime } from './run-time.ts'

/** Jobs of a printer by their state; those that have ended are today's. */
export type Counts = Readonly<Record<JobState, number>>

/** Counts are at most so old: a page asks at every change. */
const FRESH_MS = 250
const SLACK_MS = 60_000

/** How many jobs each printer has, and how many of today's came to which end. */
export class Overview {
  readonly #db: SpoolDatabase
  readonly #clock: Clock
  readonly #run: RunTime
  /** Of today, counted once and kept in step; undefined until somebody asks. */
  #today:
    | { readonly from: number; readonly counts: Map<string, Record<JobState, number>> }
    | undefined
  #open: ReadonlyMap<string, Counts> = new Map()
  #countedAt = Number.NEGATIVE_INFINITY

  constructor(db: SpoolDatabase, clock: Clock, run: RunTime) {
    this.#db = db
    this.#clock = clock
    this.#run = run
  }

  /** A job was moved; to be called after the commit. */
  note(job: Job): void {
    if (this.#today === undefined || !hasEnded(job) || job.endedAt < this.#today.from) return
    countIn(this.#today.counts, job.printer)[job.state] += 1
  }

  /** By printer; labels that found no printer stand under ''. */
  counts(): ReadonlyMap<string, Counts> {
    const all = new Map<string, Record<JobState, number>>()
    for (const counts of [this.#countOpen(), this.#countToday()]) {
      for (const [printer, some] of counts) {
        const sum = countIn(all, printer)
        for (const state of Object.keys(sum) as JobState[]) sum[state] += some[state]
      }
    }
    return all
  }

  #countOpen(): ReadonlyMap<string, Counts> {
    const now = this.#run.now()
    if (now - this.#countedAt < FRESH_MS) return this.#open
    const counts = new Map<string, Record<JobState, number>>()
    for (const row of this.#db.read(() => this.#db.sql.openCounts.all())) {
      countIn(counts, textOf(row, 'printer'))[textOf(row, 'state') as JobState] = numberOf(
        row,
        'jobs',
      )
    }
    this.#open = counts
    this.#countedAt = now
    return counts
  }

  #countToday(): ReadonlyMap<string, Counts> {
    const now = this.#clock.now()
    const from = new Date(now).setHours(0, 0, 0, 0)
    if (this.#today?.from === from) return this.#today.counts
    const counts = new Map<string, Record<JobState, number>>()
    // Ends are indexed by run-time, which never goes faster than the clock on the wall.
    const run = Math.max(1, this.#run.now() - (now - from) - SLACK_MS)
    for (const row of this.#db.read(() => this.#db.sql.endedSince.all(run, from))) {
      countIn(counts, textOf(row, 'printer'))[textOf(row, 'state') as JobState] = numberOf(
        row,
        'jobs',
      )
    }
    this.#today = { from, counts }
    return counts
  }
}

function countIn(
  counts: Map<string, Record<JobState, number>>,
  printer: string,
): Record<JobState, number> {
  const known = counts.get(printer) ?? {
    ...{ pending: 0, 'pending-held': 0, processing: 0, 'processing-stopped': 0 },
    ...{ canceled: 0, aborted: 0, completed: 0 },
  }
  counts.set(printer, known)
  return known
}
