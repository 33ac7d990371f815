import fc from 'fast-check'
import t from 'tap'
import {
  FirstTime,
  isMessageFault,
  keepBad,
  readPayload,
} from '../../../src/plugins/source/message.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { Bench, printer } from '../../core/bench.ts'
import { PIXEL } from '../../core/labels.ts'
import { TcpSink } from '../../devices/tcp-sink.ts'
import { poll } from '../../until.ts'
import { spoken } from '../../words/spoken.ts'

const ZPL = '^XA^FDHello^FS^XZ'
const ZPL64 = Buffer.from(ZPL).toString('base64')

function textsOf(body: string | Uint8Array): readonly string[] {
  return readPayload(body).labels.map((label) => Buffer.from(label).toString())
}

function refusalOf(body: string | Uint8Array): PlatenError {
  try {
    readPayload(body)
  } catch (error) {
    if (error instanceof PlatenError) return error
    throw error
  }
  throw new Error('was taken')
}

t.test('a message is the base64 of a label, as echo and base64 write it too', (t) => {
  const lines = `${ZPL64.slice(0, 8)}\r\n${ZPL64.slice(8)}\n`
  for (const body of [ZPL64, Buffer.from(ZPL64), lines, `data:x/y;base64,${ZPL64}`]) {
    t.same(textsOf(body), [ZPL])
  }
  t.same(readPayload(ZPL64, 'q:1'), {
    labels: [Buffer.from(ZPL)],
    options: {},
    messageId: 'q:1',
  })
  t.end()
})

t.test('a byte order mark before a message of any size is not a part of it', (t) => {
  const label = '^XA^FDHello^FS^XZ '.repeat(4_000)
  const large = Buffer.from(label).toString('base64')
  for (const [base64, zpl] of [
    [ZPL64, ZPL],
    [large, label],
  ]) {
    for (const text of [base64, JSON.stringify({ label: base64 })]) {
      t.same(textsOf(`\ufeff${text}`), [zpl])
      t.same(textsOf(Buffer.from(`\ufeff${text}`)), [zpl])
    }
  }
  t.equal(refusalOf('\ufeff').code, 'LABEL_MISSING')
  t.equal(refusalOf(`\ufeff\ufeff${ZPL64}`).code, 'LABEL_BASE64')
  t.end()
})

t.test('or JSON with the fields of a POST', (t) => {
  const message = readPayload(
    JSON.stringify({
      label: ZPL64,
      labels: [ZPL64, ZPL64],
      'label[]': ZPL64,
      printer: 'Bench 1',
      label_width: 4,
      label_height: ' 6.5 ',
      dpi: '203',
      starting_point_x: -5,
      starting_point_y: '',
      expire_after: null,
      copies: '3',
      redirect_url: 'https://shop.example',
      of_the_shop: { any: 'thing' },
    }),
    'q:1',
  )
  t.equal(message.labels.length, 4)
  t.same(
    { ...message, labels: [] },
    {
      labels: [],
      options: {
        printer: 'Bench 1',
        labelWidth: 4,
        labelHeight: 6.5,
        dpi: 203,
        startingPointX: -5,
      },
      copies: 3,
      messageId: 'q:1',
    },
  )
  t.end()
})

t.test("the sender's key wins over the queue's", (t) => {
  const body = JSON.stringify({ label: ZPL64, idempotency_key: 'order-7' })
  t.equal(readPayload(body, 'q:1').messageId, 'key:order-7')
  t.equal(readPayload(JSON.stringify({ label: ZPL64 })).messageId, undefined)
  t.equal(readPayload(JSON.stringify({ label: ZPL64, idempotency_key: ' ' }), 'q').messageId, 'q')
  t.end()
})

t.test('what is wrong is said', (t) => {
  const cases: readonly (readonly [unknown, string, RegExp])[] = [
    ['', 'LABEL_MISSING', /message is empty/],
    [' \n', 'LABEL_MISSING', /message is empty/],
    ['^XA^XZ', 'LABEL_BASE64', /"\^" at offset 0/],
    ['QUJ', 'LABEL_BASE64', /offset 3/],
    [{}, 'LABEL_MISSING', /no label; wanted/],
    [{ labels: [] }, 'LABEL_MISSING', /no label/],
    [{ label: null }, 'LABEL_MISSING', /no label/],
    [{ label: 5 }, 'FIELD_INVALID', /^label: got a number, wanted base64 text\.$/],
    [{ labels: [ZPL64, {}] }, 'FIELD_INVALID', /^labels: got an object/],
    [{ labels: [ZPL64, '~'] }, 'LABEL_BASE64', /^label 2 of 2: /],
    [{ label: '~' }, 'LABEL_BASE64', /^label 1 of 1: "~" at offset 0/],
    [{ labels: Array(101).fill(ZPL64) }, 'TOO_MANY_FIELDS', /more than 100 labels/],
    [{ label: ZPL64, copies: 'two' }, 'FIELD_INVALID', /^copies: got "two", wanted a whole number/],
    [{ label: ZPL64, dpi: [] }, 'FIELD_INVALID', /^dpi: got a list/],
    [
      { label: ZPL64, printer: 'x'.repeat(200) },
      'FIELD_INVALID',
      /got "x{40}…", wanted at most 127/,
    ],
    [[ZPL64], 'BODY_BROKEN', /^The JSON is a list, wanted an object/],
    ['{"label":', 'BODY_BROKEN', /message is not valid JSON/],
    [`{"label":${'['.repeat(40)}`, 'BODY_BROKEN', /nested deeper than 32/],
  ]
  for (const [body, code, message] of cases) {
    const error = refusalOf(typeof body === 'string' ? body : JSON.stringify(body))
    t.match(error, { code, message })
    t.ok(isMessageFault(error), code)
  }
  t.end()
})

t.test('a large message is read by the same rules', (t) => {
  const label = '^XA^FX '.concat('~'.repeat(60_000), '^XZ')
  const text = Buffer.from(label).toString('base64')
  const inJson = { label: text, labels: [ZPL64, text], printer: 'Bench 1', copies: 2, note: text }
  for (const body of [text, `data:x/y;base64,${text}\n`, JSON.stringify({ label: text })]) {
    t.ok(textsOf(Buffer.from(body))[0] === label)
  }
  const php = ` \n${JSON.stringify(inJson).replaceAll('/', '\\/')}`
  const message = readPayload(Buffer.from(php), 'q:1')
  t.match(message, { options: { printer: 'Bench 1' }, copies: 2, messageId: 'q:1' })
  t.same(
    message.labels.map(({ length }) => length),
    [label.length, ZPL.length, label.length],
  )
  const cases: readonly (readonly [string, string, RegExp])[] = [
    [' '.repeat(50_000), 'LABEL_MISSING', /empty/],
    [`${text}?`, 'LABEL_BASE64', /"\?" at offset/],
    [
      JSON.stringify({ labels: [text, `${text}?`] }),
      'LABEL_BASE64',
      /^label 2 of 2: "\?" at offset/,
    ],
    [JSON.stringify([text]), 'BODY_BROKEN', /^The JSON is a list/],
    [`{"label":"${text}"`, 'BODY_BROKEN', /^The message is not valid JSON/],
    [`{"label":${'['.repeat(40_000)}`, 'BODY_BROKEN', /nested deeper than 32/],
    [
      JSON.stringify({ label: ZPL64, printer: text }),
      'FIELD_INVALID',
      /^printer: got more than 4096 bytes/,
    ],
    [
      JSON.stringify({ label: ZPL64, dpi: text }),
      'FIELD_INVALID',
      /^dpi: got more than 4096 bytes/,
    ],
  ]
  for (const [body, code, message] of cases) {
    t.match(refusalOf(Buffer.from(body)), { code, message })
  }
  t.end()
})

t.test('nothing that comes makes it fail otherwise', (t) => {
  const value = fc.oneof(fc.json(), fc.base64String(), fc.string(), fc.uint8Array())
  fc.assert(
    fc.property(value, (body) => {
      try {
        readPayload(body)
      } catch (error) {
        if (!(error instanceof PlatenError)) throw error
      }
    }),
    { numRuns: 2_000 },
  )
  t.end()
})

t.test("the box's own troubles are not the message's fault", (t) => {
  for (const code of ['SPOOL_FULL', 'SPOOL_BROKEN', 'PRINTER_NONE', 'PRINTER_AMBIGUOUS'] as const) {
    t.equal(isMessageFault(new PlatenError(code, 'x')), false)
  }
  const unknown = new PlatenError('PRINTER_UNKNOWN', 'x')
  t.equal(isMessageFault(unknown), false, 'the printer of the settings')
  t.equal(isMessageFault(unknown, 'Bench 9'), true, 'the printer of the message')
  t.equal(isMessageFault(new TypeError('x')), false)
  t.end()
})

t.test('a message that came in a flood of requests is tried again', async (t) => {
  const bench = new Bench(t, { printers: [printer('A', 'file:a')] })
  const message = { labels: [Buffer.from('^XA^XZ')], options: {} }
  const messages = bench.intake.forSource('mqtt')
  const refusal = messages.accept(message).catch((error: unknown) => error)
  for (let nr = 0; nr < 512; nr += 1) {
    void bench.spool.commits.take(`10.0.${nr >> 8}.${nr & 255}`, () => undefined)
  }
  t.match(await refusal, { code: 'SERVER_BUSY' })
  t.equal(isMessageFault(await refusal), false)
})

const NOBODY = new PlatenError(
  'PRINTER_UNKNOWN',
  'No printer is named "Bench 9". These are there: "A".',
)

t.test('a label for an unknown printer is kept as the label that it is', async (t) => {
  const bench = new Bench(t, { printers: [printer('A', 'file:a')] })
  const messages = bench.intake.forSource('mqtt')
  const label = Buffer.from('^XA^FDx^FS^XZ')
  const message = { labels: [label], options: { printer: 'Bench 9' }, messageId: '7' }
  const bad = { bytes: Buffer.from('{"label": …'), error: NOBODY, messageId: '7' }
  await keepBad(messages, message, bad)
  await keepBad(messages, message, bad)
  const jobs = bench.spool.history.list({ limit: 9 })
  t.match(jobs, [
    { state: 'pending-held', format: 'zpl', printer: 'Bench 9', code: 'PRINTER_UNKNOWN' },
  ])
  t.equal(jobs.length, 1, 'once, however often it comes')
  t.same(bench.spool.history.label(jobs[0]?.id ?? ''), label)
})

t.test(
  'a picture for a printer of unknown language prints once the language is known',
  async (t) => {
    const sink = await TcpSink.openFor(t)
    const known = printer('A', sink.uri)
    const bench = new Bench(t, { printers: [{ ...known, language: undefined }] })
    bench.scheduler.start()
    const messages = bench.intake.forSource('mqtt')
    const message = { labels: [PIXEL], options: {}, messageId: '7' }
    const error: unknown = await messages.accept(message).catch((refusal: unknown) => refusal)
    t.ok(isMessageFault(error))
    await keepBad(messages, message, { bytes: PIXEL, error: error as PlatenError, messageId: '7' })
    const [held] = bench.spool.history.list({ limit: 9 })
    t.match(held, { state: 'pending-held', format: 'png', code: 'PRINTER_LANGUAGE' })
    t.match(spoken(held?.message), /^The language of A is not known/)
    // As its hint says.
    bench.printers.configure([known], '')
    await bench.scheduler.release(held?.id ?? '')
    await poll('the label', () => bench.spool.history.get(held?.id ?? '')?.state === 'completed')
  },
)

t.test('what is not a label is kept as it came, whoever it is for', async (t) => {
  const bench = new Bench(t, { printers: [printer('A', 'file:a')] })
  const messages = bench.intake.forSource('sqs')
  const bytes = Buffer.from('{"label":"…"}')
  const junk = { labels: [Buffer.from('junk')], options: { printer: 'Bench 9' } }
  await keepBad(messages, junk, { bytes, error: NOBODY, messageId: '1' })
  const broken = new PlatenError('LABEL_BASE64', 'The label is not base64.')
  await keepBad(messages, undefined, { bytes, error: broken, messageId: '2' })
  const jobs = bench.spool.history.list({ limit: 9 })
  t.same(jobs.map(({ format, code }) => [format, code]).sort(), [
    ['unknown', 'LABEL_BASE64'],
    ['unknown', 'LABEL_UNKNOWN'],
  ])
  t.same(bench.spool.history.label(jobs[0]?.id ?? ''), bytes)
})

t.test('what finds no room is not kept, and says so', async (t) => {
  const full = new PlatenError('SPOOL_FULL', 'No room.')
  const messages = { park: () => Promise.reject(full), setAside: () => Promise.reject(full) }
  const message = { labels: [Buffer.from('^XA^XZ')], options: {} }
  const bad = { bytes: Buffer.from('x'), error: NOBODY }
  await t.rejects(keepBad(messages, message, bad), { code: 'SPOOL_FULL' })
})

t.test('a message that keeps coming is told of once, as long as few others come', (t) => {
  const told = new FirstTime()
  t.ok(told.of('a'))
  t.notOk(told.of('a'))
  for (let nr = 1; nr < 200; nr += 1) t.ok(told.of(`${nr}`))
  t.notOk(told.of('a'), 'of 200 each is known')
  t.ok(told.of('200'))
  t.notOk(told.of('1'), 'the oldest alone is forgotten')
  t.ok(told.of('a'))
  t.end()
})
