import t, { type Test } from 'tap'
import { NOTHING, quoteEnglish } from '../../../../src/words/say.ts'
import { findOffUri, type RigSettings } from '../../../http/rig.ts'
import { spoken } from '../../../words/spoken.ts'
import { type Answer, packagesOf, startShipping, TWO_PARCELS } from './calls.ts'

type Told = readonly (readonly [type: string, description: string])[]

const toldOf = (answer: Answer): Told =>
  (answer.data?.errors ?? []).map(({ type, description }) => [type, description] as const)

/** A shipment of two parcels whose labels go to a printer, and how it is given back. */
async function startBought(t: Test, settings: RigSettings = {}, print: unknown = 'Bench 1') {
  const rig = startShipping(t, settings)
  const bought = await rig.ask('SubmitShipment', { ...TWO_PARCELS, print }, { request_id: 'vp-1' })
  const params = { shipment_id: bought.data?.['shipment_id'] }
  const refund = async (): Promise<Answer> =>
    await rig.ask('VoidShipment', params, { request_id: 'void-1' })
  const states = (): readonly string[] => rig.jobs().map(({ state }) => state)
  const ids = packagesOf(bought).map((one) => one.print?.job_id ?? '')
  return { ...rig, bought, refund, states, ids }
}

const post = { method: 'POST' }

/** Ways in which labels wait, with the printers that they wait for. */
const WAITS: Readonly<
  Record<string, (rig: Awaited<ReturnType<typeof startBought>>) => Promise<unknown> | unknown>
> = {
  'in line': () => undefined,
  'held by a person': async ({ bench, ids }) => {
    for (const id of ids) await bench.scheduler.hold(id)
  },
  'for a paused printer': ({ bench }) => bench.scheduler.pause('Bench 1'),
  'after they were moved to another printer': ({ bench }) =>
    bench.intake.moveWaiting('Bench 1', 'Bench 2'),
  'after the program was started again': ({ bench }) => bench.spool.housekeep(),
  'with an answer that is old': ({ bench }) =>
    bench.spool.records.prepare("UPDATE purchase SET answer = '', is_thin = 1").run(),
  'since before an update': ({ bench }) =>
    bench.spool.records.prepare('DELETE FROM bought_job').run(),
}

for (const [how, make] of Object.entries(WAITS)) {
  t.test(`a voided label does not print that waits ${how}`, async (t) => {
    const rig = await startBought(t, { prints: false })
    const { bench, call, jobs, refund, printed } = rig
    await make(rig)
    const answer = await refund()
    t.match(answer.data, { status: 'Success' })
    const notes = toldOf(answer)
    t.match(notes, [['NOTE', /^2 labels of this shipment waited for Bench [12] and were canceled/]])
    const waiting = jobs().filter(({ reasons }) => !reasons.includes('platen-moved'))
    t.match(spoken(waiting), [
      { state: 'canceled', message: /shipment of this label was voided/, delivery: 'none' },
      { state: 'canceled' },
    ])
    t.same(await refund(), answer, 'the same call, the same answer')
    bench.scheduler.start()
    bench.scheduler.resume('Bench 1')
    await call('/', { method: 'POST', body: new URLSearchParams({ label: 'XlhBXlha' }) })
    t.equal(printed('bench-1').length, 1, 'another label prints, and these do not')
    t.equal(jobs().filter(({ state }) => state === 'completed').length, 1)
  })
}

t.test('all copies are canceled', async (t) => {
  const { refund, states } = await startBought(t, { prints: false }, { copies: 3 })
  t.match(toldOf(await refund()), [['NOTE', /^6 labels/]])
  t.same(new Set(states()), new Set(['canceled']))
})

t.test('a label of another shipment goes on', async (t) => {
  const { ask, refund, jobs } = await startBought(t, { prints: false })
  await ask('SubmitShipment', { ...TWO_PARCELS, print: true }, { request_id: 'vp-2' })
  await refund()
  t.same(
    jobs().map(({ state }) => state),
    ['canceled', 'canceled', 'pending', 'pending'],
  )
})

t.test('a shipment of another carrier with the same number goes on', async (t) => {
  const { bench, refund, states } = await startBought(t, { prints: false })
  bench.spool.records.prepare("UPDATE purchase SET carrier = 'UPS-REST'").run()
  t.same(toldOf(await refund()), [])
  t.same(states(), ['pending', 'pending'])
})

t.test('a refund that is refused cancels nothing', async (t) => {
  const { ask, states } = await startBought(t, { prints: false })
  const answer = await ask('VoidShipment', { tracking_number: 'PL90000000000000007' })
  t.match(toldOf(answer), [['ERROR', /./]])
  t.same(states(), ['pending', 'pending'])
})

t.test('what the carrier says was given back before does not print', async (t) => {
  const { ask, bench, bought, refund, states } = await startBought(t, { prints: false })
  await refund()
  // As after a power cut behind the carrier's own note, and a call with another id.
  const { records } = bench.spool
  records.prepare('UPDATE purchase SET is_void = 0').run()
  records.prepare("UPDATE job SET state = 'pending', ended_at = 0, ended_run = 0").run()
  const params = { shipment_id: bought.data?.['shipment_id'] }
  const again = await ask('VoidShipment', params, { request_id: 'void-2' })
  t.match(toldOf(again), [
    ['ERROR', /void already/],
    ['NOTE', /^2 labels/],
  ])
  t.same(states(), ['canceled', 'canceled'])
})

t.test('a label that was printed is told, to throw it away', async (t) => {
  const { refund, untilJob, ids } = await startBought(t)
  for (const wanted of ids)
    await untilJob(({ id, state }) => id === wanted && state === 'completed')
  const answer = await refund()
  t.match(answer.data, { status: 'Success' })
  t.same(toldOf(answer), [
    ['WARNING', '2 labels of this shipment have been printed on Bench 1: throw them away.'],
  ])
})

t.test('a label that is being printed is told, and those behind it do not print', async (t) => {
  const { TcpSink } = await import('../../../devices/tcp-sink.ts')
  const sink = await TcpSink.openFor(t, { stall: true })
  const { refund, untilJob, states } = await startBought(
    t,
    { printers: { Slow: sink.uri } },
    'Slow',
  )
  // What the system takes for the printer is soon full, or confirmed by nobody.
  await untilJob(({ state }) => state.startsWith('processing'))
  const answer = await refund()
  t.match(toldOf(answer), [
    ['NOTE', 'The label of this shipment waited for Slow and was canceled.'],
    ['WARNING', 'The label of this shipment is being printed on Slow: throw it away.'],
  ])
  t.match(states(), [/^processing/, 'canceled'])
})

t.test('a label that was cut off does not print once more', async (t) => {
  const { bench, refund, jobs, ids } = await startBought(t, { prints: false })
  const [id = ''] = ids
  const moves = await import('../../../../src/core/moves.ts')
  bench.spool.move(id, (job) => moves.begin(job, 1, NOTHING))
  bench.spool.move(id, (job) => moves.interrupt(job, 10, 'hold'), { isCut: true })
  t.match(toldOf(await refund()), [
    ['NOTE', /^2 labels/],
    ['WARNING', /may have come out on Bench 1/],
  ])
  t.match(spoken(jobs()), [
    { state: 'canceled', delivery: 'unknown', message: /may or may not/ },
    {},
  ])
})

t.test('a label that had begun and comes back to the line does not print', async (t) => {
  const { bench, refund, untilJob, ids, jobs } = await startBought(t, { prints: false })
  const moves = await import('../../../../src/core/moves.ts')
  const [id = ''] = ids
  bench.spool.move(id, (job) => moves.begin(job, 1, NOTHING))
  await refund()
  bench.spool.move(id, moves.postpone({ message: quoteEnglish('x'), hint: NOTHING, code: '' }))
  bench.scheduler.start()
  await untilJob((job) => job.id === id && job.state === 'canceled')
  t.notOk(jobs().some(({ state }) => state === 'completed'))
})

t.test('nobody prints a voided label by hand', async (t) => {
  const { refund, call, ids, bench, jobs } = await startBought(t, { prints: false })
  await refund()
  const [id = '', other = ''] = ids
  const res = await call(`/jobs/${id}/reprint`, post)
  t.equal(res.status, 409)
  t.match(await res.json(), { Message: /was voided/, hint: /buy a new one/ })
  bench.spool.records.prepare("UPDATE job SET state = 'pending-held' WHERE id = ?").run(other)
  const released = await call(`/jobs/${other}/release`, post)
  t.equal(released.status, 409)
  t.match(await released.json(), { Message: /was voided/ })
  t.equal(jobs().length, 2)
})

t.test('a reprint that waits is canceled as well', async (t) => {
  const { refund, call, ids, bench, untilJob, states } = await startBought(t)
  for (const wanted of ids)
    await untilJob(({ id, state }) => id === wanted && state === 'completed')
  bench.scheduler.pause('Bench 1')
  await call(`/jobs/${ids[0]}/reprint`, post)
  t.match(toldOf(await refund()), [
    ['NOTE', /^The label of this shipment waited/],
    ['WARNING', /^2 labels of this shipment have been printed/],
  ])
  t.same(states(), ['completed', 'completed', 'canceled'])
})

t.test('the refund and the end of its labels are on disk together, or neither is', async (t) => {
  const { bench, refund, states, shipping } = await startBought(t, { prints: false })
  const { records } = bench.spool
  const cut = "BEFORE UPDATE OF state ON job BEGIN SELECT RAISE(ABORT, 'cut'); END"
  records.prepare(`CREATE TRIGGER cut ${cut}`).run()
  t.match(toldOf(await refund()), [['WARNING', /cannot be written down/]])
  const { journal } = await shipping()
  t.match(journal.list(9), [{ void: false }])
  t.equal(journal.find('void-1')?.state, 'sent')
  records.prepare('DROP TRIGGER cut').run()
  const answer = await refund()
  t.match(toldOf(answer), [['NOTE', /^2 labels/]])
  t.match(journal.list(9), [{ void: true }])
  t.same(states(), ['canceled', 'canceled'])
})

t.test('a printer that is off says so in the answer, and in the repeat', async (t) => {
  const printers = { Off: await findOffUri() }
  const { ask, bought } = await startBought(t, { printers }, 'Off')
  const first = packagesOf(bought)[0]?.print
  t.match(first, { state: 'pending', delivery: 'none', message: /^Off does not answer/ })
  t.match(first, { hint: /Switch the printer on/ })
  const call = { ...TWO_PARCELS, print: 'Off' }
  const again = await ask('SubmitShipment', call, { request_id: 'vp-1' })
  for (const { print } of packagesOf(again)) {
    t.match(print, { state: 'pending', message: /^Off does not answer/, hint: /Switch/ })
  }
})

t.test('a repeat tells the jobs as they are now', async (t) => {
  const { ask, bench, ids, untilJob } = await startBought(t, { prints: false })
  const repeat = async () => {
    const call = { ...TWO_PARCELS, print: 'Bench 1' }
    return packagesOf(await ask('SubmitShipment', call, { request_id: 'vp-1' }))
  }
  bench.scheduler.pause('Bench 1')
  t.match(await repeat(), [{ print: { state: 'pending', message: /is paused/ } }, {}])
  await bench.intake.moveWaiting('Bench 1', 'Bench 2')
  const moved = await repeat()
  t.match(moved, [{ print: { state: 'pending', message: '' } }, {}])
  t.notOk(ids.includes(moved[0]?.print?.job_id ?? ''))
  bench.scheduler.start()
  await untilJob(({ id, state }) => id === moved[1]?.print?.job_id && state === 'completed')
  t.match(await repeat(), [{ print: { state: 'completed', delivery: 'sent' } }, {}])
})
