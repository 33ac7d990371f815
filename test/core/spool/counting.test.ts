import t, { type Test } from 'tap'
import { cancel } from '../../../src/core/moves.ts'
import { Spool } from '../../../src/core/spool/spool.ts'
import { newJob } from '../labels.ts'

t.setTimeout(300_000)

/** A spool in which so many labels wait. */
function fill(t: Test, folder: string, jobs: number, retentionHours = 72): Spool {
  const spool = new Spool({
    folder,
    minFreeBytes: 0,
    ballastBytes: 0,
    retentionHours: () => retentionHours,
  })
  t.teardown(() => spool.close())
  for (let left = jobs; left > 0; left -= 500) {
    spool.add(Array.from({ length: Math.min(500, left) }, () => newJob(1)))
  }
  return spool
}

function cpuMs(work: () => void, times: number): number {
  const before = process.cpuUsage()
  for (let n = 0; n < times; n += 1) work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

t.test(
  'a label whose end is on its way to the disk counts once among those of today',
  async (t) => {
    const spool = fill(t, t.testdir(), 1)
    const [job] = spool.history.list({ limit: 1 })
    const ended = spool.commits.step(() =>
      spool.move(job?.id ?? '', (now) => cancel(now, Date.now())),
    )
    while (!spool.commits.isLanding) await new Promise(setImmediate)
    spool.overview.counts()
    await ended
    t.equal(spool.overview.counts().get('Bench 1')?.canceled, 1)
  },
)

t.test('what is asked all the time costs the same whatever waits', (t) => {
  const folder = t.testdir({ few: {}, many: {} })
  const few = fill(t, `${folder}/few`, 100)
  const many = fill(t, `${folder}/many`, 20_000)
  t.equal(many.history.counts().pending, 20_000)
  t.equal(many.line.waiting().get('Bench 1'), 20_000)
  t.equal(many.line.countUnfinished('Bench 1'), 20_000)
  const questions: Readonly<Record<string, (spool: Spool) => unknown>> = {
    counts: (spool) => spool.history.counts(),
    waiting: (spool) => spool.line.waiting(),
    hasRoom: (spool) => spool.health.hasRoom(1000),
    countUnfinished: (spool) => spool.line.countUnfinished('Bench 1'),
    msToExpiry: (spool) => spool.line.msToExpiry(),
    expired: (spool) => spool.line.expired(),
    next: (spool) => spool.line.next('Bench 1'),
  }
  for (const [name, ask] of Object.entries(questions)) {
    const [little, much] = [few, many].map((spool) => cpuMs(() => ask(spool), 500)) as [
      number,
      number,
    ]
    // A walk through 20,000 rows takes a millisecond or more, 500 of them at least 200.
    t.ok(much < 10 * little + 100, `${name}: ${much} ms, ${little} ms with few`)
  }
  t.end()
})

t.test('a request is taken as quickly into a full spool as into an empty one', (t) => {
  const folder = t.testdir({ few: {}, many: {} })
  const few = fill(t, `${folder}/few`, 100)
  const many = fill(t, `${folder}/many`, 20_000)
  const copies = Array.from({ length: 500 }, () => newJob(1))
  const [little, much] = [few, many].map((spool) => cpuMs(() => spool.add(copies), 2)) as [
    number,
    number,
  ]
  t.ok(much < 5 * little + 500, `${much} ms, ${little} ms with few`)
  t.end()
})

t.test('labels that have been kept long enough go as quickly from a full spool', (t) => {
  const folder = t.testdir({ few: {}, many: {} })
  const [little, much] = [100, 20_000].map((waiting) => {
    const name = waiting === 100 ? 'few' : 'many'
    const spool = fill(t, `${folder}/${name}`, waiting, 0)
    const labels = Array.from({ length: 500 }, (_, n) => ({
      ...newJob(),
      label: Buffer.from(`^XA^FD${n}^FS^XZ`),
    }))
    const ids = spool.add(labels).jobs.map(({ id }) => id)
    spool.moveAll(ids, (job) => cancel(job, 1))
    const ms = cpuMs(() => spool.housekeep(), 1)
    t.equal(spool.history.get(ids[0] ?? '')?.hasLabel, false)
    t.equal(spool.history.counts().pending, waiting)
    return ms
  }) as [number, number]
  // A walk through 20,000 rows for each of 500 labels takes a second and more.
  t.ok(much < 5 * little + 300, `${much} ms, ${little} ms with few`)
  t.end()
})

t.test('room that many small labels have to make costs few flushes', (t) => {
  let commits = 0
  const spool = new Spool({
    folder: t.testdir(),
    minFreeBytes: 0,
    ballastBytes: 0,
    quotaBytes: 8e6,
    shares: { part: 1 },
    onCommit: () => {
      commits += 1
    },
  })
  t.teardown(() => spool.close())
  for (let n = 0; n < 5; n += 1) {
    const ids = spool.add(Array.from({ length: 1000 }, () => newJob(1))).jobs.map(({ id }) => id)
    spool.moveAll(ids, (job) => cancel(job, 1))
  }
  spool.add([{ ...newJob(), label: Buffer.alloc(5e6, 'a') }])
  commits = 0
  spool.add([{ ...newJob(), label: Buffer.alloc(1.4e6, 'b') }])
  t.equal(spool.history.counts().pending, 2)
  t.ok(spool.history.counts().canceled < 5000, 'labels and rows had to go')
  t.ok(commits < 30, `${commits} transactions`)
  t.end()
})

t.test('no more labels go than have to', (t) => {
  const spool = new Spool({
    folder: t.testdir(),
    minFreeBytes: 0,
    ballastBytes: 0,
    quotaBytes: 8e6,
    shares: { part: 1 },
  })
  t.teardown(() => spool.close())
  const ids = Array.from({ length: 65 }, (_, n) => {
    const [job] = spool.add([{ ...newJob(), label: Buffer.alloc(100_000, `${n}`) }]).jobs
    return job?.id ?? ''
  })
  spool.moveAll(ids, (job) => cancel(job, 1))
  spool.add([{ ...newJob(), label: Buffer.alloc(1_000_000, 'new') }])
  const kept = ids.filter((id) => spool.history.get(id)?.hasLabel)
  t.equal(kept.length, 45)
  t.end()
})
