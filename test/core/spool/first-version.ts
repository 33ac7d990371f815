import { DatabaseSync } from 'node:sqlite'

/** The tables of the first version, as its spools have them. */
const TABLES = `
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE job(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  source TEXT NOT NULL,
  printer TEXT NOT NULL,
  format TEXT NOT NULL,
  options TEXT NOT NULL,
  state TEXT NOT NULL,
  reasons TEXT NOT NULL,
  delivery TEXT NOT NULL,
  message TEXT NOT NULL,
  hint TEXT NOT NULL,
  code TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  label_bytes INTEGER NOT NULL,
  sent_bytes INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  reprint_of TEXT NOT NULL,
  has_label INTEGER NOT NULL,
  has_preview INTEGER NOT NULL,
  total_bytes INTEGER NOT NULL,
  crashes INTEGER NOT NULL,
  expires_run INTEGER NOT NULL,
  ended_run INTEGER NOT NULL
);
CREATE INDEX job_queue ON job(state, printer, seq);
CREATE INDEX job_ended ON job(has_label, ended_run) WHERE ended_run > 0;
CREATE TABLE body(seq INTEGER PRIMARY KEY, label BLOB NOT NULL);
CREATE TABLE preview(seq INTEGER PRIMARY KEY, png BLOB NOT NULL);
CREATE TABLE idem(
  key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, first_seq INTEGER NOT NULL, jobs INTEGER NOT NULL, run INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX idem_run ON idem(run);
CREATE TABLE soiled(printer TEXT PRIMARY KEY, job TEXT NOT NULL, format TEXT NOT NULL) WITHOUT ROWID;
`

const WAITS = "'pending', '[\"none\"]', 'none', '', '', '', 1700000000000, 0, 0"
const PRINTED =
  "'completed', '[\"job-completed-successfully\"]', 'sent', '', '', '', 1700000000000, 1700000001000, 1700000002000"

function insertJob(seq: number, state: string, endedRun: number): string {
  return `INSERT INTO job VALUES(${seq}, 'abcd-${seq}', 'http', 'Bench 1', 'zpl', '{}', ${state}, 0, 10, 0, 0, '', 1, 0, 0, 0, 0,
    ${endedRun});
    INSERT INTO body VALUES(${seq}, x'${Buffer.from('^XA^FS^XZ\n').toString('hex')}');`
}

/** Writes a spool of the first version: one label printed, one that waits, a key, a printer with half a label. */
export function writeFirstVersion(file: string): void {
  const db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode=WAL')
  db.exec(TABLES)
  db.exec(insertJob(1, PRINTED, 5))
  db.exec(insertJob(2, WAITS, 0))
  db.exec("INSERT INTO meta VALUES('epoch', 'abcd'), ('run', '10'), ('uptime', '10'), ('boot', '')")
  db.exec("INSERT INTO idem VALUES('http:k', 'f', 2, 1, 9)")
  db.exec("INSERT INTO soiled VALUES('Bench 2', 'abcd-1', 'zpl')")
  db.exec('PRAGMA user_version=1')
  db.close()
}
