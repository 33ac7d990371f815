import { setImmediate } from 'node:timers/promises'
import { hasEnded, type Job, type JobState, noneOfEach } from '../job.ts'
import { type JobRow, numberOf, textOf, toJob } from './columns.ts'
import type { SpoolDatabase } from './database.ts'
import type { Clock, RunTime } from './room.ts'

/** The jobs to find; what is left out matches all. */
export interface Filter {
  readonly states?: readonly JobState[]
  readonly printer?: string
  /** Part of a title, ignoring case, accents and blanks. */
  readonly title?: string
}

/** A page of a list: the jobs between two others, newest first by default. */
export interface JobPage<Place = string | undefined> {
  readonly order?: Order | undefined
  readonly after?: Place
  readonly before?: Place
  readonly limit: number
}
export type Order = 'newest' | 'oldest'

/** A page with positions in the order of acceptance. */
type PlacedPage = Required<JobPage<number>>

export const STATES: readonly JobState[] = [
  ...(['pending', 'pending-held', 'processing', 'processing-stopped'] as const),
  ...(['canceled', 'aborted', 'completed'] as const),
]

/** Titles that are compared in one turn of the event loop: a millisecond or two on a small board. */
const TITLES_AT_ONCE = 500

/** Finds jobs by state, printer and title, on disk; however full the spool, no index is walked in one go. */
export class JobSearch {
  readonly #db: SpoolDatabase

  constructor(db: SpoolDatabase) {
    this.#db = db
  }

  /**
   * Resolves with at most `limit` jobs.
   * @throws PlatenError SPOOL_BROKEN; the signal's reason
   */
  async find(filter: Filter, page: PlacedPage, signal: AbortSignal): Promise<readonly Job[]> {
    if (filter.title !== undefined) return await this.#byTitle(filter, filter.title, page, signal)
    const seqs = this.#listSeqs(filter, page)
    return seqs.flatMap((seq) => this.#get(seq))
  }

  #get(seq: number): readonly Job[] {
    this.#db.settle()
    const row = this.#db.read(() => this.#db.sql.bySeq.get(seq))
    return row === undefined ? [] : [toJob(row)]
  }

  /** Lists jobs by the index of states and printers: the first of each, merged. */
  #listSeqs({ states = STATES, printer }: Filter, page: PlacedPage): readonly number[] {
    const { order, after, before, limit } = page
    const { seqsNewest, seqsOldest } = this.#db.sql
    const [statement, sign] = order === 'oldest' ? [seqsOldest, 1] : [seqsNewest, -1]
    const found = states.flatMap((state) => {
      const printers = printer === undefined ? this.#printersOf(state) : [printer]
      return printers.flatMap((one) =>
        this.#db.read(() => statement.all(state, one, after, before, limit)),
      )
    })
    return found
      .map((row) => numberOf(row, 'seq'))
      .sort((a, b) => sign * (a - b))
      .slice(0, limit)
  }

  /** Lists the printers in a state: one step of the index for each, however many jobs it has. */
  #printersOf(state: JobState): readonly string[] {
    const { sql } = this.#db
    const printers: string[] = []
    let row = this.#db.read(() => sql.firstPrinter.get(state))
    while (row !== undefined) {
      const printer = textOf(row, 'printer')
      printers.push(printer)
      row = this.#db.read(() => sql.nextPrinter.get(state, printer))
    }
    return printers
  }

  async #byTitle(
    { states = STATES, printer }: Filter,
    title: string,
    page: PlacedPage,
    signal: AbortSignal,
  ): Promise<readonly Job[]> {
    const isMatch = matcher(title)
    const isWanted = (job: Job): boolean =>
      states.includes(job.state) && (printer === undefined || job.printer === printer)
    const found: Job[] = []
    for await (const rows of this.#listTitles(page, signal)) {
      for (const row of rows) {
        if (!isMatch(textOf(row, 'title'))) continue
        found.push(...this.#get(numberOf(row, 'seq')).filter(isWanted))
        if (found.length === page.limit) return found
      }
    }
    return found
  }

  /** Lists all titles of a page, whatever its limit; between two yields others get their turn. */
  async *#listTitles(
    { order, after, before }: PlacedPage,
    signal: AbortSignal,
  ): AsyncGenerator<readonly JobRow[]> {
    const { titlesNewest, titlesOldest } = this.#db.sql
    const statement = order === 'oldest' ? titlesOldest : titlesNewest
    let between = [after, before] as const
    while (true) {
      const rows = this.#db.read(() => statement.all(...between, TITLES_AT_ONCE))
      yield rows
      if (rows.length < TITLES_AT_ONCE) return
      const last = numberOf(rows.at(-1), 'seq')
      between = order === 'oldest' ? [last, before] : [after, last]
      await setImmediate(undefined, { signal })
    }
  }
}

/** Makes a test for titles that hold a wanted text: as written, or as a number without its blanks. */
function matcher(wanted: string): (title: string) => boolean {
  const [plain, tight] = [fold(wanted), tighten(fold(wanted))]
  const isNumber = /\d/.test(tight)
  return (title) => {
    const folded = fold(title)
    return folded.includes(plain) || (isNumber && tighten(folded).includes(tight))
  }
}

function fold(text: string): string {
  const lower = text.trim().toLowerCase()
  return /^[ -~]*$/.test(lower) ? lower : lower.normalize('NFKD').replace(/\p{M}+/gu, '')
}

function tighten(text: string): string {
  return text.replace(/[\s-]+/g, '')
}

/** Jobs of a printer by state; ended ones are today's. */
type StateCounts = Readonly<Record<JobState, number>>

/** Age up to which counts are reused: a page asks at every change. */
const FRESH_MS = 250
const SLACK_MS = 60_000

/** Counts the jobs of each printer, and how those that ended today ended. */
export class Overview {
  readonly #db: SpoolDatabase
  readonly #clock: Clock
  readonly #run: RunTime
  /** Today's ended jobs, counted once and kept in step; undefined until they are asked for. */
  #today:
    | { readonly from: number; readonly counts: Map<string, Record<JobState, number>> }
    | undefined
  #open: ReadonlyMap<string, StateCounts> = new Map()
  #countedAt = Number.NEGATIVE_INFINITY

  constructor(db: SpoolDatabase, clock: Clock, run: RunTime) {
    this.#db = db
    this.#clock = clock
    this.#run = run
  }

  /** Counts a job that was moved; to be called after the commit. */
  note(job: Job): void {
    if (this.#today === undefined || !hasEnded(job) || job.endedAt < this.#today.from) return
    countIn(this.#today.counts, job.printer)[job.state] += 1
  }

  /** Counts by printer; labels that found no printer are under ''. */
  counts(): ReadonlyMap<string, StateCounts> {
    const all = new Map<string, Record<JobState, number>>()
    for (const counts of [this.#countOpen(), this.#countToday()]) {
      for (const [printer, some] of counts) {
        const sum = countIn(all, printer)
        for (const state of Object.keys(sum) as JobState[]) sum[state] += some[state]
      }
    }
    return all
  }

  #countOpen(): ReadonlyMap<string, StateCounts> {
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

  #countToday(): ReadonlyMap<string, StateCounts> {
    const now = this.#clock.now()
    const from = new Date(now).setHours(0, 0, 0, 0)
    if (this.#today?.from === from) return this.#today.counts
    const counts = new Map<string, Record<JobState, number>>()
    this.#db.settle() // of an end that waits for its flush `note` would hear afterwards
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
  const known = counts.get(printer) ?? noneOfEach()
  counts.set(printer, known)
  return known
}
