import { DatabaseSync } from 'node:sqlite'
import { writeFirstVersion } from './first-version.ts'

/** What the migrations of versions 1 and 2 made of the tables of the first one. */
const CHANGES = `
ALTER TABLE job ADD COLUMN warning TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN hash TEXT NOT NULL DEFAULT '';
CREATE INDEX job_hash ON job(printer, hash) WHERE hash <> '';
CREATE TABLE outbox(seq INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT NOT NULL);
ALTER TABLE job ADD COLUMN detail TEXT NOT NULL DEFAULT '';
DELETE FROM job;
DELETE FROM body;
INSERT INTO meta VALUES('readable_by', '2');
PRAGMA user_version=3;
`

/** Adds a waiting label with the statements of version 3. */
export function addAsVersion3(db: DatabaseSync, seq: number, label: string): void {
  db.prepare(`INSERT INTO job(id, source, printer, format, options, state, reasons, delivery, message, hint, code,
    created_at, started_at, ended_at, expires_at, label_bytes, sent_bytes, attempts, reprint_of, has_label, has_preview,
    total_bytes, crashes, expires_run, ended_run, warning, hash, detail)
    VALUES(?, 'http', 'Bench 1', 'zpl', '{}', 'pending', '["none"]', 'none', '', '', '',
    0, 0, 0, 0, ?, 0, 0, '', 1, 0, 0, 0, 0, 0, '', '', '')`).run(`abcd-${seq}`, label.length)
  db.prepare('INSERT INTO body(seq, label) SELECT :seq, :label WHERE :seq > 0').run({
    seq,
    label: Buffer.from(label),
  })
}

/** Writes a spool of version 3 in which these labels wait. */
export function writeThirdVersion(file: string, labels: readonly string[]): void {
  writeFirstVersion(file)
  const db = new DatabaseSync(file)
  db.exec(CHANGES)
  db.exec("DELETE FROM sqlite_sequence WHERE name = 'job'")
  db.exec('BEGIN')
  for (const [index, label] of labels.entries()) addAsVersion3(db, index + 1, label)
  db.exec('COMMIT')
  db.close()
}
