import t from 'tap'
import { IppJobs } from '../../../src/plugins/ipp/jobs.ts'
import type { IppOperation, OperationParts } from '../../../src/plugins/ipp/operation.ts'
import { closeJob } from '../../../src/plugins/ipp/print-operations.ts'
import { GROUPS, integer } from '../../../src/printers/ipp/message.ts'
import { Bench, printer } from '../../core/bench.ts'
import { spoken } from '../../words/spoken.ts'

t.test('a job whose labels are being taken is not ended by its close or its age', (t) => {
  let uptimeMs = 1_000
  const bench = new Bench(t, { printers: [printer('A', 'file:a')], uptimeMs: () => uptimeMs })
  const jobs = new IppJobs(bench.spool)
  const wish = { printer: 'A', name: 'one', user: '', client: 'c', format: '', template: new Map() }
  const job = jobs.add(wish)
  t.equal(jobs.begin(job), true)
  const attributes = new Map([['job-id', integer(job.id)]])
  const message = { version: [2, 0], code: 0, requestId: 1 } as const
  const asked = {
    message: { ...message, groups: [{ tag: GROUPS.operation, attributes }] },
    client: 'c',
  } as Partial<IppOperation> as IppOperation
  closeJob({ jobs } as Partial<OperationParts> as OperationParts, asked)
  t.match(jobs.find(job.id, 'c'), { isIncoming: true, reasons: ['job-incoming'] })
  t.equal(jobs.giveUp(job), false)
  uptimeMs += 61_000
  t.match(jobs.find(job.id, 'c'), { isIncoming: true }, 'a PDF may take its time')
  jobs.settle(job)
  t.match(jobs.find(job.id, 'c'), { isIncoming: false, reasons: ['aborted-by-system'] })

  const empty = jobs.add(wish)
  t.equal(jobs.giveUp(empty, 'aborted', 'No document came.'), true)
  t.match(spoken(jobs.find(empty.id, 'c')), { isIncoming: false, message: 'No document came.' })
  t.end()
})

t.test(
  'jobs whose document has not come are counted and ended together, the others stay',
  async (t) => {
    let uptimeMs = 1_000
    const bench = new Bench(t, { printers: [printer('A', 'file:a')], uptimeMs: () => uptimeMs })
    const jobs = new IppJobs(bench.spool)
    const wish = {
      printer: 'A',
      name: 'one',
      user: '',
      client: 'c',
      format: '',
      template: new Map(),
    }
    const late = jobs.add(wish)
    uptimeMs += 61_000
    const ended = jobs.add(wish)
    jobs.end(ended, 'canceled', { message: 'By its sender.' })
    const taking = jobs.add(wish)
    t.equal(jobs.begin(taking), true)
    const empty = Array.from({ length: 250 }, (_, n) => jobs.add({ ...wish, client: `c${n % 3}` }))
    t.equal(jobs.countIncoming(), 251)
    t.equal(await jobs.giveUpAll('Canceled here.'), 250)
    t.equal(jobs.countIncoming(), 1)
    for (const { id, client } of empty)
      t.match(spoken(jobs.find(id, client)), { isIncoming: false, message: 'Canceled here.' })
    t.match(jobs.find(taking.id, 'c'), { isIncoming: true })
    t.match(spoken(jobs.find(late.id, 'c')), { reasons: ['aborted-by-system'], message: '' })
    t.match(spoken(jobs.find(ended.id, 'c')), { message: 'By its sender.' })
    t.equal(await jobs.giveUpAll('Canceled here.'), 0)
  },
)
