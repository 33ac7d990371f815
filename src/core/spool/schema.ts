import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { PlatenError } from '../../words/errors.ts'
import { COLUMN_DEFINITIONS, numberOf, textOf } from './columns.ts'
import type { PluginTables } from './plugin-tables.ts'

/** Version of the core's tables, increased by one with every change. Decision `readable-by`. */
export const SCHEMA_VERSION = 1

/**
 * The oldest schema version whose program can still read and write a spool of this one; every spool records it, so that an update that is
 * undone finds its labels. A change that only adds tables, or columns with a default, leaves it unchanged.
 */
export const READABLE_BY = 1

/** Bytes of a database page, SQLite's default; the quota is counted in them. */
export const PAGE_BYTES = 4096

/** Size of a job without its label: measured 0.5 KB, rows in the indexes included, and a sentence or two. */
export const JOB_BYTES = 1024

/** Room that a label takes on its pages, where the last one is never full; the same in SQL below. */
export function roomOf(labelBytes: number): number {
  return labelBytes + Math.min(Math.floor(labelBytes / 2), PAGE_BYTES)
}

export const ROOM_OF_LABEL = `(label_bytes + min(label_bytes / 2, ${PAGE_BYTES}))`

// Without "content > 0" SQLite walks all jobs: job_content holds those with a label only.
const IS_LEFT = 'NOT EXISTS (SELECT 1 FROM job WHERE content = OLD.content AND content > 0)'

// Labels have a separate table; otherwise each change of state would write the whole label again. Equal labels are one row of
// `content`; it goes with the last job that has it. A job whose label is gone has 0.
const TABLES = `
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE job(
  ${COLUMN_DEFINITIONS}
);
CREATE INDEX job_queue ON job(state, printer, seq);
CREATE INDEX job_ended ON job(has_label, ended_run) WHERE ended_run > 0;
CREATE INDEX job_hash ON job(printer, hash) WHERE hash <> '';
CREATE INDEX job_title ON job(seq, title) WHERE title <> '';
CREATE INDEX job_content ON job(content, ended_run, printer, sender) WHERE content > 0;
CREATE INDEX job_expiry ON job(expires_run) WHERE state = 'pending' AND expires_run > 0;
CREATE TABLE content(id INTEGER PRIMARY KEY, label BLOB NOT NULL, digest BLOB NOT NULL, crc INTEGER);
CREATE INDEX content_digest ON content(digest) WHERE digest <> x'';
CREATE TRIGGER content_left AFTER UPDATE OF content ON job WHEN OLD.content > 0 AND NEW.content <> OLD.content BEGIN
  DELETE FROM content WHERE id = OLD.content AND ${IS_LEFT};
END;
CREATE TRIGGER content_orphaned AFTER DELETE ON job WHEN OLD.content > 0 BEGIN
  DELETE FROM content WHERE id = OLD.content AND ${IS_LEFT};
END;
CREATE TABLE preview(seq INTEGER PRIMARY KEY, png BLOB NOT NULL);
CREATE TABLE idem(
  key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, first_seq INTEGER NOT NULL, jobs INTEGER NOT NULL, run INTEGER NOT NULL,
  sender TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX idem_run ON idem(run);
CREATE INDEX idem_sender ON idem(sender, run);
CREATE TABLE half_label(
  place TEXT NOT NULL, printer TEXT NOT NULL, job TEXT NOT NULL, format TEXT NOT NULL, PRIMARY KEY(place, printer)
) WITHOUT ROWID;
CREATE TABLE outbox(seq INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT NOT NULL);
`

/** Lists the names of everything that a spool with the tables of these plugins has. */
export function listNames(plugins: readonly PluginTables[]): readonly string[] {
  const made = [TABLES, ...plugins.map(({ create = '' }) => create)].join('')
  return [...made.matchAll(/CREATE [A-Z]+ (\w+)/g)].map(([, name = '']) => name)
}

/** SQLite's own codes that we act on (sqlite.org/rescode.html). */
export const SQLITE = { ERROR: 1, BUSY: 5, CORRUPT: 11, FULL: 13, NOTADB: 26 } as const

/** SQLite's primary result code of an error, or 0 for any other error. */
export function sqliteCode(error: unknown): number {
  if (!(error instanceof Error) || !('errcode' in error)) return 0
  return Number(error.errcode) & 0xff
}

/** Codes of reads that fail, in whole or in part, or return wrong data: IOERR_READ, _SHORT_READ, _DATA, _CORRUPTFS. */
const FAILED_READS: readonly unknown[] = [266, 522, 8202, 8458]

/** True when the error says that the file is damaged, or a page of it cannot be read. */
export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error)
  if (code === SQLITE.CORRUPT || code === SQLITE.NOTADB) return true
  return error instanceof Error && 'errcode' in error && FAILED_READS.includes(error.errcode)
}

/** Pages that the log holds before a commit moves them to the database: few, because that happens in one go. */
const LOG_PAGES = 200

/** Sets the settings of the connection at every open (only journal_mode stays in the file). */
function configure(db: DatabaseSync): void {
  // Exclusive: a second print server on the same folder would print the same jobs. It also saves the -shm file.
  db.exec('PRAGMA locking_mode=EXCLUSIVE')
  const mode = textOf(db.prepare('PRAGMA journal_mode=WAL').get(), 'journal_mode')
  if (mode !== 'wal')
    throw new PlatenError('SPOOL_BROKEN', `The spool has journal_mode ${mode}; wanted wal.`)
  db.exec('PRAGMA synchronous=FULL')
  // On macOS an ordinary flush ends in the cache of the disk; elsewhere these say nothing.
  db.exec('PRAGMA fullfsync=1')
  db.exec('PRAGMA checkpoint_fullfsync=1')
  db.exec(`PRAGMA wal_autocheckpoint=${LOG_PAGES}`)
  // Written over, not cut off and grown again: a flush of a file that grows costs a third more, twice on some disks.
  db.exec(`PRAGMA journal_size_limit=${2 * LOG_PAGES * PAGE_BYTES}`)
  db.exec('PRAGMA cache_size=-512')
  // What a savepoint may have to put back: in memory, for a file of it took more writes than the labels.
  db.exec('PRAGMA temp_store=MEMORY')
}

/**
 * Makes COMMIT not flush from here on: the committing code does (log-flush.ts; decision `failed-flush`). The log stays consistent either
 * way.
 */
export function trustFlushes(db: DatabaseSync): void {
  db.exec('PRAGMA synchronous=NORMAL')
}

/** Limits the pages, once the tables are made, which must find room in a full spool too; a limit below the present size has no effect. */
function limitPages(db: DatabaseSync, quotaBytes: number): void {
  db.exec(`PRAGMA max_page_count=${Math.max(64, Math.floor(quotaBytes / PAGE_BYTES))}`)
}

export function readVersion(db: DatabaseSync): number {
  return numberOf(db.prepare('PRAGMA user_version').get(), 'user_version')
}

/** Refuses a spool of a newer version before anything is changed, unless it says that this version can read it. */
function refuseUnreadable(db: DatabaseSync, file: string): void {
  const version = readVersion(db)
  if (version <= SCHEMA_VERSION) return
  const said = db.prepare("SELECT value FROM meta WHERE key = 'readable_by'").get()
  const readableBy = Number(textOf(said, 'value')) || version
  if (readableBy <= SCHEMA_VERSION) return
  throw new PlatenError(
    'SPOOL_NEWER',
    `${file} was written by a newer version (schema ${version}, for programs of schema ${readableBy} on); this version reads schema ${SCHEMA_VERSION}.`,
  )
}

/** Prefix of the keys in `meta` that record each plugin whose tables were made: a new plugin's are made when it first comes. */
const MADE = 'tables:'

/** Makes missing tables, all or nothing: a power cut in the middle leaves the spool as it was. */
function makeTables(db: DatabaseSync, plugins: readonly PluginTables[]): void {
  const isNew = readVersion(db) === 0
  const made = isNew ? new Set() : listMade(db)
  const missing = plugins.flatMap(({ owner, create }) =>
    create === undefined || made.has(owner) ? [] : { owner, create },
  )
  if (!isNew && missing.length === 0) return
  db.exec('BEGIN IMMEDIATE')
  if (isNew) {
    db.exec(TABLES)
    db.exec(`INSERT INTO meta VALUES('readable_by', '${READABLE_BY}')`)
    db.exec(`PRAGMA user_version=${SCHEMA_VERSION}`)
  }
  const note = db.prepare("INSERT INTO meta VALUES(?, '')")
  for (const { owner, create } of missing) {
    db.exec(create)
    note.run(`${MADE}${owner}`)
  }
  db.exec('COMMIT')
}

/** Lists the plugins whose tables exist. */
function listMade(db: DatabaseSync): ReadonlySet<string> {
  const rows = db.prepare(`SELECT key FROM meta WHERE key GLOB '${MADE}*'`).all()
  return new Set(rows.map((row) => textOf(row, 'key').slice(MADE.length)))
}

/** @throws an SQLite error of code CORRUPT when a page is damaged */
function checkPages(db: DatabaseSync): void {
  const verdict = textOf(db.prepare('PRAGMA quick_check(1)').get(), 'quick_check')
  if (verdict === 'ok') return
  throw Object.assign(new Error(`quick_check: ${verdict}`), { errcode: SQLITE.CORRUPT })
}

/**
 * Opens or makes the database, mode 0600, and checks its pages.
 * @throws PlatenError SPOOL_NEWER, SPOOL_TAKEN; SQLite's error when the file is damaged or the disk full
 */
export function openDatabase(
  file: string,
  quotaBytes: number,
  plugins: readonly PluginTables[],
): DatabaseSync {
  closeSync(openSync(file, 'a', 0o600)) // SQLite gives its -wal the mode of the database
  const db = new DatabaseSync(file)
  try {
    configure(db)
    refuseUnreadable(db, file)
    checkPages(db)
    makeTables(db, plugins)
    limitPages(db, quotaBytes)
    return db
  } catch (cause) {
    db.close()
    if (sqliteCode(cause) !== SQLITE.BUSY) throw cause
    throw new PlatenError('SPOOL_TAKEN', `${file} is in use by another print server.`, { cause })
  }
}
