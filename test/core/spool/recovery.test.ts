import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { PAGE_BYTES } from '../../../src/core/spool/schema.ts'
import { Spool } from '../../../src/core/spool/spool.ts'
import type { SpoolSettings } from '../../../src/core/spool/types.ts'
import { allPlugins } from '../../plugins/all.ts'
import { spoken } from '../../words/spoken.ts'
import { newJob } from '../labels.ts'
import { damagePage, findPage, misplacePage, overwritePage, writePart } from './damage.ts'

function open(t: Test, more: Partial<SpoolSettings> = {}): Spool {
  const folder = more.folder ?? t.testdir()
  const spool = new Spool({
    tables: allPlugins.tables(),
    minFreeBytes: 0,
    ballastBytes: 0,
    ...more,
    folder,
  })
  t.teardown(() => spool.close())
  return spool
}

/** A spool of so many labels that was closed, and its file. */
function fill(t: Test, labels: number): { readonly folder: string; readonly file: string } {
  const folder = t.testdir()
  const spool = open(t, { folder })
  for (let n = 0; n < labels; n += 1) {
    spool.add([newJob(n, { bytes: 5_000 })], { key: `mqtt:${n}`, fingerprint: 'f' })
  }
  spool.close()
  return { folder, file: join(folder, 'spool.db') }
}

/** True if the file ends with the end of a label. */
function endsInLabel(file: string): boolean {
  const db = new DatabaseSync(file)
  const last = db.prepare('SELECT name, pagetype FROM dbstat ORDER BY pageno DESC LIMIT 1').get()
  db.close()
  return last?.['name'] === 'content' && last['pagetype'] === 'overflow'
}

function countLabels(spool: Spool): number {
  const jobs = spool.history.list({ limit: 500 })
  return jobs.filter(({ id }) => spool.history.label(id) !== undefined).length
}

t.test('a damaged database is put aside, and what can be read goes on', (t) => {
  const folder = t.testdir()
  const first = open(t, { folder })
  const ids: string[] = []
  for (let n = 0; n < 10; n += 1) {
    const batch = Array.from({ length: 20 }, (_, copy) => newJob(`${n} ${copy}`, { bytes: 3000 }))
    ids.push(...first.add(batch).jobs.map((job) => job.id))
  }
  first.add([newJob('key')], { key: 'http:k', fingerprint: 'f' })
  first.close()
  const file = join(folder, 'spool.db')
  const bytes = readFileSync(file)
  // Every seventh page from the middle on is overwritten, but never the schema on page 1.
  for (let at = 4096 * 40; at < bytes.length - 4096; at += 4096 * 7) bytes.fill(0xa5, at, at + 4096)
  writeFileSync(file, bytes)
  const again = open(t, { folder })
  t.equal(again.notices.length, 1)
  t.match(again.notices[0], /kept as .*spool\.corrupt-1\.db/)
  t.ok(existsSync(join(folder, 'spool.corrupt-1.db')))
  const read = again.history.list({ limit: 500 })
  t.ok(read.length > 100, `${read.length} of 201 jobs read`)
  const waits = read.filter((job) => job.state === 'pending')
  t.ok(
    waits.every((job) => again.history.label(job.id) !== undefined),
    'a waiting job has its label',
  )
  const lost = read.filter((job) => job.state !== 'pending')
  t.ok(lost.length > 0)
  t.match(again.notices[0], ` ${lost.length} waiting labels could not be read`)
  t.ok(lost.every((job) => job.state === 'aborted' && job.code === 'JOB_LABEL_GONE'))
  const [fresh] = again.add([newJob()]).jobs
  t.notOk(ids.includes(fresh?.id ?? ''), 'ids are never used twice')
  t.ok((fresh?.seq ?? 0) > (read[0]?.seq ?? 0))
  again.housekeep()
  t.equal(again.history.list({ limit: 500 }).length, read.length + 1)
  t.end()
})

t.test('a file that is not a database is put aside too', (t) => {
  const folder = t.testdir({ 'spool.db': 'x'.repeat(10_000), 'spool.corrupt-1.db': '' })
  const spool = open(t, { folder })
  t.match(spool.notices[0], /corrupt-2\.db; 0 jobs were read from it. Labels that waited must be/)
  t.equal(readFileSync(join(folder, 'spool.corrupt-2.db'), 'latin1').length, 10_000)
  spool.add([newJob()])
  t.end()
})

t.test('a damaged spool gives no number again, also of jobs whose rows are lost', (t) => {
  const folder = t.testdir()
  const before = open(t, { folder })
  for (let n = 0; n < 100; n += 1) before.add([newJob(n)])
  const lost = { key: 'http:lost', fingerprint: 'f' }
  const [gone] = before.add([newJob('lost')], lost).jobs
  before.close()
  const file = join(folder, 'spool.db')
  const db = new DatabaseSync(file)
  db.exec("DELETE FROM ipp_job; INSERT INTO sqlite_sequence(name, seq) VALUES('ipp_job', 7)")
  db.close()
  damagePage(file, 'job', -1)
  const spool = open(t, { folder })
  t.match(spool.notices, [/was damaged/])
  const kept = spool.history.list({ limit: 200 }).length
  t.ok(kept > 50 && kept < 101, `${kept} of 101`)
  const others = Array.from({ length: 60 }, (_, n) => newJob(`other ${n}`))
  spool.add(others)
  const [told] = spool.add([newJob('lost')], lost).jobs
  t.match(spoken(told), {
    id: gone?.id,
    state: 'aborted',
    code: 'JOB_LABEL_GONE',
    message: /was lost when the disk .* was damaged\. It may or may not have come out/,
    hint: 'Send it again if it is still wanted.',
  })
  t.ok(told && told.endedAt > 0, 'it has ended, and leaves the list as others do')
  const { records } = spool
  const seq = records.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'ipp_job'")
  t.match(
    records.read(() => seq.get()),
    { seq: 7 },
  )
  t.end()
})

t.test('a damaged spool still knows the requests of the pages that are sound', (t) => {
  const folder = t.testdir()
  const before = open(t, { folder })
  const keys = Array.from({ length: 2_000 }, (_, n) => `mqtt:${String(n).padStart(6, '0')}`)
  before.repeats.remember(keys.map((key) => ({ key, fingerprint: 'f' })))
  before.close()
  const file = join(folder, 'spool.db')
  damagePage(file, 'idem', 5)
  const spool = open(t, { folder })
  t.match(spool.notices, [/was damaged/])
  const known = keys.filter((key) => spool.repeats.find({ key, fingerprint: 'f' }))
  t.ok(known.includes(keys[0] ?? '') && known.includes(keys.at(-1) ?? ''), 'both ends')
  t.ok(known.length > 1_800 && known.length < 2_000, `${known.length} of 2000`)
  t.end()
})

t.test('of a damaged spool the keys of plugins in its table of marks are kept, no others', (t) => {
  const { folder, file } = fill(t, 20)
  const db = new DatabaseSync(file)
  db.exec("INSERT INTO meta VALUES('own:1', 'a'), ('foreign:1', 'b')")
  db.close()
  damagePage(file, 'job', -1)
  const spool = open(t, {
    folder,
    tables: [...allPlugins.tables(), { owner: 'x', metaKeys: ['own:*'] }],
  })
  t.match(spool.notices, [/was damaged/])
  const find = spool.records.prepare("SELECT key FROM meta WHERE key LIKE '%:1' ORDER BY key")
  const kept = spool.records.read(() => find.all()).map(({ key }) => key)
  t.same(kept, ['own:1'])
  t.end()
})

for (const table of ['job', 'idem']) {
  for (const type of ['leaf', 'internal']) {
    t.test(`a page of ${table} (${type}) that leads back does not hold up the start`, (t) => {
      const folder = t.testdir()
      const before = open(t, { folder })
      before.add(Array.from({ length: 100 }, (_, n) => newJob(n)))
      before.repeats.remember(
        Array.from({ length: 2_000 }, (_, n) => ({ key: `mqtt:${n}`, fingerprint: 'f' })),
      )
      before.close()
      const file = join(folder, 'spool.db')
      misplacePage(file, findPage(file, table, 0, type), findPage(file, table, 2))
      t.match(open(t, { folder }).notices, [/was damaged .* [1-9]\d* jobs were read/])
      t.end()
    })
  }
}

t.test('a page that leads too far takes no sound rows with it', (t) => {
  const { folder, file } = fill(t, 400)
  const [far, near] = [findPage(file, 'job', 8), findPage(file, 'job', 2)]
  misplacePage(file, far, near)
  const { pending } = open(t, { folder }).history.counts()
  t.ok(pending >= 350, `${pending} of 400, of which some 40 lay on the page`)
  t.end()
})

t.test('a row that holds what no row can does not end the recovery', (t) => {
  const folder = t.testdir()
  const before = open(t, { folder })
  const { jobs } = before.add([newJob(1), newJob(2), newJob(3)])
  before.repeats.remember([{ key: 'mqtt:1', fingerprint: 'f' }])
  before.close()
  const db = new DatabaseSync(join(folder, 'spool.db'), { defensive: false })
  const schema = "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = 'job'"
  const [strict, loose] = ['printer TEXT NOT NULL', 'printer TEXT         ']
  db.exec('PRAGMA writable_schema=ON')
  db.prepare(schema).run(strict, loose)
  db.exec('PRAGMA writable_schema=RESET')
  db.exec('UPDATE job SET printer = NULL WHERE seq = 2')
  db.exec('PRAGMA writable_schema=ON')
  db.prepare(schema).run(loose, strict)
  db.close()
  const spool = open(t, { folder })
  t.match(spool.notices, [/was damaged/])
  const kept = spool.history.list({ limit: 10 }).map(({ id }) => id)
  t.same(kept, [jobs[2]?.id, jobs[0]?.id])
  t.ok(spool.repeats.find({ key: 'mqtt:1', fingerprint: 'f' }))
  t.end()
})

t.test('a label with a damaged text beside it goes through a recovery', (t) => {
  const folder = t.testdir()
  const first = open(t, { folder })
  const [job] = first.add([newJob('one')]).jobs
  const cut = first.records.prepare("UPDATE job SET options = '{', reasons = '['")
  first.records.write(() => cut.run())
  first.close()
  writeFileSync(join(folder, 'spool.damaged'), '')
  const spool = open(t, { folder })
  t.match(spool.notices, [/was damaged .* 1 jobs were read from it/])
  t.match(spool.line.next('Bench 1')?.job, { id: job?.id, hasLabel: true })
  t.end()
})

t.test('what is left of a file that was cut short goes on', (t) => {
  const { folder, file } = fill(t, 60)
  const bytes = readFileSync(file)
  writeFileSync(file, bytes.subarray(0, Math.floor(bytes.length * 0.8)))
  const spool = open(t, { folder })
  t.match(spool.notices, [/was damaged .* [1-9]\d* jobs were read from it/])
  t.ok(countLabels(spool) > 30, `${countLabels(spool)} of 60 labels`)
  t.end()
})

t.test('a power cut in the middle of a recovery loses nothing', async (t) => {
  const { folder, file } = fill(t, 400)
  damagePage(file, 'preview', 0)
  damagePage(file, 'job', -1)
  const child = spawn(process.execPath, [join(import.meta.dirname, 'open-child.ts'), folder])
  const ended = once(child, 'exit')
  // Killed as soon as it has begun: another database is there.
  const look = setInterval(() => {
    if (readdirSync(folder).some((name) => !name.startsWith('spool.db'))) child.kill('SIGKILL')
  }, 1)
  t.same(await ended, [null, 'SIGKILL'])
  clearInterval(look)
  const wasOver = existsSync(join(folder, 'spool.corrupt-1.db')) // on a busy machine the kill may come late
  const spool = open(t, { folder })
  if (!wasOver) t.match(spool.notices, [/was damaged/])
  t.ok(countLabels(spool) > 380, `${countLabels(spool)} of 400 labels`)
  t.end()
})

t.test('a power cut between the last two steps of a recovery loses nothing', (t) => {
  const { folder, file } = fill(t, 5)
  renameSync(file, join(folder, 'spool.recovered.db'))
  writeFileSync(join(folder, 'spool.corrupt-1.db'), '')
  writeFileSync(`${file}-wal`, 'of the damaged one')
  const spool = open(t, { folder })
  t.match(spool.notices, [/was damaged, and what could be read of it goes on/])
  t.equal(countLabels(spool), 5)
  t.equal(readFileSync(join(folder, 'spool.corrupt-2.db-wal'), 'latin1'), 'of the damaged one')
  t.end()
})

t.test('damage that shows while it runs is mended by the next start', (t) => {
  const { folder, file } = fill(t, 600)
  const page = findPage(file, 'content', 0)
  const spool = open(t, { folder })
  overwritePage(file, page) // of the oldest labels, which are in nobody's memory
  const [oldest] = spool.history.list({ limit: 1, order: 'oldest' })
  const read = (): unknown => spool.history.label(oldest?.id ?? '')
  t.throws(read, { code: 'SPOOL_BROKEN' })
  t.equal(spool.health.answers(), false, 'the service manager starts it again')
  t.throws(() => spool.health.check(), { code: 'SPOOL_BROKEN' }, 'and /healthz says so')
  spool.close()
  const again = open(t, { folder })
  t.match(again.notices, [
    /was damaged .* 600 jobs were read from it. [1-9]\d* waiting labels could not/,
  ])
  t.match(again.history.get(oldest?.id ?? ''), { state: 'aborted', code: 'JOB_LABEL_GONE' })
  t.equal(again.health.answers(), true)
  again.close()
  t.equal(open(t, { folder }).notices.length, 0, 'and once only')
  t.end()
})

t.test('a file that was cut to nothing is told of', (t) => {
  const { folder, file } = fill(t, 3)
  truncateSync(file)
  t.match(open(t, { folder }).notices, [/was damaged .* 0 jobs were read .* must be sent again/])
  t.end()
})

for (const [damage, jobs] of [
  ["DELETE FROM sqlite_schema WHERE name = 'job'", 0],
  ["DELETE FROM sqlite_schema WHERE name = 'content'", 3],
  ["DELETE FROM sqlite_schema WHERE name = 'purchase'", 3],
  ["DELETE FROM sqlite_schema WHERE name = 'job_expiry'", 3],
  ["UPDATE sqlite_schema SET sql = replace(sql, 'crashes', 'crashez') WHERE name = 'job'", 0],
  ['PRAGMA user_version=0', 3],
] as const) {
  t.test(`it starts in spite of ${damage}`, (t) => {
    const { folder, file } = fill(t, 3)
    const db = new DatabaseSync(file, { defensive: false })
    db.exec(`PRAGMA writable_schema=ON; ${damage}`)
    db.close()
    const spool = open(t, { folder })
    t.match(spool.notices, [new RegExp(`was damaged .* ${jobs} jobs were read`)])
    t.equal(spool.history.list({ limit: 9 }).length, 3, 'each has its sentence or its label')
    t.ok(spool.health.answers())
    t.end()
  })
}

/** Zeros in a page of the only label, which says whether it lies in its row or on pages of its own. */
function playHole(
  t: Test,
  { n, bytes: size = 60_000, holeBytes = 32 }: { n: number; bytes?: number; holeBytes?: number },
  find: (page: Buffer, label: Uint8Array) => number,
): void {
  const folder = t.testdir()
  const first = open(t, { folder })
  const item = newJob(1, { bytes: size })
  const [job] = first.add([item]).jobs
  const [next] = first.add([newJob(2)]).jobs
  first.close()
  const file = join(folder, 'spool.db')
  const page = findPage(file, 'content', n, size > PAGE_BYTES ? 'overflow' : 'leaf')
  const bytes = readFileSync(file).subarray((page - 1) * PAGE_BYTES, page * PAGE_BYTES)
  writePart(file, page, find(bytes, item.label), Buffer.alloc(holeBytes))
  const spool = open(t, { folder })
  t.equal(spool.notices.length, 0)
  t.equal(spool.history.label(job?.id ?? ''), undefined, 'it does not come out of a printer')
  t.same(spool.history.label(next?.id ?? ''), newJob(2).label)
  t.equal(spool.archive.unprinted(0)?.job.id, next?.id, 'nor out of a backup')
  t.ok(spool.health.answers())
  const [again] = spool.add([item]).jobs
  t.same(spool.history.label(again?.id ?? ''), item.label)
}

t.test('a label with a hole that no check of pages sees is lost, and can be sent again', (t) => {
  playHole(t, { n: 3 }, () => 512)
  t.end()
})

t.test('so is one whose digest has the hole', (t) => {
  playHole(t, { n: -1 }, (page, label) => page.indexOf(hash('sha256', label, 'buffer')))
  t.end()
})

t.test('so is one that lies in its row, to its end and the sum there', (t) => {
  const find = (page: Buffer, label: Uint8Array) => page.indexOf(label) + 500
  playHole(t, { n: 0, bytes: 1_000 }, find)
  playHole(t, { n: 0, bytes: 1_000, holeBytes: 504 }, find)
  t.end()
})

t.test('a label that is none any more does not end a backup before the others', (t) => {
  const { folder, file } = fill(t, 2)
  const db = new DatabaseSync(file)
  db.exec("UPDATE content SET label = 'text' WHERE id = (SELECT min(id) FROM content)")
  db.close()
  const spool = open(t, { folder })
  t.equal(spool.archive.unprinted(0)?.job.seq, 2)
  t.end()
})

t.test('a label whose page cannot be read does not stop the rest for good', (t) => {
  const { folder, file } = fill(t, 600)
  // At the end of the file may lie a page of the index of labels, whose places are those of hashes.
  for (let n = 600; !endsInLabel(file); n += 1) {
    const more = open(t, { folder })
    more.add([newJob(n, { bytes: 5_000 })], { key: `mqtt:${n}`, fingerprint: 'f' })
    more.close()
  }
  truncateSync(file, statSync(file).size - 1_000)
  const spool = open(t, { folder })
  const [newest] = spool.history.list({ limit: 1 })
  t.throws(() => spool.history.label(newest?.id ?? ''), { code: 'SPOOL_BROKEN' })
  t.equal(spool.health.answers(), false)
  spool.close()
  const again = open(t, { folder })
  t.match(again.notices, [
    /was damaged .* 6\d\d jobs were read from it. 1 waiting labels could not/,
  ])
  t.match(again.history.get(newest?.id ?? ''), { state: 'aborted', code: 'JOB_LABEL_GONE' })
  t.end()
})
