import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import * as moves from '../../../src/core/moves.ts'
import { PAGE_BYTES } from '../../../src/core/spool/schema.ts'
import { Spool } from '../../../src/core/spool/spool.ts'
import type { SpoolSettings } from '../../../src/core/spool/types.ts'
import { newJob, zplLabel } from '../labels.ts'
import { writeFirstVersion } from './first-version.ts'

const MB = 2 ** 20

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
function addAsVersion3(db: DatabaseSync, seq: number, label: string): void {
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
function writeThirdVersion(file: string, labels: readonly string[]): void {
  writeFirstVersion(file)
  const db = new DatabaseSync(file)
  db.exec(CHANGES)
  db.exec("DELETE FROM sqlite_sequence WHERE name = 'job'")
  db.exec('BEGIN')
  for (const [index, label] of labels.entries()) addAsVersion3(db, index + 1, label)
  db.exec('COMMIT')
  db.close()
}

function open(t: Test, folder: string, more: Partial<SpoolSettings> = {}): Spool {
  const spool = new Spool({ minFreeBytes: 0, ballastBytes: 0, ...more, folder })
  t.teardown(() => spool.close())
  return spool
}

function countContents(folder: string): number {
  const db = new DatabaseSync(join(folder, 'spool.db'))
  const row = db.prepare('SELECT count(*) AS rows FROM content').get()
  db.close()
  return Number(row?.['rows'])
}

function textOf(spool: Spool, id: string | undefined): string {
  return Buffer.from(spool.history.label(id ?? '') ?? []).toString()
}

t.test('a hundred copies of a large label write it once', (t) => {
  const folder = t.testdir()
  const spool = open(t, folder)
  const copy = newJob('large', { bytes: 2.5 * MB })
  const { jobs } = spool.add(Array.from({ length: 100 }, () => copy))
  t.equal(jobs.length, 100)
  t.ok(spool.health.usage().bytes < 3 * MB, `${spool.health.usage().bytes} bytes in use`)
  const written =
    statSync(join(folder, 'spool.db')).size + statSync(join(folder, 'spool.db-wal')).size
  t.ok(written < 8 * MB, `${written} bytes written`)
  for (const job of [jobs[0], jobs[99]])
    t.equal(spool.history.label(job?.id ?? '')?.length, 2.5 * MB)
  t.end()
})

/** More than the page that a label may have for itself. */
const LARGE = { bytes: 2 * PAGE_BYTES }

t.test('the same large label that comes again, is printed again or moved, too', (t) => {
  const folder = t.testdir()
  const spool = open(t, folder)
  const add = (printer: string) => spool.add([newJob(1, { ...LARGE, printer })]).jobs[0]?.id
  const ids = ['A', 'B', 'A'].map(add)
  spool.add([newJob(2, LARGE)])
  t.equal(new Set(ids.map((id) => textOf(spool, id))).size, 1)
  spool.close()
  t.equal(countContents(folder), 2)
  t.end()
})

t.test(
  'a label of one page shares its row with copies and with what is printed again only',
  (t) => {
    const folder = t.testdir()
    const spool = open(t, folder)
    const copy = newJob(1)
    const [first] = spool.add([copy, copy, newJob(1)]).jobs
    spool.add([newJob(1)])
    spool.add([{ ...newJob(1, { printer: 'B' }), reprintOf: first?.id ?? '' }])
    spool.add([{ ...newJob(2), reprintOf: first?.id ?? '' }])
    t.equal(spool.history.counts().pending, 6)
    spool.close()
    t.equal(countContents(folder), 4)
    t.end()
  },
)

t.test('it goes with the last job that has it, not before', (t) => {
  const folder = t.testdir()
  let run = 1000
  const clock = { now: () => run, uptimeMs: () => run, bootId: 'b', retentionHours: () => 1 }
  const spool = open(t, folder, clock)
  const copy = newJob(1)
  const [first, second] = spool.add([copy, copy]).jobs.map(({ id }) => id)
  spool.move(first ?? '', (job) => moves.cancel(job, run))
  run += 2 * 3600 * 1000
  spool.housekeep()
  t.notOk(spool.history.label(first ?? ''), 'the label of the first one is no longer kept')
  t.equal(textOf(spool, second), zplLabel(1).toString())
  spool.move(second ?? '', (job) => moves.cancel(job, run))
  run += 2 * 3600 * 1000
  spool.housekeep()
  t.notOk(spool.history.label(second ?? ''))
  spool.close()
  t.equal(countContents(folder), 0)
  t.end()
})

t.test('copies that were saved from a damaged spool still share', (t) => {
  const folder = t.testdir()
  const spool = open(t, folder)
  const copy = newJob('large', { bytes: MB })
  const ids = spool.add(Array.from({ length: 50 }, () => copy)).jobs.map(({ id }) => id)
  spool.close()
  const file = join(folder, 'spool.db')
  const db = new DatabaseSync(file)
  const page = db.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'preview'").get()
  db.close()
  const at = (Number(page?.['rootpage']) - 1) * PAGE_BYTES
  writeFileSync(file, readFileSync(file).fill(0xa5, at, at + PAGE_BYTES))
  const saved = open(t, folder)
  t.match(saved.notices, [
    /was damaged .* 50 jobs were read from it. All recovered labels are intact/,
  ])
  t.ok(ids.every((id) => saved.history.label(id)?.length === MB))
  saved.close()
  t.equal(countContents(folder), 1)
  t.end()
})

t.test('a spool of version 3 goes on with its labels', (t) => {
  const folder = t.testdir()
  writeThirdVersion(join(folder, 'spool.db'), ['one', 'two', 'one'])
  const spool = open(t, folder)
  t.same(
    spool.history.list({ limit: 9 }).map(({ id }) => textOf(spool, id)),
    ['one', 'two', 'one'],
  )
  t.match(spool.line.waiting(), new Map([['Bench 1', 3]]))
  t.end()
})

t.test('a full spool of version 3 finds room for its migration', (t) => {
  const folder = t.testdir()
  const labels = Array.from({ length: 400 }, (_, n) => zplLabel(n, 3500).toString())
  writeThirdVersion(join(folder, 'spool.db'), labels)
  const quotaBytes = statSync(join(folder, 'spool.db')).size
  const spool = open(t, folder, { quotaBytes })
  t.same(spool.notices, [])
  t.equal(spool.history.counts().pending, 400)
  t.equal(textOf(spool, 'abcd-400'), labels[399])
  const id = spool.line.next('Bench 1')?.job.id ?? ''
  t.equal(spool.move(id, (job) => moves.cancel(job, 1)).state, 'canceled')
  t.end()
})

t.test('version 3, after an update that was undone, reads, adds and drops labels', (t) => {
  const folder = t.testdir()
  const file = join(folder, 'spool.db')
  const spool = open(t, folder)
  const copy = newJob(1)
  const [first, second] = spool.add([copy, copy, newJob(2)]).jobs
  spool.close()

  const old = new DatabaseSync(file)
  const label = old.prepare('SELECT label FROM body WHERE seq = ?')
  t.equal(Buffer.from(label.get(1)?.['label'] as Uint8Array).toString(), zplLabel(1).toString())
  const unprinted = old.prepare('SELECT job.id, label FROM job JOIN body USING(seq) WHERE seq > ?')
  t.equal(unprinted.all(0).length, 3)
  old.prepare('DELETE FROM body WHERE seq = ?').run(1)
  t.equal(label.get(1), undefined)
  addAsVersion3(old, 4, 'four')
  t.equal(Buffer.from(label.get(4)?.['label'] as Uint8Array).toString(), 'four')
  old.close()

  const again = open(t, folder)
  t.same(again.notices, [])
  t.notOk(again.history.label(first?.id ?? ''))
  t.equal(textOf(again, second?.id), zplLabel(1).toString(), 'a copy keeps what the other let go')
  t.equal(textOf(again, again.history.list({ limit: 1 })[0]?.id), 'four')
  t.equal(again.history.counts().pending, 4, 'counted again')
  t.end()
})
