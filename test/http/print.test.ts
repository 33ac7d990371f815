import { renameSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { zplLabel } from '../core/labels.ts'
import { formBody, jsonBody, openSink, readAnswer, startRig, ZPL, ZPL64 } from './rig.ts'

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

t.test('answers 200 with the jobs once all have ended', async (t) => {
  const { call, jobs, labels, printed } = startRig(t)
  const other = Buffer.from('^XA^FDother^FS^XZ')
  const res = await call('/', formBody(['label', ZPL64], ['label[]', other.toString('base64')]))
  t.equal(res.status, 200)
  const answer = await readAnswer(res)
  t.match(answer, { Status: 'OK', Message: '' })
  t.notOk('code' in answer)
  t.match(answer.jobs, [
    {
      id: /^[a-z2-9]{4}-1$/,
      printer: 'Bench 1',
      format: 'zpl',
      state: 'completed',
      delivery: 'sent',
      message: '',
      hint: '',
      source: 'http',
      created: /^20\d\d-\d\d-\d\dT.*Z$/,
      expires: null,
      sent_bytes: ZPL.length,
    },
    { id: /-2$/, state: 'completed' },
  ])
  t.same(printed('bench-1'), [ZPL, other])
  t.same(labels(), [ZPL, other])
  t.same(
    jobs().map((job) => job.id),
    answer.jobs.map((job) => job.id),
  )
})

t.test('hands every field on to the intake, and leaves out what is empty', async (t) => {
  const { call, jobs, printed } = startRig(t)
  const fields = [
    ['label', ZPL64],
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
  ] as const
  const first = await readAnswer(await call('/', formBody(...fields)))
  t.same(printed('bench-2'), [ZPL, ZPL], 'two copies')
  const [job] = jobs()
  t.same(job?.options, {
    printer: 'Bench 2',
    labelWidth: 4,
    labelHeight: 6,
    dpi: 200,
    startingPointX: -3.5,
    expireAfter: 600,
  })
  t.equal((job?.expiresAt ?? 0) - (job?.createdAt ?? 0), 600_000)
  const again = await readAnswer(await call('/', formBody(...fields)))
  t.same(again.jobs, first.jobs, 'the key is known')
  t.equal(jobs().length, 2)
})

t.test('JSON carries the same fields under any of the three names of a label', async (t) => {
  const { call, jobs } = startRig(t)
  const body = { label: ZPL64, labels: [ZPL64], 'label[]': ZPL64, dpi: 203, printer: null, x: [] }
  const res = await call('/', jsonBody(body, { 'idempotency-key': 'k' }))
  t.equal(res.status, 200)
  t.same(
    jobs().map((job) => job.options),
    Array(3).fill({ dpi: 203 }),
  )
  const other = await call('/', jsonBody({ label: ZPL64 }, { 'idempotency-key': 'k' }))
  t.equal(other.status, 409)
  t.match(await other.json(), { code: 'IDEMPOTENCY_CONFLICT' })
})

t.test('answers 202 while a label still waits, and waits no longer than asked', async (t) => {
  const { call } = startRig(t, { prints: false })
  for (const wait of ['wait=0', 'wait=1']) {
    const res = await call('/', { ...formBody(['label', ZPL64]), headers: { prefer: wait } })
    t.equal(res.status, 202)
    t.equal(res.headers.get('preference-applied'), wait)
    t.match(await res.json(), { Status: 'OK', jobs: [{ state: 'pending' }] })
  }
})

t.test('waits for the end of the job', async (t) => {
  const sink = await openSink(t, { stall: true })
  const { call, untilJob } = startRig(t, { printers: { Desk: sink.uri } })
  const body = jsonBody({ label: ZPL64, printer: 'Desk' }, { prefer: 'wait=60' })
  const answer = call('/', body)
  await untilJob((job) => job.state === 'processing')
  sink.behave({})
  const res = await answer
  t.equal(res.status, 200)
  t.match(await res.json(), { Status: 'OK', jobs: [{ state: 'completed', delivery: 'sent' }] })
  t.same(await sink.jobs(1), [ZPL])
})

t.test(
  'a client that goes away, or a server that ends, cuts the wait and not the job',
  async (t) => {
    const sink = await openSink(t, { stall: true })
    const bench = { timing: { stallMs: 60_000 } }
    const { call, stopping, jobs, untilJob } = startRig(t, { printers: { Desk: sink.uri }, bench })
    const gone = new AbortController()
    const init = jsonBody({ label: ZPL64, printer: 'Desk' }, { prefer: 'wait=60' })
    const first = call('/', { ...init, signal: gone.signal })
    const { id } = await untilJob((job) => job.state === 'processing')
    const second = call('/', init)
    await untilJob((job) => job.id !== id)
    gone.abort()
    t.equal((await first).status, 202)
    stopping.abort()
    t.equal((await second).status, 202)
    t.match(jobs(), [{ state: 'processing' }, { state: 'pending' }])
    sink.behave({})
    t.same(await sink.jobs(2), [ZPL, ZPL])
  },
)

t.test('a wait that fails is not a reason to send the label again', async (t) => {
  const { bench, call, log } = startRig(t)
  // The disk goes away between the commit and the wait.
  bench.spool.onChange(() => bench.spool.close())
  const res = await call('/', formBody(['label', ZPL64]))
  t.equal(res.status, 202)
  t.match(await res.json(), {
    Status: 'Error',
    Message: /cannot write to its disk\. Printing continues automatically/,
    jobs: [{ state: 'pending' }],
  })
  t.match(log, [{ event: 'wait failed', fields: { err: { code: 'SPOOL_BROKEN' } } }])
})

t.test(
  'sends a browser on at once when the labels are accepted, to the very address',
  async (t) => {
    const { call, jobs } = startRig(t, { prints: false })
    const url = 'https://shop.example/orders?id=17&x=%2f#done'
    const res = await call('/', formBody(['label', ZPL64], ['redirect_url', url]))
    t.equal(res.status, 303)
    t.equal(res.headers.get('location'), url)
    t.match(jobs(), [{ state: 'pending' }])
  },
)

t.test('refuses a redirect to anything but a plain web address, and takes no label', async (t) => {
  const { call, jobs } = startRig(t)
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
    const res = await call('/', formBody(['label', ZPL64], ['redirect_url', url]))
    t.equal(res.status, 400, url)
    const answer = await readAnswer(res)
    t.match(answer, { Status: 'Error', code: 'REDIRECT_INVALID' })
    t.notMatch(answer.Message, /secret/)
  }
  t.equal(jobs().length, 0)
  const res = await call('/', formBody(['label', ZPL64], ['redirect_url', 'http://a.b/ü x']))
  t.equal(res.headers.get('location'), 'http://a.b/%C3%BC%20x')
})

t.test('a refused browser gets a page with a link onward, and no redirect', async (t) => {
  const { call } = startRig(t)
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
  const { call } = startRig(t)
  const fields = formBody(['label', ZPL64], ['printer', 'Bench 9'])
  const res = await call('/', { ...fields, headers: HTML })
  t.equal(res.status, 404)
  t.match(await res.text(), /<h1[^>]*>Not accepted<\/h1>/)
})

t.test('all labels of a request are taken or none is', async (t) => {
  const { call, jobs } = startRig(t)
  const bad = [
    [
      formBody(['label', ZPL64], ['label', 'JVBERi0xLjQK']),
      422,
      /^Label 2 of 2 cannot be taken\. The PDF cannot be opened: it is damaged or cut off\./,
    ],
    [
      formBody(['label', ZPL64], ['label', '']),
      400,
      /^Label 2 of 2 cannot be taken\. The label is empty/,
    ],
    [formBody(['label', ZPL64], ['label', '!']), 400, /^label 2 of 2: "!" at offset 0/],
    [formBody(['label', ZPL64], ['printer', 'bench 1']), 404, /"Bench 1"/],
  ] as const
  for (const [init, status, message] of bad) {
    const res = await call('/', init)
    t.equal(res.status, status)
    t.match((await readAnswer(res)).Message, message)
  }
  t.equal(jobs().length, 0)
})

t.test('no label, a number out of range, and a wrong key are refused by name', async (t) => {
  const { call, jobs } = startRig(t)
  const cases = [
    [
      [['printer', 'Bench 1']],
      'LABEL_MISSING',
      /^The request has 1 field and no label; wanted label=/,
    ],
    [
      [['label_width', '4,0']],
      'FIELD_INVALID',
      /^label_width: got "4,0", wanted a number from 0.25 to 24 \(inches\)/,
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
    if (code !== 'LABEL_MISSING') all.push(['label', ZPL64])
    const res = await call('/', formBody(...all))
    t.equal(res.status, 400)
    const answer = await readAnswer(res)
    t.match(answer, { Status: 'Error', code })
    t.match(answer.Message, message)
    t.ok(answer.hint)
  }
  t.equal(jobs().length, 0)
})

t.test('the key in header and field must be one', async (t) => {
  const { call, jobs } = startRig(t)
  const init = formBody(['label', ZPL64], ['idempotency_key', 'a'])
  t.equal((await call('/', { ...init, headers: { 'idempotency-key': 'a' } })).status, 200)
  const res = await call('/', { ...init, headers: { 'idempotency-key': 'b' } })
  t.match(await res.json(), { code: 'FIELD_INVALID', Message: /header says "b"/ })
  t.equal(jobs().length, 1)
})

t.test(
  'fields of the query are read as those of the body, and may not contradict it',
  async (t) => {
    const { call, jobs, printed } = startRig(t)
    const bodies = [
      formBody(['label', ZPL64]),
      jsonBody({ label: ZPL64, printer: 'Bench 2' }),
      { method: 'POST', body: new URLSearchParams() },
    ]
    const queries = [
      'printer=Bench+2',
      'printer=Bench%202&copies=',
      `printer=Bench+2&label=${ZPL64}`,
    ]
    for (const [n, init] of bodies.entries()) {
      t.equal((await call(`/?utm=x&${queries[n]}`, init)).status, 200)
      t.match(jobs()[n], { printer: 'Bench 2', options: { printer: 'Bench 2' } })
    }
    t.equal(printed('bench-2').length, 3)
    const refused = [
      [
        'printer=Bench+1',
        'printer: the address says "Bench 1" and the body "Bench 2", wanted one value.',
      ],
      ['printer=A&printer=B', 'printer: got "A" and "B", wanted one value.'],
      ['Printer=Bench+2', '"Printer" is not a field that is read here. Did you mean "printer"?'],
      ['dpi=203.5', 'dpi: got "203.5", wanted a whole number from 50 to 1200 (dots per inch).'],
    ] as const
    for (const [query, Message] of refused) {
      const res = await call(`/?${query}`, jsonBody({ label: ZPL64, printer: 'Bench 2' }))
      t.equal(res.status, 400)
      t.match(await readAnswer(res), { code: 'FIELD_INVALID', Message })
    }
    t.equal(jobs().length, 3)
  },
)

t.test('labels times copies are bounded', async (t) => {
  const { call } = startRig(t, { bounds: { jobs: 5 } })
  const res = await call('/', formBody(['label', ZPL64], ['label', ZPL64], ['copies', '3']))
  t.equal(res.status, 413)
  t.match(await res.json(), { code: 'TOO_MANY_FIELDS', Message: /2 labels in 3 copies are 6 jobs/ })
})

t.test('a refusal of the intake goes out with its status and Retry-After', async (t) => {
  const { call, jobs } = startRig(t, { prints: false, bench: { quotaBytes: 1_200_000 } })
  const label = Buffer.from(zplLabel('full', 700_000)).toString('base64')
  const init = { ...formBody(['label', label]), headers: { prefer: 'wait=0' } }
  t.equal((await call('/', init)).status, 202)
  const full = await call('/', init)
  t.equal(full.status, 507)
  t.equal(full.headers.get('retry-after'), '60')
  t.match(await full.json(), { Status: 'Error', code: 'SPOOL_FULL' })
  t.equal(jobs().length, 1)
  const unknown = await call('/', formBody(['label', ZPL64], ['printer', 'Bench 9']))
  t.equal(unknown.status, 404)
  t.match(await unknown.json(), { code: 'PRINTER_UNKNOWN', Message: /"Bench 1", "Bench 2"/ })
})

t.test('an error that nobody expected is 500 INTERNAL, logged, and tells nothing', async (t) => {
  const { call, folder, log } = startRig(t)
  const page = join(folder, 'web', 'index.html')
  renameSync(page, `${page}.gone`)
  const res = await call('/')
  t.equal(res.status, 500)
  const answer = await readAnswer(res)
  t.match(answer, { Status: 'Error', code: 'INTERNAL' })
  t.notMatch(JSON.stringify(answer), /ENOENT|index/)
  t.match(log, [
    { event: 'request failed', fields: { method: 'GET', path: '/', err: { code: 'ENOENT' } } },
  ])
  t.equal((await call('/', formBody(['label', ZPL64]))).status, 200)
})

t.test('a disk that fails is told to the sender, and the server lives on', async (t) => {
  const { bench, call } = startRig(t)
  bench.spool.close()
  const res = await call('/', formBody(['label', ZPL64]))
  t.equal(res.status, 503)
  t.match(await res.json(), { Status: 'Error', code: 'SPOOL_BROKEN' })
  t.equal((await call('/printers')).status, 200)
})

t.test('a body that is itself a label prints, with its fields in the address', async (t) => {
  const { call, printed } = startRig(t)
  const send = (type: string | undefined, body: Buffer) =>
    call('/?printer=Bench+2', {
      method: 'POST',
      body,
      headers: { ...(type && { 'content-type': type }) },
    })
  const form = 'application/x-www-form-urlencoded' // what curl --data-binary says
  const zpl = ZPL.toString()
  const epl = 'N\r\nq812\r\nA30,20,0,4,1,1,N,"a=b&c"\r\nP1\r\n'
  const sent = [
    [form, zpl],
    [form, epl],
    [form, `\x10CT~~CD,~CC^~CT~\r\n${zpl}`],
    [undefined, zpl],
    ['text/plain', zpl],
    ['application/octet-stream', epl],
    ['application/zpl', zpl],
  ] as const
  for (const [type, label] of sent) {
    const res = await send(type, Buffer.from(label, 'latin1'))
    t.equal(res.status, 200, `${type} ${(await readAnswer(res)).Message}`)
  }
  t.same(
    printed('bench-2'),
    sent.map(([, label]) => Buffer.from(label, 'latin1')),
  )
  t.equal((await send(undefined, Buffer.from(JSON.stringify({ label: ZPL64 })))).status, 200)
  t.equal((await send(undefined, Buffer.from(`label=${ZPL64}`))).status, 200)
  t.equal((await send('image/png', Buffer.from('no picture'))).status, 415)
  t.equal((await send('text/plain', Buffer.alloc(0))).status, 400)
})

t.test('other bodies are 415 and named', async (t) => {
  const { call } = startRig(t)
  const post = (type: string | undefined, more = {}): Promise<Response> =>
    call('/', {
      method: 'POST',
      body: Buffer.from('fields=none'),
      headers: { ...(type && { 'content-type': type }), ...more },
    })
  const plain = await post('text/css')
  t.equal(plain.status, 415)
  t.match(await plain.json(), { code: 'BODY_TYPE', Message: /Content-Type "text\/css"; wanted/ })
  const form = 'application/x-www-form-urlencoded'
  const gzip = await post(form, { 'content-encoding': 'gzip' })
  t.equal(gzip.status, 415)
  t.match(await gzip.clone().json(), { hint: /without a Content-Encoding/ })
  t.match(await gzip.json(), { Message: /Content-Encoding "gzip"; wanted a body that is not/ })
  t.equal((await post(`${form}; charset=utf-16`)).status, 415)
  t.match(await (await post(`${form}; charset="UTF-8"`)).json(), { code: 'LABEL_MISSING' })
  t.match(await (await post(`${form};charset=ISO-8859-1`)).json(), { code: 'LABEL_MISSING' })
  t.match(await (await post(`${form}`, { 'content-encoding': 'identity' })).json(), {
    code: 'LABEL_MISSING',
  })
})

t.test('pages of other sites may print, and learn what became of it', async (t) => {
  const { call } = startRig(t)
  const init = formBody(['label', ZPL64])
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

t.test('says what a file is before it prints', async (t) => {
  const { call, bench } = startRig(t)
  const check = async (body: string) => {
    const answer = await call('/labels/check', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/octet-stream' },
    })
    return { status: answer.status, ...((await answer.json()) as object) }
  }
  t.match(await check('^XA^FO9,9^FDx^FS^XZ'), { status: 200, Status: 'OK', format: 'zpl' })
  t.match(await check('Dear all'), { status: 415, code: 'LABEL_UNKNOWN', hint: /^Send / })
  t.match(await check(''), { code: 'LABEL_EMPTY' })
  t.same(bench.spool.history.list({ limit: 9 }), [], 'nothing is kept')
})
