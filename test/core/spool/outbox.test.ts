import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import * as moves from '../../../src/core/moves.ts'
import { Spool } from '../../../src/core/spool/spool.ts'
import type { SpoolSettings } from '../../../src/core/spool/types.ts'
import { NOTHING } from '../../../src/words/say.ts'
import { newJob } from '../labels.ts'

function open(t: Test, folder: string, more: Partial<SpoolSettings> = {}): Spool {
  const settings = { folder, minFreeBytes: 0, ballastBytes: 0, keepsResults: true, now: () => 77 }
  const spool = new Spool({ ...settings, ...more })
  t.teardown(() => spool.close())
  return spool
}

function cancel(spool: Spool, count = 1): readonly string[] {
  const { jobs } = spool.add(Array.from({ length: count }, () => newJob()))
  for (const { id } of jobs) spool.move(id, (job) => moves.cancel(job, 5))
  return jobs.map(({ id }) => id)
}

function idsIn(spool: Spool): readonly string[] {
  return spool.outbox.oldest(99).map(({ result }) => {
    if (result.type === 'plugin') return result.name
    return result.type === 'job' ? result.job.id : result.printer.name
  })
}

t.test('keeps every end of a job, in order, over a restart, until it is delivered', (t) => {
  const folder = t.testdir()
  const first = open(t, folder)
  const ids = cancel(first, 3)
  first.add([newJob()])
  const status = { state: 'idle', reasons: ['none'], message: NOTHING, hint: NOTHING } as const
  first.outbox.tell({ type: 'printer', at: 5, printer: { name: 'Bench 1', status } })
  t.same(idsIn(first), [...ids, 'Bench 1'], 'a job that waits is not news')
  const [event] = first.outbox.oldest(1)
  t.match(event, {
    seq: 1,
    result: { type: 'job', at: 77, job: { id: ids[0], state: 'canceled', endedAt: 5 } },
  })
  first.close()
  const again = open(t, folder)
  t.same(again.outbox.oldest(1), [event], 'the same event has the same id')
  again.outbox.delivered(2)
  t.same(idsIn(again), [ids[2], 'Bench 1'])
  again.outbox.delivered(4)
  t.equal(again.outbox.waiting(), 0)
  cancel(again)
  t.equal(again.outbox.oldest(1)[0]?.seq, 5, 'numbers are never used twice')
  t.end()
})

t.test('an event whose text is damaged does not keep back those behind it', (t) => {
  const spool = open(t, t.testdir())
  const [, kept = ''] = cancel(spool, 2)
  const cut = spool.records.prepare('UPDATE outbox SET event = substr(event, 1, 40) WHERE seq = 1')
  spool.records.write(() => cut.run())
  t.match(spool.outbox.oldest(1), [{ seq: 2, result: { job: { id: kept } } }])
  spool.outbox.delivered(2)
  t.equal(spool.outbox.waiting(), 0)
  t.end()
})

t.test('writes nothing when nobody wants to know, and forgets what is left', (t) => {
  const folder = t.testdir()
  const first = open(t, folder)
  cancel(first)
  first.close()
  const spool = open(t, folder, { keepsResults: false })
  cancel(spool)
  spool.outbox.tell({
    type: 'printer',
    at: 5,
    printer: { name: 'A', status: { state: 'idle', reasons: [], message: NOTHING, hint: NOTHING } },
  })
  t.same(spool.outbox.oldest(9), [])
  t.end()
})

t.test('drops the oldest when too many wait, and counts them', (t) => {
  const spool = open(t, t.testdir(), { quotaBytes: 64 * 16 * 1024 })
  const ids = cancel(spool, 70)
  t.equal(spool.outbox.waiting(), 64)
  t.equal(spool.outbox.dropped, 6)
  t.same(idsIn(spool), ids.slice(6))
  t.end()
})

t.test('news never keep a label from ending when the spool is full', (t) => {
  const spool = open(t, t.testdir(), { quotaBytes: 512 * 1024 })
  const ids: string[] = []
  t.throws(
    () => {
      for (;;)
        ids.push(
          ...spool
            .add([newJob(1, { bytes: 3000, printer: 'P'.repeat(900) })])
            .jobs.map(({ id }) => id),
        )
    },
    { code: 'SPOOL_FULL' },
  )
  for (const id of ids) spool.move(id, (job) => moves.cancel(job, 5))
  t.equal(spool.history.counts().canceled, ids.length)
  t.ok(spool.outbox.waiting() > 0)
  t.end()
})

/** Overwrites the pages where the labels begin; those of the jobs stay. */
function damageBodies(file: string): void {
  const db = new DatabaseSync(file)
  const row = db.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'content'").get()
  db.close()
  const bytes = readFileSync(file)
  const at = 4096 * (Number(row?.['rootpage']) - 1)
  writeFileSync(file, bytes.fill(0xa5, at, at + 4096))
}

t.test('a label that is lost with a damaged disk is told too', (t) => {
  const folder = t.testdir()
  const first = open(t, folder)
  const [job] = first.add([newJob()]).jobs
  first.close()
  // The pages of the labels are gone, the table of jobs is not.
  damageBodies(join(folder, 'spool.db'))
  const spool = open(t, folder)
  t.equal(spool.notices.length, 1)
  t.match(spool.outbox.oldest(9), [{ result: { job: { id: job?.id, state: 'aborted' } } }])
  t.end()
})

t.test('what a plugin reports lies on disk as earlier versions read it', (t) => {
  const spool = open(t, t.testdir())
  const result = { type: 'plugin', at: 7, name: 'parcel', facts: { number: '1Z' } } as const
  spool.outbox.tell(result)
  t.match(spool.outbox.oldest(1), [{ result }])
  const row = spool.records.prepare('SELECT event FROM outbox').get()
  t.same(JSON.parse(String(row?.['event'])), { type: 'parcel', at: 7, parcel: { number: '1Z' } })
  t.end()
})
