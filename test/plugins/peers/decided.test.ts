import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { isMoving } from '../../../src/core/job.ts'
import type { PeerAnswer } from '../../../src/plugins/peers/client.ts'
import { isInsisted } from '../../../src/plugins/peers/handover-moves.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { zplLabel } from '../../core/labels.ts'
import { spoken } from '../../words/spoken.ts'
import { Disk } from './races/disk.ts'
import { openScripted } from './rig.ts'

t.setTimeout(120_000)

const goal = (peer: string) => ({ peer, boxName: peer, printer: 'Bench 1', ticket: '' })
const lost: PeerAnswer = {
  kind: 'lost',
  isSent: true,
  error: new PlatenError('PEER_UNREACHABLE', 'lost'),
}
const absent: PeerAnswer = { kind: 'answer', status: 200, json: { taken: false } }
const refused: PeerAnswer = { kind: 'answer', status: 507, json: {} }

async function answerAll(asked: ReturnType<typeof openScripted>['asked']): Promise<void> {
  const { path, answer } = await asked('b')
  answer(path === '/peers/withdraw' ? absent : refused)
  if (path !== '/peers/withdraw') await answerAll(asked)
}

const taken: PeerAnswer = { kind: 'answer', status: 200, json: { jobs: [{ id: 'abcd-1' }] } }

t.test(
  'a box that may have a label is told of the decision though it goes elsewhere',
  async (t) => {
    const { bench, handovers, asked } = openScripted(t)
    const id = bench.accept(zplLabel('one')) ?? ''
    void handovers.give(id, goal('b'), 0)
    const first = await asked('b')
    const anyway = await handovers.takeBack(id, 'release', { anyway: true, patienceMs: 0 })
    t.ok(isInsisted(anyway), 'no rule sends it away again')
    void handovers.give(id, goal('c'), 0)
    const next = await asked('c')
    first.answer(lost)
    const told = await asked('b')
    t.equal(told.path, '/peers/withdraw')
    t.ok(isMoving(bench.job(id)))
    next.answer(taken)
    t.match(spoken(await bench.until(id, 'ended')), { message: 'Moved to Bench 1 on c.' })
    t.equal(handovers.count('b'), 1, 'until it has heard of it')
    told.answer(absent)
    while (handovers.count('b') > 0) await turn()
    t.same(bench.faults, [])
  },
)

t.test('under a new identity a label that was offered before is left to a person', async (t) => {
  const before = openScripted(t)
  const { bench, handovers, asked, stopping } = before
  const id = bench.accept(zplLabel('one')) ?? ''
  void handovers.give(id, goal('b'), 0)
  await asked('b')
  stopping.abort()
  await bench.close()
  // As the hint says when the file is broken: then the boxes are paired again.
  rmSync(join(bench.folder, 'peers.json'))
  const after = openScripted(t, bench.folder)
  after.handovers.start()
  const unsure = await after.bench.untilJob(id, ({ code }) => code === 'PEER_UNSURE')
  t.match(spoken(unsure), { state: 'pending-held', message: /^Nobody can say now/ })
  t.same(after.calls, [], 'the other box would take it for a new one')
})

t.test('a note of a handover that is damaged leaves its label to a person', async (t) => {
  const { bench, handovers, asked, stopping } = openScripted(t)
  const [id, other] = [bench.accept(zplLabel('one')) ?? '', bench.accept(zplLabel('two')) ?? '']
  for (const [job, box] of [
    [id, 'b'],
    [other, 'c'],
  ] as const) {
    void handovers.give(job, goal(box), 0)
    await asked(box)
  }
  stopping.abort()
  const { records } = bench.spool
  const cut = records.prepare('UPDATE meta SET value = substr(value, 1, 40) WHERE key = ?')
  records.write(() => cut.run(`move:${id}`))
  await bench.close()
  const after = openScripted(t, bench.folder)
  after.handovers.start()
  t.equal((await after.asked('c')).path.split('?')[0], '/', 'the other one goes on')
  const unsure = await after.bench.untilJob(id, ({ code }) => code === 'PEER_UNSURE')
  t.match(spoken(unsure), { state: 'pending-held', message: /^Nobody can say now/ })
  const anyway = { anyway: true, patienceMs: 0 }
  t.match(await after.handovers.takeBack(id, 'release', anyway), { state: 'pending' })
})

t.test('a label that may not leave any more when its turn comes stays as it is', async (t) => {
  const { bench, handovers, calls } = openScripted(t)
  const id = bench.accept(zplLabel('one')) ?? ''
  const held = bench.scheduler.hold(id)
  const may = ({ state }: { readonly state: string }) => state === 'pending'
  await t.rejects(handovers.give(id, goal('b'), 0, may), { code: 'JOB_STATE' })
  t.match(bench.job(id), { state: 'pending-held', reasons: ['job-hold-until-specified'] })
  await held
  t.same(calls, [])
})

t.test('a label that comes back is printed though the disk fails meanwhile', async (t) => {
  for (const failing of [0, 1]) {
    const { bench, handovers, asked, woken } = openScripted(t)
    const disk = new Disk()
    const id = bench.accept(zplLabel('one')) ?? ''
    void handovers.give(id, goal('b'), 0)
    const first = await asked('b')
    let commits = 0
    disk.fail(bench.folder, () => {
      commits += 1
      return commits > failing && commits <= failing + 2 ? 0 : undefined
    })
    first.answer(refused)
    // What was refused once is asked about again when that could not be written.
    void answerAll(asked)
    await bench.untilJob(id, ({ state }) => state === 'pending')
    disk.close()
    while (woken.length === 0) await turn()
    t.same(woken, ['A'])
  }
})
