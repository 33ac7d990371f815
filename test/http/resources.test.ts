import t from 'tap'
import { PlatenError } from '../../src/errors.ts'
import { createAccess } from '../../src/http/access.ts'
import { describeBounds, RANGES } from '../../src/http/bounds.ts'
import { checkOptions } from '../../src/jobs/intake-checks.ts'
import { jsonBody, makeApp, makeJob, readAnswer, stopPrinter } from './rig.ts'

const ORDER = { order_number: '10042', items: [{ sku: 'A-1', desc: 'Mug', price: 12.5, qty: 2 }] }
const QUICK = { prefer: 'wait=0' }

t.test('lists the printers, configured and found alike, with their state', async (t) => {
  const { desk, call } = makeApp(t.testdir())
  stopPrinter(desk, 'media-empty')
  t.same(await (await call('/printers')).json(), [
    {
      name: 'Bench 1',
      default: true,
      uri: 'socket://127.0.0.1/Bench 1',
      make_and_model: '',
      language: 'zpl',
      dpi: 203,
      state: 'stopped',
      state_reasons: ['media-empty'],
      message: 'Bench 1 has run out of labels.',
      hint: 'Put labels in.',
    },
    {
      name: 'Bench 2',
      default: false,
      uri: 'socket://127.0.0.1/Bench 2',
      make_and_model: '',
      language: 'zpl',
      dpi: 203,
      state: 'idle',
      state_reasons: ['none'],
      message: '',
      hint: '',
    },
  ])
})

t.test('says what the server is, without secrets', async (t) => {
  const { desk, call } = makeApp(t.testdir())
  desk.add({})
  const info = await (await call('/info')).json()
  t.match(info, {
    name: 'platen',
    version: '0.1.0',
    host: 'localhost',
    ip: '127.0.0.1',
    port: '8080',
    secure_port: '',
    printer: 'Bench 1',
    available_printers: ['Bench 1', 'Bench 2'],
    uptime: 5,
    jobs: { completed: 1, pending: 0 },
  })
})

t.test('answers, then ends the program', async (t) => {
  const { desk, call } = makeApp(t.testdir())
  t.equal((await call('/shutdown', { method: 'HEAD' })).status, 200)
  const res = await call('/shutdown')
  t.equal(desk.shutdowns, 0)
  t.same(await res.json(), { Status: 'OK', Message: '' })
  await new Promise(setImmediate)
  t.equal(desk.shutdowns, 1)
  const box = makeApp(t.testdir(), { isAppliance: true })
  t.match((await readAnswer(await box.call('/shutdown'))).Message, /starts again/)
})

t.test('prints a pack list and answers with the two keys of the seed', async (t) => {
  const { desk, call } = makeApp(t.testdir())
  const init = jsonBody(ORDER, { 'idempotency-key': 'order 10042' })
  const res = await call('/packlist?printer=Bench+2', init)
  t.equal(res.status, 200)
  t.same(await res.json(), { Status: 'OK', Message: '' })
  t.match(desk.documents, [
    {
      format: 'packlist',
      source: 'packlist',
      options: { printer: 'Bench 2' },
      idempotencyKey: 'order 10042',
    },
  ])
  t.same(JSON.parse(Buffer.from(desk.documents[0]?.body ?? []).toString()), ORDER)
  desk.fate = { state: 'pending-held', message: 'Held.' }
  const held = await call('/packlist', jsonBody(ORDER, QUICK))
  t.equal(held.status, 202)
  t.same(await held.json(), { Status: 'Error', Message: 'Held.' })
})

t.test('a pack list that cannot be taken is refused in the same shape', async (t) => {
  const { desk, call } = makeApp(t.testdir())
  const cases = [
    [jsonBody({ items: [] }), 400, /item/],
    [jsonBody('{"items":'), 400, /not valid JSON/],
    [{ method: 'POST', body: new URLSearchParams({ a: 'b' }) }, 415, /x-www-form-urlencoded/],
    [{ method: 'GET' }, 405, /wanted POST/],
  ] as const
  for (const [init, status, message] of cases) {
    const res = await call('/packlist', init)
    t.equal(res.status, status)
    const answer = await readAnswer(res)
    t.same(Object.keys(answer), ['Status', 'Message'])
    t.equal(answer.Status, 'Error')
    t.match(answer.Message, message)
  }
  desk.refusal = new PlatenError('SPOOL_FULL', 'The spool is full.')
  const full = await call('/packlist', jsonBody(ORDER))
  t.equal(full.status, 507)
  t.equal(full.headers.get('retry-after'), '60')
})

t.test('shows the jobs, newest first, a page at a time', async (t) => {
  const { desk, call } = makeApp(t.testdir(), { bounds: { jobsPerPage: 2 } })
  for (const printer of ['A', 'B', 'C']) desk.add({ printer })
  const ids = async (path: string): Promise<unknown> =>
    ((await (await call(path)).json()) as { id: string }[]).map((job) => job.id)
  t.same(await ids('/jobs'), ['j-3', 'j-2'])
  t.same(await ids('/jobs?limit=1&before='), ['j-3'])
  t.same(await ids('/jobs?limit=999&before=j-9'), ['j-3', 'j-2'])
  const bad = await call('/jobs?limit=all')
  t.equal(bad.status, 400)
  t.match((await readAnswer(bad)).Message, /^limit: got "all"/)
  t.equal((await call('/jobs?limit=0')).status, 400)
  t.match(await (await call('/jobs/j-2')).json(), { id: 'j-2', printer: 'B' })
  const none = await call('/jobs/j-9')
  t.equal(none.status, 404)
  t.match(await none.json(), { code: 'JOB_UNKNOWN', Message: 'There is no job "j-9".' })
})

t.test('shows the picture of a label that was one', async (t) => {
  const { desk, call } = makeApp(t.testdir())
  desk.add({})
  desk.add({})
  desk.previews.set('j-1', Buffer.from('PNG'))
  const res = await call('/jobs/j-1/preview.png')
  t.equal(res.headers.get('content-type'), 'image/png')
  t.equal(await res.text(), 'PNG')
  const none = await call('/jobs/j-2/preview.png')
  t.equal(none.status, 404)
  t.match(await none.json(), { code: 'PREVIEW_NONE' })
})

t.test('shows the first lines of a raw label, and never more', async (t) => {
  const { desk, call } = makeApp(t.testdir())
  desk.add({})
  desk.add({})
  desk.labels.set('j-1', Buffer.from(`^XA\r\n^FD\u0000\xe9\tx\r${'line\n'.repeat(20)}`, 'latin1'))
  const res = await call('/jobs/j-1/label')
  const { format, bytes, lines } = (await res.json()) as Record<string, unknown>
  t.equal(format, 'zpl')
  t.equal(bytes, 3)
  t.same(lines, ['^XA', '^FD·· x', ...Array(8).fill('line')])
  desk.labels.set('j-1', Buffer.alloc(100_000, 'x'))
  t.equal((await (await call('/jobs/j-1/label')).text()).length < 2_200, true)
  t.match(await (await call('/jobs/j-2/label')).json(), { code: 'JOB_LABEL_GONE' })
})

t.test('takes the word of a person on a job', async (t) => {
  const { desk, call } = makeApp(t.testdir())
  desk.fate = { state: 'pending-held' }
  for (let i = 0; i < 4; i++) desk.add({})
  const post = (path: string, body: unknown = {}): Promise<Response> => call(path, jsonBody(body))
  t.match(await (await post('/jobs/j-1/cancel')).json(), {
    Status: 'OK',
    Message: '',
    job: { id: 'j-1', state: 'canceled' },
  })
  t.match(await (await post('/jobs/j-2/release')).json(), { job: { state: 'pending' } })
  t.match(await (await post('/jobs/j-3/resolve', { printed: true })).json(), {
    job: { state: 'completed', delivery: 'confirmed' },
  })
  t.match(await (await post('/jobs/j-4/reprint', { printer: 'Bench 2' })).json(), {
    job: { printer: 'Bench 2', reprint_of: 'j-4' },
  })
  t.match(await (await post('/jobs/j-4/reprint', { printer: null })).json(), {
    job: { printer: 'Bench 1' },
  })
  t.match(await (await call('/jobs/j-4/reprint', { method: 'POST' })).json(), { Status: 'OK' })
  t.equal((await post('/jobs/j-99/cancel')).status, 404)
})

t.test('a word that cannot be understood moves nothing', async (t) => {
  const { desk, call } = makeApp(t.testdir())
  desk.fate = { state: 'pending-held' }
  desk.add({})
  const cases = [
    ['resolve', {}, 'printed: got nothing, wanted true or false.'],
    ['resolve', { printed: 'yes' }, 'printed: got a string, wanted true or false.'],
    ['resolve', [], 'The JSON is no object.'],
    ['reprint', { printer: 5 }, 'printer: got a number, wanted a name.'],
  ] as const
  for (const [verb, body, message] of cases) {
    const res = await call(`/jobs/j-1/${verb}`, jsonBody(body))
    t.equal(res.status, 400)
    t.equal((await readAnswer(res)).Message, message)
  }
  const form = { method: 'POST', body: new URLSearchParams({ printed: 'true' }) }
  t.equal((await call('/jobs/j-1/resolve', form)).status, 415)
  t.equal(desk.jobs.get('j-1')?.state, 'pending-held')
})

t.test('prints the test label of a printer', async (t) => {
  const { desk, call } = makeApp(t.testdir())
  const res = await call('/printers/Bench%202/test', jsonBody({}))
  t.equal(res.status, 200)
  t.match(await res.json(), { Status: 'OK', jobs: [{ printer: 'Bench 2', format: 'test' }] })
  t.match(JSON.parse(Buffer.from(desk.documents[0]?.body ?? []).toString()), {
    printer: 'Bench 2',
    host: 'bench-box',
    at: /^(1970-01-01|1969-12-31) \d\d:\d\d$/,
  })
  t.equal((await call('/printers/Bench%209/test', jsonBody({}))).status, 404)
})

t.test('shows and saves the settings', async (t) => {
  const { call } = makeApp(t.testdir())
  t.same(await (await call('/config')).json(), { port: '8080', password: '********' })
  const schema = (await (await call('/config/schema')).json()) as { key: string }[]
  t.ok(schema.some((field) => field.key === 'printers'))
  const res = await call('/config', { ...jsonBody({ port: '8081' }), method: 'PUT' })
  t.same(await res.json(), {
    Status: 'OK',
    Message: 'Takes effect at the next start: port.',
    restart: ['port'],
    warnings: [],
  })
})

t.test('is healthy while the disk takes a write and the scheduler lives', async (t) => {
  const { desk, call } = makeApp(t.testdir())
  const health = async (): Promise<unknown> => {
    const res = await call('/healthz')
    return { status: res.status, ...((await res.json()) as object) }
  }
  t.same(await health(), { status: 200, Status: 'OK', Message: '', version: '0.1.0' })
  desk.spoolFault = new PlatenError('SPOOL_BROKEN', 'The disk takes no write.')
  t.match(await health(), { status: 200 }, 'at most one write a second')
  desk.now += 1_000
  t.match(await health(), { status: 503, Status: 'Error', Message: 'The disk takes no write.' })
  desk.spoolFault = new Error('EIO')
  desk.now -= 5_000
  t.match(await health(), { status: 503, Message: 'The spool does not answer.' })
  desk.spoolFault = undefined
  desk.isAlive = false
  desk.now += 1_000
  t.match(await health(), { status: 503, Message: /scheduler/ })
})

t.test('gives figures to Prometheus', async (t) => {
  const { call } = makeApp(t.testdir())
  const res = await call('/metrics')
  t.match(res.headers.get('content-type'), 'text/plain; version=0.0.4')
  t.match(await res.text(), '# HELP')
})

t.test('serves the page and its files, and nothing else', async (t) => {
  const { call } = makeApp(t.testdir())
  const page = await call('/')
  t.equal(page.status, 200)
  t.match(page.headers.get('content-type'), 'text/html')
  t.match(page.headers.get('content-security-policy'), "default-src 'self'")
  t.equal(page.headers.get('cache-control'), 'no-cache')
  const etag = page.headers.get('etag') ?? ''
  t.match(etag, /^"[\w-]{22}"$/)
  const again = await call('/', { headers: { 'if-none-match': `"x", W/${etag}` } })
  t.equal(again.status, 304)
  t.equal((await call('/', { headers: { 'if-none-match': '"x"' } })).status, 200)
  const script = await call('/web/main.js')
  t.match(script.headers.get('content-type'), 'text/javascript')
  for (const name of [
    'notes.txt',
    'secret.js',
    '..%2fsecret.js',
    'deeper',
    '%2e%2e/secret.js',
    '',
  ]) {
    t.equal((await call(`/web/${name}`)).status, 404, name)
  }
  const head = await call('/', { method: 'HEAD' })
  t.equal(head.status, 200)
  t.equal(await head.text(), '')
})

t.test('an unknown address is 404, a wrong method 405 with Allow', async (t) => {
  const { call } = makeApp(t.testdir())
  const none = await call('/nothing?x=1')
  t.equal(none.status, 404)
  t.match(await none.json(), { code: 'ROUTE_UNKNOWN', Message: 'There is nothing at "/nothing".' })
  const cases = [
    ['/', 'DELETE', 'GET, HEAD, POST'],
    ['/jobs/j-1/cancel', 'GET', 'POST'],
    ['/config', 'POST', 'GET, HEAD, PUT'],
    ['/healthz', 'POST', 'GET, HEAD'],
    ['/login', 'GET', 'POST'],
  ] as const
  for (const [path, method, allow] of cases) {
    const res = await call(path, { method })
    t.equal(res.status, 405, `${method} ${path}`)
    t.equal(res.headers.get('allow'), allow)
    t.match(await res.json(), { code: 'METHOD_REFUSED' })
  }
  const page = await call('/nothing', { headers: { accept: 'text/html' } })
  t.match(await page.text(), '<h1>Nothing here</h1>')
})

t.test('every resource but printing has its door', async (t) => {
  const access = createAccess({
    config: () => ({ username: 'admin', password: 'right' }),
    ownNames: () => [],
  })
  const { desk, call } = makeApp(t.testdir(), { access })
  desk.jobs.set('j-1', makeJob())
  const foreign = { host: 'evil.example' }
  for (const path of ['/', '/printers', '/info', '/metrics', '/healthz', '/jobs', '/events']) {
    const res = await call(path, { headers: foreign })
    t.match(await res.json(), { code: 'HOST_REFUSED' }, path)
  }
  t.equal((await call('/config')).status, 401)
  t.equal((await call('/config/schema')).status, 401)
  const page = { origin: 'https://shop.example' }
  for (const path of ['/jobs', '/jobs/j-1', '/jobs/j-1/label', '/events', '/shutdown']) {
    t.match(await (await call(path, { headers: page })).json(), { code: 'ORIGIN_REFUSED' }, path)
  }
  for (const path of ['/jobs/j-1/cancel', '/printers/Bench%201/test']) {
    const res = await call(path, { ...jsonBody({}, page) })
    t.match(await res.json(), { code: 'ORIGIN_REFUSED' }, path)
  }
})

t.test('the ranges that clients are told are those that the intake takes', (t) => {
  const options = {
    label_width: 'labelWidth',
    label_height: 'labelHeight',
    dpi: 'dpi',
    starting_point_x: 'startingPointX',
    starting_point_y: 'startingPointY',
    expire_after: 'expireAfter',
  } as const
  for (const [name, option] of Object.entries(options)) {
    const { min, max } = RANGES[name as keyof typeof options]
    for (const good of [min, max]) t.doesNotThrow(() => checkOptions({ [option]: good }), name)
    for (const bad of [min - 1, max + 1]) t.throws(() => checkOptions({ [option]: bad }), name)
  }
  t.end()
})

t.test('describes its bounds for the docs', (t) => {
  const rows = describeBounds()
  t.match(
    rows.find((row) => row.name === 'bodyBytes'),
    { value: '16 MiB', about: /max_body_mb/ },
  )
  t.match(rows.find((row) => row.name === 'headerBytes')?.value, '16 KiB')
  t.match(rows.find((row) => row.name === 'nameBytes')?.value, '256 bytes')
  t.match(rows.find((row) => row.name === 'bodyIdleMs')?.value, '10 s')
  t.match(rows.find((row) => row.name === 'waitSeconds')?.value, '60 s')
  t.match(rows.find((row) => row.name === 'labels')?.value, '100')
  t.match(
    rows.find((row) => row.name === 'dpi'),
    { value: '50 to 1200', about: /whole/ },
  )
  t.end()
})
