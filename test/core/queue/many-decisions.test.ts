import t from 'tap'
import type { Job } from '../../../src/core/job.ts'
import { Spool } from '../../../src/core/spool/spool.ts'
import { Bench, printer } from '../bench.ts'

t.test('what many people decide at once shares its commits', async (t) => {
  let commits = 0
  const onCommit = (): void => {
    commits += 1
  }
  const bench = new Bench(t, {
    printers: [printer('A', 'socket://127.0.0.1:1')],
    openSpool: (settings) => new Spool({ ...settings, onCommit }),
  })

  const ids = bench.print(Array.from({ length: 60 }, (_, mark) => mark))
  bench.scheduler.start()
  const decide = async (work: (id: string) => Promise<Job>): Promise<readonly Job[]> => {
    commits = 0
    return await Promise.all(ids.map((id) => work(id)))
  }
  const held = await decide((id) => bench.scheduler.hold(id))
  t.ok(held.every(({ state }) => state === 'pending-held'))
  t.ok(commits < 30, `${commits} commits to hold 60`)
  const released = await decide((id) => bench.scheduler.release(id))
  t.ok(released.every(({ state }) => state === 'pending'))
  t.ok(commits < 30, `${commits} commits to release 60`)
  const canceled = await decide((id) => bench.scheduler.cancel(id))
  t.ok(canceled.every(({ state, delivery }) => state === 'canceled' && delivery === 'none'))
  t.ok(commits < 30, `${commits} commits to cancel 60`)
  t.same(bench.faults, [])
})
