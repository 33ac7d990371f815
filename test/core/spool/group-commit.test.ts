import t, { type Test } from 'tap'
import { cancel } from '../../../src/core/moves.ts'
import { SpoolDatabase } from '../../../src/core/spool/database.ts'
import { GroupCommit } from '../../../src/core/spool/group-commit.ts'
import { IntakeLine } from '../../../src/core/spool/shares.ts'
import { Spool } from '../../../src/core/spool/spool.ts'
import { spoken } from '../../words/spoken.ts'
import { newJob } from '../labels.ts'

/** However slow the machine is, no slice is over. */
const STILL = { now: () => 0, soon: setImmediate, later: () => undefined }

/** A spool that counts its commits from here on. */
function open(t: Test): { spool: Spool; commits: () => number; folder: string } {
  let commits = 0
  const folder = t.testdir()
  const settings = { folder, minFreeBytes: 0, ballastBytes: 0, shares: { senderJobs: 3 } }
  const spool = new Spool({
    ...settings,
    pace: STILL,
    onCommit: () => {
      commits += 1
    },
  })
  commits = 0
  t.teardown(() => spool.close())
  return { spool, commits: () => commits, folder }
}

function take(spool: Spool, mark: number, sender = 'a'): Promise<string> {
  return spool.commits.take(sender, () => {
    const [job] = spool.add([newJob(mark, { sender })]).jobs
    return job?.id ?? ''
  })
}

t.test('one commit serves all that wait for one', async (t) => {
  const { spool, commits } = open(t)
  const first = spool.add([newJob(0, { sender: 'b' })]).jobs[0]?.id ?? ''
  const seen: string[] = []
  spool.onChange((job) => seen.push(`${job.state} ${commits()}`))
  const step = spool.commits.step(() => spool.move(first, (job) => cancel(job, 1)))
  const taken = [1, 2, 3].map((mark) => take(spool, mark))
  t.equal(spool.history.counts().pending, 1, 'nothing is there before the commit')
  await Promise.all([step, ...taken])
  t.equal(commits(), 2, 'that of the first label and one for the rest')
  t.same(
    seen,
    ['canceled 2', 'pending 2', 'pending 2', 'pending 2'],
    'told after it, printers first',
  )
  t.equal(spool.history.counts().pending, 3)
})

t.test('states are told in their order, though a listener writes the next', async (t) => {
  const { spool } = open(t)
  const begins = spool.add([newJob(0)]).jobs[0]?.id.replace(/\d+$/, '') ?? ''
  const ids = [1, 2, 3].map((number) => `${begins}${number}`)
  spool.onChange(() => {
    const waiting = ids.filter((id) => spool.history.get(id)?.state === 'pending')
    for (const id of waiting) spool.move(id, (job) => cancel(job, 1))
  })
  const told: string[] = []
  spool.onChange(({ id, state }) => told.push(`${id} ${state}`))
  await Promise.all([take(spool, 1), take(spool, 2)])
  for (const id of ids.slice(1)) {
    const own = told.filter((line) => line.startsWith(`${id} `))
    t.same(own, [`${id} pending`, `${id} canceled`])
  }
})

t.test('what one request does wrong leaves the others of its commit alone', async (t) => {
  const { spool, commits, folder } = open(t)
  const told: string[] = []
  spool.onChange((job) => told.push(job.id))
  const taken = await Promise.allSettled([
    take(spool, 1),
    spool.commits.take('b', () => {
      spool.add([newJob(7, { sender: 'b' })])
      throw new TypeError('wrong')
    }),
    take(spool, 2),
    take(spool, 3),
    take(spool, 4),
  ])
  t.same(
    taken.map((one) =>
      one.status === 'fulfilled' ? 'taken' : (one.reason.code ?? one.reason.name),
    ),
    ['taken', 'TypeError', 'taken', 'taken', 'SPOOL_FULL'],
    'the share of a sender counts those of the same commit',
  )
  t.equal(commits(), 1)
  t.equal(told.length, 3, 'nobody hears of what was taken back')
  t.equal(spool.history.counts().pending, 3)
  t.strictSame(spool.health.loads().senders, { a: spool.health.loads().all })
  spool.close()
  // What is only counted in memory could hide a row that was left behind.
  const again = new Spool({ folder, minFreeBytes: 0, ballastBytes: 0 })
  t.equal(again.history.counts().pending, 3, 'nothing of it is on disk')
  again.close()
})

/** A database of its own, for what the spool never writes. */
function openDatabase(t: Test, quotaBytes: number, onCommit?: () => void): SpoolDatabase {
  const settings = { folder: t.testdir(), quotaBytes, minFreeBytes: 0, ballastBytes: 0 }
  const db = new SpoolDatabase({ ...settings, ...(onCommit ? { onCommit } : {}) }, Date.now)
  t.teardown(() => db.close())
  return db
}

t.test('a commit that fails as a whole is made again in its parts', async (t) => {
  const db = openDatabase(t, 2 ** 20)
  const commits = new GroupCommit(db, (error) => t.fail(String(error)), STILL)
  const told: string[] = []
  const note = (key: string): void => {
    db.write(() => void db.sql.setMeta.run(key, 'here'))
    db.afterCommit(() => told.push(key))
  }
  const isThere = (key: string): boolean => db.sql.meta.get(key) !== undefined
  const parts = await Promise.allSettled([
    commits.step(() => note('one')),
    commits.take('a', () => note('two')),
    commits.take('a', () => {
      note('three')
      // SQLite itself takes the whole transaction back when the quota is reached.
      db.write(() => db.sql.addPreview.run(1, Buffer.alloc(2 ** 21)))
    }),
    commits.take('b', () => note('four')),
  ])
  t.same(
    parts.map((part) => (part.status === 'fulfilled' ? '' : part.reason.code)),
    ['', '', 'SPOOL_FULL', ''],
  )
  t.ok(isThere('one') && isThere('two') && isThere('four'))
  t.same(told.filter((key) => key !== 'three').toSorted(), ['four', 'one', 'two'], 'each told once')
})

t.test('nobody hears of a success before the commit', async (t) => {
  const db = openDatabase(t, 2 ** 20)
  const commits = new GroupCommit(db, (error) => t.fail(String(error)), STILL)
  let runs = 0
  const [first] = await Promise.allSettled([
    commits.take('a', () => {
      runs += 1
      if (runs > 1) throw new TypeError('the second time')
      db.write(() => void db.sql.setMeta.run('one', 'here'))
    }),
    // SQLite itself takes the whole transaction back, the first request's work with it.
    commits.take('a', () => db.write(() => db.sql.addPreview.run(1, Buffer.alloc(2 ** 21)))),
  ])
  t.equal(runs, 2)
  t.match(spoken(first), { status: 'rejected', reason: { message: 'the second time' } })
  t.equal(db.sql.meta.get('one'), undefined)
})

t.test('a database that takes nothing is told to all who wait', async (t) => {
  const { spool } = open(t)
  spool.close()
  const step = spool.commits.step(() => spool.health.check())
  await t.rejects(take(spool, 1), { code: 'SPOOL_BROKEN' })
  await t.rejects(step, { code: 'SPOOL_BROKEN' })
})

t.test('what waits is written before the spool closes', async (t) => {
  const { spool, folder } = open(t)
  const taken = take(spool, 1)
  spool.close()
  const id = await taken
  const again = new Spool({ folder, minFreeBytes: 0, ballastBytes: 0 })
  t.teardown(() => again.close())
  t.equal(again.history.get(id)?.state, 'pending')
})

/** An event loop that turns when it is told to, and a clock that goes on by a millisecond for every request. */
function makePace() {
  let now = 0
  let soon: (() => void)[] = []
  const timers: { readonly at: number; readonly turn: () => void }[] = []
  return {
    now: () => now,
    soon: (turn: () => void) => void soon.push(turn),
    later: (ms: number, turn: () => void) => void timers.push({ at: now + ms, turn }),
    spend: (ms: number) => {
      now += ms
    },
    /** Takes a turn of the loop; with nothing to do it sleeps until the next timer. */
    async turn(): Promise<void> {
      const due = soon
      soon = []
      for (const turn of due) turn()
      timers.sort((a, b) => a.at - b.at)
      const [timer] = due.length > 0 ? [] : timers.splice(0, 1)
      if (timer !== undefined) now = Math.max(now, timer.at)
      timer?.turn()
      await new Promise(setImmediate)
    },
  }
}

t.test('requests get a slice of a commit, and the steps of printers come first', async (t) => {
  let count = 0
  const pace = makePace()
  const db = openDatabase(t, 2 ** 26, () => {
    count += 1
  })
  const commits = new GroupCommit(db, (error) => t.fail(String(error)), pace)
  const done: string[] = []
  const slow = (name: string) => () => {
    pace.spend(1)
    done.push(name)
  }
  const taken = Array.from({ length: 30 }, (_, n) => commits.take('crowd', slow(`crowd ${n}`)))
  const other = commits.take('other', slow('other'))
  const step = commits.step(slow('printer'))
  await pace.turn()
  await Promise.all([step, other])
  t.same(done.slice(0, 3), ['printer', 'crowd 0', 'other'], 'clients take turns')
  t.equal(done.length, 10, 'ten milliseconds')
  t.equal(count, 1)

  const before = pace.now()
  const next = commits.step(slow('next step'))
  while (!done.includes('next step')) await pace.turn()
  await next
  t.equal(done.at(-1), 'next step', 'requests leave the printers their time')
  while (done.length < 12) await pace.turn()
  t.ok(pace.now() - before >= 8 * 9, 'eight times what their slice took')
  while (done.length < 32) await pace.turn()
  await Promise.all(taken)
  t.same(done.slice(-3), ['crowd 27', 'crowd 28', 'crowd 29'], 'each in the order of its client')
  t.ok(count <= 6, `${count} commits`)
})

t.test('requests wait for printers that print, not for those that stand still', async (t) => {
  const pace = makePace()
  const db = openDatabase(t, 2 ** 26)
  const commits = new GroupCommit(db, (error) => t.fail(String(error)), pace)
  const took: number[] = []
  const request = () => {
    took.push(pace.now())
    pace.spend(10)
  }
  const step = commits.step(() => undefined)
  const taken = Array.from({ length: 7 }, () => commits.take('a', request))
  while (took.length < 7) await pace.turn()
  await Promise.all([step, ...taken])
  const gaps = took.slice(1).map((at, n) => at - (took[n] ?? 0))
  t.same(gaps, [90, 90, 90, 10, 10, 10], 'after a quarter of a second without a step')
})

t.test('after a slow flush those whom it served share the next one', async (t) => {
  const pace = makePace()
  const db = openDatabase(t, 2 ** 26)
  const commits = new GroupCommit(db, (error) => t.fail(String(error)), pace)
  /** Two requests whose flush takes so long; when a request and a step after it begin, counted from its end. */
  const follow = async (flushMs: number): Promise<readonly number[]> => {
    const both = Promise.all([1, 2].map(() => commits.take('a', () => undefined)))
    for (let isFlushing = false; !isFlushing; ) {
      const turned = pace.turn()
      isFlushing = db.isLanding // asked before the thread can be done with it
      if (isFlushing) pace.spend(flushMs)
      await turned
    }
    await both
    const landed = pace.now()
    const at: number[] = []
    const begins = () => void at.push(pace.now() - landed)
    const [request, step] = [commits.take('a', begins), commits.step(begins)]
    while (at.length < 2) await pace.turn()
    await Promise.all([request, step])
    return at
  }
  t.same(await follow(40), [0, 10], 'a quarter of it; the step of a printer at once')
  t.same(await follow(400), [0, 20], 'never longer')
  t.same(await follow(2), [0, 0], 'nobody waits for a quick disk')
})

t.test('a step never waits for requests that rest', async (t) => {
  const pace = makePace()
  const db = openDatabase(t, 2 ** 26)
  const commits = new GroupCommit(db, (error) => t.fail(String(error)), pace)
  const at: number[] = []
  const step = () => commits.step(() => void at.push(pace.now()))
  const crowd = Array.from({ length: 40 }, () => commits.take('crowd', () => pace.spend(1)))
  await Promise.all([step(), pace.turn()])
  t.equal(pace.now(), 10, 'ten milliseconds of requests')
  await Promise.all([step(), pace.turn()])
  await Promise.all([step(), step(), pace.turn()])
  t.same(at, [0, 10, 10, 10], 'at once, while requests rest')
  commits.flush()
  await Promise.all(crowd)
})

t.test(
  'the loop is free while the disk takes a commit, and who comes meanwhile shares the next',
  async (t) => {
    const seen: string[] = []
    const db = openDatabase(t, 2 ** 26, () => void seen.push('on disk'))
    const commits = new GroupCommit(db, (error) => t.fail(String(error)), STILL)
    const write = (mark: string) => () => {
      seen.push(mark)
      db.write(() => void db.sql.setMeta.run(mark, 'here'))
    }
    const first = commits.take('a', write('first')).then(() => void seen.push('told'))
    const others: Promise<void>[] = []
    // Node asks its thread only between two turns of the loop, so this turn is over before the flush is.
    await new Promise(setImmediate)
    t.same(seen, ['first'])
    t.ok(db.isLanding)
    others.push(commits.step(write('second')), commits.take('b', write('third')))
    await first
    await Promise.all(others)
    t.same(seen, ['first', 'on disk', 'told', 'second', 'third', 'on disk'])
  },
)

t.test('a write of its own takes the commit along that waits for the disk', async (t) => {
  const seen: string[] = []
  const db = openDatabase(t, 2 ** 26, () => void seen.push('on disk'))
  const commits = new GroupCommit(db, (error) => t.fail(String(error)), STILL)
  const first = commits.step(() => {
    db.write(() => void db.sql.setMeta.run('one', 'here'))
    db.afterCommit(() => seen.push('one'))
  })
  await new Promise(setImmediate)
  t.ok(db.isLanding)
  db.write(() => void db.sql.setMeta.run('two', 'here'))
  db.afterCommit(() => seen.push('two'))
  t.same(seen, ['on disk', 'on disk', 'one', 'two'], 'in the order of the commits')
  t.notOk(db.isLanding)
  await first
})

t.test('large labels do not wait in memory', async (t) => {
  const db = openDatabase(t, 2 ** 26)
  const commits = new GroupCommit(db, (error) => t.fail(String(error)), makePace())
  const done: number[] = []
  const taken = [1, 2, 3].map((n) => commits.take('a', () => void done.push(n), 400_000))
  t.same(done, [1], 'the oldest made room for the third')
  commits.flush()
  await Promise.all(taken)
  t.same(done, [1, 2, 3])
})

t.test('of clients with one request each, one that was refused leaves no gap in the line', (t) => {
  const line = new IntakeLine<string>({ ofOwner: 3, all: 2 })
  for (const owner of ['a', 'b', 'c']) line.add(owner, owner)
  t.equal(line.size, 2)
  const left = [line.next(), line.next()]
  t.notOk(left.includes(undefined))
  t.equal(line.next(), undefined)
  t.equal(line.size, 0)
  t.end()
})

t.test('a crowd is refused before anybody else', async (t) => {
  const db = openDatabase(t, 2 ** 26)
  const commits = new GroupCommit(db, (error) => t.fail(String(error)), makePace())
  const crowd = Array.from({ length: 129 }, () => commits.take('crowd', () => 'taken'))
  await t.rejects(Promise.resolve(crowd.at(-1)), { code: 'SERVER_BUSY' })
  const other = commits.take('other', () => 'taken')
  commits.flush()
  t.equal(await other, 'taken')
  t.equal((await Promise.all(crowd.slice(0, 128))).length, 128)

  const line = new IntakeLine<string>({ ofOwner: 3, all: 4 })
  for (const item of ['a1', 'a2', 'a3', 'b1']) t.equal(line.add(item.charAt(0), item), undefined)
  t.equal(line.add('a', 'a4'), 'a4', 'its own share first')
  t.equal(line.add('c', 'c1'), 'a3', 'then that of who has the most')
  t.same(
    Array.from({ length: 5 }, () => line.next()),
    ['a1', 'b1', 'c1', 'a2', undefined],
  )
  t.equal(line.size, 0)
})
