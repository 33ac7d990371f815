import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { PAGE_BYTES, READABLE_BY, SCHEMA_VERSION } from '../../../src/core/spool/schema.ts'
import { Spool } from '../../../src/core/spool/spool.ts'
import { newJob } from '../labels.ts'

function open(folder: string): Spool {
  return new Spool({ folder, minFreeBytes: 0, ballastBytes: 0 })
}

/** Changes a spool as the next version does: it only adds, so that this version can go on when the update is undone. */
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

t.test('a new spool says which versions it bears', (t) => {
  const folder = t.testdir()
  open(folder).close()
  t.same(readMeta(join(folder, 'spool.db')), { version: SCHEMA_VERSION, readableBy: READABLE_BY })
  t.end()
})

t.test('the tables of a plugin that is new are made beside the labels that wait', (t) => {
  const folder = t.testdir()
  const first = open(folder)
  const id = first.add([newJob()]).jobs[0]?.id ?? ''
  first.close()
  const create = 'CREATE TABLE parcel(seq INTEGER PRIMARY KEY, weight TEXT NOT NULL);'
  const tables = [{ owner: 'scale', create }]
  for (const wanted of [[], [{ seq: 1, weight: '1 kg' }]]) {
    const spool = new Spool({ folder, tables, minFreeBytes: 0, ballastBytes: 0 })
    t.same(spool.notices, [])
    t.equal(spool.history.get(id)?.state, 'pending')
    t.same(spool.records.prepare('SELECT * FROM parcel').all(), wanted)
    spool.records.write(() =>
      spool.records.prepare("INSERT OR REPLACE INTO parcel VALUES(1, '1 kg')").run(),
    )
    spool.close()
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
