import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { optionsNow } from '../../../src/core/intake/reprint.ts'
import type { Job } from '../../../src/core/job.ts'
import * as moves from '../../../src/core/moves.ts'
import { Spool } from '../../../src/core/spool/spool.ts'
import type { SpoolSettings } from '../../../src/core/spool/types.ts'
import { NOTHING } from '../../../src/words/say.ts'
import { newJob, zplLabel } from '../labels.ts'

const HOUR_MS = 3600 * 1000
const DAY_MS = 24 * HOUR_MS

function open(t: Test, more: Partial<SpoolSettings> = {}): Spool {
  const folder = more.folder ?? t.testdir()
  const spool = new Spool({ minFreeBytes: 0, ballastBytes: 0, ...more, folder })
  t.teardown(() => spool.close())
  return spool
}

const outcome = { at: 5, sentBytes: 10, confirmed: false, notes: [] }

function print(spool: Spool, id: string): void {
  spool.move(id, (job) => moves.begin(job, 4, NOTHING), { totalBytes: 10 })
  spool.move(id, (job) => moves.complete(job, outcome))
}

t.test('gives back after a restart exactly what it took', (t) => {
  const folder = t.testdir()
  const first = open(t, { folder })
  const { jobs } = first.add([newJob(1), newJob(2, { options: { labelWidth: 4 } })])
  first.close()
  const again = open(t, { folder })
  t.same(
    again.history.list({ limit: 10 }).map((job) => job.id),
    jobs.map((job) => job.id).reverse(),
  )
  t.same(again.history.get(jobs[1]?.id ?? ''), jobs[1])
  t.same(Buffer.from(again.history.label(jobs[0]?.id ?? '') ?? []), Buffer.from(zplLabel(1)))
  t.equal(again.notices.length, 0)
  t.end()
})

t.test('keeps its files to its own user', { skip: process.platform === 'win32' }, (t) => {
  const folder = join(t.testdir(), 'state')
  const spool = open(t, { folder })
  spool.add([newJob()])
  t.equal(statSync(folder).mode & 0o777, 0o700)
  for (const name of readdirSync(folder)) {
    t.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name)
  }
  t.end()
})

t.test('tells listeners of every job added and moved, after the commit', (t) => {
  const faults: unknown[] = []
  const spool = open(t, { fault: (error) => faults.push(error) })
  const seen: string[] = []
  spool.onChange((job) => seen.push(`${job.state} ${spool.history.get(job.id)?.state}`))
  const stop = spool.onChange(() => {
    throw new Error('a listener with a fault')
  })
  const [job] = spool.add([newJob()]).jobs
  stop()
  print(spool, job?.id ?? '')
  t.same(seen, ['pending pending', 'processing processing', 'completed completed'])
  t.equal(faults.length, 1, 'a listener that throws disturbs nobody')
  t.end()
})

t.test('pages through the jobs, newest first', (t) => {
  const spool = open(t)
  const ids = spool.add([1, 2, 3, 4, 5].map((n) => newJob(n))).jobs.map((job) => job.id)
  t.same(
    spool.history.list({ limit: 2 }).map((job) => job.id),
    [ids[4], ids[3]],
  )
  t.same(
    spool.history.list({ before: ids[3] ?? '', limit: 2 }).map((job) => job.id),
    [ids[2], ids[1]],
  )
  t.throws(() => spool.history.list({ before: 'nonsense', limit: 2 }), { code: 'JOB_UNKNOWN' })
  t.equal(spool.history.get('nonsense'), undefined)
  t.equal(spool.history.get('aaaa-1'), undefined, 'the number alone is not an id')
  t.equal(spool.history.label('aaaa-1'), undefined)
  t.equal(spool.history.preview(ids[0] ?? ''), undefined)
  t.end()
})

t.test('knows the oldest waiting job of each printer', (t) => {
  const spool = open(t)
  const { jobs } = spool.add([
    newJob(1, { printer: 'A' }),
    newJob(2, { printer: 'B' }),
    newJob(3, { printer: 'A' }),
  ])
  t.equal(spool.line.next('A')?.job.id, jobs[0]?.id)
  t.same(
    [...spool.line.waiting()],
    [
      ['A', 2],
      ['B', 1],
    ],
  )
  print(spool, jobs[0]?.id ?? '')
  t.equal(spool.line.next('A')?.job.id, jobs[2]?.id)
  t.equal(spool.line.next('C'), undefined)
  t.match(spool.history.counts(), { pending: 2, completed: 1, aborted: 0 })
  t.end()
})

t.test('knows every job of a printer that has not ended, held ones too', (t) => {
  const spool = open(t)
  const add = (n: number, printer: string) => newJob(n, { printer })
  const { jobs } = spool.add([add(1, 'A'), add(2, 'A'), add(3, 'A'), add(4, 'B')])
  const [first = '', second = '', third = ''] = jobs.map(({ id }) => id)
  print(spool, first)
  spool.move(second, () => ({ state: 'pending-held' }))
  t.same(
    spool.line.unfinished('A').map(({ id }) => id),
    [second, third],
  )
  t.equal(spool.line.unfinished('A', 1).length, 1)
  t.same(spool.line.unfinished('C'), [])
  t.end()
})

t.test('refuses a move that is not in the table and changes nothing', (t) => {
  const spool = open(t)
  const [job] = spool.add([newJob()]).jobs
  const id = job?.id ?? ''
  t.throws(() => spool.move(id, (job) => moves.complete(job, outcome)), { code: 'JOB_STATE' })
  t.throws(() => spool.move('aaaa-9', moves.release), { code: 'JOB_UNKNOWN' })
  t.same(spool.history.get(id), job)
  t.end()
})

t.test('answers a repeat with the first jobs', (t) => {
  const folder = t.testdir()
  const spool = open(t, { folder })
  const repeat = { key: 'http:k', fingerprint: 'f' }
  const first = spool.add([newJob(1), newJob(2)], repeat)
  t.equal(first.repeated, false)
  spool.close()
  const again = open(t, { folder }).add([newJob(1), newJob(2)], repeat)
  t.equal(again.repeated, true)
  t.same(again.jobs, first.jobs)
  t.end()
})

t.test('refuses the key of another request', (t) => {
  const spool = open(t)
  spool.add([newJob(1)], { key: 'http:k', fingerprint: 'f' })
  t.throws(() => spool.add([newJob(2)], { key: 'http:k', fingerprint: 'g' }), {
    code: 'IDEMPOTENCY_CONFLICT',
  })
  t.equal(spool.history.list({ limit: 9 }).length, 1)
  t.end()
})

t.test('forgets a key after seven days', (t) => {
  let uptime = 0
  const spool = open(t, { uptimeMs: () => uptime, bootId: 'a' })
  const repeat = { key: 'http:k', fingerprint: 'f' }
  spool.add([newJob(1)], repeat)
  uptime += 7 * DAY_MS - 1
  t.equal(spool.add([newJob(1)], repeat).repeated, true)
  uptime += 2
  spool.housekeep()
  t.equal(spool.add([newJob(1)], repeat).repeated, false)
  t.end()
})

t.test('drops labels of ended jobs at their retention, rows later, waiting ones never', (t) => {
  let uptime = 0
  const spool = open(t, { uptimeMs: () => uptime, bootId: 'a', retentionHours: () => 72 })
  const [done, waits] = spool.add([newJob(1), newJob(2)]).jobs.map((job) => job.id)
  print(spool, done ?? '')
  uptime += 72 * HOUR_MS - 1000
  spool.housekeep()
  t.equal(spool.history.get(done ?? '')?.hasLabel, true)
  uptime += 2000
  spool.housekeep()
  t.match(spool.history.get(done ?? ''), { hasLabel: false, state: 'completed' })
  t.equal(spool.history.label(done ?? ''), undefined)
  uptime += 30 * DAY_MS
  spool.housekeep()
  t.equal(spool.history.get(done ?? ''), undefined)
  t.same(spool.history.list({ before: done ?? '', limit: 2 }), [], 'whoever turns pages goes on')
  t.ok(spool.history.label(waits ?? ''))
  t.end()
})

t.test('large labels that are over all at once go in several turns, which hold up nobody', (t) => {
  let uptime = 0
  const quotaBytes = 256 * 2 ** 20
  const spool = open(t, { uptimeMs: () => uptime, bootId: 'a', quotaBytes })
  const label = (n: number) => Buffer.alloc(2 ** 20, n)
  const { jobs } = spool.add(Array.from({ length: 20 }, (_, n) => newJob(n, { label: label(n) })))
  for (const { id } of jobs) print(spool, id)
  uptime += 73 * HOUR_MS
  const left: number[] = []
  for (let turn = 0; turn < 3; turn += 1) {
    spool.housekeep()
    left.push(spool.history.list({ limit: 99 }).filter(({ hasLabel }) => hasLabel).length)
  }
  t.same(left, [12, 4, 0])
  t.end()
})

t.test('keeps no more ended jobs than its bound', (t) => {
  const spool = open(t, { endedJobsMost: 2 })
  const ids = spool.add([1, 2, 3, 4].map((n) => newJob(n))).jobs.map((job) => job.id)
  for (const id of ids.slice(0, 3)) print(spool, id)
  spool.housekeep()
  t.same(
    spool.history.list({ limit: 9 }).map((job) => job.id),
    [ids[3], ids[2], ids[1]],
  )
  t.end()
})

t.test('jobs that go by their age leave their place to those that stay', (t) => {
  let uptime = 0
  const spool = open(t, { uptimeMs: () => uptime, bootId: 'a', endedJobsMost: 2 })
  const ids = spool.add([1, 2, 3, 4].map((n) => newJob(n))).jobs.map((job) => job.id)
  for (const id of ids.slice(0, 2)) print(spool, id)
  uptime += 7 * DAY_MS + 1
  for (const id of ids.slice(2)) print(spool, id)
  spool.housekeep()
  t.same(
    spool.history.list({ limit: 9 }).map((job) => [job.id, job.hasLabel]),
    [
      [ids[3], true],
      [ids[2], true],
    ],
  )
  t.end()
})

t.test('expires by run-time, whatever the wall clock does', (t) => {
  let uptime = 1000
  let now = 0
  const folder = t.testdir()
  const clock = { folder, uptimeMs: () => uptime, now: () => now }
  const spool = open(t, { ...clock, bootId: 'a' })
  const [job] = spool.add([newJob(1, { options: { expireAfter: 60 } })]).jobs
  const id = job?.id ?? ''
  t.equal(job?.expiresAt, 60_000)
  t.equal(spool.line.msToExpiry(), 60_000)
  now = Date.parse('2036-01-01')
  spool.housekeep()
  t.same(spool.line.expired(), [], 'ten years forward expire nothing')
  t.equal(spool.history.get(id)?.expiresAt, now + 60_000, 'the time shown follows')
  now -= 3650 * DAY_MS
  uptime += 30_000
  t.same(spool.line.expired(), [])
  spool.close()
  uptime += 10_000
  const sameBoot = open(t, { ...clock, bootId: 'a' })
  t.equal(sameBoot.line.msToExpiry(), 20_000, 'the program was away, the box was on')
  sameBoot.close()
  uptime = 5000
  const nextBoot = open(t, { ...clock, bootId: 'b' })
  t.equal(nextBoot.line.msToExpiry(), 15_000, 'time switched off does not count')
  nextBoot.close()
  const unknownBoot = open(t, { ...clock, bootId: '' })
  t.equal(unknownBoot.line.msToExpiry(), 15_000)
  t.equal(unknownBoot.line.next('Bench 1')?.expired, false)
  uptime += 15_000
  t.equal(unknownBoot.line.expired()[0]?.id, id)
  t.equal(unknownBoot.line.next('Bench 1')?.expired, true)
  unknownBoot.move(id, (job) => moves.expire(job, 1))
  t.match(unknownBoot.history.get(id), {
    state: 'canceled',
    reasons: ['job-canceled-after-timeout'],
  })
  t.equal(unknownBoot.line.msToExpiry(), undefined)
  t.end()
})

t.test('the time left to a held job follows the wall clock too', (t) => {
  let now = 0
  let uptime = 1000
  const clock = { folder: t.testdir(), uptimeMs: () => uptime, now: () => now }
  const spool = open(t, { ...clock, bootId: 'a' })
  const [job] = spool.add([newJob(1, { options: { expireAfter: 3_600 } })]).jobs
  const id = job?.id ?? ''
  spool.housekeep()
  spool.move(id, moves.suspend)
  const left = (from: Spool) =>
    optionsNow(from.history.get(id) as Job, from.history.msLeft(id)).expireAfter
  now = 10 * 365 * DAY_MS
  spool.housekeep()
  t.equal(left(spool), 3_600, 'the clock was set')
  spool.close()
  now += 3 * DAY_MS
  uptime = 500
  const monday = open(t, { ...clock, bootId: 'b' })
  monday.housekeep()
  t.equal(left(monday), 3_600, 'time switched off does not count')
  t.end()
})

t.test('holds after a restart what was being printed, and marks its printer', (t) => {
  const folder = t.testdir()
  const spool = open(t, { folder })
  const [cut, waits] = spool.add([newJob(1), newJob(2)]).jobs.map((job) => job.id)
  spool.move(cut ?? '', (job) => moves.begin(job, 4, NOTHING), { totalBytes: 10 })
  spool.close()
  const again = open(t, { folder })
  t.equal(again.recover('hold').length, 1)
  t.match(again.history.get(cut ?? ''), {
    state: 'pending-held',
    reasons: ['platen-interrupted'],
    delivery: 'unknown',
  })
  t.equal(again.history.get(waits ?? '')?.state, 'pending')
  const [half] = again.halfLabels.ofJob(cut ?? '')
  t.same(half, { place: '', printer: 'Bench 1', job: cut, format: 'zpl' })
  if (half !== undefined) again.halfLabels.forget({ ...half, job: waits ?? '' })
  t.same(again.halfLabels.list(), [half], 'another label that was cut there stays')
  if (half !== undefined) again.halfLabels.forget(half)
  t.same(again.halfLabels.list(), [])
  t.end()
})

t.test('counts the crashes of a job until it moves', (t) => {
  const spool = open(t)
  const [job] = spool.add([newJob()]).jobs
  const id = job?.id ?? ''
  spool.countCrash(id, 1)
  t.equal(spool.line.next('Bench 1')?.crashes, 1)
  spool.move(id, (job) => moves.begin(job, 4, NOTHING), { preview: Buffer.from('png') })
  t.match(spool.history.get(id), { hasPreview: true, attempts: 1 })
  t.same(Buffer.from(spool.history.preview(id) ?? []), Buffer.from('png'))
  spool.move(id, moves.postpone({ message: NOTHING, hint: NOTHING, code: '' }))
  t.equal(spool.line.next('Bench 1')?.crashes, 0)
  t.end()
})

t.test('refuses labels at its quota, prints those it has, and takes labels again', (t) => {
  const spool = open(t, { quotaBytes: 1 << 20 })
  const ids: string[] = []
  const fill = (): void => {
    for (;;) {
      // Nobody has more than a share of it.
      const sender = `10.0.0.${ids.length % 3}`
      const job = newJob(ids.length, { bytes: 20_000, printer: sender, sender })
      ids.push(...spool.add([job]).jobs.map(({ id }) => id))
    }
  }
  t.throws(fill, { code: 'SPOOL_FULL' })
  t.equal(spool.health.hasRoom(40_000), false)
  const taken = ids.length
  t.ok(taken > 20, `${taken} labels of 20 KB in 1 MB`)
  for (const id of ids) print(spool, id)
  t.throws(fill, { code: 'SPOOL_FULL' })
  t.ok(ids.length - taken > 20, 'labels of ended jobs made room')
  t.notOk(spool.history.label(ids[0] ?? ''))
  t.ok(ids.slice(taken).every((id) => spool.history.label(id) !== undefined))
  const { bytes, quotaBytes } = spool.health.usage()
  t.ok(bytes <= quotaBytes)
  t.end()
})

t.test('lets rows of ended jobs go when labels are not enough', (t) => {
  const spool = open(t, { quotaBytes: 1 << 19 })
  for (let n = 0; n < 80; n += 1) {
    const long = { labelWidth: 4, printer: 'x'.repeat(500) }
    const { jobs } = spool.add(Array.from({ length: 10 }, () => newJob(n, { options: long })))
    for (const job of jobs) spool.move(job.id, (now) => moves.cancel(now, 5))
  }
  t.ok(spool.history.counts().canceled < 800)
  t.ok(spool.history.counts().canceled > 60)
  t.end()
})

t.test('refuses labels when the disk is nearly full', (t) => {
  const spool = open(t, { minFreeBytes: Number.MAX_SAFE_INTEGER })
  t.throws(() => spool.add([newJob()]), {
    code: 'SPOOL_FULL',
    message: /only .* MB left/,
    detail: /^Wanted /,
  })
  t.equal(spool.health.hasRoom(1), false)
  spool.health.check()
  t.end()
})

t.test('a second print server on the same folder is refused', (t) => {
  const folder = t.testdir()
  open(t, { folder })
  t.throws(() => new Spool({ folder }), { code: 'SPOOL_TAKEN' })
  t.end()
})

t.test('a spool of a newer version that does not bear this one is refused and left alone', (t) => {
  const folder = t.testdir()
  open(t, { folder }).close()
  const db = new DatabaseSync(join(folder, 'spool.db'))
  db.exec("UPDATE meta SET value = '98' WHERE key = 'readable_by'")
  db.exec('PRAGMA user_version=99')
  db.close()
  t.throws(() => new Spool({ folder }), {
    code: 'SPOOL_NEWER',
    message: /newer version \(schema 99, for programs of schema 98 on\); this version reads schema/,
  })
  t.notOk(existsSync(join(folder, 'spool.corrupt-1.db')))
  t.end()
})

t.test('a folder that cannot be made is named', (t) => {
  const folder = join(t.testdir({ file: '' }), 'file', 'state')
  t.throws(() => new Spool({ folder }), { code: 'STATE_UNWRITABLE' })
  t.end()
})

t.test('says that it is broken once it is closed', (t) => {
  const spool = open(t)
  spool.close()
  spool.close()
  t.throws(() => spool.health.check(), { code: 'SPOOL_BROKEN' })
  t.throws(() => spool.history.list({ limit: 1 }), { code: 'SPOOL_BROKEN' })
  t.end()
})

t.test('the ballast is made when there is room', (t) => {
  const folder = t.testdir()
  const spool = open(t, { folder, ballastBytes: 300_000 })
  spool.housekeep()
  t.equal(statSync(join(folder, '.ballast')).size, 300_000)
  spool.housekeep()
  t.end()
})

t.test('tells how long each flush took', (t) => {
  const seconds: number[] = []
  const spool = open(t, { onCommit: (took) => seconds.push(took) })
  const before = seconds.length
  spool.add([newJob(1), newJob(2)])
  t.equal(seconds.length, before + 1, 'one transaction for the labels of a request')
  t.ok(seconds.every((took) => took > 0 && took < 60))
  t.throws(() => spool.move('nobody', () => ({})), { code: 'JOB_UNKNOWN' })
  t.equal(seconds.length, before + 1, 'what was not written is not counted')
  t.end()
})

t.test('forgets a key when it is told to', (t) => {
  const spool = open(t)
  const repeat = { key: 'sqs:1', fingerprint: 'f' }
  const [first] = spool.add([newJob(1)], repeat).jobs
  spool.repeats.forget(['sqs:1', 'sqs:unknown'])
  const again = spool.add([newJob(1)], repeat)
  t.equal(again.repeated, false)
  t.not(again.jobs[0]?.id, first?.id)
  t.end()
})

t.test('the log is written over in its place, and stays small', (t) => {
  const folder = t.testdir()
  const spool = new Spool({ folder, minFreeBytes: 0, ballastBytes: 0 })
  t.teardown(() => spool.close())
  const sizes: number[] = []
  for (let mark = 0; mark < 200; mark += 1) {
    spool.add([{ ...newJob(mark), label: Buffer.alloc(3_000, `^XA^FX${mark}^FS^XZ`) }])
    sizes.push(statSync(join(folder, 'spool.db-wal')).size)
  }
  t.same(
    sizes,
    sizes.toSorted((a, b) => a - b),
    'it never shrinks, so it does not grow again',
  )
  t.ok((sizes.at(-1) ?? 0) < 2 * 200 * 4_096, `${sizes.at(-1)} bytes`)
  t.end()
})
