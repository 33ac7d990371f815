import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import t from 'tap'
import { splitDocuments } from '../../../src/labels/detect/detect.ts'
import { toGif, toJpeg, toPng } from '../../label-makers/files.ts'
import { eplLabel, fedexLikeZpl, tsplLabel, upsLikeZpl } from '../../label-makers/raw.ts'
import { shelfLabel } from '../../label-makers/shelf.ts'
import { makePagesTiff } from '../../pictures/make-pages-tiff.ts'
import { makePwg, makeUrf } from '../../pictures/make-raster.ts'
import { drawText, LABEL, makePdf } from '../codecs/pdf/make-pdf.ts'
import { unpackLabel } from '../in-words.ts'

const bytesOf = (text: string) => Buffer.from(text, 'latin1')
const shelf = shelfLabel()
const page = { width: 16, height: 4, dpi: 203, bitsPerPixel: 8, samples: new Uint8Array(64) }
const PDF = makePdf([{ ...LABEL, content: drawText('one', 40, 200, 40) }])
const JPEG = Buffer.from(toJpeg(shelf))
/** A document of each kind; each is whole. */
const ONES = {
  pdf: PDF,
  png: Buffer.from(toPng(shelf)),
  jpeg: JPEG,
  gif: Buffer.from(toGif(shelf)),
  tiff: await makePagesTiff(),
  pwg: makePwg({ ...page, space: 18 }),
  urf: makeUrf({ ...page, space: 0 }),
  zpl: Buffer.from(upsLikeZpl),
  epl: Buffer.from(eplLabel),
  tspl: Buffer.from(tsplLabel),
} as const
type Kind = keyof typeof ONES
const KINDS = Object.keys(ONES) as Kind[]
const RAW: readonly Kind[] = ['zpl', 'epl', 'tspl']
const BETWEEN = ['', '\n', '\r\n\r\n', ' \t\0\0']

/** A TIFF is whole only where its numbers count from its beginning, and printers find the end of their labels. */
const follows = (first: Kind, second: Kind) => !(RAW.includes(first) && RAW.includes(second))

t.test('each document of a file is a label, whatever follows what', (t) => {
  for (const first of KINDS) {
    for (const second of KINDS.filter((one) => follows(first, one))) {
      for (const between of BETWEEN) {
        // A line of a label ends before something else begins.
        const gap = RAW.includes(first) && first !== 'zpl' ? `\n${between}` : between
        const file = Buffer.concat([ONES[first], bytesOf(gap), ONES[second]])
        const name = `${first} ${JSON.stringify(gap)} ${second}`
        const parts = splitDocuments(file)
        t.same(
          parts.map((part) => unpackLabel(part).format),
          [first, second],
          name,
        )
        t.ok(Buffer.from(parts[1] ?? '').equals(ONES[second]), name)
        t.throws(
          () => unpackLabel(file),
          { code: 'LABEL_REFUSED', message: /several documents/ },
          name,
        )
      }
    }
  }
  t.end()
})

t.test('a file of several that came packed is refused, not half of it printed', (t) => {
  const packed = bytesOf(Buffer.concat([PDF, PDF]).toString('base64'))
  t.throws(() => unpackLabel(packed), { code: 'LABEL_REFUSED', message: /several documents/ })
  t.end()
})

t.test('files of three and more, in any order', (t) => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...KINDS), { minLength: 2, maxLength: 5 }), (kinds) => {
      const wanted = kinds.filter((kind, n) => n === 0 || follows(kinds[n - 1] as Kind, kind))
      const file = Buffer.concat(wanted.flatMap((kind) => [ONES[kind], bytesOf('\n')]))
      const found = splitDocuments(file).map((part) => unpackLabel(part).format)
      // Two raw labels side by side are left as they are: so are those that come after a picture between them.
      if (JSON.stringify(found) !== JSON.stringify(wanted)) t.fail(`${wanted} | ${found}`)
    }),
    { numRuns: 60 },
  )
  t.end()
})

t.test('what trails a document is not one', (t) => {
  const film = bytesOf('\0\0\0\x18ftypmp42\0\0\0\0mp42isom')
  const trailers = [
    '\n',
    '\0'.repeat(4_096),
    '\r\n\r\n ',
    '\x1a',
    'SAMSUNG trailer \x01\x02',
    '<!-- 0.12 s -->\n',
    '\n--end--\n',
  ]
  for (const kind of KINDS.filter((one) => !RAW.includes(one) && one !== 'pwg' && one !== 'urf')) {
    for (const trailer of [...trailers.map(bytesOf), film]) {
      const file = Buffer.concat([ONES[kind], trailer])
      t.same(
        splitDocuments(file),
        [file],
        `${kind} ${JSON.stringify(trailer.toString('latin1').slice(0, 20))}`,
      )
      t.equal(unpackLabel(file).format, kind)
    }
  }
  for (const label of [upsLikeZpl, fedexLikeZpl, eplLabel, tsplLabel])
    t.same(splitDocuments(Buffer.concat([label, label])).length, 1, 'printers part them')
  t.end()
})

t.test('a document inside of another is a part of it', (t) => {
  const attached = Buffer.concat([
    PDF.subarray(0, 20),
    bytesOf(`9 0 obj\n<</Length ${PDF.length}>>\nstream\n`),
    PDF,
    bytesOf('\nendstream\nendobj\n10 0 obj\n<</Length 9>>stream\r\n'),
    PDF,
    bytesOf('\nendstream\nendobj\n'),
    PDF.subarray(20),
  ])
  t.equal(splitDocuments(attached).length, 1, 'PDFs that a PDF brings along')
  const updated = Buffer.concat([PDF, bytesOf('\n4 0 obj\n<<>>\nendobj\nstartxref\n0\n%%EOF\n')])
  t.equal(splitDocuments(updated).length, 1, 'a PDF that was saved again')
  const thumbnail = Buffer.concat([
    JPEG.subarray(0, 2),
    bytesOf('\xff\xe1\x01\x02Exif\0\0'),
    Buffer.concat([JPEG.subarray(0, 120), bytesOf('\xff\xd9'), Buffer.alloc(128)]).subarray(0, 250),
    JPEG.subarray(2),
  ])
  t.equal(splitDocuments(thumbnail).length, 1, 'the small picture of a camera')
  const phone = Buffer.concat([
    JPEG.subarray(0, 2),
    bytesOf('\xff\xe2\0\x08MPF\0II'),
    JPEG.subarray(2),
    JPEG,
  ])
  t.equal(splitDocuments(phone).length, 1, 'the second picture of a phone')
  const stored = Buffer.concat([
    bytesOf(`~DYR:X,P,P,${ONES.png.length},0,`),
    ONES.png,
    bytesOf('^XA^XGR:X^FS^XZ'),
  ])
  t.equal(splitDocuments(stored).length, 1, 'a picture in a label')
  const drawn = bytesOf('SIZE 4,6\r\nCLS\r\nBITMAP 0,0,1,12,0,\n%PDF-1.4\n\n\nPRINT 1\r\n')
  t.equal(splitDocuments(drawn).length, 1, 'dots that look like one')
  t.end()
})

t.test('a damaged file is one that its decoder complains about', (t) => {
  fc.assert(
    fc.property(fc.constantFrom(...KINDS), fc.nat(), fc.nat(255), (kind, place, byte) => {
      const file = Buffer.from(ONES[kind])
      file[8 + (place % (file.length - 8))] = byte
      const parts = splitDocuments(file.subarray(0, 8 + (place % 977)))
      if (parts.length < 1) t.fail(kind)
      splitDocuments(file)
    }),
    { numRuns: 500 },
  )
  t.end()
})
