import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { Spool } from '../../../src/jobs/spool.ts'
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
  t.match(spool.get('abcd-1'), { state: 'completed', warning: '' })
  t.equal(spool.next('Bench 1')?.job.id, 'abcd-2')
  t.equal(Buffer.from(spool.label('abcd-2') ?? []).toString(), '^XA^FS^XZ\n')
  t.match(spool.findRepeat({ key: 'http:k', fingerprint: 'f' }), [{ id: 'abcd-2' }])
  t.same(spool.soiledPrinters(), ['Bench 2'])
  t.equal(
    spool.findTwin({ printer: 'Bench 1', hash: '' }, 1e9),
    undefined,
    'old labels have no hash',
  )
  t.equal(spool.add([newJob()]).jobs[0]?.id, 'abcd-3')
  spool.close()
  const again = open(folder)
  t.equal(again.list({ limit: 9 }).length, 3)
  again.close()
  t.end()
})

t.test('it has then the tables of a new one', (t) => {
  const folder = t.testdir({ old: {}, fresh: {} })
  writeFirstVersion(join(folder, 'old', 'spool.db'))
  for (const name of ['old', 'fresh']) open(join(folder, name)).close()
  t.same(shapeOf(join(folder, 'old')), shapeOf(join(folder, 'fresh')))
  t.end()
})
