import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import type { Change } from '../../../src/core/job.ts'
import { MOVED } from '../../../src/core/moves.ts'
import { Spool } from '../../../src/core/spool/spool.ts'
import type { SpoolSettings } from '../../../src/core/spool/types.ts'
import { IppJobs } from '../../../src/plugins/ipp/jobs.ts'
import { JOB_STATES } from '../../../src/plugins/ipp/protocol.ts'
import { quoteEnglish } from '../../../src/words/say.ts'
import { Bench, printer } from '../../core/bench.ts'
import { zplLabel } from '../../core/labels.ts'
import { spoken } from '../../words/spoken.ts'

const WISH = {
  printer: 'Bench 1',
  name: 'order',
  user: 'anna',
  client: 'c',
  format: 'application/octet-stream',
  template: new Map(),
}
const MINUTE_MS = 60_000

function open(t: Test, more: Partial<SpoolSettings> = {}) {
  const clock = { ms: 1_000 }
  const printers = [printer('Bench 1', 'file:bench')]
  const openSpool = (settings: SpoolSettings) => new Spool({ ...settings, ...more })
  const bench = new Bench(t, { printers, uptimeMs: () => clock.ms, openSpool })
  const jobs = new IppJobs(bench.spool)
  /** A job of labels that are as these say. */
  const make = (...labels: readonly Change[]) => {
    const job = jobs.add(WISH)
    const { jobs: taken } = bench.intake.takeAlone({
      labels: labels.map((_, n) => zplLabel(n)),
      options: { printer: 'Bench 1' },
      source: 'ipp',
      ...IppJobs.keyOf(job),
    })
    for (const [n, { id }] of taken.entries()) {
      const change = labels[n] as Change
      if (change.state === 'processing-stopped')
        bench.spool.move(id, () => ({ state: 'processing' }))
      bench.spool.move(id, () => change)
    }
    return jobs.find(job.id, 'c')
  }
  return { bench, clock, jobs, make }
}

t.test('one state for all labels of a job', (t) => {
  const { make } = open(t)
  const held: Change = { state: 'pending-held', reasons: ['job-hold-until-specified'] }
  const waiting: Change = { state: 'pending', reasons: ['none'] }
  const printing: Change = { state: 'processing', reasons: ['job-printing'] }
  const stopped: Change = { state: 'processing-stopped', reasons: ['printer-stopped'] }
  const done: Change = { state: 'completed', reasons: ['job-completed-successfully'] }
  const aborted: Change = { state: 'aborted', reasons: ['aborted-by-system'] }
  const canceled: Change = { state: 'canceled', reasons: ['job-canceled-by-user'] }
  const moved: Change = { state: 'canceled', reasons: MOVED }
  for (const [labels, state, reason] of [
    [[waiting, waiting], 3, 'none'],
    [[held, waiting], 3, 'none'],
    [[held, held], 4, 'job-hold-until-specified'],
    [[held, done], 4, 'job-hold-until-specified'],
    [[done, waiting], 5, 'job-printing'],
    [[printing, held], 5, 'job-printing'],
    [[printing, stopped], 6, 'printer-stopped'],
    [[done, canceled], 7, 'job-canceled-by-user'],
    [[canceled, aborted], 8, 'aborted-by-system'],
    [[done, done], 9, 'job-completed-successfully'],
    [[moved, done], 9, 'job-completed-successfully'],
    [[moved, canceled], 7, 'job-canceled-by-user'],
  ] as const) {
    const job = make(...labels)
    const name = labels.map(({ state }) => state).join(', ')
    t.match(job, { state, reasons: [reason], isIncoming: false }, name)
  }
  t.end()
})

t.test('when a job began and ended, and what is said of it', (t) => {
  const { make } = open(t)
  const done = (startedAt: number, endedAt: number, message = ''): Change => ({
    state: 'completed',
    reasons: ['job-completed-successfully'],
    startedAt,
    endedAt,
    message: quoteEnglish(message),
  })
  const all = make(done(30, 40), done(10, 60, 'one'), done(0, 50, 'two'))
  t.match(spoken(all), { startedAt: 10, endedAt: 60, message: 'one' })
  const open_ = make(done(30, 40), { state: 'pending', reasons: ['none'] })
  t.match(spoken(open_), { startedAt: 30, endedAt: 0, message: '' })
  t.match(make({ state: 'pending', reasons: ['none'] }), { startedAt: 0, endedAt: 0 })
  t.end()
})

t.test('a job whose document does not come is given up after a minute', (t) => {
  const { clock, jobs } = open(t)
  const { id, createdAt } = jobs.add(WISH)
  t.match(jobs.find(id, 'c'), { state: 4, reasons: ['job-incoming'], isIncoming: true, endedAt: 0 })
  t.equal(jobs.find(id, 'd'), undefined, 'it is not of others')
  clock.ms += MINUTE_MS
  t.equal(jobs.find(id, 'c')?.isIncoming, true)
  clock.ms += 1
  const late = { state: 8, reasons: ['aborted-by-system'], isIncoming: false, startedAt: 0 }
  t.match(jobs.find(id, 'c'), { ...late, endedAt: createdAt + MINUTE_MS })
  t.end()
})

t.test('a job that got the labels of another has ended as they did, also without them', (t) => {
  const { bench, clock, jobs, make } = open(t, { endedJobsMost: 0 })
  const known = make({ state: 'completed', reasons: ['job-completed-successfully'] })
  if (known === undefined) throw new Error('no job')
  const { id } = jobs.join(jobs.add(WISH), known)
  const printed = { state: JOB_STATES.completed, reasons: ['job-completed-successfully'] }
  t.match(jobs.find(id, 'c'), { ...printed, labels: known.labels })
  clock.ms += 2 * MINUTE_MS
  bench.spool.housekeep()
  t.match(jobs.find(id, 'c'), { ...printed, labels: [] })
  t.ok((jobs.find(id, 'c')?.endedAt ?? 0) > 0)
  const empty = jobs.end(jobs.add(WISH), 'aborted', { message: 'No document came.' })
  t.match(jobs.join(jobs.add(WISH), empty), { state: JOB_STATES.aborted, isIncoming: false })
  t.end()
})

t.test('what became of a job is still known when its labels have left the list', (t) => {
  const { bench, clock, jobs, make } = open(t, { endedJobsMost: 1 })
  const done: Change = { state: 'completed', reasons: ['job-completed-successfully'] }
  const canceled: Change = { state: 'canceled', reasons: ['job-canceled-by-user'] }
  const aborted: Change = {
    state: 'aborted',
    reasons: ['aborted-by-system'],
    message: quoteEnglish('No.'),
  }
  const moved: Change = { state: 'canceled', reasons: MOVED }
  clock.ms += 1
  const all = [[done], [moved], [canceled], [aborted], [aborted, canceled], [canceled, done]]
  const made = all.map((labels) => make(...labels.map((one) => ({ ...one, endedAt: 1 }))))
  for (const job of made) jobs.taken(job as NonNullable<typeof job>, 'zpl')
  bench.spool.commits.flush()
  clock.ms += 2 * MINUTE_MS
  bench.spool.housekeep()
  const now = made.map((job) => jobs.find(job?.id ?? 0, 'c'))
  t.same(
    now.map((job) => job?.labels.length),
    [0, 0, 0, 0, 0, 1],
  )
  t.same(
    now.map((job) => job?.state),
    [9, 9, 7, 8, 8, 7],
  )
  t.match(spoken(now[3]), { reasons: ['aborted-by-system'], message: 'No.', isIncoming: false })
  const again = jobs.join(jobs.add(WISH), now[2] as NonNullable<(typeof now)[2]>)
  t.match(again, { state: JOB_STATES.canceled, labels: [] })
  t.end()
})

t.test('many labels leave the list quickly, however many jobs there are', (t) => {
  const { bench, clock, jobs, make } = open(t, { endedJobsMost: 0 })
  const { spool } = bench
  const canceled: Change = { state: 'canceled', reasons: ['job-canceled-by-user'], endedAt: 1 }
  const others = Array.from({ length: 4_000 }, () => ({ ...WISH, uuid: randomUUID() }))
  spool.repeats.remember(
    others.map((job) => ({ key: `http:ipp\n${job.uuid}\n`, fingerprint: 'f' })),
  )
  const { id } = jobs.add(WISH)
  const add =
    spool.records.prepare(`INSERT INTO ipp_job(uuid, printer, name, user, client, format, template, stage, message, at, ended_at, run)
    SELECT ?, printer, name, user, client, format, template, 'taken', message, at, at, run FROM ipp_job WHERE id = ?`)
  spool.records.write(() => {
    for (const { uuid } of others) add.run(uuid, id)
  })
  const made = [1, 2].map(() => make(...Array.from({ length: 100 }, () => canceled)))
  spool.commits.flush()
  clock.ms += 2 * MINUTE_MS
  const before = process.cpuUsage()
  spool.housekeep()
  const { user, system } = process.cpuUsage(before)
  for (const job of made)
    t.match(jobs.find(job?.id ?? 0, 'c'), { state: JOB_STATES.canceled, labels: [] })
  t.ok(user + system < 100_000, `${user + system} microseconds`)
  t.end()
})

t.test('a job is taken once, and canceled only while nothing of it is taken', (t) => {
  const { jobs } = open(t)
  const job = jobs.add(WISH)
  t.same([jobs.begin(job), jobs.begin(job), jobs.giveUp(job)], [true, false, false])
  jobs.settle(job)
  t.same([jobs.begin(job), jobs.settle(job)], [true, undefined])
  t.equal(jobs.giveUp(job), true)
  const ended = jobs.find(job.id, 'c')
  t.match(ended, { state: 7, reasons: ['job-canceled-by-user'], isIncoming: false })
  t.ok((ended?.endedAt ?? 0) >= job.createdAt)
  t.equal(jobs.begin(job), false)
  const refused = jobs.end(jobs.add(WISH), 'aborted', { message: 'No.', format: 'image/png' })
  t.match(spoken(refused), { state: 8, message: 'No.', format: 'image/png' })
  t.equal(jobs.end(jobs.add(WISH), 'aborted', {}).format, WISH.format)
  t.end()
})

t.test('jobs are listed by printer and client, oldest first, for a week', async (t) => {
  const { clock, jobs } = open(t)
  const first = jobs.add(WISH)
  jobs.giveUp(first)
  jobs.add({ ...WISH, client: 'd' })
  jobs.add({ ...WISH, printer: 'Bench 2' })
  clock.ms += 7 * 86_400_000
  const second = jobs.add(WISH)
  jobs.giveUp(second)
  const ids = async () => (await jobs.list('Bench 1', 'c', 10)).map(({ id }) => id)
  t.same(await ids(), [first.id, second.id])
  clock.ms += 1
  const third = jobs.add(WISH)
  t.same(await ids(), [second.id, third.id])
  t.same(
    (await jobs.list('Bench 1', 'c', 1)).map(({ id }) => id),
    [third.id],
    'the newest',
  )
})

t.test('a client that makes jobs without end keeps the newest, and those being taken', (t) => {
  const { bench, jobs } = open(t)
  const [first, taking] = [jobs.add(WISH), jobs.add(WISH)]
  const others = [jobs.add({ ...WISH, client: 'd' }), jobs.add({ ...WISH, printer: 'Bench 2' })]
  jobs.begin(taking)
  const { records } = bench.spool
  const flood =
    records.prepare(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1998)
    INSERT INTO ipp_job(uuid, printer, name, user, client, format, template, stage, message, at, ended_at, run)
    SELECT uuid || i, printer, name, user, client, format, template, stage, message, at, ended_at, run
    FROM ipp_job, n WHERE id = ${first.id}`)
  records.write(() => flood.run())
  t.ok(jobs.find(first.id, 'c'))
  const last = [jobs.add(WISH), jobs.add(WISH)]
  t.same(
    [first, taking, ...last].map(({ id }) => jobs.find(id, 'c') !== undefined),
    [false, true, true, true],
  )
  t.same([jobs.find(others[0]?.id ?? 0, 'd'), jobs.find(others[1]?.id ?? 0, 'c')], others)
  const count = records.prepare(
    "SELECT count(*) AS all_ FROM ipp_job WHERE client = 'c' AND printer = 'Bench 1'",
  )
  t.equal(records.read(() => count.get())?.['all_'], 2_001)
  t.end()
})

t.test('jobs without a document fill no spool, from however many addresses they come', (t) => {
  const { jobs, make, bench } = open(t, { quotaBytes: 2 ** 22 })
  const printed = make({ state: 'completed', reasons: ['job-completed-successfully'] })
  const waiting = make({ state: 'pending', reasons: ['none'] })
  const most = Math.floor((2 ** 22 * 0.1) / 4_096)
  const count = bench.spool.records.prepare('SELECT count(*) AS jobs FROM ipp_job')
  using _ = jobs.arrive('slow')
  const slow = jobs.add({ ...WISH, client: 'slow' })
  for (let n = 0; n < 10 * most; n += 1) jobs.add({ ...WISH, client: `2001:db8:${n}::` })
  const row = bench.spool.records.read(() => count.get())
  t.ok(Number(row?.['jobs']) <= most, `${row?.['jobs']} of ${most}`)
  const last = jobs.add({ ...WISH, client: 'last' })
  t.ok(jobs.find(last.id, 'last')?.isIncoming, 'the newest is there')
  t.ok(jobs.find(slow.id, 'slow')?.isIncoming, 'and one whose document is arriving')
  t.equal(jobs.find(waiting?.id ?? 0, 'c')?.state, 3, 'and those with labels')
  t.equal(jobs.find(printed?.id ?? 0, 'c')?.state, 9)
  t.end()
})

t.test('a job whose document never came is forgotten ten minutes later', (t) => {
  const { jobs, clock } = open(t)
  const { id } = jobs.add(WISH)
  clock.ms += 9 * MINUTE_MS
  jobs.add(WISH)
  t.equal(jobs.find(id, 'c')?.state, 8, 'until then a client hears that it was given up')
  clock.ms += 2 * MINUTE_MS
  jobs.add(WISH)
  t.equal(jobs.find(id, 'c'), undefined)
  t.end()
})
