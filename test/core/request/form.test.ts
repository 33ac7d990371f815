import fc from 'fast-check'
import t from 'tap'
import { FormReader } from '../../../src/core/request/form.ts'
import { RequestFields } from '../../../src/core/request/request-fields.ts'
import { boundsWith } from '../../../src/http/bounds.ts'
import { processorMs } from '../../labels/processor-time.ts'

const TEXT = 'printer'

/** Node's own reader spoils letters beyond ASCII when an escape beside them is broken, so it gets them escaped. */
const oracle = (body: string): URLSearchParams =>
  new URLSearchParams(body.replace(/[^\0-\x7f]/gu, encodeURIComponent))

function read(pieces: readonly (string | Uint8Array)[], bounds = boundsWith()): RequestFields {
  const fields = new RequestFields(bounds)
  const reader = new FormReader(fields, bounds)
  for (const piece of pieces) reader.push(Buffer.from(piece as string))
  reader.end()
  fields.settle()
  return fields
}

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const ends = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b)
  return [0, ...ends].map((from, i) => bytes.subarray(from, ends[i] ?? bytes.length))
}

const labels = (fields: RequestFields): string[] =>
  fields.labels.map((label) => Buffer.from(label).toString('latin1'))

t.test('reads texts as URLSearchParams does, wherever the chunks are cut', (t) => {
  const letter = fc.constantFrom(...'ab+%25Cc3A9 =éЖ\0\t\u{1f4a9}2B2f3D')
  const value = fc.string({ unit: letter, maxLength: 20 })
  const cuts = fc.array(fc.nat(200), { maxLength: 8 })
  fc.assert(
    fc.property(value, cuts, (value, cuts) => {
      const body = `a=1&${TEXT}=${value}&&b`
      const wanted = oracle(body).get(TEXT) ?? ''
      const got = read(cutAt(Buffer.from(body), cuts)).text(TEXT)
      t.equal(got, wanted.trim() === '' ? undefined : wanted)
    }),
    { numRuns: 2000 },
  )
  t.end()
})

t.test('reads names as URLSearchParams does', (t) => {
  const name = fc.string({ unit: fc.constantFrom(...'%+labe[]=70612C6'), maxLength: 12 })
  fc.assert(
    fc.property(fc.array(name, { maxLength: 5 }), fc.array(fc.nat(99)), (names, cuts) => {
      const body = [...names, '%6cabel=QUJD', 'l%61bel%5b%5D'].join('&')
      const wanted = [...oracle(body).keys()].filter((name) => /^label(\[\d*\])?$/.test(name))
      t.equal(read(cutAt(Buffer.from(body), cuts)).labels.length, wanted.length)
    }),
    { numRuns: 500 },
  )
  t.end()
})

t.test('labels come back whole, escaped in any way and cut anywhere', (t) => {
  const escapeEvery = (text: string, every: number): string =>
    [...text]
      .map((letter, i) => (i % every === 0 ? `%${letter.charCodeAt(0).toString(16)}` : letter))
      .join('')
  const encode = fc.constantFrom<(text: string) => string>(
    encodeURIComponent,
    (text) =>
      encodeURIComponent(text)
        .toLowerCase()
        .replace(/[a-z]/g, (x) => x) && text,
    (text) => text.replaceAll('+', '%2b').replaceAll('/', '%2f').replaceAll('=', '%3d'),
    (text) => escapeEvery(text, 1),
    (text) => escapeEvery(text, 3),
    (text) => text.replaceAll('+', '%20'),
    (text) => text.replaceAll('+', '-').replaceAll('/', '_'),
  )
  const label = fc.uint8Array({ minLength: 1, maxLength: 90 })
  fc.assert(
    fc.property(
      fc.array(label, { minLength: 1, maxLength: 3 }),
      encode,
      fc.array(fc.nat(900), { maxLength: 12 }),
      (all, encode, cuts) => {
        const body = all.map((bytes) => `label=${encode(Buffer.from(bytes).toString('base64'))}`)
        const fields = read(cutAt(Buffer.from(body.join('&')), cuts))
        t.same(
          fields.labels.map((bytes) => Buffer.from(bytes)),
          all.map((bytes) => Buffer.from(bytes)),
        )
      },
    ),
    { numRuns: 1500 },
  )
  t.end()
})

t.test('keeps the order of the request across all names of a label', (t) => {
  const fields = read(['label[]=QQ==&label=Qg==&label[7]=Qw==&label[0]=RA==&label%5B%5D=RQ=='])
  t.same(labels(fields), ['A', 'B', 'C', 'D', 'E'])
  t.end()
})

t.test('an escape is undone once', (t) => {
  t.equal(read(['printer=100%25%32%35']).text('printer'), '100%25')
  t.equal(read(['printer=%252B']).text('printer'), '%2B')
  t.throws(() => read(['label=QU%252BQQ']), { message: /^label 1 of 1: "%" at offset 2 / })
  t.end()
})

t.test('says which label is not base64, and where', (t) => {
  t.throws(() => read(['label=QUJD&label=QU', '=%3', 'DREVG&label=!']), {
    code: 'LABEL_BASE64',
    message: /^label 2 of 3: "R" at offset 4 follows the padding/,
  })
  t.throws(() => read(['label=%zzQ']), { message: /^label 1 of 1: "%" at offset 0/ })
  t.throws(() => read(['label=QUJD%']), { message: /^label 1 of 1: "%" at offset 4/ })
  t.end()
})

t.test('ignores what it does not know, and leaves out what is empty', (t) => {
  const fields = read(['submit=Print&dpi=&printer=+&label=QUJD&x=', 'y'.repeat(100_000)])
  t.same([fields.text('dpi'), fields.text('printer')], [undefined, undefined])
  t.equal(fields.labels.length, 1)
  t.end()
})

t.test('a field may come twice with one value, never with two', (t) => {
  t.equal(read(['printer=A&printer=A&printer=']).text('printer'), 'A')
  t.throws(() => read(['printer=A&printer=B']), {
    code: 'FIELD_INVALID',
    message: 'printer: got "A" and "B", wanted one value.',
  })
  t.end()
})

t.test('is bounded while it reads', (t) => {
  const bounds = boundsWith({ fields: 10, labels: 3, nameBytes: 20, valueBytes: 50 })
  t.throws(() => read(['a=1&'.repeat(11)], bounds), {
    code: 'TOO_MANY_FIELDS',
    message: /10 fields/,
  })
  t.throws(() => read(['label=QQ==&'.repeat(4)], bounds), {
    code: 'TOO_MANY_FIELDS',
    message: /3 labels/,
  })
  t.throws(() => read(['^XA^FO30,30^FDnot a form'], bounds), {
    code: 'BODY_BROKEN',
    message: /field name of more than 20 bytes/,
  })
  t.throws(() => read(['printer=', 'x'.repeat(151)], bounds), { code: 'FIELD_INVALID' })
  t.throws(() => read(['printer=', 'x'.repeat(51)], bounds), { message: /more than 50 bytes/ })
  t.equal(read([`printer=${'%41'.repeat(50)}`], bounds).text('printer'), 'A'.repeat(50))
  t.end()
})

t.test('reads a form in an older charset', (t) => {
  const fields = new RequestFields(boundsWith())
  const reader = new FormReader(fields, boundsWith(), 'windows-1252')
  reader.push(Buffer.from('printer=Pr%FCfung+%80&label=QUJD'))
  reader.end()
  t.equal(fields.text('printer'), 'Prüfung €')
  t.same(labels(fields), ['ABC'])
  t.end()
})

t.test('thousands of empty pairs cost nothing', (t) => {
  const pieces = Array.from({ length: 64 }, () => '&'.repeat(65_536))
  const ms = processorMs(() => read(pieces))
  t.ok(ms < 10_000, `${ms} ms`)
  t.end()
})
