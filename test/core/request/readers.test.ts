import t from 'tap'
import { FormReader } from '../../../src/core/request/form.ts'
import { JsonReader, MessageReader } from '../../../src/core/request/json.ts'
import { MultipartReader } from '../../../src/core/request/multipart.ts'
import { REQUEST_LIMITS } from '../../../src/core/request/reader.ts'
import { RequestFields } from '../../../src/core/request/request-fields.ts'
import { asTexts, readerConforms } from '../../conformance/reader.ts'

const fields = (): RequestFields => new RequestFields(REQUEST_LIMITS)
const BOUNDARY = 'XbX'

/** By hand: an object has each name once. */
function writeJson(entries: readonly (readonly [string, unknown])[]): string {
  const pairs = entries.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
  return `{${pairs.join(',\n')}}`
}

t.test('a form', (t) =>
  readerConforms(t, {
    fields,
    open: (fields, bounds) => new FormReader(fields, bounds),
    write: (entries) => new URLSearchParams(asTexts(entries)).toString(),
    isTyped: false,
  }),
)

t.test('multipart', (t) =>
  readerConforms(t, {
    fields,
    open: (fields, bounds) => new MultipartReader(BOUNDARY, fields, bounds),
    write: (entries) => {
      const parts = asTexts(entries).map(
        ([name, text]) =>
          `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
      )
      return `${parts.join('')}--${BOUNDARY}--\r\n`
    },
    isTyped: false,
  }),
)

t.test('JSON', (t) =>
  readerConforms(t, {
    fields,
    open: (fields, bounds) => new JsonReader(fields, bounds),
    write: writeJson,
    isTyped: true,
  }),
)

t.test('a message of a source', (t) =>
  readerConforms(t, {
    fields: () => new RequestFields(REQUEST_LIMITS, 'message'),
    open: (fields, bounds) => new MessageReader(fields, bounds),
    write: writeJson,
    isTyped: true,
  }),
)

t.test('a redirect is for those who come by HTTP', (t) => {
  for (const [way, wanted] of [
    ['http', 'https://shop.example'],
    ['message', undefined],
  ] as const) {
    const fields = new RequestFields(REQUEST_LIMITS, way)
    const reader = new JsonReader(fields, REQUEST_LIMITS)
    reader.push(
      Buffer.from(
        writeJson([
          ['label', 'QUJD'],
          ['redirect_url', 'https://shop.example'],
        ]),
      ),
    )
    reader.end()
    t.equal(fields.request().redirectUrl, wanted)
  }
  t.end()
})

t.test('JSON with names that stand twice has large labels and escapes in order', (t) => {
  const large = Buffer.alloc(30_000, 'x').toString('base64')
  const fields = new RequestFields(REQUEST_LIMITS)
  const reader = new JsonReader(fields, REQUEST_LIMITS)
  const body = `{"label" : "${large}", "l\\u0061bel":["QQ==","${large}"] , "x":{"label":"?"}, "label":"Qg==" }`
  reader.push(Buffer.from(body))
  reader.end()
  t.same(
    fields.request().labels.map(({ length }) => length),
    [30_000, 1, 30_000, 1],
  )
  t.end()
})

t.test('a key and a title that are numbers of JSON keep their digits', (t) => {
  const body = '{"label":"QQ==","idempotency_key":576462345678901234,"title":576462345678901235}'
  for (const Reader of [JsonReader, MessageReader]) {
    const taken = fields()
    const reader = new Reader(taken, REQUEST_LIMITS)
    reader.push(Buffer.from(body))
    reader.end()
    const { idempotencyKey, titles } = taken.request()
    t.same([idempotencyKey, ...titles], ['576462345678901234', '576462345678901235'])
  }
  t.end()
})
