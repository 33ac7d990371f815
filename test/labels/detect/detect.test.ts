import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import t from 'tap'
import { isPicture } from '../../../src/labels/codecs/index.ts'
import { formatTitles } from '../../../src/labels/detect/detect.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { detectFormat, unpackLabel } from '../in-words.ts'
import { processorMs } from '../processor-time.ts'

function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

const KNOWN: Record<string, readonly string[]> = {
  zpl: [
    '^XA^FO10,10^FDx^FS^XZ',
    '\xef\xbb\xbf^XA',
    '\r\n \t\0^XA',
    '~DGR:LOGO.GRF,8,1,00^XA',
    'CT~~CD,~CC^~CT~\n^XA',
    '${^XA',
    'a line of the sender\r\n^XA',
    '~JSN^XA',
    '${~DGR:LOGO.GRF,8,1,00^XA',
    'a line of the sender\r\n~SD15',
  ],
  epl: [
    'EPL2\r\nN\r\nq812\r\nA30,20,0,4,1,1,N,"TO"\r\nP1\r\n',
    '\r\n\r\n\r\nN\r\nA30,20,0,4,1,1,N,"^AB ~CD"\r\nP1,1\r\n',
    'N\r\nq832\r\nP1',
    'N\nGW100,100,2,1,\x00\x0aP\r\n\r\n',
    'N\nGW0,0,1,3,\x0aP1P2\n',
    'a line of the sender\r\n  N\r\n  q812\r\n  Q1218,24\r\n  A30,20,0,4,1,1,N,"TO"\r\n  P1\r\n',
    '\nN\nB30,90,0,1,2,4,60,B,"1"\nP2\n',
    'I8,A,001\r\n\r\n\r\nQ1218,024\r\nq831\r\nrN\r\nS4\r\nD7\r\nZT\r\nJF\r\nOD\r\nR24,0\r\nf100\r\nN\r\nP1\r\n',
  ],
  tspl: [
    'SIZE 4,6\r\nGAP 0.12,0\r\nCLS\r\nBITMAP 0,0,1,1,0,\x5e\x41\r\nPRINT 1,1\r\n',
    '\r\nsize 100 mm,150 mm\r\ncls\r\n',
    'CLS\r\nTEXT 10,10,"3",0,1,1,"TO"\r\nPRINT 1\r\n',
    '\x1b!R\r\nSIZE 4,6\r\nBITMAP 0,0,1,1,0,^XA',
  ],
  png: ['\x89PNG\r\n\x1a\n'],
  jpeg: ['\xff\xd8\xff\xe0'],
  gif: ['GIF87a', 'GIF89a'],
  tiff: ['II*\0\x08', 'MM\0*\0'],
  pwg: ['RaS2PwgRaster\0'],
  urf: ['UNIRAST\0\0\0\0\x01'],
  pdf: ['%PDF-1.4\n', '\r\n%PDF-1.4\n', 'HTTP/1.1 200 OK\r\n\r\n%PDF-1.7'],
}

for (const [format, labels] of Object.entries(KNOWN)) {
  for (const label of labels) {
    t.test(`${JSON.stringify(label.slice(0, 24))} is ${format}`, (t) => {
      t.equal(detectFormat(bytesOf(label)), format)
      t.end()
    })
  }
}

for (const words of [
  '{"error":"no label: ~ID unknown"}',
  'Dear customer, your rate ^LIMIT is exceeded.',
  '10042;~AB3;2',
  'the shop said:\r\n~ID unknown',
  '~ID unknown',
]) {
  t.test(`words are not a label: ${JSON.stringify(words)}`, (t) => {
    t.throws(() => detectFormat(bytesOf(words)), { code: 'LABEL_UNKNOWN' })
    t.end()
  })
}

t.test('EPL graphics are walked over, whatever they hold', (t) => {
  const graphic = Buffer.concat([bytesOf('N\nGW0,0,102,1218,'), Buffer.alloc(102 * 1218, '\nP1\n')])
  t.throws(() => detectFormat(graphic), { code: 'LABEL_UNKNOWN' }, 'no print command after it')
  t.equal(detectFormat(Buffer.concat([graphic, bytesOf('P1\n')])), 'epl')
  t.end()
})

const REFUSED: readonly (readonly [string, string])[] = [
  ['%!PS-Adobe', 'PostScript'],
  ['! 0 200 200 210 1\r\nTEXT 4 0 30 40 Hi\r\nFORM\r\nPRINT\r\n', 'CPCL'],
  ['! U1 getvar "device.languages"\r\n', 'settings of a printer'],
  ['\x1b@hello', 'ESC/POS'],
  ['\x1bE\x1b&l1O', 'PCL'],
  ['\x1b%-12345X@PJL', 'PJL'],
  ['RIFF\x10\0\0\0WEBPVP8 ', 'WebP'],
  ['BM\x10\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0', 'BMP'],
  ['\0\0\0\x18ftypheic', 'HEIC'],
  ['<!DOCTYPE html>^XA', 'web page'],
  ['iVBORw0KGgoAAAANSUhEUg', 'base64, and its text is damaged'],
  ['XlhBXkZPMTAs', 'base64, and its text is damaged'],
]

for (const [label, name] of REFUSED) {
  t.test(`${name} is refused by its name`, (t) => {
    t.throws(() => detectFormat(bytesOf(label)), { code: 'LABEL_REFUSED', message: name })
    t.end()
  })
}

t.test('nothing and blanks are empty labels', (t) => {
  for (const label of ['', ' ', '\r\n\r\n', '\xef\xbb\xbf', '\0\0']) {
    t.throws(() => detectFormat(bytesOf(label)), { code: 'LABEL_EMPTY' })
  }
  t.end()
})

t.test('a byte order mark is three bytes, and none of them alone', (t) => {
  for (const label of ['\xef\xbb ', '\xef \xbf', ' \xbb\xbf', '\xef  ', ' \xbb ', '  \xbf']) {
    t.throws(() => detectFormat(bytesOf(label)), { code: 'LABEL_UNKNOWN' })
  }
  t.end()
})

t.test('a PDF begins within the first 1,024 bytes', (t) => {
  t.equal(detectFormat(bytesOf(`x${'.'.repeat(1_018)}%PDF-1.4`)), 'pdf')
  const late = bytesOf(`x${'.'.repeat(1_019)}%PDF-1.4`)
  t.throws(() => detectFormat(late), { code: 'LABEL_UNKNOWN' })
  t.end()
})

t.test('a sentence, half a label and a lone command are unknown', (t) => {
  const labels = [
    'Nothing to see\nP1 here',
    'N\nq812\n',
    'P is for print',
    'SIZE 4,6\r\n',
    'ASIZE 4,6\r\nCLS\r\n',
    'x^',
    `${'x'.repeat(512)}^XA`,
    'GIF88a',
    '\xff\xd8',
  ]
  for (const label of labels) {
    t.throws(() => detectFormat(bytesOf(label)), { code: 'LABEL_UNKNOWN' }, label.slice(0, 20))
  }
  t.end()
})

t.test('the detail says how many bytes there are and shows eight of them at most', (t) => {
  t.throws(() => detectFormat(bytesOf('secret address')), {
    message: 'This is not a label that can be printed here.',
    hint: `Send one of these formats: ${formatTitles.join(', ')}.`,
    detail: 'Its 14 bytes begin with 73 65 63 72 65 74 20 61.',
  })
  t.end()
})

t.test('whatever the bytes are, the answer is a format or a failure of the table', (t) => {
  const starts = [...Object.values(KNOWN).flat(), ...REFUSED.map(([label]) => label), '']
  fc.assert(
    fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 300 }), (start, rest) => {
      try {
        detectFormat(Buffer.concat([bytesOf(start), rest]))
      } catch (error) {
        t.ok(error instanceof PlatenError && error.code.startsWith('LABEL_'))
        t.match(String(error), /^.{0,200}$/s)
      }
    }),
    { numRuns: 500 },
  )
  t.end()
})

t.test('a long label is recognized quickly', (t) => {
  const label = Buffer.concat([bytesOf('N\n'), Buffer.alloc(4_000_000, '\nPx')])
  const ms = processorMs(() => t.throws(() => detectFormat(label), { code: 'LABEL_UNKNOWN' }))
  t.ok(ms < 10_000, `${ms} ms`)
  t.end()
})

t.test('no line end is looked for behind each of many graphics', (t) => {
  for (const [label, size] of [
    ['GW1,1,0,0,', 500_000],
    ['BITMAP 1,1,0,0,0,', 8_000_000],
  ] as const) {
    const bytes = Buffer.concat([bytesOf('N\n'), Buffer.alloc(size, label)])
    const ms = processorMs(() => t.throws(() => detectFormat(bytes), { code: 'LABEL_UNKNOWN' }))
    t.ok(ms < 3_000, `${label} took ${ms} ms`)
  }
  t.end()
})

t.test('blanks behind what may be base64 are passed over once', (t) => {
  const label = bytesOf(`${'A'.repeat(5_000)}${' '.repeat(150_000)}\x01`)
  const ms = processorMs(() => t.throws(() => unpackLabel(label), { code: 'LABEL_UNKNOWN' }))
  // 2 ms; looked at again from each one on, they take 20 s.
  t.ok(ms < 10_000, `${ms} ms`)
  const packed = bytesOf(
    ` ${bytesOf('^XA^FDHi^FS^XZ').toString('base64')}${' \r\n'.repeat(50_000)}`,
  )
  t.match(unpackLabel(packed), { format: 'zpl', packing: ['base64'] })
  t.end()
})

t.test('pictures are told from languages', (t) => {
  for (const format of ['png', 'jpeg', 'gif']) t.ok(isPicture(format))
  for (const format of ['zpl', 'epl', 'tspl', 'packlist', 'toString', ''])
    t.notOk(isPicture(format))
  t.end()
})
