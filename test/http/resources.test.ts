import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createAccess } from '../../src/http/access/access.ts'
import { describeBounds } from '../../src/http/bounds.ts'
import { PIXEL } from '../core/labels.ts'
import { findOffUri, jsonBody, openSink, readAnswer, startRig, ZPL64 } from './rig.ts'

const ORDER = { order_number: '10042', items: [{ sku: 'A-1', desc: 'Mug', price: 12.5, qty: 2 }] }
const QUICK = { prefer: 'wait=0' }

t.test('lists the printers with their state', async (t) => {
  const uri = await findOffUri()
  const { call, untilJob } = startRig(t, { printers: { Off: uri } })
  await call('/', jsonBody({ label: ZPL64, printer: 'Off' }, QUICK))
  await untilJob((job) => job.code === 'PRINTER_OFFLINE')
  t.match(await (await call('/printers')).json(), [
    {
      name: 'Bench 1',
      default: true,
      uri: 'file:bench-1',
      make_and_model: '',
      language: 'zpl',
      dpi: 203,
      state: 'idle',
      state_reasons: ['none'],
      message: '',
      hint: '',
    },
    { name: 'Bench 2', default: false },
    {
      name: 'Off',
      default: false,
      uri,
      state: 'stopped',
      state_reasons: ['offline'],
      message: /^Off does not answer/,
      hint: 'Switch the printer on and check its cable.',
    },
  ])
})

t.test('says what the server is, without secrets', async (t) => {
  const { call } = startRig(t)
  await call('/', jsonBody({ label: ZPL64 }))
  const info = await (await call('/info')).json()
  t.match(info, {
    name: 'platen',
    version: '0.1.0',
    host: 'localhost',
    ip: '127.0.0.1',
    names: ['printserver-1a2b-2.local'],
    port: '8080',
    secure_port: '',
    printer: 'Bench 1',
    available_printers: ['Bench 1', 'Bench 2'],
    uptime: 5,
    jobs: { completed: 1, pending: 0 },
  })
})

t.test('answers, then ends the program', async (t) => {
  const { call, shutdowns } = startRig(t)
  t.equal((await call('/shutdown', { method: 'HEAD' })).status, 200)
  const res = await call('/shutdown')
  t.equal(shutdowns(), 0)
  t.same(await res.json(), { Status: 'OK', Message: '' })
  await new Promise(setImmediate)
  t.equal(shutdowns(), 1)
})

t.test('says that a service starts again', async (t) => {
  const { call } = startRig(t, { parts: { isSupervised: true } })
  t.match((await readAnswer(await call('/shutdown'))).Message, /restarts/)
})

t.test('prints a pack list and answers with the two keys of the seed', async (t) => {
  const sink = await openSink(t, { resetAfter: 1 })
  const { call, jobs, labels, printed, untilJob } = startRig(t, { printers: { Desk: sink.uri } })
  const init = jsonBody(ORDER, { 'idempotency-key': 'order 10042', prefer: 'wait=60' })
  for (const time of ['first', 'second']) {
    t.equal((await call('/packlist?Printer=Bench+2', init)).status, 400)
    const res = await call('/packlist?printer=Bench+2', init)
    t.equal(res.status, 200, time)
    t.same(await res.json(), { Status: 'OK', Message: '' })
  }
  t.match(jobs(), [{ format: 'packlist', source: 'packlist', options: { printer: 'Bench 2' } }])
  t.same(JSON.parse(`${labels()[0]}`), ORDER)
  t.equal(printed('bench-2').length, 1, 'the same key prints once')
  t.match(`${printed('bench-2')[0]}`, /\^XA.*Mug/s)
  const again = jsonBody(ORDER, { ...QUICK, 'idempotency-key': 'held' })
  await call('/packlist?printer=Desk', again)
  await untilJob((job) => job.state === 'pending-held')
  const held = await call('/packlist?printer=Desk', again)
  t.equal(held.status, 202)
  const answer = (await held.json()) as object
  t.match(answer, { Status: 'Error', Message: /^The label was cut off/ })
  t.same(Object.keys(answer), ['Status', 'Message'])
})

t.test('a pack list that cannot be taken is refused in the same shape', async (t) => {
  const { call } = startRig(t, { bench: { quotaBytes: 600_000 } })
  const cases = [
    [jsonBody({ items: [] }), 400, /item/],
    [jsonBody('{"items":'), 400, /not valid JSON/],
    [
      { method: 'POST', body: new URLSearchParams({ a: 'b' }) },
      415,
      /wanted application\/json\. Send it as JSON/,
    ],
    [{ method: 'GET' }, 405, /wanted POST/],
  ] as const
  for (const [init, status, message] of cases) {
    const res = await call('/packlist', init)
    t.equal(res.status, status)
    const answer = await readAnswer(res)
    t.same(Object.keys(answer), ['Status', 'Message'])
    t.equal(answer.Status, 'Error')
    t.match(answer.Message, message)
    t.notMatch(answer.Message, /Send application\/x-www-form-urlencoded/)
  }
  const much = jsonBody({ ...ORDER, note: 'x'.repeat(900_000) }, QUICK)
  t.equal((await call('/packlist', much)).status, 507)
  t.equal((await call('/packlist', much)).headers.get('retry-after'), '60')
})

t.test('shows the jobs, newest first, a page at a time', async (t) => {
  const settings = { prints: false, bounds: { jobsPerPage: 2 } }
  const { call, jobs } = startRig(t, settings)
  for (const printer of ['Bench 1', 'Bench 2', 'Bench 1']) {
    await call('/', jsonBody({ label: ZPL64, printer }, QUICK))
  }
  const [a, b, c] = jobs().map((job) => job.id)
  const ids = async (path: string): Promise<unknown> =>
    ((await (await call(path)).json()) as { id: string }[]).map((job) => job.id)
  t.same(await ids('/jobs'), [c, b])
  t.same(await ids('/jobs?limit=1&before='), [c])
  t.same(await ids(`/jobs?limit=1&before=${c}`), [b])
  t.same(await ids(`/jobs?limit=999&before=${c}`), [b, a])
  const bad = await call('/jobs?limit=all')
  t.equal(bad.status, 400)
  t.match((await readAnswer(bad)).Message, /^limit: got "all"/)
  t.equal((await call('/jobs?limit=0')).status, 400)
  t.match(await (await call(`/jobs/${b}`)).json(), { id: b, printer: 'Bench 2' })
  const none = await call('/jobs/j-9')
  t.equal(none.status, 404)
  t.match(await none.json(), { code: 'JOB_UNKNOWN', Message: /^There is no such label here/ })
  t.match(await (await call('/jobs?before=j-9')).json(), { code: 'JOB_UNKNOWN' })
  for (const other of ['zzzz-1', 'zzzz-2', c?.replace(/\d+$/, '99') ?? '']) {
    const answer = await call(`/jobs?before=${other}`)
    t.equal(answer.status, 404, other)
    t.match(await answer.json(), { code: 'JOB_UNKNOWN' })
  }
  for (const query of ['states=pending', 'limit=1&Printer=Bench+1', 'secret=x']) {
    const answer = await call(`/jobs?${query}`)
    t.equal(answer.status, 400, query)
    t.match(await answer.json(), { code: 'FIELD_INVALID', Message: /before or limit\.$/ })
  }
})

t.test('shows the picture of a label that was one, as it was printed', async (t) => {
  const { call, folder, jobs, printed } = startRig(t)
  await call('/', jsonBody({ label: PIXEL.toString('base64') }, { prefer: 'wait=60' }))
  await call('/', jsonBody({ label: ZPL64 }))
  const [picture, raw] = jobs()
  t.match(picture, { format: 'png', state: 'completed', hasPreview: true })
  t.match(`${printed('bench-1')[0]}`, /^\^XA/)
  const res = await call(`/jobs/${picture?.id}/preview.png`)
  t.equal(res.headers.get('content-type'), 'image/png')
  const kept = readFileSync(join(folder, 'bench-1', '1.png'))
  t.ok(kept.equals(Buffer.from(await res.arrayBuffer())))
  const none = await call(`/jobs/${raw?.id}/preview.png`)
  t.equal(none.status, 404)
  t.match(await none.json(), { code: 'PREVIEW_NONE' })
})

t.test('gives the bytes of a raw label to the page that draws it, and of no other', async (t) => {
  const { call, jobs } = startRig(t)
  await call('/', jsonBody({ label: ZPL64 }, { prefer: 'wait=60' }))
  await call('/', jsonBody({ label: PIXEL.toString('base64') }))
  const [raw, picture] = jobs()
  const res = await call(`/jobs/${raw?.id}/label.bin`)
  t.equal(res.headers.get('content-type'), 'application/octet-stream')
  t.equal(res.headers.get('content-disposition'), 'attachment')
  t.equal(Buffer.from(await res.arrayBuffer()).toString('base64'), ZPL64)
  const none = await call(`/jobs/${picture?.id}/label.bin`)
  t.match(await none.json(), { code: 'PREVIEW_NONE' })
})

t.test('shows the first lines of a raw label, and never more', async (t) => {
  let skippedMs = 0
  const uptimeMs = (): number => performance.now() + skippedMs
  const { bench, call, jobs } = startRig(t, { bench: { uptimeMs } })
  const label = Buffer.from(`^XA\r\n^FD\u0000\xe9\tx\r${'line\n'.repeat(20)}^XZ`, 'latin1')
  const long = Buffer.from(`^XA^FX${'x'.repeat(100_000)}^FS^XZ`)
  const send = (bytes: Buffer): Promise<Response> =>
    call('/', jsonBody({ label: bytes.toString('base64') }))
  await send(label)
  await send(long)
  const [first, second] = jobs().map((job) => job.id)
  const res = await call(`/jobs/${first}/label`)
  const { format, bytes, lines } = (await res.json()) as Record<string, unknown>
  t.equal(format, 'zpl')
  t.equal(bytes, label.length)
  t.same(lines, ['^XA', '^FD·· x', ...Array(8).fill('line')])
  t.equal((await (await call(`/jobs/${second}/label`)).text()).length < 2_200, true)
  skippedMs = 73 * 3_600_000
  bench.spool.housekeep()
  const gone = await call(`/jobs/${first}/label`)
  t.equal(gone.status, 410)
  t.match(await gone.json(), { code: 'JOB_LABEL_GONE' })
})

t.test('takes the word of a person on a job', async (t) => {
  // More than the reset that goes before the next label, less than a label.
  const sink = await openSink(t, { resetAfter: 10 })
  const { bench, call, jobs, untilJob } = startRig(t, {
    printers: { Desk: sink.uri, Off: await findOffUri() },
  })
  const post = (path: string, body: unknown = {}): Promise<Response> => call(path, jsonBody(body))
  const send = async (printer: string): Promise<string> => {
    const sent = await readAnswer(await call('/', jsonBody({ label: ZPL64, printer }, QUICK)))
    return sent.jobs[0]?.id ?? ''
  }
  const waits = await send('Off')
  t.match(await (await post(`/jobs/${waits}/cancel`)).json(), {
    Status: 'OK',
    Message: '',
    job: { id: waits, state: 'canceled' },
  })
  const [one, two] = [await send('Desk'), await send('Desk')]
  for (const id of [one, two]) {
    await untilJob((job) => job.id === id && job.state === 'pending-held')
  }
  t.match(await (await post(`/jobs/${one}/resolve`, { printed: true })).json(), {
    job: { id: one, state: 'completed', delivery: 'confirmed' },
  })
  sink.behave({})
  t.match(await (await post(`/jobs/${two}/release`)).json(), { job: { id: two, state: 'pending' } })
  await bench.until(two, 'completed')
  t.match(await (await post(`/jobs/${one}/reprint`, { printer: 'Bench 2' })).json(), {
    Status: 'OK',
    job: { printer: 'Bench 2', reprint_of: one },
  })
  t.match(await (await post(`/jobs/${one}/reprint`, { printer: null })).json(), {
    job: { printer: 'Desk' },
  })
  t.match(await (await call(`/jobs/${one}/reprint`, { method: 'POST' })).json(), { Status: 'OK' })
  t.equal(jobs().filter((job) => job.reprintOf === one).length, 3)
  const late = await post(`/jobs/${one}/cancel`)
  t.equal(late.status, 409)
  t.match(await late.json(), { Status: 'Error', code: 'JOB_STATE' })
  t.equal((await post('/jobs/j-99/cancel')).status, 404)
})

t.test('a move moves, or tells that the label has printed', async (t) => {
  const sink = await openSink(t)
  await sink.down()
  const { bench, call, jobs, untilJob } = startRig(t, { printers: { Desk: sink.uri } })
  const post = (path: string, body: unknown): Promise<Response> => call(path, jsonBody(body))
  const send = async (): Promise<string> => {
    const sent = await call('/', jsonBody({ label: ZPL64, printer: 'Desk' }, QUICK))
    return (await readAnswer(sent)).jobs[0]?.id ?? ''
  }
  const [one, two] = [await send(), await send()]
  await untilJob((job) => job.id === one && job.reasons.includes('printer-stopped'))
  const wish = { printer: 'Bench 2', move: true }
  t.match(await (await post(`/jobs/${one}/reprint`, wish)).json(), {
    job: { printer: 'Bench 2', reprint_of: one },
  })
  await sink.up()
  await bench.until(two, 'completed')
  for (const [id, message] of [
    [one, 'It is too late to move it. The label was canceled. Moved to Bench 2.'],
    [two, 'It is too late to move it. The label has been printed on Desk.'],
  ] as const) {
    const late = await post(`/jobs/${id}/reprint`, wish)
    t.equal(late.status, 409)
    t.match(await late.json(), { code: 'JOB_STATE', Message: message, hint: /^Print it again/ })
  }
  t.equal(jobs().filter((job) => job.reprintOf === two).length, 0)
  const copy = { printer: 'Bench 2', after: two }
  const both = await Promise.all([1, 2].map(() => post(`/jobs/${two}/reprint`, copy)))
  t.same(both.map(({ status }) => status).sort(), [200, 409])
  t.equal(jobs().filter((job) => job.reprintOf === two).length, 1)
})

t.test('a word that cannot be understood moves nothing', async (t) => {
  const sink = await openSink(t, { resetAfter: 1 })
  const { call, untilJob, bench } = startRig(t, { printers: { Desk: sink.uri } })
  await call('/', jsonBody({ label: ZPL64, printer: 'Desk' }, QUICK))
  const { id } = await untilJob((job) => job.state === 'pending-held')
  const cases = [
    ['resolve', {}, 'printed: got nothing, wanted true or false.'],
    ['resolve', { printed: 'yes' }, 'printed: got a string, wanted true or false.'],
    ['resolve', [], 'The JSON body must be an object.'],
    [
      'resolve',
      { printed: true, attempts: '1' },
      'attempts: got a string, wanted the number that the job has.',
    ],
    ['release', { attempts: 1.5 }, 'attempts: got a number, wanted the number that the job has.'],
    ['reprint', { printer: 5 }, 'printer: got a number, wanted the name of a printer.'],
    ['reprint', { printer: 'Desk', move: 1 }, 'move: got a number, wanted true or false.'],
    ['reprint', { move: true }, 'printer: got nothing, wanted the printer for the label.'],
    ['reprint', { after: 'x' }, 'after: got a string, wanted the id of a job.'],
    [
      'reprint',
      { Printer: 'Bench 2' },
      '"Printer" is not a field that is read here. Did you mean "printer"?',
    ],
  ] as const
  for (const [verb, body, message] of cases) {
    const res = await call(`/jobs/${id}/${verb}`, jsonBody(body))
    t.equal(res.status, 400)
    t.equal((await readAnswer(res)).Message, message)
  }
  const form = { method: 'POST', body: new URLSearchParams({ printed: 'true' }) }
  t.equal((await call(`/jobs/${id}/resolve`, form)).status, 415)
  t.equal(bench.job(id).state, 'pending-held')
})

t.test('prints the test label of a printer', async (t) => {
  const { call, labels, printed } = startRig(t, { parts: { now: () => 1_000 } })
  const res = await call('/printers/Bench%202/test', jsonBody({}, { prefer: 'wait=60' }))
  t.equal(res.status, 200)
  t.match(await res.json(), { Status: 'OK', jobs: [{ printer: 'Bench 2', format: 'test' }] })
  t.match(JSON.parse(`${labels()[0]}`), {
    printer: 'Bench 2',
    host: 'bench-box',
    at: /^(1970-01-01|1969-12-31) \d\d:\d\d$/,
  })
  t.equal(printed('bench-2').length, 1)
  t.equal((await call('/printers/Bench%209/test', jsonBody({}))).status, 404)
})

t.test('shows and saves the settings', async (t) => {
  const { call, folder } = startRig(t)
  const put = (value: unknown): Promise<Response> =>
    call('/config', { ...jsonBody(value), method: 'PUT' })
  const shown = (await (await call('/config')).json()) as object
  t.match(shown, { port: '8080', printer: 'Bench 1', printers: [{ name: 'Bench 1' }, {}] })
  const schema = (await (await call('/config/schema')).json()) as { key: string }[]
  t.ok(schema.some((field) => field.key === 'printers'))
  const res = await put({ ...shown, port: '8081', username: 'admin', password: 'secret' })
  t.same(await res.json(), {
    Status: 'OK',
    Message: 'Takes effect at the next start: port.',
    restart: ['port'],
    warnings: [],
    notes: [],
  })
  t.match(JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')), { port: '8081' })
  t.equal((await call('/config')).status, 401, 'the new password counts at once')
})

t.test('a save tells which printers of the settings are not there', async (t) => {
  const { call } = startRig(t)
  const shown = (await (await call('/config')).json()) as object
  const queues = [{ type: 'beanstalkd', endpoint: 'q:1', printer: 'Packing 9' }]
  const saved = { ...shown, printer: 'Bench 3', queues }
  const res = await call('/config', { ...jsonBody(saved), method: 'PUT' })
  t.match(await res.json(), {
    warnings: [
      'printer: no printer is named "Bench 3"; did you mean "Bench 1"?',
      'queues[0].printer: no printer is named "Packing 9" yet; one that is found or added later may be.',
    ],
    notes: [
      { texts: [{ key: 'namedNone', values: { name: '"Bench 3"' } }, { key: 'didYouMean' }] },
      { message: /^No printer is named "Packing 9" yet; .* may be\.$/ },
    ],
  })
})

t.test('settings that are wrong are refused with all faults at once, by key', async (t) => {
  const { call } = startRig(t)
  const put = (value: unknown): Promise<Response> =>
    call('/config', { ...jsonBody(value), method: 'PUT' })
  const res = await put({ port: '99999', max_body_mb: 'many' })
  t.equal(res.status, 400)
  t.match(await res.json(), {
    code: 'CONFIG_INVALID',
    faults: [{ key: /port|max_body_mb/ }, { key: /port|max_body_mb/ }],
  })
  t.match(await (await put({ max_body_mb: 1 })).json(), { Status: 'OK', Message: '' })
  const large = await call('/', jsonBody({ label: 'A'.repeat(1_100_000) }))
  t.equal(large.status, 413, 'the new bound holds at once')
})

t.test('is healthy while the disk takes a write and the scheduler lives', async (t) => {
  let now = 1_000
  const { bench, call } = startRig(t, { prints: false, parts: { now: () => now } })
  const health = async (): Promise<unknown> => {
    const res = await call('/healthz')
    return { status: res.status, ...((await res.json()) as object) }
  }
  t.match(await health(), { status: 503, Status: 'Error', Message: /scheduler has stopped/ })
  bench.scheduler.start()
  t.match(await health(), { status: 503 }, 'at most one write a second')
  now += 1_000
  t.same(await health(), { status: 200, Status: 'OK', Message: '', version: '0.1.0' })
  now -= 5_000
  t.match(await health(), { status: 200 }, 'a clock that is set back')
  await bench.scheduler.stop(0)
  now += 1_000
  t.match(await health(), { status: 503, Message: /scheduler has stopped/ })
})

t.test('is ill when the spool does not answer', async (t) => {
  const { bench, call, log } = startRig(t)
  bench.spool.close()
  const res = await call('/healthz')
  t.equal(res.status, 503)
  t.equal(res.headers.get('retry-after'), '10')
  t.match(await res.json(), { Status: 'Error', Message: /^The spool/ })
  t.match(log, [{ event: 'spool check failed', fields: { err: { code: 'SPOOL_BROKEN' } } }])
})

t.test('gives figures to Prometheus', async (t) => {
  const { call } = startRig(t)
  await call('/', jsonBody({ label: ZPL64 }))
  const res = await call('/metrics')
  t.match(res.headers.get('content-type'), 'text/plain; version=0.0.4')
  const text = await res.text()
  t.match(text, 'platen_jobs{state="completed"} 1\n')
  t.match(text, /platen_printer_state\{printer="Bench 1",state="idle"\} [01]\n/)
})

t.test('serves the page and its files, and nothing else', async (t) => {
  const { call } = startRig(t)
  const page = await call('/')
  t.equal(page.status, 200)
  t.match(page.headers.get('content-type'), 'text/html')
  t.match(page.headers.get('content-security-policy'), "default-src 'self'")
  t.equal(page.headers.get('cache-control'), 'no-cache')
  const etag = page.headers.get('etag') ?? ''
  t.match(etag, /^"[\w-]{22}"$/)
  const again = await call('/', { headers: { 'if-none-match': `"x", W/${etag}` } })
  t.equal(again.status, 304)
  const opened = { 'if-none-match': etag, accept: 'text/html,*/*' }
  const kept = (await call('/', { headers: opened })).headers
  t.match(kept.get('set-cookie'), /^platen_page=/, 'a browser that has the page opens it again')
  t.equal((await call('/', { headers: { 'if-none-match': '"x"' } })).status, 200)
  t.equal((await call('/web/deeper/part.js')).status, 200)
  const script = await call('/web/main.js')
  t.match(script.headers.get('content-type'), 'text/javascript')
  t.equal(script.headers.get('content-encoding'), null)
  for (const [accept, encoding] of [
    ['br, gzip;q=0.5', 'gzip'],
    ['gzip;q=0', null],
  ] as const) {
    const answer = await call('/web/main.js', { headers: { 'accept-encoding': accept } })
    t.equal(answer.headers.get('content-encoding'), encoding, accept)
    t.equal(answer.headers.get('vary'), 'Accept-Encoding')
    t.equal(answer.headers.get('etag') === script.headers.get('etag'), encoding === null)
  }
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
  const { call } = startRig(t)
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
  const page = await call('/nothing', { headers: { accept: 'text/html,application/xhtml+xml' } })
  t.match(await page.text(), /<h1[^>]*>Nothing here<\/h1>/)
})

t.test('every resource but printing is guarded', async (t) => {
  const access = createAccess({
    config: () => ({ username: 'admin', password: 'right' }),
    ownNames: () => [],
  })
  const { call, jobs } = startRig(t, { parts: { access } })
  await call('/', jsonBody({ label: ZPL64 }))
  const job = `/jobs/${jobs()[0]?.id}`
  const foreign = { host: 'evil.example' }
  for (const path of ['/', '/printers', '/info', '/metrics', '/healthz', '/jobs', '/events']) {
    const res = await call(path, { headers: foreign })
    t.match(await res.json(), { code: 'HOST_REFUSED' }, path)
  }
  t.equal((await call('/config')).status, 401)
  t.equal((await call('/config/schema')).status, 401)
  const page = { origin: 'https://shop.example' }
  for (const path of ['/jobs', job, `${job}/label`, '/events', '/shutdown']) {
    t.match(await (await call(path, { headers: page })).json(), { code: 'ORIGIN_REFUSED' }, path)
  }
  for (const path of [`${job}/cancel`, '/printers/Bench%201/test']) {
    const res = await call(path, { ...jsonBody({}, page) })
    t.match(await res.json(), { code: 'ORIGIN_REFUSED' }, path)
  }
})

t.test('describes its bounds for the docs', (t) => {
  const rows = describeBounds({ own: [2, 's', 'of its own'] })
  t.match(
    rows.find((row) => row.name === 'bodyBytes'),
    { value: '16 MiB', about: /max_body_mb/ },
  )
  t.match(rows.find((row) => row.name === 'headerBytes')?.value, '16 KiB')
  t.match(rows.find((row) => row.name === 'nameBytes')?.value, '256 bytes')
  t.match(rows.find((row) => row.name === 'bodyIdleMs')?.value, '10 s')
  t.match(rows.find((row) => row.name === 'waitSeconds')?.value, '60 s')
  t.match(rows.find((row) => row.name === 'own')?.value, '2 s', 'that of a plugin')
  t.match(rows.find((row) => row.name === 'labels')?.value, '100')
  t.match(
    rows.find((row) => row.name === 'dpi'),
    { value: '50 to 1200', about: /whole/ },
  )
  t.end()
})
