import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import t from 'tap'
import { PlatenError } from '../../../src/words/errors.ts'
import { eplLabel, fedexLikeZpl, tsplLabel, upsLikeZpl } from '../../label-makers/raw.ts'
import { detectFormat, unpackLabel } from '../in-words.ts'

const bytesOf = (text: string) => Buffer.from(text, 'latin1')
const zip = (...names: string[]) =>
  names
    .map(
      (name) =>
        `PK\x03\x04${'\x14\0'.padEnd(22, '\x01')}${String.fromCharCode(name.length)}\0\0\0${name}`,
    )
    .join('\x99\x88data')
const box = (main: string, ...others: string[]) =>
  `\0\0\0${String.fromCharCode(16 + 4 * others.length)}ftyp${main}\0\0\0\0${others.join('')}\0\0\x01\x20meta`
const pcx = (version: number, rest = '\x01\x08\0\0\0\0\x2b\x03\xc1\x04\xcb\0\xcb\0') =>
  `\x0a${String.fromCharCode(version)}${rest}${'\0'.repeat(112)}\xc1\xff^XA^FDx^FS^XZ\x02A\x03`

/** Beginnings of files, with their names. */
const FILES: readonly (readonly [name: RegExp, ...files: string[]])[] = [
  [/a PCX picture/, ...[0, 2, 3, 4, 5].map((version) => pcx(version))],
  [
    /a PCX picture/,
    pcx(5, '\0\x01\0\0\0\0\x07\0\x07\0'),
    pcx(2, '\x01\x01\x01\0\x02\0\x03\0\x03\0'),
  ],
  [/a DCX picture/, '\xb1\x68\xde\x3a\x04\x10\0\0'],
  [
    /an AVIF picture/,
    box('avif', 'mif1', 'miaf'),
    box('avis', 'msf1'),
    box('mif1', 'avif', 'miaf'),
  ],
  [
    /an AVIF picture/,
    box('mif1', 'miaf', 'MA1B', 'avif'),
    box('miaf', 'avif'),
    box('msf1', 'avis'),
  ],
  [
    /a HEIC picture/,
    box('heic', 'mif1'),
    box('heix'),
    box('hevc', 'msf1'),
    box('mif1', 'heic'),
    box('heim'),
  ],
  [/a HEIF picture/, box('mif1'), box('msf1', 'iso8'), box('avci'), box('mif1', 'miaf')],
  [
    /an MP4 file/,
    box('isom', 'iso2', 'avc1', 'mp41'),
    box('mp42'),
    box('avc1'),
    box('iso6'),
    box('zzzz'),
  ],
  [/a QuickTime file/, box('qt  '), '\0\0\x01\0moov\0\0', '\0\0\0\x08wide\0\0\0\0mdat'],
  [/an M4A file/, box('M4A ', 'mp42')],
  [/a 3GP file/, box('3gp4'), box('3g2a')],
  [
    /a camera raw picture/,
    box('crx '),
    'FUJIFILMCCD-RAW 0201',
    'IIU\0\x18\0\0\0',
    'IIRO\x08\0\0\0',
  ],
  [/a WebP picture/, 'RIFF\x10\0\0\0WEBPVP8 ', 'RIFF\x10\0\0\0WEBPVP8L', 'RIFF\x10\0\0\0WEBPVP8X'],
  [
    /a BMP picture/,
    ...['\x0c', '\x28', '\x38', '\x40', '\x6c', '\x7c'].map(
      (size) => `BM\x10\0\0\0\0\0\0\0\x36\0\0\0${size}\0\0\0`,
    ),
  ],
  [
    /an ICO picture/,
    '\0\0\x01\0\x01\0\x10\x10\0\0\x01\0\x20\0',
    '\0\0\x01\0\x03\0\0\0\0\0\x01\0\x20\0',
  ],
  [/a CUR picture/, '\0\0\x02\0\x01\0\x20\x20\0\0\x04\0\x04\0'],
  [/a Photoshop picture/, '8BPS\0\x01\0\0\0\0\0\0', '8BPS\0\x02\0\0\0\0\0\0'],
  [
    /a JPEG 2000 picture/,
    '\0\0\0\x0cjP  \r\n\x87\n\0\0\0\x14ftypjp2 ',
    '\xff\x4f\xff\x51\0\x29',
    box('jp2 '),
  ],
  [/a JPEG XL picture/, '\xff\x0a\xfa\x1f', '\0\0\0\x0cJXL \r\n\x87\n\0\0\0\x14ftypjxl '],
  [/a JPEG XR picture/, 'II\xbc\x01\x08\0\0\0'],
  [/a JBIG2 picture/, '\x97JB2\r\n\x1a\n\x01'],
  [/a BigTIFF picture/, 'II+\0\x08\0\0\0', 'MM\0+\0\x08\0\0'],
  [/a DDS picture/, 'DDS \x7c\0\0\0'],
  [/an OpenEXR picture/, '\x76\x2f\x31\x01\x02\0\0\0'],
  [/a Radiance HDR picture/, '#?RADIANCE\n', '#?RGBE\n'],
  [/a FITS picture/, 'SIMPLE  =                    T'],
  [/a GIMP picture/, 'gimp xcf file\0', 'gimp xcf v011\0'],
  [/an ILBM picture/, 'FORM\0\0\x10\0ILBMBMHD', 'FORM\0\0\x10\0PBM BMHD'],
  [/an SGI picture/, '\x01\xda\x01\x01\0\x03\0\x10'],
  [/a Sun raster picture/, '\x59\xa6\x6a\x95\0\0\0\x10'],
  [/an XPM picture/, '/* XPM */\nstatic char *x[] = {'],
  [
    /an XBM picture/,
    '#define label_width 16\n#define label_height 16\n',
    '/* made by hand */\n#define a_width 8\n',
  ],
  [/a BPG picture/, 'BPG\xfb\0\0'],
  [/a FLIF picture/, 'FLIFD1\0'],
  [/a QOI picture/, 'qoif\0\0\0\x10\0\0\0\x10\x04\0'],
  [/a DICOM picture/, `${'\0'.repeat(128)}DICM`, `${'x'.repeat(128)}DICM`],
  [/a DjVu picture/, 'AT&TFORM\0\0\0\x10DJVU'],
  [/an MNG picture/, '\x8aMNG\r\n\x1a\n'],
  [/a WMF picture/, '\xd7\xcd\xc6\x9a\0\0', '\x01\0\x09\0\0\x03\0\0'],
  [/an EMF picture/, `\x01\0\0\0${'\x6c'.repeat(36)} EMF`],
  [
    /a PBM picture/,
    'P4\n8 8\n\0\0\0\0\0\0\0\0',
    'P1\n# GIMP\n8 8\n0 1 0 1',
    'P4 812 1218\n',
    'P4\r\n8 8\r\n',
  ],
  [/a PGM picture/, 'P5\n8 8\n255\n', 'P2\n# a\n# b\n8 8 255\n1 2', 'P5 8 8 65535\n'],
  [/a PPM picture/, 'P6\n8 8\n255\n', 'P3 8 8 255 1 2 3', 'P6\n#P1\n8\n8\n255\n'],
  [/a PAM picture/, 'P7\nWIDTH 8\nHEIGHT 8\nDEPTH 1\nMAXVAL 1\nENDHDR\n', 'P7\n# x\nHEIGHT 8\n'],
  [/a PFM picture/, 'PF\n8 8\n-1.0\n', 'Pf\n8 8\n1.0\n'],
  [/a TGA picture/, `${'\0\0\x02'.padEnd(60, '\0')}TRUEVISION-XFILE.\0`],
  [
    /an SVG picture/,
    '<svg xmlns="">',
    '<?xml version="1.0"?>\n<!-- x -->\n<svg ',
    '<!DOCTYPE svg PUBLIC "">\n<svg>',
    '\xef\xbb\xbf<svg ',
  ],
  [/an EPS file/, '%!PS-Adobe-3.0 EPSF-3.0\n', '\xc5\xd0\xd3\xc6\x20\0\0\0'],
  [/a PostScript file/, '%!PS-Adobe-3.0\n', '%!\n', '\x1b%-12345X@PJL SET X\n%!PS\n', '\x04%!PS'],
  [/a PCL XL file/, ') HP-PCL XL;2;0;', '\x1b%-12345X@PJL ENTER LANGUAGE=PCLXL\n) HP-PCL XL;1;1'],
  [/an HP-GL file/, 'IN;SP1;PU0,0;'],
  [/in PCL,/, '\x1bE\x1b&l1O', '\x1b&l26A', '\x1b*t300R'],
  [/in PJL,/, '\x1b%-12345X@PJL\r\n'],
  [
    /a Word file/,
    zip('[Content_Types].xml', '_rels/.rels', 'word/document.xml'),
    zip('word/styles.xml'),
  ],
  [/an Excel file/, zip('[Content_Types].xml', 'xl/workbook.xml'), zip('xl/workbook.xml')],
  [/a PowerPoint file/, zip('ppt/presentation.xml')],
  [
    /an XPS file/,
    zip('FixedDocSeq.fdseq'),
    zip('[Content_Types].xml', 'FixedDocumentSequence.fdseq'),
  ],
  [/an OpenDocument file/, zip('mimetypeapplication/vnd.oasis.opendocument.text')],
  [/an EPUB file/, zip('mimetypeapplication/epub+zip')],
  [
    /an Office file/,
    '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1',
    zip('[Content_Types].xml'),
    zip('docProps/app.xml'),
  ],
  [/an RTF file/, '{\\rtf1\\ansi'],
  [/a WordPerfect file/, '\xffWPC\x10'],
  [/a DWG file/, 'AC1015\0', 'AC1032\0', 'AC1.50'],
  [/a DXF file/, '  0\r\nSECTION\r\n', '999\nmade by hand\n0\nSECTION\n'],
  [/a ZIP file/, zip('label.pdf'), 'PK\x05\x06\0\0', 'PK\x07\x08PK\x03\x04'],
  [/a JAR file/, zip('META-INF/MANIFEST.MF')],
  [/a RAR file/, 'Rar!\x1a\x07\0', 'Rar!\x1a\x07\x01\0'],
  [/a 7z file/, '7z\xbc\xaf\x27\x1c\0\x04'],
  [/a bzip2 file/, 'BZh91AY&SY', 'BZh11AY&SY'],
  [/an XZ file/, '\xfd7zXZ\0\0\x04'],
  [/a Zstandard file/, '\x28\xb5\x2f\xfd\x04'],
  [/an LZ4 file/, '\x04\x22\x4d\x18\x64'],
  [/a CAB file/, 'MSCF\0\0\0\0'],
  [/an LZH file/, '\x20\x20-lh5-\0', '\x20\x20-lz4-\0'],
  [
    /a tar file/,
    `${'label.zpl'.padEnd(257, '\0')}ustar\x0000`,
    `${'x'.padEnd(257, '\0')}ustar  \0`,
  ],
  [/a cpio file/, '07070100000001'],
  [/a Debian package file/, '!<arch>\ndebian-binary'],
  [/an RPM file/, '\xed\xab\xee\xdb\x03\0'],
  [/an ISO image file/, `${'\0'.repeat(32_769)}CD001\x01`],
  [/an ELF file/, '\x7fELF\x02\x01\x01\0', '\x7fELF\x01\x02\x01\0'],
  [/a Windows EXE file/, `MZ\x90\0\x03${'\0'.repeat(55)}\x80\0\0\0`],
  [/a Mach-O file/, '\xcf\xfa\xed\xfe\x07\0', '\xfe\xed\xfa\xce'],
  [/a Java class file/, '\xca\xfe\xba\xbe\0\0\0\x34'],
  [/a WebAssembly file/, '\0asm\x01\0\0\0'],
  [/a script file/, '#!/bin/sh\necho ^XA\n'],
  [/a TrueType font file/, '\0\x01\0\0\0\x0c\0\x80', 'true\0\x0c', 'ttcf\0\x01\0\0'],
  [/an OpenType font file/, 'OTTO\0\x0c\0\x80'],
  [/a WOFF font file/, 'wOFF\0\x01\0\0', 'wOF2OTTO'],
  [/a Type 1 font file/, '%!PS-AdobeFont-1.0: X', '\x80\x01\x10\0\0\0%!FontType1-1.0'],
  [/an MP3 file/, 'ID3\x03\0\0', '\xff\xfb\x90\x44'],
  [/a FLAC file/, 'fLaC\0\0\0\x22'],
  [/an Ogg file/, 'OggS\0\x02'],
  [/a WAV file/, 'RIFF\x10\0\0\0WAVEfmt '],
  [/an AVI file/, 'RIFF\x10\0\0\0AVI LIST'],
  [/a MIDI file/, 'MThd\0\0\0\x06'],
  [/a Matroska or WebM file/, '\x1a\x45\xdf\xa3\x9f'],
  [/an FLV file/, 'FLV\x01\x05'],
  [/a Flash file/, 'CWS\x0a\x10\0\0\0', 'FWS\x05\x10\0\0\0'],
  [/a Windows Media file/, '\x30\x26\xb2\x75\x8e\x66\xcf\x11'],
  [/an MPEG file/, '\0\0\x01\xba\x44', '\0\0\x01\xb3\x16'],
  [/an SQLite file/, 'SQLite format 3\0\x10'],
  [/a certificate file/, '-----BEGIN CERTIFICATE-----\nMII', '-----BEGIN RSA PRIVATE KEY-----\n'],
  [/a vCard file/, 'BEGIN:VCARD\r\nVERSION:3.0\r\n'],
  [/a web page/, '<!DOCTYPE html>^XA', '<html>', '\r\n<!doctype HTML>\n<title>'],
  [/in XML,/, '<?xml version="1.0"?><order/>', '<order xmlns="x">'],
  [/in CPCL,/, '! 0 200 200 210 1\r\nTEXT 4 0 30 40 Hi\r\nPRINT\r\n', '! UTILITIES\r\nPRINT\r\n'],
  [/in SBPL/, '\x1bA\x1bH0100\x1bV0100\x1bXMtext\x1bQ1\x1bZ', '\x02\x1bA\x1b#E3\x1bV1\x1bZ\x03'],
  [
    /in DPL/,
    '\x02L\r\nD11\r\n191100500500050HELLO\r\nE\r\n',
    '\x02n\r\n\x02L\rH10\r1911A1200100010TEXT\rE\r',
  ],
  [/in IPL/, '\x02\x1bC\x03\x02\x1bP\x03\x02E3;F3\x03', '\x02R\x03\r\n\x02\x1bP\x03\r\n'],
  [/in TPCL/, '{D1200,1000,1180|}\n{C|}\n{PC000;0200,0100|}'],
  [/in ESC\/POS,/, '\x1b@hello\n', '\x1b@\x1ba\x01Receipt\n\x1dV\0'],
  [/in P-touch/, `${'\0'.repeat(200)}\x1b@\x1bia\x01\x1biz\x86`],
]

for (const [name, ...files] of FILES) {
  t.test(`called by its own name: ${name.source}`, (t) => {
    for (const file of files)
      t.throws(
        () => unpackLabel(bytesOf(file)),
        { code: 'LABEL_REFUSED', message: name },
        JSON.stringify(file.slice(0, 24)),
      )
    t.end()
  })
}

t.test('so many kinds are known', (t) => {
  const kinds = new Set(FILES.map(([name]) => name.source))
  t.ok(kinds.size >= 100, String(kinds.size))
  t.end()
})

/** Detects the format that the bytes would print as; undefined when they are refused, which only our own failure may say. */
function formatOf(bytes: Uint8Array): string | undefined {
  try {
    return unpackLabel(bytes).format
  } catch (error) {
    if (error instanceof PlatenError) return undefined
    throw error
  }
}

const HEADS = FILES.flatMap(([, ...files]) => files)
const RAW = ['zpl', 'epl', 'tspl']
const WORDS = [
  '^XA^FO10,10^FDx^FS^XZ',
  '\n^XA^FO10,10^FDx^FS^XZ\n',
  '^XA',
  '~DG',
  '\nN\nA1,1,0,1,1,1,N,"x"\nP1\n',
  '\nP4\n',
  '\r\nSIZE 4,6\r\nCLS\r\nPRINT 1\r\n',
  '\n! 0 200 200 210 1\nPRINT\n',
]

t.test('bytes of an unknown kind never go to a printer as they are', (t) => {
  const binary = fc.uint8Array({ minLength: 120, maxLength: 2_000 })
  const sparse = binary.map((bytes) => bytes.map((byte, n) => (n % 3 === 0 ? byte : 0)))
  fc.assert(
    fc.property(
      fc.oneof(binary, sparse),
      fc.array(fc.constantFrom(...WORDS), { maxLength: 3 }),
      fc.nat(2_000),
      fc.boolean(),
      (bytes, words, place, isFirst) => {
        const at = isFirst ? 0 : place % bytes.length
        const file = Buffer.concat([
          bytes.subarray(0, at),
          bytesOf(words.join('')),
          bytes.subarray(at),
        ])
        const format = formatOf(file)
        if (format !== undefined && RAW.includes(format))
          t.fail(`${format}: ${file.toString('latin1').slice(0, 80)} | ${words.join()} | ${at}`)
      },
    ),
    { numRuns: Number(process.env['RUNS'] ?? 2_000) },
  )
  t.end()
})

t.test('a file with a changed head never goes to a printer as it is', (t) => {
  fc.assert(
    fc.property(
      fc.constantFrom(
        ...HEADS.filter((head) =>
          [...head].some((one) => one > '~' || (one < ' ' && !/\s/.test(one))),
        ),
      ),
      fc.array(fc.tuple(fc.nat(40), fc.nat(255)), { minLength: 1, maxLength: 3 }),
      fc.constantFrom(...WORDS),
      fc.uint8Array({ minLength: 150, maxLength: 600 }),
      (head, changes, words, rest) => {
        const file = Buffer.concat([bytesOf(head), bytesOf(words), rest])
        for (const [place, byte] of changes) file[place % head.length] = byte
        const format = formatOf(file)
        if (format !== undefined && RAW.includes(format))
          t.fail(`${format}: ${JSON.stringify(file.toString('latin1').slice(0, 200))}`)
      },
    ),
    { numRuns: 2_000 },
  )
  t.end()
})

t.test('a line such as P4 is not an EPL label', (t) => {
  for (const text of [
    'P4',
    'P4\n',
    'P1\r\nP2\r\n',
    'P4\nan order\n',
    'P1 of 3',
    'PA1\n',
    '\r\nP2,1\r\n',
  ]) {
    t.throws(() => detectFormat(bytesOf(text)), { code: 'LABEL_UNKNOWN' }, text)
  }
  t.end()
})

t.test('labels that hold bytes of any kind where they may are labels', (t) => {
  for (const [format, label] of [
    ['zpl', upsLikeZpl],
    ['zpl', fedexLikeZpl],
    ['epl', eplLabel],
    ['tspl', tsplLabel],
    [
      'zpl',
      bytesOf('^XA^CI28^FO9,9^FDStra\xc3\x9fe \xe5\x8c\x97\xe4\xba\xac^FS^FX\xfc\xf6\xe4^XZ'),
    ],
    ['zpl', bytesOf('^XA^FO9,9^BD2^FD[)>\x1e01\x1d961Z\x1d\x1e\x04^FS^XZ\0\0\0')],
    ['zpl', bytesOf('\x02^XA^FO9,9^FDx^FS^XZ\x03')],
    ['zpl', bytesOf('^XA^FO9,9^GFB,8,8,1,\0\x01^~\x02\x03\x04\xff^FS^XZ')],
    ['zpl', bytesOf('\x10CT~~CD,~CC^~CT~\r\n^XA^FDx^FS^XZ')],
    ['zpl', bytesOf('\x1b##\x01\x02\x03\x05\x06\x07\x0e\x0f\x11\x12\x13\x14^XA^FDx^FS^XZ')],
    [
      'epl',
      bytesOf('N\nA30,20,0,4,1,1,N,"Stra\xdfe \x1d\x1e"\nGW0,0,1,4,\0\x01\x02\x03\nP1\n\0\0'),
    ],
    [
      'tspl',
      bytesOf(
        'SIZE 4,6\r\nCLS\r\nTEXT 1,1,"TSS24.BF2",0,1,1,"\xb1\xb1\xbe\xa9"\r\nBITMAP 0,0,1,4,0,\0\x01\x02\x03\r\nPRINT 1\r\n',
      ),
    ],
    [
      'tspl',
      bytesOf(
        `SIZE 4,6\r\nCLS\r\nBITMAP 0,0,100,400,3,${'\x01\x02\xff\x80'.repeat(900)}\r\nPRINT 1\r\n`,
      ),
    ],
  ] as const)
    t.equal(formatOf(label), format, Buffer.from(label).toString('latin1').slice(0, 40))
  t.end()
})
