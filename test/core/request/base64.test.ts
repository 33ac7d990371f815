import fc from 'fast-check'
import t from 'tap'
import { Base64Reader, decodeBase64 } from '../../../src/core/request/base64.ts'
import { spoken } from '../../words/spoken.ts'

function fails(text: string): string {
  try {
    decodeBase64(text)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'LABEL_BASE64') {
      return error.message
    }
    throw error
  }
  throw new Error(`"${text}" was taken`)
}

/** A strict reading of the same rules, letter by letter, to compare with; undefined = refused. */
function slowDecode(text: string): Buffer | undefined {
  const clean = text.replace(/[\r\n]/g, '').replaceAll(' ', '+')
  const plain = clean.replaceAll('-', '+').replaceAll('_', '/')
  if (!/^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(plain)) return undefined
  const bytes = Buffer.from(plain, 'base64')
  return bytes.toString('base64') === plain ? bytes : undefined
}

function decodeIn(pieces: readonly string[]): Uint8Array {
  const reader = new Base64Reader()
  for (const piece of pieces) reader.push(piece)
  return reader.end()
}

t.test('any bytes come back from their base64', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const text = Buffer.from(bytes).toString('base64')
      t.same(Buffer.from(decodeBase64(text)), Buffer.from(bytes))
    }),
    { numRuns: 200 },
  )
  t.end()
})

t.test('agrees with a strict reference on any text, cut anywhere', (t) => {
  const letter = fc.constantFrom(...'AQgw09+/-_= \r\n%!Łé\0')
  const text = fc.oneof(
    fc.string({ unit: letter, maxLength: 24 }),
    fc
      .tuple(fc.base64String({ maxLength: 60 }), fc.string({ unit: letter, maxLength: 2 }))
      .map(([good, more]) => good + more),
  )
  fc.assert(
    fc.property(text, fc.array(fc.nat(60), { maxLength: 6 }), (text, cuts) => {
      const ends = [...cuts].sort((a, b) => a - b)
      const pieces = [0, ...ends].map((from, i) => text.slice(from, ends[i] ?? text.length))
      const wanted = slowDecode(text)
      let got: Uint8Array | undefined
      try {
        got = decodeIn(pieces)
      } catch (error) {
        t.match(spoken(error), { code: 'LABEL_BASE64', message: /offset \d+/ })
      }
      t.same(got && Buffer.from(got), wanted, JSON.stringify(text))
    }),
    { numRuns: 3000 },
  )
  t.end()
})

t.test('a blank is the plus that form decoding ate', (t) => {
  t.same(Buffer.from(decodeBase64('   /AAAA')).toString('hex'), 'fbefbf000000')
  t.end()
})

t.test('line ends, both alphabets and a data: prefix are read', (t) => {
  t.same(Buffer.from(decodeBase64('QU\r\nJD\n')).toString(), 'ABC')
  t.same(decodeBase64('-_-_'), decodeBase64('+/+/'))
  t.same(Buffer.from(decodeBase64('data:image/png;base64,QUJD')).toString(), 'ABC')
  t.same(Buffer.from(decodeIn(['\r\nDA', 'Ta:;BASE', '64,', 'QU', 'JD'])).toString(), 'ABC')
  t.same(Buffer.from(decodeBase64('data')).length, 3, 'the word alone is base64')
  t.same(decodeBase64('').length, 0)
  t.end()
})

t.test('a data: prefix that is not base64 is refused', (t) => {
  t.match(fails('data:text/plain,hello'), /data: prefix at offset 0/)
  t.match(fails(`data:${'x'.repeat(400)}`), /data: prefix/)
  t.match(fails('data:image/png;base64'), /":" at offset 4/)
  t.end()
})

t.test('says which character is wrong and where', (t) => {
  t.match(fails('QUJD%QUJ'), /"%" at offset 4 is not base64/)
  t.match(fails('QU\r\nJD!'), /"!" at offset 6/)
  t.match(fails('data:;base64,QUJDQ~=='), /"~" at offset 18/)
  t.match(fails('QUŁD'), /U\+0141 at offset 2/)
  t.match(fails('QU\tJ'), /U\+0009 at offset 2/)
  t.throws(() => decodeIn(['QUJDQ', 'UJ', 'D', '%']), { message: /"%" at offset 8/ })
  t.end()
})

t.test('padding must be right', (t) => {
  t.match(fails('QU==REVG'), /"R" at offset 4 follows the padding/)
  t.match(fails('QUI'), /3 of 4 characters and 0 "="/)
  t.match(fails('QU='), /2 of 4 characters and 1 "="/)
  t.match(fails('QUJDQ'), /1 of 4 characters/)
  t.match(fails('QUJD===='), /4 "=" too many/)
  t.match(fails('='), /1 "=" too many/)
  t.match(fails('QUJ='), /bits that belong to no byte/)
  t.match(fails('QV=='), /bits that belong to no byte/)
  t.same(Buffer.from(decodeBase64('QQ=\r\n=')).toString(), 'A')
  t.throws(() => decodeIn(['QQ=', '=', 'Q']), { message: /offset 4 follows the padding/ })
  t.end()
})

t.test('counts while it reads, and a label has memory of its own', (t) => {
  const reader = new Base64Reader()
  reader.push('QUJDREVG')
  t.equal(reader.bytes, 6)
  const label = reader.end()
  t.equal(label.buffer.byteLength, 6)
  t.end()
})

t.test('a flood of line ends or of single letters costs neither time nor memory', (t) => {
  const reader = new Base64Reader()
  for (let i = 0; i < 200; i++) reader.push('\r\n'.repeat(32_768))
  for (const letter of 'QUJD'.repeat(5_000)) reader.push(letter)
  t.equal(reader.end().length, 15_000)
  t.end()
})
