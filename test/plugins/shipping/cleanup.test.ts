import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { cleanCarrierZpl } from '../../../src/plugins/shipping/print.ts'
import { anyCharacter } from '../../characters.ts'

const clean = (zpl: string): string =>
  Buffer.from(cleanCarrierZpl(Buffer.from(zpl, 'latin1'))).toString('latin1')

t.test('what disturbs a printer goes, all else stays', (t) => {
  const cases: readonly (readonly [string, string])[] = [
    ['^XA^MMT^FO1,1^FDx^FS^XZ', '^XA^FO1,1^FDx^FS^XZ'],
    ['^XA^MMP,Y^FS^XZ', '^XA^FS^XZ'],
    ['^XA^JUS^XZ', '^XA^XZ'],
    ['^XA^juf^XZ', '^XA^XZ'],
    ['^XA^JUR^XZ', '^XA^JUR^XZ'],
    ['~TA000~JSN^XA^LT0^XZ', '^XA^LT0^XZ'],
    ['~SD15^XA^XZ', '^XA^XZ'],
    ['^XA^GFA,4,4,2,FF00FF00^DN^XZ', '^XA^GFA,4,4,2,FF00FF00^FS^XZ'],
    ['^XA^DN^XZ', '^XA^DN^XZ'],
    [
      '~DGR:LOGO.GRF,4,2,FF00FF00^XA^XGR:LOGO.GRF^FS^XZ',
      '~DGR:LOGO.GRF,4,2,FF00FF00^XA^XGR:LOGO.GRF^FS^XZ',
    ],
    ['^XA^FDthe word MMT and ~ in^FS^XZ', '^XA^FDthe word MMT and ~ in^FS^XZ'],
    ['^XA^FH^FD_5EMMT^FS^XZ', '^XA^FH^FD_5EMMT^FS^XZ'],
    ['^XA^CC##MMT#FDx#FS#XZ', '^XA^CC##FDx#FS#XZ'],
    ['\r\n^XA\r\n^MMT\r\n^XZ\r\n', '\r\n^XA\r\n^XZ\r\n'],
    ['', ''],
    ['no commands', 'no commands'],
  ]
  for (const [zpl, wanted] of cases) t.equal(clean(zpl), wanted, JSON.stringify(zpl))
  t.end()
})

t.test('bytes of a picture are never commands', (t) => {
  const data = '^MMT~JSN^JUS\0\xff'
  const label = `^XA^FO1,1^GFB,${data.length},${data.length},1,${data}^FS^XZ`
  t.equal(clean(label), label)
  t.end()
})

t.test('a clean label comes back as the same bytes', (t) => {
  const label = Buffer.from('^XA^FO1,1^FDx^FS^XZ')
  t.equal(cleanCarrierZpl(label), label)
  t.end()
})

t.test(
  'of whole commands, cleaned twice is cleaned once, and what is left keeps its order',
  (t) => {
    const kept = [
      '^XA',
      '^XZ',
      '^FO1,1^FDx^FS',
      '^GFA,2,2,1,FF00^FS',
      '^GFB,4,4,1,^MMT^FS',
      '^CC#',
      '#FS',
    ]
    const gone = ['^MMT', '^MMP,Y', '^JUS', '~JSN', '~TA000', '~SD15']
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...kept, ...gone), { maxLength: 30 }), (pieces) => {
        const once = clean(pieces.join(''))
        const isUsual = !pieces.includes('^CC#') && !pieces.includes('#FS')
        const wanted = pieces.filter((piece) => kept.includes(piece)).join('')
        return clean(once) === once && (!isUsual || once === wanted)
      }),
      { numRuns: 2_000 },
    )
    t.end()
  },
)

t.test('any bytes: nothing throws, and a label never gets longer', (t) => {
  const piece = fc.oneof(
    fc.constantFrom('^MMT', '^XA', '^GFA,2,2,1,FF00', '^GFB,9,', '^DN', '^JU', '~', '^', '^CC'),
    fc.string({ unit: anyCharacter, maxLength: 8 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const zpl = Buffer.from(pieces.join('')).toString('latin1')
      return clean(zpl).length <= zpl.length
    }),
    { numRuns: 2_000 },
  )
  t.end()
})

t.test('our own golden labels are clean', (t) => {
  const folder = join(import.meta.dirname, '../../golden/labels')
  const files = readdirSync(folder).filter(
    // The one that sets a darkness says so in its name.
    (name) => name.endsWith('.zpl') && !name.includes('dark'),
  )
  t.ok(files.length > 0)
  for (const name of files) {
    const label = readFileSync(join(folder, name))
    t.ok(Buffer.from(cleanCarrierZpl(label)).equals(label), name)
  }
  t.end()
})
