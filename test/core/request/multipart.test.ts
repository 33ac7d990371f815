import fc from 'fast-check'
import t from 'tap'
import { MultipartReader } from '../../../src/core/request/multipart.ts'
import { RequestFields } from '../../../src/core/request/request-fields.ts'
import { boundsWith } from '../../../src/http/bounds.ts'
import { formBody, readAnswer, startRig } from '../../http/rig.ts'
import { zplLabel } from '../labels.ts'

const B = 'XbX'
const part = (head: string, content: string): string => `--${B}\r\n${head}\r\n\r\n${content}\r\n`
const field = (name: string, content: string): string =>
  part(`Content-Disposition: form-data; name="${name}"`, content)
const file = (name: string, content: string): string =>
  part(`Content-Disposition: form-data; name="${name}"; filename="a.zpl"`, content)
const END = `--${B}--\r\n`

function read(
  body: string | Buffer,
  cuts: readonly number[] = [],
  bounds = boundsWith(),
): RequestFields {
  const fields = new RequestFields(bounds)
  const reader = new MultipartReader(B, fields, bounds)
  const bytes = Buffer.from(body as string, 'latin1')
  const ends = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b)
  for (const [i, from] of [0, ...ends].entries()) {
    reader.push(bytes.subarray(from, ends[i] ?? bytes.length))
  }
  reader.end()
  fields.settle()
  return fields
}

const texts = (fields: RequestFields): string[] =>
  fields.labels.map((label) => Buffer.from(label).toString('latin1'))

t.test('takes files as they are and texts as base64, in the order of the request', (t) => {
  const fields = read(
    file('label', '^XA^XZ') + field('printer', 'Bench 1') + field('label[]', 'QUJD') + END,
  )
  t.same(texts(fields), ['^XA^XZ', 'ABC'])
  t.equal(fields.text('printer'), 'Bench 1')
  t.end()
})

t.test('reads texts in the charset that their part names', (t) => {
  const text = (type: string, content: string) =>
    read(part(`Content-Disposition: form-data; name="printer"\r\n${type}`, content) + END).text(
      'printer',
    )
  const utf8 = Buffer.from('Büro').toString('latin1')
  t.equal(text('Content-Type: text/plain; charset=ISO-8859-1', 'B\xfcro'), 'Büro')
  t.equal(text('Content-Type: text/plain; charset="windows-1250"', 'Pra\x9eská'), 'Pražská')
  t.equal(text('Content-Type: text/plain; charset=UTF-8', utf8), 'Büro')
  t.equal(text('Content-Type: text/plain', utf8), 'Büro')
  t.equal(text('Content-Type: text/plain; charset=nonsense', utf8), 'Büro')
  t.end()
})

t.test('any bytes of a file come back, wherever the chunks are cut', (t) => {
  const near = fc.constantFrom('\r\n', '--', `\r\n--${B.slice(0, 2)}`, `--${B}`, 'x', '\0', '\xff')
  const content = fc.array(near, { maxLength: 12 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(fc.array(content, { maxLength: 3 }), fc.array(fc.nat(400)), (contents, cuts) => {
      const good = contents.filter((text) => !`\r\n${text}\r\n`.includes(`\r\n--${B}`))
      const body = good.map((text) => file('label', text)).join('') + field('x', '1') + END
      t.same(texts(read(body, cuts)), good)
    }),
    { numRuns: 1500 },
  )
  t.end()
})

t.test('reads what fetch sends', async (t) => {
  const { call, jobs, labels } = startRig(t)
  const label = Buffer.from(zplLabel('\xe9\r\n--', 200_000))
  const body = new FormData()
  body.append('label', new Blob([label], { type: 'image/png' }), 'a "b" ü.png')
  body.append('label[]', label.toString('base64'))
  body.append('printer', 'Bench 2')
  body.append('label_width', '4')
  const res = await call('/', { method: 'POST', body })
  t.equal(res.status, 200)
  t.same(
    labels().map((sent) => sent.equals(label)),
    [true, true],
  )
  t.same(jobs()[0]?.options, { printer: 'Bench 2', labelWidth: 4 })
})

t.test('tells files from texts also when the client says little', (t) => {
  const disposition = 'Content-Disposition: form-data; name=label'
  const cases = [
    [`${disposition}; filename*=UTF-8''a.zpl`, 'raw', 'raw'],
    [`${disposition}\r\nContent-Type: application/octet-stream`, 'raw', 'raw'],
    [`${disposition}\r\nContent-Type: text/plain; charset=utf-8`, 'QUJD', 'ABC'],
    [`${disposition}; filename="a"\r\nContent-Transfer-Encoding: base64`, 'QUJD\r\nREVG', 'ABCDEF'],
    [`${disposition}; filename="C:\\a\\"b"\r\ncontent-transfer-encoding: BINARY`, 'raw', 'raw'],
    [`nonsense\r\n${disposition}`, 'QUJD', 'ABC'],
  ] as const
  for (const [head, content, wanted] of cases) {
    t.same(texts(read(part(head, content) + END)), [wanted], head)
  }
  t.end()
})

t.test('an unfilled file field is left out, an empty file is not', (t) => {
  const head = 'Content-Disposition: form-data; name="label"; filename=""'
  t.same(texts(read(part(head, '') + END)), [])
  t.same(texts(read(file('label', '') + END)), [''])
  t.same(texts(read(part(head, 'x') + END)), ['x'])
  t.end()
})

t.test('preamble, epilogue and blanks after a boundary do no harm', (t) => {
  const body = `hello\r\n${field('label', 'QUJD').replace(B, `${B} \t`)}${END}good\r\nbye`
  t.same(texts(read(body)), ['ABC'])
  t.same(texts(read(body, [3, 9, 14, 15, 16, 17, 18, 19])), ['ABC'])
  t.same(texts(read(`${END}`)), [])
  t.same(texts(read(`${field('label', 'QUJD')}${END}`.replace('QUJD\r\n', 'QUJD\r\n'))), ['ABC'])
  t.end()
})

t.test('an unknown field is passed over, whatever it holds', (t) => {
  const fields = read(file('photo', 'x'.repeat(100_000)) + field('label', 'QUJD') + END)
  t.same(texts(fields), ['ABC'])
  t.end()
})

t.test('a body that is not whole is refused', (t) => {
  const broken = [
    ['', 'no boundary line'],
    ['label=QUJD', 'no boundary line'],
    [field('label', 'QUJD'), 'in the middle of part 1'],
    [`--${B}\r\nContent-Disposition: form-data; name=x`, 'no boundary line'],
    [`--${B}oops\r\n`, 'is not a whole line'],
    [`--${B}-x`, 'is not a whole line'],
    [part('Content-Type: text/plain', 'x'), 'no "Content-Disposition'],
    [part('Content-Disposition: attachment; name="label"', 'x'), 'no "Content-Disposition'],
    [part('Content-Disposition: form-data', 'x'), 'with a field name'],
    [part(`X: ${'y'.repeat(3_000)}`, 'x'), 'more than 2048 bytes of headers'],
    [`--${B}\r\nX: ${'y'.repeat(3_000)}`, 'more than 2048 bytes of headers'],
    [
      part(
        'Content-Disposition: form-data; name=label\r\nContent-Transfer-Encoding: quoted-printable',
        'x',
      ),
      'transfer encoding "quoted-printable"',
    ],
  ] as const
  for (const [body, message] of broken) {
    t.throws(
      () => read(body),
      { code: 'BODY_BROKEN', message: new RegExp(message) },
      body.slice(0, 60),
    )
  }
  t.end()
})

t.test('says which label is not base64', (t) => {
  t.throws(() => read(field('label', 'QUJD') + field('label', 'QU?D') + END), {
    code: 'LABEL_BASE64',
    message: /^label 2 of 2: "\?" at offset 2/,
  })
  t.end()
})

t.test('is bounded while it reads', (t) => {
  const bounds = boundsWith({ labels: 2, fields: 4, valueBytes: 10 })
  t.throws(() => read(file('label', 'x').repeat(3) + END, [], bounds), { code: 'TOO_MANY_FIELDS' })
  t.throws(() => read(field('x', 'x').repeat(5) + END, [], bounds), { code: 'TOO_MANY_FIELDS' })
  t.throws(() => read(field('printer', 'x'.repeat(11)) + END, [], bounds), {
    code: 'FIELD_INVALID',
  })
  t.end()
})

t.test('a boundary must be one', async (t) => {
  const { call } = startRig(t)
  for (const type of ['multipart/form-data', `multipart/form-data; boundary=${'x'.repeat(201)}`]) {
    const init = { ...formBody(['label', 'QUJD']), headers: { 'content-type': type } }
    const res = await call('/', init)
    t.equal(res.status, 400)
    t.match((await readAnswer(res)).Message, /boundary of \d+ letters/)
  }
})
