import t from 'tap'
import type { Job } from '../../../src/core/job.ts'
import * as moves from '../../../src/core/moves.ts'
import type { Crossing } from '../../../src/core/spool/health.ts'
import { Spool } from '../../../src/core/spool/spool.ts'
import { spoken } from '../../words/spoken.ts'
import { newJob } from '../labels.ts'

function open(folder: string): { spool: Spool; told: readonly Crossing[] } {
  const shares = { jobs: 100, printerJobs: 10, senderJobs: 20 }
  const spool = new Spool({ folder, shares, minFreeBytes: 0, ballastBytes: 0 })
  const told: Crossing[] = []
  spool.filling.onCrossing((crossing) => told.push(crossing))
  return { spool, told }
}

function add(spool: Spool, jobs: number, printer: string, sender: string): readonly Job[] {
  return spool.add(Array.from({ length: jobs }, () => newJob(1, { printer, sender }))).jobs
}

function cancel(spool: Spool, jobs: readonly Job[]): void {
  for (const job of jobs) spool.move(job.id, (now) => moves.cancel(now, 5))
}

t.test('a printer is told of once at 80 %, and once below 70 %', (t) => {
  const folder = t.testdir()
  const { spool, told } = open(folder)
  t.teardown(() => spool.close())
  const first = add(spool, 7, 'Off', '1')
  t.same(told, [])
  const more = add(spool, 2, 'Off', '2')
  t.match(spoken(told), [
    {
      isHigh: true,
      filling: {
        of: 'printer',
        name: 'Off',
        jobs: 9,
        part: 0.9,
        message: '9 labels wait for Off: its share of the print server is 90 % full.',
        hint: /press "Cancel all" on its card/,
      },
    },
  ])
  t.match(spool.filling.list(), [{ name: 'Off', jobs: 9 }])
  cancel(spool, more)
  const last = add(spool, 1, 'Off', '3')
  t.equal(told.length, 1, 'not at every label around the line')
  cancel(spool, [...last, ...first.slice(0, 1)])
  t.same(spool.filling.list(), [])
  t.match(spoken(told.slice(1)), [
    { isHigh: false, filling: { of: 'printer', name: 'Off', hint: '' } },
  ])
  t.match(spool.filling.parts(), [
    { of: 'all', name: '', part: 0.06 },
    { of: 'printer', name: 'Off', part: 0.6 },
  ])
  t.end()
})

t.test('what is told before a restart is taken back after it', (t) => {
  const folder = t.testdir()
  const first = open(folder)
  const jobs = add(first.spool, 8, 'Off', '1')
  cancel(first.spool, jobs.slice(0, 1))
  t.match(first.told, [{ isHigh: true, filling: { name: 'Off' } }])
  first.spool.close()
  const { spool, told } = open(folder)
  t.teardown(() => spool.close())
  t.match(spool.filling.list(), [{ name: 'Off', jobs: 7 }])
  cancel(spool, jobs.slice(1, 2))
  t.match(told, [{ isHigh: false, filling: { name: 'Off' } }])
  t.end()
})

t.test('so are a sender and the whole, by labels or bytes, also after a restart', (t) => {
  const folder = t.testdir()
  const { spool, told } = open(folder)
  for (let n = 0; n < 4; n += 1) add(spool, 4, `P${n}`, '10.0.0.7')
  t.match(told, [{ filling: { of: 'sender', name: '10.0.0.7', jobs: 16 } }])
  for (let n = 0; n < 16; n += 1) add(spool, 4, `Q${n}`, `10.0.1.${n}`)
  t.match(told.slice(1), [{ filling: { of: 'all', name: '', jobs: 80 } }])
  spool.close()
  const again = open(folder).spool
  t.teardown(() => again.close())
  t.same(
    again.filling
      .list()
      .map(({ of }) => of)
      .sort(),
    ['all', 'sender'],
  )
  t.end()
})

t.test('bytes count as labels do', (t) => {
  const quotaBytes = 8 * 2 ** 20
  const spool = new Spool({ folder: t.testdir(), quotaBytes, minFreeBytes: 0, ballastBytes: 0 })
  t.teardown(() => spool.close())
  spool.add([newJob(1, { bytes: 3 * 2 ** 20, printer: 'A', sender: '' })])
  t.match(spool.filling.list(), [{ of: 'printer', name: 'A', jobs: 1 }])
  t.end()
})
