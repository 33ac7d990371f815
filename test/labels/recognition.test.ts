import { Buffer } from 'node:buffer'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import t from 'tap'
import { PlatenError } from '../../src/words/errors.ts'
import { detectFormat, unpackLabel } from './in-words.ts'

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1')

const ZPL = '^XA\r\n^PW812\r\n^FO50,50^A0N,60,60^FDHi^FS\r\n^XZ'
const EPL = 'N\r\nq812\r\nA30,20,0,4,1,1,N,"TO"\r\nB30,90,0,1,2,4,60,B,"123"\r\nP1\r\n'
const TSPL = 'TEXT 10,10,"3",0,1,1,"Hi"\r\nBARCODE 10,90,"128",60,1,0,2,2,"123"\r\nPRINT 1,1\r\n'

interface Family {
  readonly format: string
  /** Each is a label of its own. */
  readonly labels: readonly string[]
}

const FAMILIES: Readonly<Record<string, Family>> = {
  'ZebraDesigner and the Windows driver of Zebra': {
    format: 'zpl',
    labels: [
      `\x10CT~~CD,~CC^~CT~\r\n${ZPL}`,
      `\x10CT~~CD,~CC^~CT~\r\n^XA~TA000~JSN^LT0^MNW^MTT^PON^PMN^LH0,0^JMA^PR4,4~SD15^JUS^LRN^CI0^XZ\r\n${ZPL}`,
      `\x02${ZPL}\x03`,
      `\xef\xbb\xbf\x10\x1b##\x00\x00\x08abc\x00\x01\x00${ZPL}`,
      `\x01\x02${ZPL}`,
    ],
  },
  'ZPL in small letters': {
    format: 'zpl',
    labels: [
      '^xa^cfa,50^fo100,100^fdHello World^fs^xz',
      '^xa\n^fo50,50^gb700,1,3^fs\n^xz',
      '^Xa^Fo1,1^fdx^Fs^xZ',
    ],
  },
  'settings before ZPL': {
    format: 'zpl',
    labels: [
      `! U1 setvar "device.languages" "zpl"\r\n${ZPL}`,
      `! U1 setvar "media.type" "label"\r\n! U1 setvar "ezpl.print_mode" "tear_off"\r\n${ZPL}`,
    ],
  },
  'EPL that begins in an unusual way': {
    format: 'epl',
    labels: [
      `.\n${EPL}`,
      `.\nN\nq812\nS2\nFR"LOGO"\n${EPL}`,
      `FR"form"\r\n?\r\nJane Doe, Main Street\r\n12 apples = 3\r\nP1\r\n`,
      `FK"LOGO"\r\nFS"LOGO"\r\nA1,1,0,3,1,1,N,"x"\r\nFE\r\n${EPL}`,
      `GK"LOGO"\r\nGM"LOGO"6\r\nab\ncd\n\r\n${EPL}`,
      `JC\r\n${EPL}`,
      `TDy4.mn.dd\r\n${EPL}`,
      `eR!,0\r\n${EPL}`,
      `f100\r\n${EPL}`,
      `^@\r\n${EPL}`,
      `^ee\r\n${EPL}`,
      `\x02f100\r\n${EPL}`,
      EPL.replace('P1\r\n', 'PA1\r\n'),
      EPL.replaceAll('\r\n', '\r\n        '),
    ],
  },
  "Seagull's drivers in EPL": {
    format: 'epl',
    labels: [
      `<xpml><page quantity='0' pitch='45.0 mm'></xpml>I8,A\r\nq812\r\nO\r\nJF\r\nZT\r\nQ400,25\r\n${EPL}`,
      `<xpml></page></xpml><xpml><page quantity='1' pitch='150.0 mm'></xpml>${EPL}<xpml></page></xpml>`,
    ],
  },
  "Seagull's drivers in TSPL": {
    format: 'tspl',
    labels: [
      `<xpml><page quantity='0' pitch='45.0 mm'></xpml>SIZE 69.10 mm, 45 mm\r\nGAP 3 mm, 0 mm\r\nSET TEAR ON\r\nCLS\r\n${TSPL}<xpml></page></xpml>`,
      `<xpml><page quantity='0' pitch='45.0 mm'></xpml>SIZE 69.10 mm, 45 mm\r\nDIRECTION 0,0\r\n<xpml></page></xpml>CLS\r\n${TSPL}`,
    ],
  },
  'TSPL without a size, or without clearing': {
    format: 'tspl',
    labels: [
      `CLS\r\n${TSPL}`,
      TSPL,
      `SIZE 4,6\r\n${TSPL}`,
      `SIZE\t4,6\r\nCLS\r\n${TSPL}`,
      `CLS\r\nBITMAP 0,0,2,2,0,\r\n\r\n\r\nPRINT 1\r\n`,
      `DENSITY 8\r\nSPEED 4\r\nCLS\r\nQRCODE 10,10,L,5,A,0,"x"\r\nPRINT 1\r\n`,
    ],
  },
}

/** Changes that people's programs make to a label on its way. */
const variation = fc.record({
  before: fc.constantFrom('', '\n', '\r\n\r\n', ' \t', '\0\0', '\xef\xbb\xbf', '\x10', '\x02'),
  after: fc.constantFrom('', '\n', '\r\n\r\n\r\n', '\x03', '\0', ' '),
  lineEnd: fc.constantFrom('\n', '\r\n'),
  blanks: fc.constantFrom('', ' ', '  '),
})

for (const [name, { format, labels }] of Object.entries(FAMILIES)) {
  t.test(`${name}: known as ${format} in a hundred variations`, (t) => {
    for (const label of labels) t.equal(detectFormat(bytesOf(label)), format, label.slice(0, 60))
    fc.assert(
      fc.property(
        fc.constantFrom(...labels),
        variation,
        (label, { before, after, lineEnd, blanks }) => {
          // The data of BITMAP and GM hold line ends of their own.
          const isBinary = /BITMAP|GM"/.test(label)
          const lines = isBinary ? label : label.replaceAll('\r\n', `${blanks}${lineEnd}`)
          const varied = bytesOf(`${before}${lines}${after}`)
          t.equal(
            detectFormat(varied),
            format,
            JSON.stringify(varied.toString('latin1').slice(0, 80)),
          )
          t.equal(unpackLabel(varied).label, varied, 'it prints byte for byte')
        },
      ),
      { numRuns: 100 },
    )
    t.end()
  })
}

const WORD = fc.stringMatching(/^[A-Za-z]{1,12}$/)
const SENTENCE = fc
  .array(WORD, { minLength: 2, maxLength: 12 })
  .map((words) => `${words.join(' ')}.`)
const CODE_LINE = fc.oneof(
  fc.tuple(WORD, WORD).map(([a, b]) => `const ${a} = ${b}(1, 2)`),
  WORD.map((a) => `printer.write("^XA^FO10,10^FD" + ${a} + "^FS^XZ")`),
  WORD.map((a) => `  lines.push('A10,10,0,1,1,1,N,"${a}"')`),
  WORD.map((a) => `PRINT ${a}`),
  WORD.map((a) => `20 PRINT "${a}"`),
  WORD.map((a) => `# ${a}: sends SIZE 4,6 and PRINT 1,1 to the printer`),
  WORD.map((a) => `def ${a}(x, y):`),
)
const CELL = fc.oneof(WORD, fc.nat({ max: 9999 }).map(String))
const TEXTS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  letters: fc
    .array(SENTENCE, { minLength: 1, maxLength: 20 })
    .map((lines) => `Dear ${lines.join('\r\n')}`),
  'web pages': fc
    .array(SENTENCE, { maxLength: 9 })
    .map(
      (lines) =>
        `<html><body>${lines.map((line) => `<p>${line}</p>`).join('\n')}^XA^FO1,1^XZ</body></html>`,
    ),
  JSON: fc.json().filter((text) => !/^[\w+/=" -]*$/.test(text)),
  CSV: fc
    .array(
      fc.array(CELL, { minLength: 2, maxLength: 8 }).map((cells) => cells.join(',')),
      { minLength: 1, maxLength: 30 },
    )
    .map((rows) => `order,weight,name\n${rows.join('\n')}\n`),
  'source code': fc
    .array(CODE_LINE, { minLength: 1, maxLength: 30 })
    .map((lines) => lines.join('\n')),
}

for (const [name, texts] of Object.entries(TEXTS)) {
  t.test(`${name}: a thousand of them are no labels`, (t) => {
    fc.assert(
      fc.property(texts, (text) => {
        t.throws(() => unpackLabel(Buffer.from(text)), PlatenError, text.slice(0, 200))
      }),
      { numRuns: 1_000 },
    )
    t.end()
  })
}

const PACKINGS: Readonly<Record<string, (label: Buffer) => Buffer>> = {
  base64: (label) => bytesOf(label.toString('base64')),
  'base64 in lines': (label) => bytesOf(label.toString('base64').replaceAll(/.{76}/g, '$&\r\n')),
  'a data URL': (label) =>
    bytesOf(`data:application/octet-stream;base64,${label.toString('base64')}`),
  gzip: (label) => gzipSync(label),
  'base64 of gzip': (label) => bytesOf(gzipSync(label).toString('base64')),
  'UTF-16 of PowerShell': (label) => Buffer.from(`\ufeff${label.toString('latin1')}`, 'utf16le'),
  'UTF-16, the large end first': (label) =>
    Buffer.from(`\ufeff${label.toString('latin1')}`, 'utf16le').swap16(),
  'UTF-16 without a mark': (label) => Buffer.from(label.toString('latin1'), 'utf16le'),
}

for (const [name, pack] of Object.entries(PACKINGS)) {
  t.test(`${name}: unpacked, whatever the label begins with`, (t) => {
    for (const label of [ZPL, `\r\n${ZPL}`, `\x10CT~~CD,~CC^~CT~\r\n${ZPL}`, `\r\n${EPL}`, TSPL]) {
      const { label: unpacked, packing } = unpackLabel(pack(bytesOf(label)))
      t.equal(
        Buffer.from(unpacked)
          .toString('latin1')
          .replace(/^\xef\xbb\xbf/, ''),
        label,
      )
      t.ok(packing.length >= 1)
    }
    t.end()
  })
}

t.test('what is packed and is no label is named', (t) => {
  const gzip = gzipSync(bytesOf('PK\x03\x04 and so on'))
  t.throws(() => unpackLabel(gzip), { code: 'LABEL_REFUSED', message: 'a ZIP file' })
  t.throws(() => unpackLabel(gzip.subarray(0, 20)), { code: 'LABEL_REFUSED', message: 'damaged' })
  const bomb = gzipSync(Buffer.alloc(17 * 2 ** 20))
  t.throws(() => unpackLabel(bomb), { code: 'LABEL_REFUSED', message: 'more than 16 MB' })
  const matryoshka = [1, 2, 3, 4].reduce((label) => gzipSync(label), bytesOf(ZPL))
  t.throws(() => unpackLabel(matryoshka), { code: 'LABEL_UNKNOWN' })
  t.end()
})

const NAMED: Readonly<Record<string, readonly string[]>> = {
  SBPL: [
    '\x1bA\x1bH0100\x1bV0100\x1bL0202\x1bXMHi\x1bQ1\x1bZ',
    '\x02\x1bA\x1bA3H0001V0001\x1bZ\x03',
  ],
  DPL: ['\x02L\rD11\r121100000000000Hi\rE\r', '\x02m\r\x02L\rH10\r', '\x02M0500\r\x02L\r'],
  IPL: ['\x02\x1bC\x03\x02\x1bP\x03\x02E3;F3;\x03', '\x02R\x03'],
  TPCL: ['{D0760,1010,0740|}\r\n{C|}\r\n', '{C|}{PC000;0100,0100,1,1,A,00,B=Hi|}'],
  StarPRNT: ['\x1b*rR\x1b*rA', '\x1b\x1da\x01Hi', '\x1b@\x1b\x1dt\x20'],
  CPCL: ['! 0 200 200 210 1\r\nTEXT 4 0 30 40 Hi\r\nFORM\r\nPRINT\r\n'],
  'ESC/POS': ['\x1b@\x1ba\x01Hi', '\x1d!\x11Hi\x1dV\x00'],
  BMP: [12, 40, 52, 56, 64, 108, 124].map(
    (size) => `BM\x10\0\0\0\0\0\0\0\x36\0\0\0${String.fromCharCode(size)}\0\0\0`,
  ),
  WebP: ['RIFF\x10\0\0\0WEBPVP8 '],
  HEIC: ['\0\0\0\x18ftypheic'],
  HEIF: ['\0\0\0\x20ftypmif1'],
  SVG: ['<svg xmlns="x">', '<?xml version="1.0"?>\n<!-- x -->\n<svg width="4in">'],
  'web page': ['<!DOCTYPE html><p>', '<html lang="en">', '<div>Please log in</div>'],
  Office: [
    'PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0\0\0\0\0\0\0\0\0\0\0\0\0\x13\0\x08\x02[Content_Types].xml',
    '\xd0\xcf\x11\xe0\xa1\xb1',
  ],
  RTF: ['{\\rtf1'],
  ZIP: ['PK\x03\x04\x14\0\0\0\x08\0label.zpl'],
  RAR: ['Rar!\x1a\x07'],
  'address of a file': ['https://shop.example/label.pdf\r\n'],
}

for (const [name, labels] of Object.entries(NAMED)) {
  t.test(`${name} is refused by its name, with what to do`, (t) => {
    for (const label of labels) {
      t.throws(
        () => unpackLabel(bytesOf(label)),
        { code: 'LABEL_REFUSED', message: name, hint: /\w/ },
        JSON.stringify(label.slice(0, 30)),
      )
    }
    t.end()
  })
}
