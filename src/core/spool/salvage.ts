import { DatabaseSync } from 'node:sqlite'
import { join, type Sentences, say } from '../../words/say.ts'
import { MOVES, makeEpoch, makeId } from '../job.ts'
import { isUnchanged, type JobRow, newRow, numberOf, textOf } from './columns.ts'
import type { PluginTables } from './plugin-tables.ts'
import { SQLITE, sqliteCode } from './schema.ts'
import { ENDED_JOBS_MOST, TAKEN_AT_ONCE } from './types.ts'

/** Counts of what was read from a damaged database. */
export interface SalvageReport {
  readonly jobs: number
  /** Jobs that had not ended and whose label could not be read. */
  readonly lostLabels: number
}

// One damaged inner page hides some thousand rows; a longer gap is the end.
const MOST_MISSES = 20_000

/** Value of `ended_run` in rows that end by the recovery itself; the spool replaces it by its run-time. */
export const ENDED_NOW = 1

/**
 * Returns what was read or copied; undefined when the page or row is damaged.
 * @throws SQLite's error when the disk is full: readable rows must not be left out for that
 */
function tryTo<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (sqliteCode(error) === SQLITE.FULL) throw error
    return undefined // the damage is already known; what is left out here is counted by the caller
  }
}

/** Reads the rows of a table in order: along the chain of pages, and one by one where a damaged page breaks it. */
function* readRows(old: DatabaseSync, table: string): Generator<JobRow> {
  const wanted = `SELECT rowid AS place, * FROM ${table} WHERE rowid`
  const after = old.prepare(`${wanted} > ? ORDER BY rowid LIMIT 1`)
  const one = old.prepare(`${wanted} = ?`)
  const skipped = old.prepare(`SELECT max(rowid) > ? AS some FROM ${table} WHERE rowid < ? LIMIT ?`)
  let place = 0
  for (let misses = 0; misses < MOST_MISSES; misses += 1) {
    let row: JobRow | undefined
    try {
      row = after.get(place)
      if (row === undefined) return // the end, by a sound path
    } catch {
      row = undefined
    }
    const next = numberOf(row, 'place')
    // Nothing in the last try (LIMIT 0): what lies between was looked for in vain.
    const between = tryTo(() => skipped.get(place, next, MOST_MISSES - 1 - misses))
    // This page is damaged, or stands in the place of another and leads back, in circles, or too far: others may lie between.
    if (next <= place || numberOf(between, 'some') > 0) row = tryTo(() => one.get(place + 1))
    place = row === undefined ? place + 1 : numberOf(row, 'place')
    if (row === undefined) continue
    misses = -1
    yield row
  }
}

/** Tells whether a row is usable. A row that is damaged throughout is not; `toJob` replaces single damaged texts. */
function isWhole(row: JobRow): boolean {
  const isState = Object.hasOwn(MOVES, textOf(row, 'state'))
  return isState && textOf(row, 'id') !== '' && numberOf(row, 'seq') > 0
}

/** Inserts a row without columns that only a newer version knows: it gave them a default. */
function insertRow(db: DatabaseSync, table: string, row: JobRow): void {
  const known = new Set(
    db
      .prepare('SELECT name FROM pragma_table_info(?)')
      .all(table)
      .map(({ name }) => name),
  )
  const columns = Object.keys(row).filter((column) => known.has(column))
  const marks = columns.map((column) => `:${column}`).join(', ')
  const values = Object.fromEntries(columns.map((column) => [column, row[column] ?? null]))
  db.prepare(`INSERT OR REPLACE INTO ${table}(${columns.join(', ')}) VALUES(${marks})`).run(values)
}

function explainLost(mayBeOut: boolean): { readonly message: Sentences; readonly hint: Sentences } {
  const message = say('labelLost')
  if (!mayBeOut) return { message, hint: say('sendOnce') }
  return { message: join(message, say('mayBeOut')), hint: say('sendAgain') }
}

/** Ends a waiting job whose label is lost: it cannot print, and ends with a sentence rather than vanish. */
function endWithoutLabel(row: JobRow, now: number): JobRow {
  const { message, hint } = explainLost(numberOf(row, 'started_at') > 0)
  return {
    ...row,
    state: 'aborted',
    reasons: '["aborted-by-system"]',
    message: JSON.stringify(message),
    hint: JSON.stringify(hint),
    code: 'JOB_LABEL_GONE',
    ended_at: now,
    ended_run: ENDED_NOW,
    has_label: 0,
  }
}

/** Labels of a damaged spool, each copied once however many jobs share it. */
class LabelCopies {
  readonly #old: DatabaseSync
  readonly #db: DatabaseSync
  readonly #copied = new Map<number, number>()

  constructor(old: DatabaseSync, db: DatabaseSync) {
    this.#old = old
    this.#db = db
  }

  /** Copies the label of a job; returns its row in the new spool, 0 when it cannot be read. */
  copy(job: JobRow): number {
    const id = numberOf(job, 'content')
    const known = this.#copied.get(id)
    if (known !== undefined) return known
    const found = tryTo(() => this.#read(id))
    const row = found !== undefined && isUnchanged(found) ? found : undefined
    if (row !== undefined) insertRow(this.#db, 'content', row)
    const copied = row && this.#db.prepare('SELECT last_insert_rowid() AS id').get()
    this.#copied.set(id, numberOf(copied, 'id'))
    return numberOf(copied, 'id')
  }

  #read(id: number): JobRow | undefined {
    const row = this.#old.prepare('SELECT * FROM content WHERE id = ?').get(id)
    return row && { ...row, id: null } // it gets another number
  }
}

/** Copies one job with its label and picture; true when it waited and its label could not be read. */
function copyJob(
  { old, db, labels }: { old: DatabaseSync; db: DatabaseSync; labels: LabelCopies },
  row: JobRow,
  now: number,
): boolean {
  const seq = numberOf(row, 'seq')
  const content = labels.copy(row)
  const picture = tryTo(() => old.prepare('SELECT seq, png FROM preview WHERE seq = ?').get(seq))
  const lost = content === 0 && numberOf(row, 'ended_run') === 0
  const kept = { ...row, content, has_label: content > 0 ? 1 : 0, has_preview: picture ? 1 : 0 }
  insertRow(db, 'job', lost ? endWithoutLabel(kept, now) : kept)
  if (picture) insertRow(db, 'preview', picture)
  return lost
}

function copyJobs(old: DatabaseSync, db: DatabaseSync, now: number): SalvageReport {
  let jobs = 0
  let lostLabels = 0
  const labels = new LabelCopies(old, db)
  for (const row of readRows(old, 'job')) {
    if (!isWhole(row)) continue
    // A damaged row may hold what no row can.
    const isLost = tryTo(() => copyJob({ old, db, labels }, row, now))
    if (isLost !== undefined) jobs += 1
    if (isLost) lostLabels += 1
  }
  return { jobs, lostLabels }
}

/** Copies a table without row numbers from both ends, up to a damaged page; what lies between two such pages is lost. */
function copyTable(old: DatabaseSync, db: DatabaseSync, table: string, where = ''): void {
  for (const order of ['ASC', 'DESC'])
    tryTo(() => {
      const rows = old.prepare(`SELECT * FROM ${table} ${where} ORDER BY 1 ${order}`).iterate()
      for (const row of rows) tryTo(() => insertRow(db, table, row))
    })
}

/** Copies a table with row numbers, including rows behind a damaged page. */
function copyRows(old: DatabaseSync, db: DatabaseSync, table: string): void {
  for (const row of readRows(old, table)) tryTo(() => insertRow(db, table, row))
}

/** Copies the tables of a plugin, e.g. what was paid for. */
function copyPlugin(
  old: DatabaseSync,
  db: DatabaseSync,
  { rows = [], keyed = [], repair }: PluginTables,
  now: number,
): void {
  for (const table of rows) tryTo(() => copyRows(old, db, table))
  for (const order of ['ASC', 'DESC'] as const) tryTo(() => repair?.({ old, db, order, now }))
  for (const table of keyed) copyTable(old, db, table)
}

/** Keeps the numbers of rows that are gone from being issued again: keys and clients still know what had them. */
function copyCounters(old: DatabaseSync, db: DatabaseSync, tables: readonly string[]): void {
  const raise = db.prepare('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?')
  const add = db.prepare('INSERT INTO sqlite_sequence(seq, name) VALUES(?, ?)')
  for (const table of tables) {
    const seq = lastGiven(old, table)
    if (seq === undefined) continue
    if (raise.run(seq, table).changes === 0) add.run(seq, table)
  }
}

/** The last number that was issued; undefined when there was none, or when it cannot be read. */
function lastGiven(old: DatabaseSync, table: string): number | undefined {
  const find = 'SELECT seq FROM sqlite_sequence WHERE name = ?'
  const seq = tryTo(() => old.prepare(find).get(table))?.['seq']
  return typeof seq === 'number' && Number.isSafeInteger(seq) ? seq : undefined
}

/**
 * Adds rows for jobs of known requests whose own rows are gone: without them a repeat would be told that all is well. Each row says what
 * happened. Ended jobs leave the list too, but only where it is full.
 */
function addLost(old: DatabaseSync, db: DatabaseSync, now: number): void {
  const { jobs } = { ...db.prepare('SELECT count(*) AS jobs FROM job').get() }
  const most = ENDED_JOBS_MOST - Number(jobs)
  const lost = listLost(db, lastGiven(old, 'job') ?? 0, most + 1)
  if (lost.length > most) return
  const epoch = textOf(
    tryTo(() => old.prepare("SELECT value FROM meta WHERE key = 'epoch'").get()),
    'value',
  )
  const label = Buffer.of()
  const job = { source: 'http', printer: '', format: 'unknown', options: {}, label } as const
  for (const seq of lost) {
    const id = makeId(epoch || makeEpoch(), seq)
    const row = newRow({ seq, id, job, sender: '', content: 0, now, run: 0 })
    insertRow(db, 'job', { ...endWithoutLabel({ ...row, started_at: now }, now), started_at: 0 })
  }
}

/** Numbers of jobs that requests had and that have no row, up to `most`. */
function listLost(db: DatabaseSync, last: number, most: number): readonly number[] {
  const find = db.prepare('SELECT 1 FROM job WHERE seq = ?')
  const requests = db.prepare('SELECT first_seq, jobs FROM idem WHERE jobs BETWEEN 1 AND ?')
  const lost: number[] = []
  for (const row of requests.iterate(TAKEN_AT_ONCE.jobs)) {
    const first = numberOf(row, 'first_seq')
    const end = Math.min(first + numberOf(row, 'jobs'), last + 1)
    for (let seq = first; seq < end; seq += 1) if (find.get(seq) === undefined) lost.push(seq)
    if (lost.length >= most) break
  }
  return lost
}

/**
 * Opens a file even if it is shorter than it says, or tables next to the wanted ones are damaged.
 * @throws SQLite's error when it is not a database
 */
function openDamaged(file: string): DatabaseSync {
  const old = new DatabaseSync(file, { readOnly: true, defensive: false })
  old.exec('PRAGMA writable_schema=ON')
  return old
}

const NOTHING: SalvageReport = { jobs: 0, lostLabels: 0 }

const OWN_KEYS = ['run', 'boot', 'uptime', 'place:*', 'paused:*']

/** A condition on a row of `meta`: the spool or a plugin keeps it. */
function keepsKey(plugins: readonly PluginTables[]): string {
  const kept = [...OWN_KEYS, ...plugins.flatMap(({ metaKeys = [] }) => metaKeys)]
  return `WHERE ${kept.map((pattern) => `key GLOB '${pattern}'`).join(' OR ')}`
}

/**
 * Copies what is readable of a damaged database into a fresh one, in one transaction. Jobs keep ids and order. `now` is wall time, for the
 * jobs whose label is lost.
 * @throws SQLite's error when it cannot be written
 */
export function copyReadable(
  file: string,
  db: DatabaseSync,
  plugins: readonly PluginTables[],
  now: number,
): SalvageReport {
  const old = tryTo(() => openDamaged(file))
  if (old === undefined) return NOTHING
  db.exec('BEGIN IMMEDIATE')
  try {
    const found = tryTo(() => copyJobs(old, db, now))
    copyTable(old, db, 'idem')
    tryTo(() => addLost(old, db, now))
    copyTable(old, db, 'meta', keepsKey(plugins))
    copyTable(old, db, 'half_label')
    tryTo(() => copyRows(old, db, 'outbox'))
    for (const plugin of plugins) copyPlugin(old, db, plugin, now)
    copyCounters(old, db, ['job', 'outbox', ...plugins.flatMap(({ rows = [] }) => rows)])
    db.exec('COMMIT')
    return found ?? NOTHING
  } finally {
    old.close()
  }
}
