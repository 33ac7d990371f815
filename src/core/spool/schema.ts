import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { PlatenError } from '../../words/errors.ts'
import { COLUMN_DEFINITIONS, numberOf, textOf } from './columns.ts'

/** Goes up by one with every change of the tables. */
export const SCHEMA_VERSION = 15

/**
 * The oldest schema whose program can still read and write a spool of this one; every spool says it, so that an update
 * that is undone finds its labels. A migration that only adds tables, or columns with a default, leaves it as it is; so does
 * one that leaves a view in the place of a table.
 */
export const READABLE_BY = 2

/** Bytes of a database page, SQLite's default; the quota is counted in them. */
export const PAGE_BYTES = 4096

/** What a job takes besides its label: measured 0.5 KB, rows in the indexes included, and a sentence or two. */
export const JOB_BYTES = 1024

/** What a label takes on its pages, where the last one is never full; the same in SQL below. */
export function roomOf(labelBytes: number): number {
  return labelBytes + Math.min(Math.floor(labelBytes / 2), PAGE_BYTES)
}

export const ROOM_OF_LABEL = `(label_bytes + min(label_bytes / 2, ${PAGE_BYTES}))`

// What versions up to 3 know as the table `body`: they read, add and drop labels through it as if each job had its own.
const BODY_VIEW = `
CREATE VIEW body AS SELECT job.seq AS seq, content.label AS label FROM job JOIN content ON content.id = job.content;
CREATE TRIGGER body_added INSTEAD OF INSERT ON body BEGIN
  INSERT INTO content(label) VALUES(NEW.label);
  UPDATE job SET content = last_insert_rowid() WHERE seq = NEW.seq;
END;
CREATE TRIGGER body_dropped INSTEAD OF DELETE ON body BEGIN
  UPDATE job SET content = 0 WHERE seq = OLD.seq;
END;
`

// Without "content > 0" SQLite walks all jobs: job_content holds those with a label only.
const IS_LEFT = 'NOT EXISTS (SELECT 1 FROM job WHERE content = OLD.content AND content > 0)'

const LEFT_TRIGGERS = `
CREATE TRIGGER content_left AFTER UPDATE OF content ON job WHEN OLD.content > 0 AND NEW.content <> OLD.content BEGIN
  DELETE FROM content WHERE id = OLD.content AND ${IS_LEFT};
END;
CREATE TRIGGER content_orphaned AFTER DELETE ON job WHEN OLD.content > 0 BEGIN
  DELETE FROM content WHERE id = OLD.content AND ${IS_LEFT};
END;
`

// Equal labels are one row of `content`; it goes with the last job that has it. A job whose label is gone has 0.
const SHARED_CONTENT = `
CREATE INDEX job_content ON job(content, ended_run, printer, sender) WHERE content > 0;
CREATE INDEX job_expiry ON job(expires_run) WHERE state = 'pending' AND expires_run > 0;
CREATE INDEX content_digest ON content(digest) WHERE digest <> x'';
${LEFT_TRIGGERS}${BODY_VIEW}`

// What versions up to 5 know as the table `soiled`, by the printer's name alone.
const LAST_PLACE = (printer: string): string =>
  `coalesce((SELECT value FROM meta WHERE key = 'place:' || ${printer}), '')`
const HALF_LABELS = `
CREATE TABLE half_label(
  place TEXT NOT NULL, printer TEXT NOT NULL, job TEXT NOT NULL, format TEXT NOT NULL, PRIMARY KEY(place, printer)
) WITHOUT ROWID;
CREATE VIEW soiled AS SELECT printer, job, format FROM half_label;
CREATE TRIGGER soiled_added INSTEAD OF INSERT ON soiled BEGIN
  INSERT OR REPLACE INTO half_label VALUES(${LAST_PLACE('NEW.printer')}, NEW.printer, NEW.job, NEW.format);
END;
CREATE TRIGGER soiled_dropped INSTEAD OF DELETE ON soiled BEGIN
  DELETE FROM half_label WHERE printer = OLD.printer;
END;
`

// What `POST /v1` has bought: labels in a table of their own. `state` is sent, done or unknown; `owes` = the labels of a bought
// shipment have not yet gone to their printer.
const PURCHASES = `
CREATE TABLE purchase(
  seq INTEGER PRIMARY KEY AUTOINCREMENT, request_id TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, state TEXT NOT NULL,
  action TEXT NOT NULL, carrier TEXT NOT NULL, sender TEXT NOT NULL, shipment_id TEXT NOT NULL, number TEXT NOT NULL,
  service TEXT NOT NULL, cents INTEGER NOT NULL, currency TEXT NOT NULL, is_test INTEGER NOT NULL, is_void INTEGER NOT NULL,
  kept TEXT NOT NULL, print TEXT NOT NULL, owes INTEGER NOT NULL, answer TEXT NOT NULL, at INTEGER NOT NULL, run INTEGER NOT NULL
);
CREATE INDEX purchase_shipment ON purchase(shipment_id) WHERE shipment_id <> '';
CREATE INDEX purchase_owes ON purchase(seq) WHERE owes > 0;
CREATE TABLE purchase_label(
  purchase INTEGER NOT NULL, n INTEGER NOT NULL, format TEXT NOT NULL, label BLOB NOT NULL, PRIMARY KEY(purchase, n)
);
CREATE TABLE local_shipment(
  seq INTEGER PRIMARY KEY AUTOINCREMENT, shipment_id TEXT NOT NULL UNIQUE, request_id TEXT NOT NULL UNIQUE,
  content TEXT NOT NULL, at INTEGER NOT NULL
);
CREATE TABLE local_number(number TEXT PRIMARY KEY, shipment INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX local_number_shipment ON local_number(shipment);
CREATE TABLE local_event(
  seq INTEGER PRIMARY KEY AUTOINCREMENT, shipment INTEGER NOT NULL, at INTEGER NOT NULL, status TEXT NOT NULL,
  code TEXT NOT NULL, location TEXT NOT NULL
);
CREATE INDEX local_event_shipment ON local_event(shipment);
`

// What is left of a purchase when it is old: `is_thin` = its id and its numbers, so that it is not bought again. The rest is of
// those that are whole. `reference` = the references of the call, as JSON.
const THIN_PURCHASES = `
ALTER TABLE purchase ADD COLUMN is_thin INTEGER NOT NULL DEFAULT 0;
ALTER TABLE purchase ADD COLUMN reference TEXT NOT NULL DEFAULT '';
CREATE INDEX purchase_whole ON purchase(run) WHERE is_thin = 0;
CREATE INDEX purchase_thin ON purchase(sender, run) WHERE is_thin = 1;
CREATE INDEX purchase_number ON purchase(number) WHERE number <> '';
CREATE INDEX purchase_sender ON purchase(sender, seq) WHERE action = 'SubmitShipment';
`

// The jobs of bought labels, reprints and moved ones too; others cost nothing here.
const BOUGHT_JOBS = `
CREATE TABLE bought_job(seq INTEGER PRIMARY KEY, purchase INTEGER NOT NULL);
CREATE INDEX bought_job_purchase ON bought_job(purchase);
`

// Jobs of print dialogs, whose numbers are never used twice. `stage` = what became of one without labels.
const IPP_JOBS = `
CREATE TABLE ipp_job(
  id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL, printer TEXT NOT NULL, name TEXT NOT NULL, user TEXT NOT NULL,
  client TEXT NOT NULL, format TEXT NOT NULL, template BLOB NOT NULL, stage TEXT NOT NULL, message TEXT NOT NULL,
  at INTEGER NOT NULL, ended_at INTEGER NOT NULL, run INTEGER NOT NULL
);
CREATE INDEX ipp_job_client ON ipp_job(printer, client, id);
CREATE INDEX ipp_job_run ON ipp_job(run);
`

// Whoever looks for a title walks over this alone, and not over the rows of the jobs.
const TITLES = `CREATE INDEX job_title ON job(seq, title) WHERE title <> '';`

// PrintNode's jobs: their rows, and which of them belong together. Others cost nothing here.
const PRINTNODE = `CREATE INDEX job_printnode ON job(seq) WHERE source = 'printnode';
CREATE INDEX idem_together ON idem(first_seq, jobs) WHERE jobs > 1;`

// Print dialogs' jobs, which labels look for as they leave the list, thousands at a time. Only a query with this very text uses the index.
export const DIALOG_KEYS = `key BETWEEN 'http:ipp' || char(10) AND 'http:ipp' || char(11)`
const DIALOGS = `CREATE INDEX idem_dialog ON idem(first_seq) WHERE ${DIALOG_KEYS};
CREATE INDEX ipp_job_uuid ON ipp_job(uuid);`

// Whose request it is: who has most of them is forgotten first.
const REPEAT_SENDERS = 'CREATE INDEX idem_sender ON idem(sender, run);'

// Labels have a separate table; otherwise each change of state would write the whole label again.
const TABLES = `
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE job(
  ${COLUMN_DEFINITIONS}
);
CREATE INDEX job_queue ON job(state, printer, seq);
CREATE INDEX job_ended ON job(has_label, ended_run) WHERE ended_run > 0;
CREATE INDEX job_hash ON job(printer, hash) WHERE hash <> '';
${TITLES}CREATE TABLE content(id INTEGER PRIMARY KEY, label BLOB NOT NULL, digest BLOB NOT NULL DEFAULT x'', crc INTEGER);
CREATE TABLE preview(seq INTEGER PRIMARY KEY, png BLOB NOT NULL);
CREATE TABLE idem(
  key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, first_seq INTEGER NOT NULL, jobs INTEGER NOT NULL, run INTEGER NOT NULL,
  sender TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE INDEX idem_run ON idem(run);
${REPEAT_SENDERS}${PRINTNODE}${HALF_LABELS}CREATE TABLE outbox(seq INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT NOT NULL);
${PURCHASES}${THIN_PURCHASES}${BOUGHT_JOBS}${IPP_JOBS}${DIALOGS}${SHARED_CONTENT}`

/** All that has a name in it. */
export const NAMES = [...TABLES.matchAll(/CREATE [A-Z]+ (\w+)/g)].map(([, name]) => name)

/** What makes a spool of version n one of version n + 1; a test holds that the result is what `TABLES` makes. */
const MIGRATIONS: readonly string[] = [
  `
ALTER TABLE job ADD COLUMN warning TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN hash TEXT NOT NULL DEFAULT '';
CREATE INDEX job_hash ON job(printer, hash) WHERE hash <> '';
CREATE TABLE outbox(seq INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT NOT NULL);
`,
  `
ALTER TABLE job ADD COLUMN detail TEXT NOT NULL DEFAULT '';
`,
  `
ALTER TABLE job ADD COLUMN sender TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN content INTEGER NOT NULL DEFAULT 0;
ALTER TABLE body RENAME TO content;
ALTER TABLE content RENAME COLUMN seq TO id;
ALTER TABLE content ADD COLUMN digest BLOB NOT NULL DEFAULT x'';
UPDATE job SET content = seq WHERE seq IN (SELECT id FROM content);
${SHARED_CONTENT}`,
  `
DROP TRIGGER content_left;
DROP TRIGGER content_orphaned;
${LEFT_TRIGGERS}`,
  `
ALTER TABLE soiled RENAME TO named;
${HALF_LABELS}
INSERT INTO half_label SELECT ${LAST_PLACE('printer')}, printer, job, format FROM named;
DROP TABLE named;
`,
  PURCHASES,
  `
ALTER TABLE job ADD COLUMN note TEXT NOT NULL DEFAULT '';
`,
  IPP_JOBS,
  `
ALTER TABLE job ADD COLUMN user TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN title TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN steps TEXT NOT NULL DEFAULT '';
${TITLES}`,
  PRINTNODE,
  DIALOGS,
  'ALTER TABLE content ADD COLUMN crc INTEGER;',
  `${THIN_PURCHASES}${BOUGHT_JOBS}`,
  `
ALTER TABLE idem ADD COLUMN sender TEXT NOT NULL DEFAULT '';
UPDATE idem SET sender = coalesce((SELECT sender FROM job WHERE job.seq = first_seq), '');
${REPEAT_SENDERS}`,
]

/** SQLite's own codes that we act on (sqlite.org/rescode.html). */
export const SQLITE = { ERROR: 1, BUSY: 5, CORRUPT: 11, FULL: 13, NOTADB: 26 } as const

/** SQLite's primary result code of an error, or 0 for any other error. */
export function sqliteCode(error: unknown): number {
  if (!(error instanceof Error) || !('errcode' in error)) return 0
  return Number(error.errcode) & 0xff
}

/** The disk gives a page not at all, in part or wrong: IOERR_READ, _SHORT_READ, _DATA, _CORRUPTFS. */
const FAILED_READS: readonly unknown[] = [266, 522, 8202, 8458]

/** True when the error says that the file is damaged, or a page of it cannot be read. */
export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error)
  if (code === SQLITE.CORRUPT || code === SQLITE.NOTADB) return true
  return error instanceof Error && 'errcode' in error && FAILED_READS.includes(error.errcode)
}

/** Pages that the log holds before a commit moves them to the database: few, for it does that in one go. */
const LOG_PAGES = 200

/** Settings belong to the connection, so they are set at every open (only journal_mode stays in the file). */
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

/** From here on a COMMIT does not flush: whoever commits does (log-flush.ts; decision 795). The log is whole either way. */
export function trustFlushes(db: DatabaseSync): void {
  db.exec('PRAGMA synchronous=NORMAL')
}

/** After a migration, which must find room in a full spool too; less than what the file has changes nothing. */
function limitPages(db: DatabaseSync, quotaBytes: number): void {
  db.exec(`PRAGMA max_page_count=${Math.max(64, Math.floor(quotaBytes / PAGE_BYTES))}`)
}

/** All or nothing: a power cut in the middle leaves the spool as it was. */
function changeTables(db: DatabaseSync, change: string): void {
  db.exec('BEGIN IMMEDIATE')
  db.exec(change)
  db.exec(`INSERT OR REPLACE INTO meta VALUES('readable_by', '${READABLE_BY}')`)
  db.exec(`PRAGMA user_version=${SCHEMA_VERSION}`)
  db.exec('COMMIT')
}

export function readVersion(db: DatabaseSync): number {
  return numberOf(db.prepare('PRAGMA user_version').get(), 'user_version')
}

/** A newer spool keeps its schema, or is refused before anything is changed. */
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

function migrate(db: DatabaseSync): void {
  const version = readVersion(db)
  if (version === 0) changeTables(db, TABLES)
  else if (version < SCHEMA_VERSION) changeTables(db, MIGRATIONS.slice(version - 1).join(''))
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
export function openDatabase(file: string, quotaBytes: number): DatabaseSync {
  closeSync(openSync(file, 'a', 0o600)) // SQLite gives its -wal the mode of the database
  const db = new DatabaseSync(file)
  try {
    configure(db)
    refuseUnreadable(db, file)
    checkPages(db)
    migrate(db)
    limitPages(db, quotaBytes)
    return db
  } catch (cause) {
    db.close()
    if (sqliteCode(cause) !== SQLITE.BUSY) throw cause
    throw new PlatenError('SPOOL_TAKEN', `${file} is in use by another print server.`, { cause })
  }
}
