import t from 'tap'
import { jsonBody, openSink, startRig, ZPL64 } from './rig.ts'

const QUICK = { prefer: 'wait=0' }
const DELETE = { method: 'DELETE' }

t.test('cancels all that waits for a printer, and nothing else', async (t) => {
  const { call, jobs, bench } = startRig(t, { prints: false })
  const many = { label: ZPL64, printer: 'Bench 2', copies: 100 }
  for (let n = 0; n < 5; n += 1) await call('/', jsonBody({ ...many, title: `${n}` }, QUICK))
  await call('/', jsonBody({ label: ZPL64, printer: 'Bench 1' }, QUICK))
  const [first] = jobs()
  bench.spool.move(first?.id ?? '', () => ({ state: 'pending-held' }))
  t.equal((await call('/printers/Bench%202', DELETE)).status, 409)

  let turns = 0
  let isOver = false
  const turn = (): void => {
    turns += 1
    if (!isOver) setImmediate(turn)
  }
  turn()
  const res = await call('/jobs/cancel', jsonBody({ printer: 'Bench 2' }))
  isOver = true
  t.same(await res.json(), {
    Status: 'OK',
    Message: '500 labels are canceled.',
    canceled: 500,
    remaining: 0,
    texts: { message: [{ key: 'canceledCount', values: { n: 500 } }], hint: [] },
  })
  t.ok(turns >= 3, `others had ${turns} turns meanwhile`)
  t.same(bench.spool.history.counts(), {
    pending: 1,
    'pending-held': 0,
    processing: 0,
    'processing-stopped': 0,
    canceled: 500,
    aborted: 0,
    completed: 0,
  })
  t.equal((await call('/printers/Bench%202', DELETE)).status, 200, 'now it can be removed')
})

t.test('labels newer than the last one that was seen stay', async (t) => {
  const { call, jobs } = startRig(t, { prints: false })
  const one = { label: ZPL64, printer: 'Bench 2' }
  for (let n = 0; n < 3; n += 1) await call('/', jsonBody({ ...one, title: `${n}` }, QUICK))
  const last = jobs()[1]?.id
  const res = await call('/jobs/cancel', jsonBody({ printer: 'Bench 2', last }))
  t.match(await res.json(), { canceled: 2, remaining: 1 })
  t.same(
    jobs().map((job) => job.state),
    ['canceled', 'canceled', 'pending'],
  )
  const none = await call('/jobs/cancel', jsonBody({ printer: 'Bench 2', last: 'none' }))
  t.match(await none.json(), { code: 'FIELD_INVALID' })
  const replaced = await call('/jobs/cancel', jsonBody({ printer: 'Bench 2', last: 'zzzz-9' }))
  t.match(await replaced.json(), { code: 'JOB_UNKNOWN' }, 'of a spool that was replaced since')
  t.equal(jobs()[2]?.state, 'pending')
})

t.test('the label in hand is left alone, and told of', async (t) => {
  const sink = await openSink(t, { stall: true })
  const { call, jobs, untilJob } = startRig(t, { printers: { Slow: sink.uri } })
  const three = { label: ZPL64, printer: 'Slow', copies: 3 }
  await call('/', jsonBody(three, QUICK))
  await untilJob((job) => job.state.startsWith('processing'))
  const res = await call('/jobs/cancel', jsonBody({ printer: 'Slow' }))
  t.match(await res.json(), {
    canceled: 2,
    remaining: 1,
    Message: '2 labels are canceled. 1 is being printed or came in meanwhile.',
  })
  t.match(
    jobs().map((job) => job.state),
    [/^processing/, 'canceled', 'canceled'],
  )
  sink.behave({})
  await untilJob((job) => job.state === 'completed')
})

t.test('says when nothing waits, and refuses what is not a printer', async (t) => {
  const { call } = startRig(t, { prints: false })
  const none = await call('/jobs/cancel', jsonBody({ printer: 'Bench 1' }))
  t.match(await none.json(), { Status: 'OK', Message: 'No label was waiting.', canceled: 0 })
  const unknown = await call('/jobs/cancel', jsonBody({ printer: 'Nowhere' }))
  t.equal(unknown.status, 404)
  t.match(await unknown.json(), { code: 'PRINTER_UNKNOWN' })
  for (const body of [{}, { printer: 7 }, { printer: null }]) {
    const res = await call('/jobs/cancel', jsonBody(body))
    t.equal(res.status, 400)
    t.match(await res.json(), { code: 'FIELD_INVALID' })
  }
  t.equal((await call('/jobs/cancel', jsonBody([]))).status, 400)
})

t.test('is for those who may cancel a label', async (t) => {
  const { call } = startRig(t, { prints: false })
  const init = jsonBody({ printer: 'Bench 1' }, { Origin: 'http://shop.example' })
  const foreign = await call('/jobs/cancel', init)
  t.equal(foreign.status, 403)
})
