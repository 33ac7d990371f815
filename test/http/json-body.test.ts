import t from 'tap'
import { parseJson } from '../../src/core/request/bounded-json.ts'
import { readJsonText } from '../../src/core/request/json.ts'
import { REQUEST_LIMITS } from '../../src/core/request/reader.ts'
import { RequestFields } from '../../src/core/request/request-fields.ts'
import { boundsWith } from '../../src/http/bounds.ts'
import { PIXEL } from '../core/labels.ts'
import { jsonBody, readAnswer, startRig, ZPL, ZPL64 } from './rig.ts'

const bounds = boundsWith({ jsonDepth: 5, jsonValues: 50 })

t.test('parses JSON, and takes nothing for an empty object', (t) => {
  t.same(parseJson(' \n', bounds), {})
  const value = { a: [1, 'x,[{"\\', { b: null }], '"': '\\"' }
  t.same(parseJson(JSON.stringify(value), bounds), value)
  t.end()
})

t.test('says where the fault is, and never shows the text', (t) => {
  const cases = [
    ['{"label":"QUJD",}', /fault at offset 16\.$/],
    ['{"label":"QUJD"', /offset 15/],
    ['{"label":"QUJD', /offset 14/],
    ['{"label":QUJD}', /not valid JSON/],
    ['secret', /not valid JSON\.$/],
  ] as const
  for (const [text, message] of cases) {
    t.throws(() => parseJson(text, bounds), { code: 'BODY_BROKEN', message }, text)
    try {
      parseJson(text, bounds)
    } catch (error) {
      t.notMatch(error instanceof Error && error.message, /QUJD|secret/)
    }
  }
  t.end()
})

t.test('depth and values are bounded before anything is built', (t) => {
  t.throws(() => parseJson('['.repeat(6), bounds), { message: /nested deeper than 5/ })
  t.throws(() => parseJson(`[${'0,'.repeat(60)}0]`, bounds), { message: /more than 50 values/ })
  t.same(parseJson(`["${'[,'.repeat(60)}"]`, bounds), ['[,'.repeat(60)])
  t.throws(() => parseJson('['.repeat(5_000_000), boundsWith()), { message: /nested deeper/ })
  t.throws(() => parseJson(`"${'\\'.repeat(3_000_000)}`, boundsWith()), { code: 'BODY_BROKEN' })
  t.end()
})

t.test('refuses what is neither an object nor a text', (t) => {
  const take = (value: unknown): void =>
    readJsonText(JSON.stringify(value), REQUEST_LIMITS, new RequestFields(REQUEST_LIMITS))
  t.throws(() => take(null), { message: 'The JSON is null, wanted an object.' })
  t.throws(() => take([]), { message: /is a list/ })
  t.throws(() => take('x'), { message: /is a string/ })
  t.throws(() => take({ label: 5 }), { message: 'label: got a number, wanted base64 text.' })
  t.throws(() => take({ labels: [{}] }), { message: 'labels: got an object, wanted base64 text.' })
  t.throws(() => take({ dpi: true }), { message: 'dpi: got a boolean, wanted text or a number.' })
  t.throws(() => take({ printer: ['A'] }), { code: 'FIELD_INVALID' })
  take({ label: null, labels: [], dpi: null, other: { deep: [] } })
  t.end()
})

t.test('a JSON label is read by the rules of a form label', async (t) => {
  const { call, jobs, labels } = startRig(t)
  const label = `data:image/png;base64,${PIXEL.toString('base64')}`
  t.equal((await call('/', jsonBody({ label }, { prefer: 'wait=60' }))).status, 200)
  t.match(jobs(), [{ format: 'png', state: 'completed' }])
  t.same(labels(), [PIXEL])
  const res = await call('/', jsonBody({ labels: ['QUJD', 'QU==REVG'] }))
  t.equal(res.status, 400)
  t.match((await readAnswer(res)).Message, /^label 2 of 2: "R" at offset 4 follows the padding/)
})

t.test('JSON that is not UTF-8 is refused', async (t) => {
  const { call } = startRig(t)
  const init = { ...jsonBody(''), body: Buffer.from('{"printer":"\xfc"}', 'latin1') }
  const res = await call('/', init)
  t.equal(res.status, 400)
  t.match(await readAnswer(res), { code: 'BODY_BROKEN', Message: 'The body is not UTF-8 text.' })
})

t.test('kin of JSON are JSON', async (t) => {
  const { call } = startRig(t)
  for (const type of ['application/json; charset=utf-8', 'text/json', 'application/vnd.x+json']) {
    const res = await call('/', jsonBody({ label: ZPL64 }, { 'content-type': type }))
    t.equal(res.status, 200, type)
  }
})

t.test('large labels are decoded from the body as PHP and others write it', async (t) => {
  const { call, labels } = startRig(t)
  const label = Buffer.concat([ZPL, Buffer.alloc(90_000, '\n^FX \u00ff~ '), ZPL])
  const text = label.toString('base64')
  t.match(text, '/')
  const php = JSON.stringify({ note: text, label: [text], labels: text }).replaceAll('/', '\\/')
  t.equal((await call('/', jsonBody(php, { prefer: 'wait=60' }))).status, 200)
  const lines = JSON.stringify({ 'label[]': text.replaceAll(/.{76}/g, '$&\r\n') })
  const length = { 'content-length': String(lines.length) }
  t.equal((await call('/', jsonBody(lines, { ...length, prefer: 'wait=60' }))).status, 200)
  t.same(
    labels().map((one) => label.equals(one)),
    [true, true, true],
  )
})

t.test('a small body is read whole', async (t) => {
  const { call, labels } = startRig(t)
  const body = JSON.stringify({ label: ZPL64 })
  const init = jsonBody(body, { 'content-length': String(body.length), prefer: 'wait=60' })
  t.equal((await call('/', init)).status, 200)
  t.same(labels(), [ZPL])
})

t.test('says what is wrong with a large text as with a small one', async (t) => {
  const { call } = startRig(t)
  const long = 'A'.repeat(40_000)
  const cases: readonly (readonly [unknown, string, RegExp])[] = [
    [{ label: [long, `${long}?`] }, 'LABEL_BASE64', /^label 2 of 2: "\?" at offset 40000 is not/],
    [{ printer: long }, 'FIELD_INVALID', /^printer: got more than 4096 bytes/],
    [`"${long}"`, 'BODY_BROKEN', /^The JSON is a string, wanted an object/],
    [`{"label":"${long}",}`, 'BODY_BROKEN', /not valid JSON: fault at offset 40012\.$/],
    [`{"label":"${long}\n"}`, 'BODY_BROKEN', /not valid JSON: fault at offset 40010\.$/],
    [`{"label":"${long}`, 'BODY_BROKEN', /not valid JSON: fault at offset 40010\.$/],
  ]
  for (const [body, code, Message] of cases) {
    t.match(await readAnswer(await call('/', jsonBody(body))), { code, Message })
  }
})
