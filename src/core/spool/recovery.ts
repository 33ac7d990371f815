import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { PlatenError } from '../../words/errors.ts'
import type { PluginTables } from './plugin-tables.ts'
import type { Ballast } from './room.ts'
import { copyReadable, type SalvageReport } from './salvage.ts'
import {
  isDamage,
  listNames,
  openDatabase,
  readVersion,
  SCHEMA_VERSION,
  SQLITE,
  sqliteCode,
} from './schema.ts'
import { makeStatements, type Statements } from './statements.ts'

/** Findings of a recovery, for the log and the page. Decision `damaged-spool`. */
interface Recovery extends SalvageReport {
  /** New path of the damaged database. */
  readonly keptAs: string
}

/** Suffixes of the database and the files that SQLite keeps beside it. */
const FILES = ['', '-wal', '-shm']

/** Renames the database and its log; nothing of it is ever deleted. */
function moveAside(folder: string, name: string): string {
  const taken = new Set(readdirSync(folder))
  let n = 1
  while (taken.has(`spool.corrupt-${n}.db`)) n += 1
  const target = join(folder, `spool.corrupt-${n}.db`)
  for (const suffix of FILES) {
    const from = join(folder, name) + suffix
    if (existsSync(from)) renameSync(from, target + suffix)
  }
  return target
}

/** Describes a recovery in one sentence, for the log and the page. */
function recoverySentence({ keptAs, jobs, lostLabels }: Recovery): string {
  const lost =
    lostLabels > 0
      ? `${lostLabels} waiting labels could not be read and must be sent again.`
      : jobs > 0
        ? 'All recovered labels are intact.'
        : 'Labels that waited must be sent again.'
  return `The spool was damaged and is kept as ${keptAs}; ${jobs} jobs were read from it. ${lost}`
}

const RECOVERED_LATE =
  'The spool was damaged, and what could be read of it goes on; the damaged one is kept beside it.'

/** The database to open: its file, its largest size, and the ballast. */
interface DatabaseOptions {
  readonly file: string
  readonly quotaBytes: number
  readonly ballast: Ballast
  readonly plugins: readonly PluginTables[]
}

interface OpenDatabase {
  readonly db: DatabaseSync
  readonly sql: Statements
}

const DAMAGED = 'spool.damaged'

/** Notes that a page could not be read while the program ran: the next opening does not trust a check that finds nothing. */
export function noteDamage(folder: string): void {
  try {
    writeFileSync(join(folder, DAMAGED), '')
  } catch {
    // a full disk: the check may find the page all the same
  }
}

/** Opens the database. A damaged one is moved aside, and what is readable is copied into a new one. */
export function openOrRecover(
  place: DatabaseOptions,
  now: number,
): OpenDatabase & { readonly notices: readonly string[] } {
  const { file, quotaBytes, plugins } = place
  const made = beside(file, 'recovered')
  const isLate = !existsSync(file) && existsSync(made)
  if (isLate) replace(file, made)
  const mark = join(dirname(file), DAMAGED)
  const size = sizeOf(file)
  try {
    // SQLite would make a new one of an empty file, and nobody would know.
    if (existsSync(mark) || size === 0) throw damaged('noted')
    return { ...openWhole(place), notices: isLate ? [RECOVERED_LATE] : [] }
  } catch (error) {
    // A first start that found the disk full: what it leaves would pass for damage at the next.
    const isFull = sqliteCode(error) === SQLITE.FULL
    if (isFull && size === undefined && sizeOf(file) === 0) rmSync(file)
    // A table, a column or the version is lost: "no such table", or "already exists".
    if (!isDamage(error) && sqliteCode(error) !== SQLITE.ERROR) throw error
    const draft = beside(file, 'recovering')
    const found = withBallast(place.ballast, () => copyInto(draft, place, now))
    // From here on a power cut leaves the damaged one in its place, or what was read of it beside it.
    renameSync(draft, made)
    const keptAs = replace(file, made)
    rmSync(mark, { force: true })
    const db = openDatabase(file, quotaBytes, plugins)
    return {
      db,
      sql: makeStatements(db, plugins),
      notices: [recoverySentence({ keptAs, ...found })],
    }
  }
}

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size

const beside = (file: string, what: string): string => join(dirname(file), `spool.${what}.db`)

/** Replaces the database; returns the new path of the old one. */
function replace(file: string, made: string): string {
  const keptAs = moveAside(dirname(file), basename(file))
  renameSync(made, file)
  return keptAs
}

/** Copies what is readable into a new database, on disk when it returns. */
function copyInto(draft: string, { file, plugins }: DatabaseOptions, now: number): SalvageReport {
  for (const suffix of FILES) rmSync(draft + suffix, { force: true })
  const db = openDatabase(draft, Number.MAX_SAFE_INTEGER, plugins)
  try {
    const found = copyReadable(file, db, plugins, now)
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)') // nothing is left in the log, which keeps the old name
    return found
  } finally {
    db.close()
  }
}

/** @throws SQLite's error when a part of the schema is lost, which no check of pages sees */
function openWhole({ file, quotaBytes, ballast, plugins }: DatabaseOptions): OpenDatabase {
  const db = withBallast(ballast, () => openDatabase(file, quotaBytes, plugins))
  try {
    const names = db.prepare('SELECT name FROM sqlite_schema').all()
    const there = new Set(names.map(({ name }) => name))
    // A newer version may have dropped an index.
    const isOurs = readVersion(db) === SCHEMA_VERSION
    if (isOurs && listNames(plugins).some((name) => !there.has(name)))
      throw damaged('a part is gone')
    return { db, sql: makeStatements(db, plugins) }
  } catch (error) {
    db.close()
    throw error
  }
}

function damaged(why: string): Error {
  return Object.assign(new Error(why), { errcode: SQLITE.CORRUPT })
}

/** Runs the work; on a full disk once more, without the ballast. */
function withBallast<T>(ballast: Ballast, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (sqliteCode(error) !== SQLITE.FULL || !ballast.drop()) throw error
    return work()
  }
}

/** @throws PlatenError STATE_UNWRITABLE */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    chmodSync(folder, 0o700)
  } catch (cause) {
    throw new PlatenError('STATE_UNWRITABLE', `The folder ${folder} cannot be made or changed.`, {
      cause,
    })
  }
}
