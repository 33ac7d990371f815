import { isSamePlace, keepsHalfLabels, placeOf } from '#printers'
import type { Job, JobFormat } from '../job.ts'
import { numberOf, textOf, toJob } from './columns.ts'
import type { SpoolDatabase } from './database.ts'
import type { History } from './history.ts'
import type { RunTime } from './room.ts'

/** Prefix of the keys of places, and the first text behind all of them: a name may begin with a character above U+FFFF. */
const PLACE = 'place:'
const BEHIND_PLACES = 'place;'

/** The job at the head of a printer's line. */
export interface NextJob {
  readonly job: Job
  /** The number of times that this program died while rendering it. */
  readonly crashes: number
  readonly expired: boolean
  /** True when a plugin has withdrawn the label, which must not print any more. */
  readonly isWithdrawn: boolean
}

/** The position of a walk through the waiting jobs of a printer. */
interface LineWalk {
  readonly printer: string
  readonly state: 'pending' | 'pending-held'
  /** Position after which the walk goes on, up to `last`. */
  readonly after: number
  readonly last: number
  readonly limit: number
}

/** Jobs that one transaction moves: it takes about 30 ms on a PC, ten times that on the smallest board. */
const AT_ONCE = 200

/** Walks the ids of all jobs that wait for a printer now, oldest first, in slices between which others get their turn. */
export async function* walkWaiting(
  {
    line,
    history,
  }: { readonly line: Pick<SpoolLine, 'walk'>; readonly history: Pick<History, 'lastSeq'> },
  printer: string,
  states: readonly LineWalk['state'][],
  limit = AT_ONCE,
  last = history.lastSeq(),
): AsyncGenerator<readonly string[]> {
  for (const state of states) {
    let after = 0
    while (true) {
      const slice = line.walk({ printer, state, after, last, limit })
      after = slice.at(-1)?.seq ?? last
      if (slice.length > 0) yield slice.map(({ id }) => id)
      if (slice.length < limit) break
      await new Promise(setImmediate)
    }
  }
}

/** Reads the jobs that have not ended, for the scheduler: short reads, nothing changes. */
export class SpoolLine {
  readonly #db: SpoolDatabase
  readonly #run: RunTime

  constructor(db: SpoolDatabase, run: RunTime) {
    this.#db = db
    this.#run = run
  }

  /** Finds the oldest pending job of a printer. */
  next(printer: string): NextJob | undefined {
    const row = this.#db.read(() => this.#db.sql.next.get(printer))
    if (row === undefined) return undefined
    const expires = numberOf(row, 'expires_run')
    return {
      job: toJob(row),
      crashes: numberOf(row, 'crashes'),
      expired: expires > 0 && expires <= this.#run.now(),
      isWithdrawn: numberOf(row, 'is_withdrawn') === 1,
    }
  }

  /** Printers that have pending jobs, with their number. */
  waiting(): ReadonlyMap<string, number> {
    const found = [...this.#db.tally.printers].filter(([, { pending }]) => pending > 0)
    return new Map(found.map(([printer, { pending }]) => [printer, pending]))
  }

  /** Counts the jobs of a printer that have not ended. */
  countUnfinished(printer: string): number {
    return this.#db.tally.printers.get(printer)?.jobs ?? 0
  }

  /** Lists the first jobs of a printer that have not ended: waiting, held or printing. */
  unfinished(printer: string, limit = 1000): readonly Job[] {
    return this.#db.read(() => this.#db.sql.unfinished.all(printer, limit)).map(toJob)
  }

  /** Lists the next jobs of the walk, oldest first. */
  walk(walk: LineWalk): readonly { readonly id: string; readonly seq: number }[] {
    const rows = this.#db.read(() => this.#db.sql.waitingOf.all({ ...walk }))
    return rows.map((row) => ({ id: textOf(row, 'id'), seq: numberOf(row, 'seq') }))
  }

  /** Lists the place of each printer's last label: a device URI without a password. */
  places(): readonly { readonly name: string; readonly uri: string }[] {
    const rows = this.#db.read(() => this.#db.sql.metaFrom.all(PLACE, BEHIND_PLACES))
    return rows.map((row) => ({
      name: textOf(row, 'key').slice(PLACE.length),
      uri: textOf(row, 'value'),
    }))
  }

  /** Lists pending jobs whose time is over, in the order in which they expired. */
  expired(limit = 1000): readonly Job[] {
    return this.#db.read(() => this.#db.sql.expired.all(this.#run.now(), limit)).map(toJob)
  }

  /** Milliseconds until the next pending job expires, or undefined. */
  msToExpiry(): number | undefined {
    const at = numberOf(
      this.#db.read(() => this.#db.sql.nextExpiry.get()),
      'at',
    )
    return at === 0 ? undefined : Math.max(0, at - this.#run.now())
  }
}

/** A label that was cut: the printer at its place may still have the first half in its memory. */
export interface HalfLabel {
  /** Device URI without a password; '' = not known (written by an older version). */
  readonly place: string
  /** The printer that was printing it, by its name in the settings, which may lead elsewhere by now. */
  readonly printer: string
  /** Id of the job that was cut. */
  readonly job: string
  readonly format: JobFormat
}

/** The printers that may have half a label in memory, by place: the name or address of an entry may change meanwhile. */
export class HalfLabels {
  readonly #db: SpoolDatabase

  constructor(db: SpoolDatabase) {
    this.#db = db
  }

  list(): readonly HalfLabel[] {
    return this.#db
      .read(() => this.#db.sql.halfLabels.all())
      .map((row) => ({
        place: textOf(row, 'place'),
        printer: textOf(row, 'printer'),
        job: textOf(row, 'job'),
        format: textOf(row, 'format') as JobFormat,
      }))
  }

  /** Lists the half labels of this job, and those that are asked about with it. */
  ofJob(id: string): readonly HalfLabel[] {
    return this.list().filter(({ job }) => job === id)
  }

  /** Ties the question about a half label to another job, which its printer would have spoiled. */
  handTo(
    half: HalfLabel,
    { id, printer }: { readonly id: string; readonly printer: string },
  ): void {
    this.#db.write(() => {
      this.#db.sql.dropHalfLabel.run(half.place, half.printer, half.job)
      this.#db.sql.addHalfLabel.run(half.place, printer, id, half.format)
    })
  }

  /** Moves half labels from the place `from` to `to`, where their printer is now. */
  follow(from: string, to: string): void {
    const there = this.list().filter(({ place }) => isSamePlace(place, from))
    this.#db.write(() => {
      for (const { place, printer, job, format } of there) {
        this.#db.sql.dropHalfLabel.run(place, printer, job)
        this.#db.sql.addHalfLabel.run(placeOf(to), printer, job, format)
      }
    })
  }

  /** Forgets a half label after a person has checked the printer, or a reset. One that was cut there since stays. */
  forget({ place, printer, job }: HalfLabel): void {
    this.#db.write(() => this.#db.sql.dropHalfLabel.run(place, printer, job))
  }
}

/** Notes the place of the printer that begins a label; writes only a change. Inside a transaction. */
export function notePlace(db: SpoolDatabase, printer: string, uri: string): void {
  const place = placeOf(uri)
  if (findPlace(db, printer) !== place) db.sql.setMeta.run(keyOf(printer), place)
}

/** Notes that this job was cut, at the place of its printer's last label. Inside a transaction. */
export function noteHalfLabel(
  db: SpoolDatabase,
  job: { readonly id: string; readonly printer: string; readonly format: JobFormat },
): void {
  const place = findPlace(db, job.printer) ?? ''
  if (!keepsHalfLabels(place)) return
  db.sql.addHalfLabel.run(place, job.printer, job.id, job.format)
}

function findPlace(db: SpoolDatabase, printer: string): string | undefined {
  const row = db.sql.meta.get(keyOf(printer))
  return row === undefined ? undefined : textOf(row, 'value')
}

function keyOf(printer: string): string {
  return `${PLACE}${printer}`
}

const KEY = 'paused:'
const BEHIND = 'paused;'

/** The printers that a person has paused (IPP Pause-Printer), by name: on disk, so that they stay paused after a restart. */
export class Pauses {
  readonly #db: SpoolDatabase

  constructor(db: SpoolDatabase) {
    this.#db = db
  }

  list(): readonly string[] {
    const rows = this.#db.read(() => this.#db.sql.metaFrom.all(KEY, BEHIND))
    return rows.map((row) => textOf(row, 'key').slice(KEY.length))
  }

  /** @throws PlatenError SPOOL_FULL, SPOOL_BROKEN */
  set(printer: string, isPaused: boolean): void {
    this.#db.write(() => {
      if (isPaused) this.#db.sql.setMeta.run(`${KEY}${printer}`, '1')
      else this.#db.sql.dropMeta.run(`${KEY}${printer}`)
    })
  }
}
