import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { PAGE_BYTES, READABLE_BY, SCHEMA_VERSION } from '../../../src/core/spool/schema.ts'
import { Spool } from '../../../src/core/spool/spool.ts'
import { newJob } from '../labels.ts'
import { writeFirstVersion } from './first-version.ts'

function open(folder: string): Spool {
  return new Spool({ folder, minFreeBytes: 0, ballastBytes: 0 })
}

/** Tables, columns and indexes as SQLite sees them, whatever the text that made them. */
function shapeOf(folder: string): readonly string[] {
  const db = new DatabaseSync(join(folder, 'spool.db'))
  const names = db.prepare(
    "SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name",
  )
  const shape = names
    .all()
    .flatMap(({ name }) =>
      [
        ...db.prepare(`PRAGMA table_info(${String(name)})`).all(),
        ...db.prepare(`PRAGMA index_info(${String(name)})`).all(),
      ].map((row) => `${String(name)} ${JSON.stringify(row)}`),
    )
  db.close()
  return shape
}

function makeOld(t: Test): string {
  const folder = t.testdir()
  writeFirstVersion(join(folder, 'spool.db'))
  return folder
}

t.test('a spool of the first version goes on with all that is in it', (t) => {
  const folder = makeOld(t)
  const spool = open(folder)
  t.same(spool.notices, [])
  t.match(spool.history.get('abcd-1'), { state: 'completed', warning: '', detail: '' })
  t.equal(spool.line.next('Bench 1')?.job.id, 'abcd-2')
  t.equal(Buffer.from(spool.history.label('abcd-2') ?? []).toString(), '^XA^FS^XZ\n')
  t.match(spool.history.findRepeat({ key: 'http:k', fingerprint: 'f' }), [{ id: 'abcd-2' }])
  t.same(spool.halfLabels.list(), [{ place: '', printer: 'Bench 2', job: 'abcd-1', format: 'zpl' }])
  t.equal(
    spool.history.findTwin({ printer: 'Bench 1', hash: '' }, 1e9),
    undefined,
    'old labels have no hash',
  )
  t.equal(spool.add([newJob()]).jobs[0]?.id, 'abcd-3')
  spool.close()
  const again = open(folder)
  t.equal(again.history.list({ limit: 9 }).length, 3)
  again.close()
  t.end()
})

t.test('an earlier version finds half labels by the name of their printer', (t) => {
  const folder = t.testdir()
  open(folder).close()
  const db = new DatabaseSync(join(folder, 'spool.db'))
  db.exec("INSERT INTO meta VALUES('place:A', 'socket://10.0.0.7')")
  db.exec("INSERT OR REPLACE INTO soiled(printer, job, format) VALUES('A', 'abcd-1', 'zpl')")
  t.match(db.prepare("SELECT job, format FROM soiled WHERE printer = 'A'").get(), { job: 'abcd-1' })
  db.close()
  const spool = open(folder)
  const half = { place: 'socket://10.0.0.7', printer: 'A', job: 'abcd-1', format: 'zpl' }
  t.same(spool.halfLabels.list(), [half])
  spool.close()
  const back = new DatabaseSync(join(folder, 'spool.db'))
  back.exec("DELETE FROM soiled WHERE printer = 'A'")
  t.same(back.prepare('SELECT * FROM half_label').all(), [])
  back.close()
  t.end()
})

t.test('it has then the tables of a new one', (t) => {
  const folder = t.testdir({ old: {}, fresh: {} })
  writeFirstVersion(join(folder, 'old', 'spool.db'))
  for (const name of ['old', 'fresh']) open(join(folder, name)).close()
  t.same(shapeOf(join(folder, 'old')), shapeOf(join(folder, 'fresh')))
  t.end()
})

/** What the next version makes of a spool: it adds, so that this one can go on when that one is undone. */
function moveForward(file: string, readableBy: number): void {
  const db = new DatabaseSync(file)
  const version = Number(db.prepare('PRAGMA user_version').get()?.['user_version'])
  db.exec("ALTER TABLE job ADD COLUMN weight TEXT NOT NULL DEFAULT '1 kg'")
  db.exec('CREATE TABLE parcel(seq INTEGER PRIMARY KEY)')
  db.exec(`INSERT OR REPLACE INTO meta VALUES('readable_by', '${readableBy}')`)
  db.exec(`PRAGMA user_version=${version + 1}`)
  db.close()
}

function readMeta(file: string): Record<string, unknown> {
  const db = new DatabaseSync(file)
  const version = db.prepare('PRAGMA user_version').get()?.['user_version']
  const said = db.prepare("SELECT value FROM meta WHERE key = 'readable_by'").get()?.['value']
  db.close()
  return { version, readableBy: Number(said) }
}

/** Overwrites the page of the pictures. */
function damage(file: string): void {
  const db = new DatabaseSync(file)
  const page = db.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'preview'").get()
  db.close()
  const bytes = readFileSync(file)
  const at = (Number(page?.['rootpage']) - 1) * PAGE_BYTES
  writeFileSync(file, bytes.fill(0xa5, at, at + PAGE_BYTES))
}

t.test('a spool says which versions it bears, a new one and one that was moved forward', (t) => {
  const folder = t.testdir({ old: {}, fresh: {} })
  writeFirstVersion(join(folder, 'old', 'spool.db'))
  for (const name of ['old', 'fresh']) {
    open(join(folder, name)).close()
    const file = join(folder, name, 'spool.db')
    t.same(readMeta(file), { version: SCHEMA_VERSION, readableBy: READABLE_BY })
  }
  t.end()
})

t.test('after an update that was undone, its labels print and new ones come in', (t) => {
  const folder = t.testdir()
  const file = join(folder, 'spool.db')
  const first = open(folder)
  const id = first.add([newJob()]).jobs[0]?.id ?? ''
  first.close()
  moveForward(file, SCHEMA_VERSION)
  const spool = open(folder)
  t.same(spool.notices, [])
  t.equal(spool.history.get(id)?.state, 'pending')
  t.equal(spool.add([newJob()]).jobs.length, 1)
  spool.close()
  t.same(readMeta(file), { version: SCHEMA_VERSION + 1, readableBy: SCHEMA_VERSION })
  const db = new DatabaseSync(file)
  t.same(
    db
      .prepare('SELECT weight FROM job')
      .all()
      .map((row) => row['weight']),
    ['1 kg', '1 kg'],
    'what the newer version needs is there when it comes back',
  )
  db.close()
  t.end()
})

t.test('one that only newer versions can read is refused, and nothing in it changes', (t) => {
  const folder = t.testdir()
  const file = join(folder, 'spool.db')
  open(folder).close()
  moveForward(file, SCHEMA_VERSION + 1)
  t.throws(() => open(folder), { code: 'SPOOL_NEWER', message: /this version reads schema/ })
  t.same(readMeta(file), { version: SCHEMA_VERSION + 1, readableBy: SCHEMA_VERSION + 1 })
  t.end()
})

t.test('one that says nothing of older versions is refused', (t) => {
  const folder = t.testdir()
  const file = join(folder, 'spool.db')
  open(folder).close()
  moveForward(file, SCHEMA_VERSION)
  const db = new DatabaseSync(file)
  db.exec("DELETE FROM meta WHERE key = 'readable_by'")
  db.close()
  t.throws(() => open(folder), { code: 'SPOOL_NEWER' })
  t.end()
})

t.test('the labels of a damaged spool of a newer version are saved into one of this', (t) => {
  const folder = t.testdir()
  const file = join(folder, 'spool.db')
  const first = open(folder)
  const id = first.add([newJob()]).jobs[0]?.id ?? ''
  first.close()
  moveForward(file, SCHEMA_VERSION)
  damage(file)
  const spool = open(folder)
  t.match(spool.notices, [/was damaged .* 1 jobs were read from it. All recovered labels are/])
  t.equal(spool.history.get(id)?.state, 'pending')
  spool.close()
  t.same(readMeta(file), { version: SCHEMA_VERSION, readableBy: READABLE_BY })
  t.end()
})
