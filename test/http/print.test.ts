import t from 'tap'
import { PlatenError } from '../../src/errors.ts'
import { judgeJobs } from '../../src/http/answer.ts'
import { createApp } from '../../src/http/app.ts'
import type { Job } from '../../src/jobs/job.ts'
import { Desk, formBody, jsonBody, makeApp, makeParts, readAnswer, stopPrinter } from './rig.ts'

const QUJD = 'QUJD'
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

t.test('answers 200 with the jobs once all have ended', async (t) => {
  const { desk, call } = makeApp(t.testdir())
  const res = await call('/', formBody(['label', QUJD], ['label[]', 'REVG']))
  t.equal(res.status, 200)
  const answer = await readAnswer(res)
  t.match(answer, { Status: 'OK', Message: '' })
  t.notOk('code' in answer)
  t.match(answer.jobs, [
    {
      id: 'j-1',
      printer: 'Bench 1',
      format: 'zpl',
      state: 'completed',
      reasons: [],
      delivery: 'sent',
      message: '',
      hint: '',
      created: '2026-11-21T00:00:00.000Z',
      started: null,
    },
    { id: 'j-2' },
  ])
  t.same(
    desk.accepted[0]?.labels.map((label) => Buffer.from(label).toString()),
    ['ABC', 'DEF'],
  )
  t.equal(desk.accepted[0]?.source, 'http')
})

t.test('hands every field on to the intake, and leaves out what is empty', async (t) => {
  const { desk, call } = makeApp(t.testdir())
  await call(
    '/',
    formBody(
      ['label', QUJD],
      ['printer', 'Bench 2'],
      ['label_width', ' 4.0 '],
      ['label_height', '6'],
      ['dpi', '200'],
      ['starting_point_x', '-3.5'],
      ['starting_point_y', ''],
      ['copies', '2'],
      ['idempotency_key', 'order 17'],
      ['expire_after', '600'],
      ['submit', 'Print'],
    ),
  )
  t.match(desk.accepted, [
    {
      copies: 2,
      idempotencyKey: 'order 17',
      options: {
        printer: 'Bench 2',
        labelWidth: 4,
        labelHeight: 6,
        dpi: 200,
        startingPointX: -3.5,
        expireAfter: 600,
      },
    },
  ])
  t.notOk('startingPointY' in (desk.accepted[0]?.options ?? {}))
  t.equal(desk.jobs.size, 2)
})

t.test('JSON carries the same fields under any of the three names of a label', async (t) => {
  const { desk, call } = makeApp(t.testdir())
  const body = { label: QUJD, labels: ['REVG'], 'label[]': 'R0hJ', dpi: 203, printer: null, x: [] }
  const res = await call('/', jsonBody(body, { 'idempotency-key': 'k' }))
  t.equal(res.status, 200)
  t.equal(desk.accepted[0]?.labels.length, 3)
  t.same(desk.accepted[0]?.options, { dpi: 203 })
  t.equal(desk.accepted[0]?.idempotencyKey, 'k')
})

t.test('answers 202 while a label still waits, and waits no longer than asked', async (t) => {
  const { desk, call } = makeApp(t.testdir())
  desk.fate = {}
  const init = formBody(['label', QUJD])
  const res = await call('/', { ...init, headers: { prefer: 'wait=0' } })
  t.equal(res.status, 202)
  t.equal(res.headers.get('preference-applied'), 'wait=0')
  t.match(await res.json(), { Status: 'OK', jobs: [{ state: 'pending' }] })
})

t.test('waits for the end of the job', async (t) => {
  const { desk, call } = makeApp(t.testdir())
  desk.fate = { state: 'processing' }
  const answer = call('/', { ...formBody(['label', QUJD]), headers: { prefer: 'wait=30' } })
  while (desk.jobs.size === 0) await new Promise(setImmediate)
  desk.move('j-1', { state: 'completed', delivery: 'confirmed', endedAt: 5 })
  const res = await answer
  t.equal(res.status, 200)
  t.match(await res.json(), { jobs: [{ delivery: 'confirmed' }] })
})

t.test(
  'a client that goes away, or a server that ends, cuts the wait and not the job',
  async (t) => {
    const { desk, call } = makeApp(t.testdir())
    desk.fate = { state: 'processing' }
    const gone = new AbortController()
    const init = { ...formBody(['label', QUJD]), headers: { prefer: 'wait=60' } }
    const first = call('/', { ...init, signal: gone.signal })
    const second = call('/', init)
    while (desk.jobs.size < 2) await new Promise(setImmediate)
    gone.abort()
    t.equal((await first).status, 202)
    desk.stopping.abort()
    t.equal((await second).status, 202)
    t.equal(desk.jobs.get('j-1')?.state, 'processing')
  },
)

t.test('says Error, and never 4xx, when a label will not print without a person', async (t) => {
  const troubles = [
    [
      { state: 'aborted', message: 'Broken.', code: 'PICTURE_BROKEN', hint: 'Again.' },
      200,
      'Broken.',
    ],
    [{ state: 'canceled', message: '' }, 200, 'The label was cancelled.'],
    [{ state: 'pending-held', message: 'Held.' }, 202, 'Held.'],
    [{ state: 'processing-stopped', message: 'Paper out.' }, 202, 'Paper out.'],
    [{ state: 'pending', reasons: ['printer-stopped'], message: 'Off.' }, 202, 'Off.'],
    [
      { state: 'pending', printer: 'Gone' },
      202,
      'The printer is no longer in the settings. The label is kept.',
    ],
  ] as const
  for (const [fate, status, message] of troubles) {
    const { desk, call } = makeApp(t.testdir())
    desk.fate = fate
    const init = { ...formBody(['label', QUJD]), headers: { prefer: 'wait=0' } }
    const res = await call('/', init)
    t.equal(res.status, status)
    t.match(await res.json(), { Status: 'Error', Message: message })
  }
})

t.test('says why the printer of a waiting label has stopped', async (t) => {
  const { desk, call } = makeApp(t.testdir())
  desk.fate = {}
  stopPrinter(desk, 'offline')
  const init = { ...formBody(['label', QUJD], ['label', QUJD]), headers: { prefer: 'wait=0' } }
  t.match(await (await call('/', init)).json(), {
    Status: 'Error',
    Message: '2 of 2 labels need a person. Label 1: Bench 1 does not answer.',
    code: 'PRINTER_OFFLINE',
    hint: 'Put labels in.',
  })
  stopPrinter(desk, 'media-empty')
  t.match(await (await call('/', init)).json(), {
    code: 'PRINTER_STOPPED',
    Message: /run out of labels/,
  })
})

t.test('says which of several labels the sentence is about', (t) => {
  const { desk } = makeApp(t.testdir())
  const fates: Partial<Job>[] = [
    { state: 'completed' },
    { state: 'pending-held', message: 'Held.', code: 'PRINTER_LOST' },
  ]
  for (const fate of fates) {
    desk.fate = fate
    desk.add({ printer: 'Bench 1' })
  }
  const jobs = [...desk.jobs.values()]
  const verdict = judgeJobs(jobs, (name) => desk.printers.get(name))
  t.equal(verdict.Message, '1 of 2 labels needs a person. Label 2: Held.')
  t.equal(verdict.code, 'PRINTER_LOST')
  t.end()
})

t.test('an Error never goes out without a code that programs can branch on', async (t) => {
  const fates: [Partial<Job>, string][] = [
    [{ state: 'canceled' }, 'JOB_CANCELED'],
    [{ state: 'canceled', code: 'JOB_EXPIRED' }, 'JOB_EXPIRED'],
    [{ state: 'pending', printer: 'Gone' }, 'PRINTER_UNKNOWN'],
    [{ state: 'processing-stopped' }, 'PRINTER_STOPPED'],
  ]
  for (const [fate, code] of fates) {
    const { desk, call } = makeApp(t.testdir())
    desk.fate = fate
    const init = { ...formBody(['label', QUJD]), headers: { prefer: 'wait=0' } }
    const answer = await readAnswer(await call('/', init))
    t.match(answer, { Status: 'Error', code, Message: /./, hint: /./ })
  }
})

t.test('a wait that fails is no reason to send the label again', async (t) => {
  const own = new Desk()
  const parts = makeParts(own, t.testdir())
  const app = createApp({
    ...parts,
    intake: { ...parts.intake, ended: () => Promise.reject(new Error('lost')) },
  })
  const res = await app.request('/', formBody(['label', QUJD]))
  t.equal(res.status, 200)
  t.match(own.log, [{ event: 'wait failed' }])
})

t.test(
  'sends a browser on at once when the labels are accepted, to the very address',
  async (t) => {
    const { desk, call } = makeApp(t.testdir())
    desk.fate = { state: 'aborted' }
    const url = 'https://shop.example/orders?id=17&x=%2f#done'
    const res = await call('/', formBody(['label', QUJD], ['redirect_url', url]))
    t.equal(res.status, 303)
    t.equal(res.headers.get('location'), url)
  },
)

t.test('refuses a redirect to anything but a plain web address, and takes no label', async (t) => {
  const { desk, call } = makeApp(t.testdir())
  const bad = [
    'javascript:alert(1)',
    '//evil.example/',
    '/orders',
    'ftp://shop.example/',
    'https://',
    'https://user:secret@shop.example/',
    'https://shop.example/\r\nSet-Cookie: a=b',
    'http:\\\\shop.example',
    'https://[::1/',
  ]
  for (const url of bad) {
    const res = await call('/', formBody(['label', QUJD], ['redirect_url', url]))
    t.equal(res.status, 400, url)
    const answer = await readAnswer(res)
    t.match(answer, { Status: 'Error', code: 'REDIRECT_INVALID' })
    t.notMatch(answer.Message, /secret/)
  }
  t.equal(desk.jobs.size, 0)
  const res = await call('/', formBody(['label', QUJD], ['redirect_url', 'http://a.b/ü x']))
  t.equal(res.headers.get('location'), 'http://a.b/%C3%BC%20x')
})

t.test('a refused browser gets a page with a link onward, and no redirect', async (t) => {
  const { call } = makeApp(t.testdir())
  const fields = formBody(['label', 'QU!'], ['redirect_url', 'https://shop.example/?a=1&b="'])
  const res = await call('/', { ...fields, headers: HTML })
  t.equal(res.status, 400)
  const page = await res.text()
  t.notOk(res.headers.get('location'))
  t.match(page, 'LABEL_BASE64')
  t.match(page, 'href="https://shop.example/?a=1&amp;b=&quot;"')
  const evil = formBody(['redirect_url', 'javascript:alert(1)'], ['label', 'QU!'])
  t.notMatch(await (await call('/', { ...evil, headers: HTML })).text(), 'href="javascript')
})

t.test('a label that is refused was not taken, whatever the status of its refusal', async (t) => {
  const { call } = makeApp(t.testdir())
  const fields = formBody(['label', QUJD], ['printer', 'Bench 9'])
  const res = await call('/', { ...fields, headers: HTML })
  t.equal(res.status, 404)
  t.match(await res.text(), '<h1>Not taken</h1>')
})

t.test('a browser gets a page that says the same and follows the jobs', async (t) => {
  const { desk, call } = makeApp(t.testdir())
  const init = { ...formBody(['label', QUJD]), headers: HTML }
  const res = await call('/', init)
  t.equal(res.status, 200)
  t.match(res.headers.get('content-type'), 'text/html')
  const page = await res.text()
  t.match(page, '<h1>Done</h1>')
  t.match(page, 'data-job="j-1" data-ended="true"')
  t.match(page, 'src="/web/answer.js"')
  desk.fate = { state: 'pending-held', message: '<b>Look</b> & see', hint: "It's" }
  const held = await (await call('/', { ...init, headers: { ...HTML, prefer: 'wait=0' } })).text()
  t.match(held, 'A label needs a person')
  t.match(held, '&lt;b&gt;Look&lt;/b&gt; &amp; see')
  t.match(held, 'It&#39;s')
  desk.fate = {}
  const waits = await (await call('/', { ...init, headers: { ...HTML, prefer: 'wait=0' } })).text()
  t.match(waits, 'On its way')
})

t.test('no label, a number out of range, and a wrong key are refused by name', async (t) => {
  const { desk, call } = makeApp(t.testdir())
  const cases = [
    [
      [['printer', 'Bench 1']],
      'LABEL_MISSING',
      /^The request has 1 field and no label; wanted label=/,
    ],
    [
      [['label_width', '4,0']],
      'FIELD_INVALID',
      /^label_width: got "4,0", wanted a number from 0.25 to 20 \(inches\)/,
    ],
    [[['label_width', '0']], 'FIELD_INVALID', /^label_width: got "0"/],
    [[['label_height', '1e1']], 'FIELD_INVALID', /^label_height: got "1e1"/],
    [
      [['dpi', '203.5']],
      'FIELD_INVALID',
      /^dpi: got "203.5", wanted a whole number from 50 to 1200/,
    ],
    [[['copies', '101']], 'FIELD_INVALID', /^copies: got "101"/],
    [[['expire_after', 'soon']], 'FIELD_INVALID', /^expire_after: got "soon"/],
    [[['printer', 'x'.repeat(200)]], 'FIELD_INVALID', /^printer: got "x{40}…", wanted at most 127/],
    [[['idempotency_key', 'a\u0007b']], 'FIELD_INVALID', /^idempotency_key: got/],
    [
      [
        ['printer', 'A'],
        ['printer', 'B'],
      ],
      'FIELD_INVALID',
      /wanted one value/,
    ],
  ] as const
  for (const [fields, code, message] of cases) {
    const all: [string, string][] = fields.map(([name, value]) => [name, value])
    if (code !== 'LABEL_MISSING') all.push(['label', QUJD])
    const res = await call('/', formBody(...all))
    t.equal(res.status, 400)
    const answer = await readAnswer(res)
    t.match(answer, { Status: 'Error', code })
    t.match(answer.Message, message)
    t.ok(answer.hint)
  }
  t.equal(desk.jobs.size, 0)
})

t.test('the key in header and field must be one', async (t) => {
  const { desk, call } = makeApp(t.testdir())
  const init = formBody(['label', QUJD], ['idempotency_key', 'a'])
  t.equal((await call('/', { ...init, headers: { 'idempotency-key': 'a' } })).status, 200)
  const res = await call('/', { ...init, headers: { 'idempotency-key': 'b' } })
  t.match(await res.json(), { code: 'FIELD_INVALID', Message: /header says "b"/ })
  t.equal(desk.jobs.size, 1)
})

t.test('labels times copies are bounded', async (t) => {
  const { call } = makeApp(t.testdir(), { bounds: { jobs: 5 } })
  const res = await call('/', formBody(['label', QUJD], ['label', QUJD], ['copies', '3']))
  t.equal(res.status, 413)
  t.match(await res.json(), { code: 'TOO_MANY_FIELDS', Message: /2 labels in 3 copies are 6 jobs/ })
})

t.test('a refusal of the intake goes out with its status and Retry-After', async (t) => {
  const { desk, call } = makeApp(t.testdir())
  desk.refusal = new PlatenError('SPOOL_FULL', 'The spool is full.')
  const full = await call('/', formBody(['label', QUJD]))
  t.equal(full.status, 507)
  t.equal(full.headers.get('retry-after'), '60')
  desk.refusal = undefined
  const unknown = await call('/', formBody(['label', QUJD], ['printer', 'Bench 9']))
  t.equal(unknown.status, 404)
  t.match(await unknown.json(), { code: 'PRINTER_UNKNOWN', Message: /"Bench 1", "Bench 2"/ })
})

t.test('an error that nobody expected is 500 INTERNAL, logged, and tells nothing', async (t) => {
  const { desk, call } = makeApp(t.testdir())
  desk.refusal = new Error('secret label QUJD')
  const res = await call('/', formBody(['label', QUJD]))
  t.equal(res.status, 500)
  const answer = await readAnswer(res)
  t.match(answer, { Status: 'Error', code: 'INTERNAL' })
  t.notMatch(answer.Message, /secret/)
  t.match(desk.log, [{ event: 'request failed', fields: { method: 'POST', path: '/' } }])
  desk.refusal = undefined
  t.equal((await call('/', formBody(['label', QUJD]))).status, 200)
})

t.test('other bodies are 415 and named', async (t) => {
  const { call } = makeApp(t.testdir())
  const post = (type: string | undefined, more = {}): Promise<Response> =>
    call('/', {
      method: 'POST',
      body: Buffer.from('^XA^XZ'),
      headers: { ...(type && { 'content-type': type }), ...more },
    })
  const plain = await post('text/plain')
  t.equal(plain.status, 415)
  t.match(await plain.json(), { code: 'BODY_TYPE', Message: /Content-Type "text\/plain"; wanted/ })
  t.match(await (await post(undefined)).json(), { Message: /no Content-Type/ })
  const form = 'application/x-www-form-urlencoded'
  const gzip = await post(form, { 'content-encoding': 'gzip' })
  t.equal(gzip.status, 415)
  t.match(await gzip.json(), { Message: /Content-Encoding "gzip"; wanted a body that is not/ })
  t.equal((await post(`${form}; charset=utf-16`)).status, 415)
  t.match(await (await post(`${form}; charset="UTF-8"`)).json(), { code: 'LABEL_MISSING' })
  t.match(await (await post(`${form};charset=ISO-8859-1`)).json(), { code: 'LABEL_MISSING' })
  t.match(await (await post(`${form}`, { 'content-encoding': 'identity' })).json(), {
    code: 'LABEL_MISSING',
  })
})

t.test('pages of other sites may print, and learn what became of it', async (t) => {
  const { call } = makeApp(t.testdir())
  const init = formBody(['label', QUJD])
  const res = await call('/', { ...init, headers: { origin: 'https://shop.example' } })
  t.equal(res.status, 200)
  t.equal(res.headers.get('access-control-allow-origin'), 'https://shop.example')
  const asked = await call('/', {
    method: 'OPTIONS',
    headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
  })
  t.equal(asked.status, 204)
  const refused = await call('/', {
    ...formBody(['label', '!']),
    headers: { origin: 'https://shop.example' },
  })
  t.equal(refused.status, 400)
  t.equal(refused.headers.get('access-control-allow-origin'), 'https://shop.example')
})
