import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { Change, Job } from '../../../src/core/job.ts'
import * as moves from '../../../src/core/moves.ts'
import { IntakeLine, SHARES } from '../../../src/core/spool/shares.ts'
import { Spool } from '../../../src/core/spool/spool.ts'
import { SpoolTally } from '../../../src/core/spool/tally.ts'
import type { NewJob, SpoolSettings } from '../../../src/core/spool/types.ts'
import { TAKEN_AT_ONCE } from '../../../src/core/spool/types.ts'
import { NOTHING } from '../../../src/words/say.ts'
import { spoken } from '../../words/spoken.ts'
import { newJob } from '../labels.ts'

t.setTimeout(300_000)

const MB = 2 ** 20

function open(t: Test, more: Partial<SpoolSettings> = {}): Spool {
  const folder = more.folder ?? t.testdir()
  const spool = new Spool({ minFreeBytes: 0, ballastBytes: 0, ...more, folder })
  t.teardown(() => spool.close())
  return spool
}

function cancel(spool: Spool, job: Job | undefined): void {
  spool.move(job?.id ?? '', (now) => moves.cancel(now, 5))
}

/** Adds labels of 100 KB until one is refused; gives the refusal. */
function fill(spool: Spool, more: Partial<NewJob>): unknown {
  for (let n = 0; n < 1000; n += 1) {
    try {
      spool.add([newJob(`${more.printer} ${more.sender} ${n}`, { ...more, bytes: 100_000 })])
    } catch (error) {
      return error
    }
  }
  return undefined
}

t.test('the bounds are as the documents say', (t) => {
  t.same(SHARES, { jobs: 100_000, printerJobs: 50_000, senderJobs: 50_000, part: 0.5 })
  t.equal(TAKEN_AT_ONCE.jobs, 1000)
  t.end()
})

t.test('a printer that is off, filled from many addresses, leaves room for the others', (t) => {
  const spool = open(t, { quotaBytes: 8 * MB })
  const refusals = ['1', '2', '3'].map((sender) => fill(spool, { printer: 'Off', sender }))
  t.match(spoken(refusals[2]), {
    code: 'SPOOL_FULL',
    message: /^\d+ labels wait for Off, and no more fit in its share/,
    detail: /^\d+ labels \(.* MB\) wait for Off, of at most 50000 \(.* MB\); 1 label more/,
    hint: /"Cancel all"/,
  })
  const [job] = spool.add([newJob(1, { printer: 'On', sender: '4', bytes: MB })]).jobs
  t.equal(job?.state, 'pending')
  t.end()
})

t.test('an address that never stops leaves room for the others', (t) => {
  const spool = open(t, { quotaBytes: 8 * MB })
  const refusals = ['A', 'B', 'C'].map((printer) => fill(spool, { printer, sender: '10.0.0.7' }))
  t.match(spoken(refusals[2]), {
    code: 'SPOOL_FULL',
    message: /from 10\.0\.0\.7 wait/,
    hint: /this sender/,
  })
  t.equal(spool.add([newJob(1, { printer: 'C', sender: '10.0.0.8' })]).jobs.length, 1)
  t.equal(
    spool.add([newJob(1, { printer: 'C', sender: '' })]).jobs.length,
    1,
    'the owner of the box',
  )
  t.end()
})

t.test('labels are counted, too: for a printer, from a sender, in the whole', (t) => {
  const shares = { jobs: 9, printerJobs: 5, senderJobs: 6 }
  const spool = open(t, { shares })
  const add = (jobs: number, printer: string, sender: string) =>
    spool.add(Array.from({ length: jobs }, () => newJob(1, { printer, sender })))
  const first = add(5, 'A', '1').jobs[0]
  t.throws(() => add(1, 'A', '2'), { code: 'SPOOL_FULL', message: /^5 labels wait for A/ })
  add(1, 'B', '1')
  t.throws(() => add(1, 'C', '1'), { message: /^6 labels from 1 wait/ })
  add(3, 'C', '2')
  t.throws(() => add(1, 'D', '3'), { message: /^9 labels wait, and no more/ })
  t.throws(() => add(1, 'D', ''), { code: 'SPOOL_FULL' }, 'the whole holds for everybody')
  cancel(spool, first)
  t.equal(add(1, 'A', '1').jobs.length, 1, 'one that has ended frees its share')
  t.end()
})

t.test('a label that goes to another printer takes no more of its sender', (t) => {
  const spool = open(t, { shares: { jobs: 3, printerJobs: 2, senderJobs: 2 } })
  const [held] = spool.add([newJob(1, { sender: '1' }), newJob(2, { sender: '1' })]).jobs
  const end = { id: held?.id ?? '', change: (job: Job) => moves.cancel(job, 5) }
  t.equal(spool.history.senderOf(end.id), '1')
  const move = [newJob(1, { printer: 'B', sender: '1' })]
  t.equal(spool.add(move, undefined, end).jobs[0]?.printer, 'B')
  t.equal(spool.history.counts().pending, 2)
  t.throws(() => spool.add(move), { code: 'SPOOL_FULL' })
  t.end()
})

t.test('a label that is shared counts until the last job of its sender has ended', (t) => {
  const spool = open(t, { quotaBytes: 8 * MB, shares: { part: 1 / 4 } })
  const large = newJob('large', { bytes: MB, sender: '1' })
  const [first, second] = spool.add([large, large]).jobs
  cancel(spool, first)
  const more = [newJob('other', { bytes: MB, sender: '1' })]
  t.throws(() => spool.add(more), { code: 'SPOOL_FULL' })
  cancel(spool, second)
  t.equal(spool.add(more).jobs.length, 1)
  t.end()
})

t.test('one request is bounded', (t) => {
  const spool = open(t, { quotaBytes: 512 * MB, shares: { part: 1 } })
  const copies = Array.from({ length: TAKEN_AT_ONCE.jobs + 1 }, () => newJob(1))
  t.throws(() => spool.add(copies), { code: 'TOO_MANY_FIELDS', message: /1001 labels; .* 1000/ })
  t.equal(spool.add(copies.slice(1)).jobs.length, TAKEN_AT_ONCE.jobs)
  const large = [1, 2, 3].map((n) => newJob(n, { bytes: 45 * MB }))
  t.throws(() => spool.add(large), { code: 'BODY_TOO_LARGE', message: /wanted at most \d+/ })
  t.equal(spool.add(large.slice(1)).jobs.length, 2)
  t.end()
})

t.test('a refused request takes no kept label of another one', (t) => {
  const spool = open(t, { quotaBytes: 4 * MB })
  const [kept] = spool.add([newJob('kept', { bytes: MB, printer: 'A' })]).jobs
  cancel(spool, kept)
  fill(spool, { printer: 'B', sender: '1' })
  t.throws(() => spool.add([newJob(1, { bytes: 2 * MB, printer: 'B', sender: '2' })]))
  t.equal(spool.history.label(kept?.id ?? '')?.length, MB)
  t.end()
})

type Turn = (spool: Spool) => void

function firstIn(spool: Spool, state: string, n: number): Job | undefined {
  const found = spool.history.list({ limit: 500 }).filter((job) => job.state === state)
  return found[n % Math.max(1, found.length)]
}

function move(state: string, change: (job: Job) => Change): fc.Arbitrary<Turn> {
  return fc.nat(20).map((n) => (spool) => {
    const job = firstIn(spool, state, n)
    if (job !== undefined) spool.move(job.id, change)
  })
}

const turn: fc.Arbitrary<Turn> = fc.oneof(
  fc.tuple(fc.nat(2), fc.nat(2), fc.nat(3), fc.integer({ min: 1, max: 3 })).map(
    ([printer, sender, label, copies]): Turn =>
      (spool) => {
        const job = newJob(label, {
          printer: `P${printer}`,
          sender: `${sender}`,
          bytes: label * 900,
        })
        spool.add(Array.from({ length: copies }, () => job))
      },
  ),
  move('pending', (job) => moves.begin(job, 1, NOTHING)),
  move('processing', (job) => moves.interrupt(job, 1, 'hold')),
  move('pending-held', moves.release),
  move('pending-held', (job) => moves.cancel(job, 1)),
  move('pending', (job) => moves.cancel(job, 1)),
  fc.constant<Turn>((spool) => {
    // A transaction that fails in its middle counts nothing.
    const job = firstIn(spool, 'pending', 0)
    const fail = () => spool.moveAll([job?.id ?? '', 'none'], (now) => moves.cancel(now, 1))
    try {
      fail()
    } catch {
      return // as it must
    }
    throw new Error('a job that is not there was moved')
  }),
  fc.constant<Turn>((spool) => spool.housekeep()),
)

t.test('what is kept in memory is what a count of the rows gives, whatever happens', (t) => {
  let runs = 0
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 40 }), (turns) => {
      runs += 1
      const folder = t.testdir({ [runs]: {} })
      const spool = new Spool({
        folder: join(folder, `${runs}`),
        minFreeBytes: 0,
        ballastBytes: 0,
        endedJobsMost: 5,
      })
      for (const each of turns) each(spool)
      const kept = [spool.history.counts(), spool.health.loads()]
      spool.close()
      const db = new DatabaseSync(join(folder, `${runs}`, 'spool.db'))
      const fresh = new SpoolTally(db)
      db.close()
      t.same(kept, [fresh.states, fresh.loads])
    }),
    { numRuns: 60, interruptAfterTimeLimit: 60_000 },
  )
  t.end()
})

t.test('clients take turns, each in its own order, and who has most goes first', (t) => {
  const line = new IntakeLine<string>({ ofOwner: 3, all: 5 })
  t.equal(line.next(), undefined)
  for (const item of ['a1', 'a2', 'a3']) t.equal(line.add('a', item), undefined)
  t.equal(line.add('a', 'a4'), 'a4', 'three of one client')
  for (const item of ['b1', 'b2']) t.equal(line.add('b', item), undefined)
  t.equal(line.size, 5)
  t.equal(line.add('c', 'c1'), 'a3', 'the newest of the one that has most')
  t.equal(line.size, 5)
  const order = Array.from({ length: 6 }, () => line.next())
  t.strictSame(order, ['a1', 'b1', 'c1', 'a2', 'b2', undefined])
  t.equal(line.size, 0)
  const small = new IntakeLine<string>({ ofOwner: 3, all: 0 })
  t.equal(small.add('a', 'a1'), 'a1', 'perhaps the newcomer')
  t.equal(small.size, 0)
  t.equal(small.next(), undefined)
  t.end()
})
