import t from 'tap'
import { Bench, printer as makeEntry } from '../core/bench.ts'
import { poll } from '../until.ts'
import { jsonBody, openSink, startRig, ZPL64 } from './rig.ts'

const QUICK = { prefer: 'wait=0' }
const POST = { method: 'POST' }

t.test('a paused printer takes labels and prints none until it is resumed', async (t) => {
  const { call, jobs, untilJob, events } = startRig(t)
  const told: unknown[] = []
  events.subscribe((event) => told.push(event))
  const paused: unknown = await (await call('/printers/Bench%201/pause', POST)).json()
  t.match(paused, {
    printer: { name: 'Bench 1', paused: true, state: 'stopped', state_reasons: ['paused'] },
  })
  t.match(told, [{ type: 'printer', printer: { name: 'Bench 1', isPaused: true } }])
  const res = await call('/', jsonBody({ label: ZPL64, copies: 3 }, QUICK))
  t.equal(res.status, 202)
  t.match(await res.json(), { Status: 'Error', Message: /Bench 1 is paused. Its labels wait./ })
  await call('/', jsonBody({ label: ZPL64, printer: 'Bench 2' }))
  await untilJob(({ printer, state }) => printer === 'Bench 2' && state === 'completed')
  t.same(
    jobs().map(({ state }) => state),
    ['pending', 'pending', 'pending', 'completed'],
  )
  const resumed: unknown = await (await call('/printers/Bench%201/resume', POST)).json()
  t.match(resumed, { printer: { paused: false } })
  await untilJob(({ id, state }) => id === jobs()[2]?.id && state === 'completed')
})

t.test('the label in hand is finished, the next one does not begin', async (t) => {
  const sink = await openSink(t, { stall: true })
  const { call, jobs, untilJob, bench } = startRig(t, { printers: { Slow: sink.uri } })
  await call('/', jsonBody({ label: ZPL64, printer: 'Slow', copies: 2 }, QUICK))
  await untilJob((job) => job.state.startsWith('processing'))
  await call('/printers/Slow/pause', POST)
  sink.behave({})
  await untilJob((job) => job.state === 'completed')
  t.same(
    jobs().map(({ state }) => state),
    ['completed', 'pending'],
  )
  const slow = () => bench.printers.get('Slow')?.status
  await poll('the printer to be paused, not printing', () => slow()?.state === 'stopped')
  t.match(slow(), { reasons: ['paused'] })
  await call('/printers/Slow/resume', POST)
  await untilJob(({ id, state }) => id === jobs()[1]?.id && state === 'completed')
})

t.test(
  'it is paused after a restart, and its waiting labels may still expire or move',
  async (t) => {
    const folder = t.testdir()
    const printers = [makeEntry('A', 'file:a'), makeEntry('B', 'file:b')]
    const before = new Bench(t, { folder, printers })
    before.scheduler.start()
    before.scheduler.pause('A')
    before.intake.takeAlone({
      labels: [Buffer.from('^XA^FDone^FS^XZ')],
      options: { printer: 'A', expireAfter: 1 },
      source: 'http',
    })
    before.print(['two', 'three'], { printer: 'A' })
    await before.close()
    const bench = new Bench(t, { folder, printers })
    bench.scheduler.start()
    t.match(bench.printers.get('A'), { isPaused: true, status: { reasons: ['paused'] } })
    const [one, two, three] = bench.spool.history.list({ limit: 3 }).toReversed()
    t.match(await bench.until(one?.id, 'canceled'), { reasons: ['job-canceled-after-timeout'] })
    t.equal(bench.job(two?.id ?? '').state, 'pending')
    t.same(await bench.intake.moveWaiting('A', 'B'), { moved: 2, foreign: 0 })
    const moved = bench.spool.history.list({ limit: 2 }).toReversed()
    t.same(
      moved.map(({ reprintOf }) => reprintOf),
      [two?.id, three?.id],
      'in their order',
    )
    for (const { id } of moved) await bench.until(id, 'completed')
  },
)

t.test(
  'all that waits moves in one go; what has begun, is held or speaks another language stays',
  async (t) => {
    const sink = await openSink(t, { stall: true })
    const { call, jobs, bench, untilJob } = startRig(t, { printers: { Slow: sink.uri } })
    await call('/', jsonBody({ label: ZPL64, printer: 'Slow', copies: 4 }, QUICK))
    await untilJob((job) => job.state.startsWith('processing'))
    bench.spool.move(jobs()[1]?.id ?? '', () => ({ state: 'pending-held' }))
    const epl = Buffer.from('N\nA9,9,0,3,1,1,N,"x"\nP1\n').toString('base64')
    await call('/', jsonBody({ label: epl, printer: 'Slow' }, QUICK))
    const res = await call('/jobs/move', jsonBody({ printer: 'Slow', to: 'Bench 2' }))
    t.match(await res.json(), {
      Status: 'OK',
      Message:
        '2 labels are moved to Bench 2. 1 label is in a language that Bench 2 does not print. 2 are being printed, held, or came in meanwhile.',
      moved: 2,
      remaining: 3,
    })
    const first = jobs()
    t.same(
      first.slice(2, 4).map(({ state }) => state),
      ['canceled', 'canceled'],
    )
    await untilJob(({ reprintOf, state }) => reprintOf === first[3]?.id && state === 'completed')
    sink.behave({})
    await untilJob(({ id, state }) => id === first[0]?.id && state === 'completed')
  },
)

t.test('a label that begins while all move prints once', async (t) => {
  const { call, jobs, untilJob, printed } = startRig(t)
  await call('/printers/Bench%201/pause', POST)
  for (let n = 0; n < 20; n += 1) {
    const label = Buffer.from(`^XA^FD${n}^FS^XZ`).toString('base64')
    await call('/', jsonBody({ label }, QUICK))
  }
  await Promise.all([
    call('/printers/Bench%201/resume', POST),
    call('/jobs/move', jsonBody({ printer: 'Bench 1', to: 'Bench 2' })),
  ])
  await untilJob(() => jobs().every(({ state }) => state === 'completed' || state === 'canceled'))
  const all = [...printed('bench-1'), ...printed('bench-2')].map((label) => label.toString())
  // A printer that was opened in vain has an empty file.
  const labels = all.filter((label) => label !== '')
  t.equal(labels.length, 20)
  t.equal(new Set(labels).size, 20)
})

t.test('refused: no printer, the same printer, and what is not a name', async (t) => {
  const { call } = startRig(t, { prints: false })
  for (const [body, status, words] of [
    [{ printer: 'Bench 1', to: 'Nowhere' }, 404, /Nowhere/],
    [{ printer: 'Nowhere', to: 'Bench 1' }, 404, /No printer is named "Nowhere"/],
    [{ printer: 'Bench 1', to: 'Bench 1' }, 400, /wanted another one/],
    [{ printer: 'Bench 1' }, 400, /to: got nothing, wanted the name of a printer/],
    [{ to: 'Bench 1' }, 400, /printer: got nothing/],
  ] as const) {
    const res = await call('/jobs/move', jsonBody(body))
    t.equal(res.status, status, JSON.stringify(body))
    t.match(await res.json(), { Message: words })
  }
  t.equal((await call('/printers/Nowhere/pause', POST)).status, 404)
})

t.test('a pause follows a new name, and ends with its printer', async (t) => {
  const { call, bench } = startRig(t, { printers: { Old: 'file:old' } })
  await call('/printers/Old/pause', POST)
  await call('/printers/Old', { ...jsonBody({ name: 'New' }), method: 'PUT' })
  t.same(bench.spool.pauses.list(), ['New'])
  t.equal(bench.printers.get('New')?.isPaused, true)
  await call('/printers/New', { method: 'DELETE' })
  t.same(bench.spool.pauses.list(), [])
})

t.test('whatever letters its name begins with, a printer is paused after a restart', async (t) => {
  const folder = t.testdir()
  const names = ['\u{1f4e6} Packing', '\u{20bb7}野家', '出荷', 'Élan']
  const printers = names.map((name, at) => makeEntry(name, `file:p${at}`))
  const before = new Bench(t, { folder, printers })
  before.scheduler.start()
  for (const name of names) before.scheduler.pause(name)
  await before.close()
  const bench = new Bench(t, { folder, printers })
  bench.scheduler.start()
  t.same(
    names.filter((name) => bench.printers.get(name)?.isPaused !== true),
    [],
  )
})
