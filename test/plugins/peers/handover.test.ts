import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { isMoving, type Job } from '../../../src/core/job.ts'
import type { PeerAnswer } from '../../../src/plugins/peers/client.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { inEnglish } from '../../../src/words/say.ts'
import { PIXEL } from '../../core/labels.ts'
import { spoken } from '../../words/spoken.ts'
import { arrived, type Box, openBox, openScripted, pair, waiting } from './rig.ts'
import { Wire } from './wire.ts'

t.setTimeout(300_000)

/** `a` holds its labels back; `b` prints; a wire between them that can break. */
async function openTwo(t: Test, more: Parameters<typeof openBox>[2] = {}) {
  const a = await openBox(t, 'a', { prints: false, ...more })
  const b = await openBox(t, 'b')
  const wire = await Wire.open(t, b.place)
  const box = await pair(a, b, wire.place)
  return { a, b, wire, box }
}

/** The box takes the label, and its answer is lost; from then on the wire does what `then` says. */
async function loseAnswer(two: Awaited<ReturnType<typeof openTwo>>, id: string): Promise<void> {
  const { a, wire, box } = two
  await a.peers.list()
  const look = wire.last.down
  void wire.plan({}, { down: look + 100 }, { up: 0 })
  void a.peers.move(id, box, 'Bench 1').catch(() => undefined)
  await a.bench.untilJob(id, ({ message }) => inEnglish(message).includes('broke the connection'))
}

/** The wire breaks before the box has the whole label. */
async function loseLabel(two: Awaited<ReturnType<typeof openTwo>>, id: string): Promise<void> {
  const { a, wire, box } = two
  await a.peers.list()
  void wire.plan({}, { up: wire.last.up + 200 }, { up: 0 })
  void a.peers.move(id, box, 'Bench 1').catch(() => undefined)
  await a.bench.untilJob(id, ({ message }) => inEnglish(message).includes('broke the connection'))
}

/** The other box has refused the key forever. */
const absent: PeerAnswer = { kind: 'answer', status: 200, json: { taken: false } }

/** A label in another language. */
const epl = (mark: string): Uint8Array => Buffer.from(`\nN\nA50,50,0,4,1,1,N,"${mark}"\nP1\n`)
const state = (box: Box, id: string): Job => box.bench.job(id)
const quickly = { patienceMs: 300 }

t.test('what the other box refuses waits here as before, and says why', async (t) => {
  const { a, b, box } = await openTwo(t)
  const id = waiting(a, 'one')
  await t.rejects(a.peers.move(id, box, 'Bench 9'), { code: 'PRINTER_UNKNOWN' })
  t.equal(spoken(state(a, id).message), '', 'nothing has changed')
  const foreign = a.bench.accept(epl('x')) ?? ''
  await t.rejects(a.peers.move(foreign, box, 'Bench 1'), {
    code: 'PRINTER_LANGUAGE',
    message: 'The label is EPL, and Bench 1 on b prints ZPL.',
  })
  t.equal(state(a, foreign).state, 'pending')

  // The first look says that all is well; the label itself is too large for the other box by then.
  const large = waiting(a, 'large', 17 * 2 ** 20)
  const back = await a.peers.move(large, box, 'Bench 1')
  t.match(spoken(back), {
    state: 'pending',
    message: /^Bench 1 on b did not take it\. This is larger than/,
  })
  const held = waiting(a, 'held', 17 * 2 ** 20)
  await a.bench.scheduler.hold(held)
  const before = state(a, held)
  const after = await a.peers.move(held, box, 'Bench 1')
  t.match(after, { state: 'pending-held', reasons: before.reasons, message: before.message })
  t.equal(b.jobs().length, 0)
})

t.test('a label that has begun, was cut, or is not a label does not move', async (t) => {
  const { a, box } = await openTwo(t)
  const begun = waiting(a, 'begun')
  a.bench.spool.move(begun, () => ({ state: 'processing', reasons: ['job-printing'] }))
  await t.rejects(a.peers.move(begun, box, 'Bench 1'), { code: 'JOB_STATE' })
  await t.rejects(a.peers.move('abcd-99', box, 'Bench 1'), { code: 'JOB_UNKNOWN' })
  await t.rejects(a.peers.move(begun, 'nobody', 'Bench 1'), { code: 'PEER_UNKNOWN' })
})

t.test(
  'while it is unknown where it is, a label prints and is canceled nowhere by a guess',
  async (t) => {
    const two = await openTwo(t)
    const { a, b, wire } = two
    const id = waiting(a, 'one')
    await loseAnswer(two, id)
    t.match(state(a, id), { state: 'pending-held', reasons: ['platen-moving'] })
    const { scheduler, intake } = a.bench
    await t.rejects(scheduler.release(id), { code: 'JOB_STATE' })
    await t.rejects(scheduler.cancel(id), { code: 'JOB_STATE' })
    t.throws(() => intake.reprint(id, 'Bench 2'), { code: 'JOB_STATE' })
    t.match(await scheduler.cancelWaiting('Bench 1'), { canceled: 0 })
    await t.rejects(a.peers.handovers.takeBack(id, 'release', { anyway: false, ...quickly }), {
      code: 'PEER_UNSURE',
    })
    wire.cuts = [{}]
    const job = await arrived(a, id)
    t.match(spoken(job), { state: 'canceled', message: 'Moved to Bench 1 on b.' })
    t.equal(b.jobs().length, 1)
  },
)

t.test('a box that cannot be reached is let alone for a while', async (t) => {
  const two = await openTwo(t, { backOff: { firstMs: 3_600_000, mostMs: 3_600_000 } })
  const { a, wire } = two
  await loseLabel(two, waiting(a, 'one'))
  const before = wire.count
  // Calls go one after the other, so another of the label's would come between these.
  for (const _ of [1, 2]) await a.peers.list()
  t.equal(wire.count, before + 2)
})

t.test('a box that falls silent in the middle of a label does not hold up the list', async (t) => {
  const { a, wire, box } = await openTwo(t, { listMs: 2_000 })
  await a.peers.list()
  const silent = wire.plan({}, { up: wire.last.up + 200, isSilent: true })
  void a.peers.move(waiting(a, 'one'), box, 'Bench 1').catch(() => undefined)
  await silent
  const [seen] = await a.peers.list()
  t.match(spoken(seen), { message: 'b did not answer within 2 seconds.', moving: 1 })
  t.match(seen?.printers, [{ name: 'Bench 1' }, { name: 'Bench 2' }], 'as they were seen last')
})

t.test(
  'who wants it here after all waits for the other box to say that it has it not',
  async (t) => {
    const two = await openTwo(t, { backOff: { firstMs: 3_600_000, mostMs: 3_600_000 } })
    const { a, b, wire } = two
    const id = waiting(a, 'one')
    await loseLabel(two, id)
    wire.cuts = [{}]
    const answer = await a.call(`/jobs/${id}/release`, { method: 'POST' })
    t.equal(answer.status, 200, await answer.text())
    t.equal(state(a, id).state, 'pending')
    t.equal(b.jobs().length, 0)
  },
)

t.test('a label that is not there comes back for good when a person wants it here', async (t) => {
  const two = await openTwo(t)
  const { a, b, wire } = two
  const id = waiting(a, 'one')
  await loseLabel(two, id)
  wire.cuts = [{}]
  // Whoever is quicker: the other box is asked to take it, or to refuse it.
  const job = await a.peers.handovers
    .takeBack(id, 'release', { anyway: false, patienceMs: 60_000 })
    .catch(() => state(a, id))
  const there = b.jobs().length
  t.equal(job.state, there === 0 ? 'pending' : 'canceled')

  const canceled = waiting(a, 'two')
  await loseLabel(two, canceled)
  const gone = a.peers.handovers.takeBack(canceled, 'cancel', { anyway: false, ...quickly })
  t.match(spoken(await gone), {
    state: 'canceled',
    delivery: 'unknown',
    message: 'Canceled here. It may have come out on Bench 1 on b.',
  })
  wire.cuts = [{}]
  await untilNone(a)
  t.equal(b.jobs().length, there, 'and the other box was told to refuse it')
})

t.test(
  '"Print here anyway" prints here, says so, and the other box refuses what comes late',
  async (t) => {
    const two = await openTwo(t)
    const { a, b, wire } = two
    const id = waiting(a, 'one')
    await loseLabel(two, id)
    const job = await a.peers.handovers.takeBack(id, 'release', { anyway: true, ...quickly })
    t.match(spoken(job), { state: 'pending', warning: 'It may have come out on Bench 1 on b too.' })
    wire.cuts = [{}]
    await untilNone(a)
    t.equal(b.jobs().length, 0)
  },
)

t.test('a box that forgot what it took leaves the label to a person', async (t) => {
  const two = await openTwo(t)
  const { a, b, wire } = two
  const id = waiting(a, 'one')
  await loseAnswer(two, id)
  t.equal(b.jobs().length, 1)
  // A week later, as far as its memory goes.
  b.bench.spool.repeats.forget(['http:peer'])
  const { records } = b.bench.spool
  records.write(() =>
    records.prepare("INSERT OR REPLACE INTO meta VALUES('repeats_gone', '9e15')").run(),
  )
  wire.cuts = [{}]
  const unsure = await a.bench.untilJob(id, ({ code }) => code === 'PEER_UNSURE')
  t.match(spoken(unsure), {
    state: 'pending-held',
    reasons: ['platen-moving'],
    message: /so long ago/,
  })
  t.equal(b.jobs().length, 1, 'not taken again')
  await t.rejects(a.peers.handovers.takeBack(id, 'release', { anyway: false, ...quickly }), {
    code: 'PEER_UNSURE',
  })
  const job = await a.peers.handovers.takeBack(id, 'cancel', { anyway: false, ...quickly })
  t.equal(job.state, 'canceled')
})

t.test('a clock that jumps takes no time from a label that goes to another box', async (t) => {
  const { a, b, box } = await openTwo(t, { clock: () => Date.now() + 12 * 3_600_000 })
  const options = { expireAfter: 3_600 }
  const id = a.bench.accept(Buffer.from('^XA^FDin time^FS^XZ'), options) ?? ''
  t.equal((await a.peers.move(id, box, 'Bench 1')).state, 'canceled', 'it is there')
  t.ok((b.jobs()[0]?.options.expireAfter ?? 0) > 3_500)
})

t.test('a label whose time is over on its way does not print late', async (t) => {
  let uptime = 1_000_000
  const two = await openTwo(t, { bench: { uptimeMs: () => uptime } })
  const { a, b, wire } = two
  const { jobs } = a.bench.intake.takeAlone({
    labels: [Buffer.from('^XA^FDlate^FS^XZ')],
    source: 'http',
    options: { expireAfter: 600 },
  })
  const id = jobs[0]?.id ?? ''
  await loseLabel(two, id)
  uptime += 700_000
  // The first may have begun before.
  await wire.plan({ up: 0 })
  await wire.plan({ up: 0 })
  wire.cuts = [{}]
  t.equal((await arrived(a, id)).state, 'pending', 'it is back, and the queue cancels it')
  t.equal(b.jobs().length, 0)
})

t.test('all that waits moves in its order, up to the first that does not get there', async (t) => {
  const { a, b, box } = await openTwo(t)
  const ids = ['one', 'two', 'three'].map((mark) => waiting(a, mark))
  const foreign = a.bench.accept(epl('x')) ?? ''
  const goal = { box, printer: 'Bench 2' }
  t.same(spoken(await a.peers.moveWaiting('Bench 1', goal)), { moved: 3, foreign: 1, message: '' })
  t.same(
    ids.map((id) => state(a, id).state),
    ['canceled', 'canceled', 'canceled'],
  )
  t.equal(state(a, foreign).state, 'pending')
  t.same(
    b.jobs().map(({ source, user, printer }) => [source, user, printer]),
    [
      ['peer', 'a', 'Bench 2'],
      ['peer', 'a', 'Bench 2'],
      ['peer', 'a', 'Bench 2'],
    ],
  )
  const out = b.labels().map((label) => /FX(\w+)/.exec(label.toString())?.[1])
  t.same(out, ['one', 'two', 'three'])
})

t.test('a picture whose options are lost goes to no other box', async (t) => {
  const { a, b, box } = await openTwo(t)
  const picture = a.bench.accept(PIXEL) ?? ''
  const { records } = a.bench.spool
  const damage = records.prepare("UPDATE job SET options = '{'")
  records.write(() => damage.run())
  await t.rejects(a.peers.move(picture, box, 'Bench 2'), { code: 'JOB_LABEL_GONE' })
  waiting(a, 'next')
  const goal = { box, printer: 'Bench 2' }
  t.same(spoken(await a.peers.moveWaiting('Bench 1', goal)), { moved: 1, foreign: 0, message: '' })
  t.equal(state(a, picture).state, 'pending', 'its own printer says so')
  t.equal(b.jobs().length, 1)
})

t.test('a late answer about a label says nothing about its next way', async (t) => {
  const ends: readonly PeerAnswer[][] = [
    [{ kind: 'answer', status: 400, json: {} }],
    [{ kind: 'lost', isSent: true, error: new PlatenError('PEER_UNREACHABLE', 'lost') }, absent],
  ]
  for (const answers of ends) {
    const { bench, handovers, asked } = openScripted(t)
    const id = bench.accept(Buffer.from('^XA^FDone^FS^XZ')) ?? ''
    const goal = (peer: string) => ({ peer, boxName: peer, printer: 'Bench 1', ticket: '' })
    const lost = handovers.give(id, goal('b'), 0)
    let late = await asked('b')
    const anyway = handovers.takeBack(id, 'release', { anyway: true, patienceMs: 0 })
    t.equal((await anyway).state, 'pending', 'its own printer is still off')
    for (const answer of answers.slice(0, -1)) {
      late.answer(answer)
      late = await asked('b')
    }
    const given = handovers.give(id, goal('c'), 0)
    const next = await asked('c')
    for (const answer of answers.slice(-1)) late.answer(answer)
    for (let turns = 0; turns < 20; turns += 1) await turn()
    t.ok(isMoving(bench.job(id)), 'it is on its way to the third box')
    next.answer({ kind: 'answer', status: 200, json: { jobs: [{ id: 'abcd-1' }] } })
    t.match(spoken(await bench.until(id, 'ended')), { message: 'Moved to Bench 1 on c.' })
    await Promise.all([lost, given])
    t.same(bench.faults, [])
  }
})

/** Resolves when nothing is under way any more. */
async function untilNone(box: Box): Promise<void> {
  const left = () =>
    box.bench.spool.records.prepare("SELECT 1 FROM meta WHERE key > 'move:' AND key < 'move;'")
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setInterval(() => {
    if (left().get() === undefined) resolve()
  }, 5)
  await promise
  clearInterval(timer)
}
