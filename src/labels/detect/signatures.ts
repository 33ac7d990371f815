// biome-ignore-all lint/suspicious/noControlCharactersInRegex: files begin with them
import { latin1 } from '../languages/bytes.ts'

/** Purpose of a file: says what a person can do with it. */
export type FileKind = 'picture' | 'page' | 'archive' | 'other'

/** A file that is known by its first bytes and is not printed. */
export interface KnownFile {
  /** Common name, e.g. `AVIF`. */
  readonly name: string
  /** English says "an AVIF picture". */
  readonly isAn: boolean
  readonly kind: FileKind
}

interface FileSignature {
  /** With its article, e.g. `an AVIF`. */
  readonly name: string
  /** First bytes, one character a byte. */
  readonly sign: string | RegExp
  /** Offset of the sign; 0 when left out. */
  readonly at?: number
}

const HEAD_BYTES = 4_096

// Of the makers' own descriptions; in doubt as file(1) knows them. Letters that a label might begin with are never enough alone.
const PICTURES: readonly FileSignature[] = [
  // Byte 2: of which version (0, 2 to 5; 1 is not one), then packed or not, bits, and the window, left before right.
  { name: 'a PCX', sign: /^\x0a[\0\x02-\x05][\0\x01][\x01\x02\x04\x08].{4}/s },
  { name: 'a DCX', sign: '\xb1\x68\xde\x3a' },
  { name: 'a WebP', sign: /^RIFF.{4}WEBP/s },
  { name: 'a CorelDRAW', sign: /^RIFF.{4}CDR[\x20-\x7e]/s },
  { name: 'a BMP', sign: /^BM.{8}.{4}[\x0c\x10\x28\x34\x38\x40\x6c\x7c]\0\0\0/s },
  { name: 'an ICO', sign: /^\0\0\x01\0[\x01-\xff]\0.{2}[^\0]?[\0\x01]/s },
  { name: 'a CUR', sign: /^\0\0\x02\0[\x01-\xff]\0.{2}/s },
  { name: 'an ICNS', sign: /^icns.{4}[\x20-\x7e]{4}/s },
  { name: 'a Photoshop', sign: /^8BPS\0[\x01\x02]/s },
  {
    name: 'a JPEG 2000',
    sign: /^(?:\0\0\0\x0c)?jP {2}\r\n\x87\n|^\0\0\0\x0cjP\x1a\x1a|^jP {2}\r\n/s,
  },
  { name: 'a JPEG 2000', sign: '\xff\x4f\xff\x51' },
  { name: 'a JPEG XL', sign: '\0\0\0\x0cJXL \r\n\x87\n' },
  { name: 'a JPEG XL', sign: /^\xff\x0a(?=.)/s },
  { name: 'a JPEG XR', sign: /^II\xbc[\0\x01]/s },
  { name: 'a JBIG2', sign: '\x97JB2\r\n\x1a\n' },
  { name: 'a BigTIFF', sign: /^(?:II\+\0\x08\0\0\0|MM\0\+\0\x08\0\0)/s },
  {
    name: 'a camera raw',
    sign: /^(?:IIR[OS]\x08\0|MMOR\0\0|IIU\0[\x08\x18]|FUJIFILMCCD-RAW|FOVb|\0MRM)/s,
  },
  { name: 'a DDS', sign: /^DDS \x7c\0\0\0/s },
  { name: 'an OpenEXR', sign: '\x76\x2f\x31\x01' },
  { name: 'a Radiance HDR', sign: /^#\?(?:RADIANCE|RGBE)\n/ },
  { name: 'a FITS', sign: /^SIMPLE {2}= {16,}T/ },
  { name: 'a GIMP', sign: 'gimp xcf ' },
  { name: 'an ILBM', sign: /^FORM.{4}(?:ILBM|PBM )/s },
  { name: 'an SGI', sign: /^\x01\xda[\0\x01][\x01\x02]\0[\x01-\x03]/s },
  { name: 'a Sun raster', sign: '\x59\xa6\x6a\x95' },
  { name: 'an XPM', sign: /^\/\* XPM \*\// },
  { name: 'an XBM', sign: /^(?:\/\*.{0,400}?\*\/\s*)?#define \S{1,80}_width \d+/s },
  { name: 'a BPG', sign: 'BPG\xfb' },
  { name: 'a FLIF', sign: /^FLIF[1ACDQ-Tabdq-t][012]/ },
  { name: 'a QOI', sign: /^qoif.{8}[\x03\x04][\0\x01]/s },
  { name: 'a DICOM', sign: 'DICM', at: 128 },
  { name: 'a DjVu', sign: 'AT&TFORM' },
  { name: 'an MNG', sign: '\x8aMNG\r\n\x1a\n' },
  { name: 'a JNG', sign: '\x8bJNG\r\n\x1a\n' },
  { name: 'a WMF', sign: '\xd7\xcd\xc6\x9a' },
  { name: 'a WMF', sign: /^[\x01\x02]\0\x09\0\0[\x01\x03]/s },
  { name: 'an EMF', sign: /^\x01\0\0\0.{36} EMF/s },
  { name: 'a Paint Shop Pro', sign: 'Paint Shop Pro Image File' },
  { name: 'a KTX', sign: /^\xabKTX [12][01]\xbb/ },
  // A header and its numbers: `P4` alone is a line of EPL, and `P1` a word.
  { name: 'a PBM', sign: netpbm('[14]', 2) },
  { name: 'a PGM', sign: netpbm('[25]', 3) },
  { name: 'a PPM', sign: netpbm('[36]', 3) },
  {
    name: 'a PAM',
    sign: /^P7[ \t]*\r?\n(?:#[^\n]*\n|\s)*(?:WIDTH|HEIGHT|DEPTH|MAXVAL|TUPLTYPE)\s/,
  },
  { name: 'an XV thumbnail', sign: /^P7 332\s/ },
  { name: 'a PFM', sign: /^P[Ff]4?\s+(?:#[^\n]*\n\s*)*\d+\s+\d+\s+[-+]?[\d.]/ },
]

function netpbm(letter: string, numbers: number): RegExp {
  const blanks = String.raw`(?:\s|#[^\n]*\n)`
  return new RegExp(`^P${letter}${blanks}+\\d+(?:${blanks}+\\d+){${numbers - 1}}(?:\\s|#|$)`)
}

const PAGES: readonly FileSignature[] = [
  { name: 'an EPS', sign: /^%!PS-Adobe-\d\.\d EPSF/ },
  { name: 'an EPS', sign: '\xc5\xd0\xd3\xc6' },
  { name: 'a PostScript', sign: /^(?:\x04|\x1b%-12345X[^\0]{0,2000}\n)?%!(?:PS)?/ },
  { name: 'a PCL XL', sign: /^(?:\x1b%-12345X[^\0]{0,2000}\n)?[)(] HP-PCL XL/ },
  { name: 'an HP-GL', sign: /^(?:\x1b%-?\dB)?\s*IN;(?:SP\d|PU|PA|IP)/ },
  { name: 'an AFP', sign: /^\x5a\0.\xd3\xa8[\xa8\xad\xc6\xaf]/s },
  { name: 'a Word', sign: zipped(String.raw`word\/`) },
  { name: 'an Excel', sign: zipped(String.raw`xl\/`) },
  { name: 'a PowerPoint', sign: zipped(String.raw`ppt\/`) },
  { name: 'a Visio', sign: zipped(String.raw`visio\/`) },
  { name: 'an XPS', sign: zipped(String.raw`(?:FixedDoc\w*\.fdseq|Documents\/\d+\/|\[trash\])`) },
  { name: 'an OpenDocument', sign: /^PK\x03\x04.{26}mimetypeapplication\/vnd\.(?:oasis|sun)\./s },
  { name: 'an EPUB', sign: /^PK\x03\x04.{26}mimetypeapplication\/epub/s },
  { name: 'an Office', sign: /^PK\x03\x04.{26}(?:\[Content_Types\]|_rels|docProps|customXml)/s },
  { name: 'an Office', sign: '\xd0\xcf\x11\xe0\xa1\xb1' },
  { name: 'an RTF', sign: '{\\rtf' },
  { name: 'a WordPerfect', sign: '\xffWPC' },
  { name: 'an InDesign', sign: '\x06\x06\xed\xf5\xd8\x1d\x46\xe5' },
  { name: 'a DWG', sign: /^AC(?:1\.\d|2\.\d|10[0-3]\d)/ },
  { name: 'a DXF', sign: /^\s*(?:999\r?\n[^\n]*\n\s*)*0\r?\nSECTION\r?\n/ },
  { name: 'a STEP', sign: 'ISO-10303-21;' },
  { name: 'a Microsoft Access', sign: /^\0\x01\0\0Standard (?:Jet|ACE) DB/ },
]

/** A package of which one of the first members is in this folder. */
function zipped(folder: string): RegExp {
  return new RegExp(`^PK\\x03\\x04.{26}(?:.{0,4000}?PK\\x03\\x04.{26})?${folder}`, 's')
}

const ARCHIVES: readonly FileSignature[] = [
  { name: 'a JAR', sign: /^PK\x03\x04.{26}(?:META-INF\/|AndroidManifest)/s },
  { name: 'a ZIP', sign: /^PK(?:\x03\x04|\x05\x06|\x07\x08|00PK)/ },
  { name: 'a RAR', sign: /^Rar!\x1a\x07/ },
  { name: 'a 7z', sign: '7z\xbc\xaf\x27\x1c' },
  { name: 'a bzip2', sign: /^BZh[1-9](?:1AY&SY|\x17rE8P\x90)/ },
  { name: 'an XZ', sign: '\xfd7zXZ\0' },
  { name: 'an LZMA', sign: /^\x5d\0\0[\0-\x80]\0[\0\xff]{2}/ },
  { name: 'a Zstandard', sign: '\x28\xb5\x2f\xfd' },
  { name: 'an LZ4', sign: '\x04\x22\x4d\x18' },
  { name: 'an lzip', sign: /^LZIP\x01/ },
  { name: 'a compress (.Z)', sign: /^\x1f[\x9d\xa0][\x80-\x90]/ },
  { name: 'an LZH', sign: /^.{2}-l[hz][\dsd]-/s },
  { name: 'an ARJ', sign: /^\x60\xea.{2}[\x1e-\x2b]/s },
  { name: 'a CAB', sign: /^MSCF\0\0\0\0/ },
  { name: 'a tar', sign: /^ustar[\0 ]/, at: 257 },
  { name: 'a cpio', sign: /^07070[127][\da-fA-F]{8}/ },
  { name: 'a Debian package', sign: '!<arch>\n' },
  { name: 'an RPM', sign: '\xed\xab\xee\xdb' },
  { name: 'a XAR', sign: /^xar!\0/ },
  { name: 'an ACE', sign: '**ACE**', at: 7 },
  { name: 'a StuffIt', sign: /^(?:StuffIt \(c\)|SIT!)/ },
  { name: 'an ISO image', sign: 'CD001', at: 32_769 },
]

const OTHERS: readonly FileSignature[] = [
  { name: 'an ELF', sign: /^\x7fELF[\x01\x02][\x01\x02]/ },
  { name: 'a Windows EXE', sign: /^MZ.{58}.{2}\0\0/s },
  { name: 'a Mach-O', sign: /^(?:\xfe\xed\xfa[\xce\xcf]|[\xce\xcf]\xfa\xed\xfe)/ },
  { name: 'a Java class', sign: /^\xca\xfe\xba\xbe\0/ },
  { name: 'a WebAssembly', sign: '\0asm' },
  { name: 'a DEX', sign: /^dex\n\d{3}\0/ },
  { name: 'a script', sign: /^#! ?\// },
  { name: 'a shortcut', sign: 'L\0\0\0\x01\x14\x02\0' },
  {
    name: 'a TrueType font',
    sign: /^(?:\0\x01\0\0\0[\x01-\x7f]|true\0[\x01-\x7f]|ttcf\0[\x01\x02]\0\0)/,
  },
  { name: 'an OpenType font', sign: /^OTTO\0[\x01-\x7f]/ },
  { name: 'a WOFF font', sign: /^wOF[F2](?:\0\x01\0\0|OTTO|true)/ },
  { name: 'a Type 1 font', sign: /^(?:\x80\x01.{4})?%!(?:PS-AdobeFont|FontType1)/s },
  { name: 'an EOT font', sign: /^.{8}[\x01\x02]\0\x02\0.{20}.{2}LP/s },
  { name: 'an MP3', sign: /^(?:ID3[\x02-\x04]|\xff[\xfb\xf3\xf2][\x10-\xe0])/ },
  { name: 'a FLAC', sign: 'fLaC' },
  { name: 'an Ogg', sign: 'OggS\0' },
  { name: 'a WAV', sign: /^RIFF.{4}WAVE/s },
  { name: 'an AVI', sign: /^RIFF.{4}AVI /s },
  { name: 'a RIFF', sign: /^RIF[FX].{4}[\x20-\x7e]{4}/s },
  { name: 'an AIFF', sign: /^FORM.{4}AIF[FC]/s },
  { name: 'a MIDI', sign: 'MThd\0\0\0\x06' },
  { name: 'an AMR', sign: '#!AMR' },
  { name: 'an AU', sign: /^\.snd\0/ },
  { name: 'a RealMedia', sign: /^\.RMF\0/ },
  { name: 'a Matroska or WebM', sign: '\x1a\x45\xdf\xa3' },
  { name: 'an FLV', sign: /^FLV\x01/ },
  { name: 'a Flash', sign: /^[FCZ]WS[\x01-\x40].{4}/s },
  { name: 'a Windows Media', sign: '\x30\x26\xb2\x75\x8e\x66\xcf\x11' },
  { name: 'an MPEG', sign: /^\0\0\x01[\xba\xb3]/ },
  { name: 'a QuickTime', sign: /^\0.{3}(?:moov|mdat|wide|free|skip|pnot)/s },
  { name: 'an SQLite', sign: 'SQLite format 3\0' },
  { name: 'a Parquet', sign: /^PAR1[\x15\0-\x1f]/ },
  { name: 'a glTF', sign: /^glTF[\x01\x02]\0\0\0/ },
  { name: 'a Blender', sign: /^BLENDER[_-][vV]\d{3}/ },
  {
    name: 'a network capture',
    sign: /^(?:\xd4\xc3\xb2\xa1|\xa1\xb2\xc3\xd4|\x0a\x0d\x0d\x0a.{4}\x4d\x3c\x2b\x1a)/s,
  },
  { name: 'an Outlook', sign: /^(?:!BDN|\x78\x9f\x3e\x22)/ },
  { name: 'a property list', sign: 'bplist00' },
  { name: 'a certificate', sign: /^-----BEGIN (?!PGP)[A-Z0-9 ]{3,40}-----/ },
  { name: 'a PGP', sign: '-----BEGIN PGP ' },
  { name: 'a vCard', sign: /^BEGIN:VCARD\r?\n/i },
  { name: 'a calendar', sign: /^BEGIN:VCALENDAR\r?\n/i },
  { name: 'a torrent', sign: /^d\d+:(?:announce|created by|creation date|comment)/ },
]

const ALL: readonly (readonly [FileKind, readonly FileSignature[]])[] = [
  // A font in PostScript is one before it is PostScript.
  ['other', OTHERS.filter(({ name }) => name === 'a Type 1 font')],
  ['picture', PICTURES],
  ['page', PAGES],
  ['archive', ARCHIVES],
  ['other', OTHERS],
]

/** The kind of file that these bytes are, by its signature; undefined when none is known. */
export function findSignature(bytes: Uint8Array): KnownFile | undefined {
  const boxed = findBoxed(bytes)
  if (boxed !== undefined) return boxed
  const head = latin1(bytes, 0, HEAD_BYTES)
  if (isSvg(head)) return named('an SVG', 'picture')
  for (const [kind, signatures] of ALL) {
    const found = signatures.find((one) => matches(one, bytes, head))
    if (found !== undefined && isSure(found, bytes)) return named(found.name, kind)
  }
  return isTarga(bytes) ? named('a TGA', 'picture') : undefined
}

function matches({ sign, at = 0 }: FileSignature, bytes: Uint8Array, head: string): boolean {
  const from = at === 0 ? head : latin1(bytes, at, 16)
  return typeof sign === 'string' ? from.startsWith(sign) : sign.test(from)
}

function named(name: string, kind: FileKind): KnownFile {
  const [article, ...words] = name.split(' ')
  return { name: words.join(' '), isAn: article === 'an', kind }
}

/** Checks what a pattern cannot. */
function isSure({ name }: FileSignature, bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (name === 'a PCX' && bytes.length >= 12) {
    return (
      view.getUint16(8, true) >= view.getUint16(4, true) &&
      view.getUint16(10, true) >= view.getUint16(6, true)
    )
  }
  return true
}

/** Pictures are told by their brands, the main one first (ISO/IEC 14496-12, 4.3; 23008-12, annex B; AVIF 1.1, 6.2). */
const BRANDS: readonly (readonly [brands: RegExp, name: string, kind: FileKind])[] = [
  [/^avi[fso]$/, 'an AVIF', 'picture'],
  [/^(?:he[iv][cxms]|hevc|hevx)$/, 'a HEIC', 'picture'],
  [/^(?:jp2 |jpx |jpm |mjp2|jph )$/, 'a JPEG 2000', 'picture'],
  [/^jxl $/, 'a JPEG XL', 'picture'],
  [/^crx $/, 'a camera raw', 'picture'],
  [/^(?:mif[123]|msf1|miaf|1pic|jpeg|jpgs|j2ki|j2is|avci|avcs|vvic|evbi)$/, 'a HEIF', 'picture'],
  [/^M4[ABP] $/, 'an M4A', 'other'],
  [/^qt {2}$/, 'a QuickTime', 'other'],
  [/^3g[2pegrs]/, 'a 3GP', 'other'],
]
/** Brands of pictures of any coding, which others beside them name. */
const OPEN_BRANDS = /^(?:mif[123]|msf1|miaf|1pic)$/
const BRANDS_MOST = 64

/** A file of boxes (ISO base media) begins with `ftyp`, which names what readers it is for. */
function findBoxed(bytes: Uint8Array): KnownFile | undefined {
  if (latin1(bytes, 4, 4) !== 'ftyp' || bytes.length < 12) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const size = view.getUint32(0)
  const at = size === 1 ? 16 : 8
  const main = latin1(bytes, at, 4)
  const others: string[] = []
  const end = Math.min(size === 1 ? bytes.length : size, bytes.length)
  for (let from = at + 8; from + 4 <= end && others.length < BRANDS_MOST; from += 4)
    others.push(latin1(bytes, from, 4))
  const order = OPEN_BRANDS.test(main)
    ? [...others.filter((one) => !OPEN_BRANDS.test(one)), latin1(bytes, at + 4, 4), main]
    : [main, ...others.filter((one) => /^(?:avi[fs]|he[iv][cxms])$/.test(one))]
  for (const brand of order) {
    const found = BRANDS.find(([brands]) => brands.test(brand))
    if (found !== undefined) return named(found[1], found[2])
  }
  return named('an MP4', 'other')
}

/** Constructs that may stand before the first element of XML, with their ends. */
const BEFORE_ELEMENT: readonly (readonly [begin: RegExp, end: string])[] = [
  [/^<\?/, '?>'],
  [/^<!--/, '-->'],
  [/^<!doctype svg[^[>]*\[/i, ']>'],
  [/^<!doctype svg/i, '>'],
]

/** XML whose first element is a picture's; walked over, as one expression for all of it takes time without end. */
function isSvg(head: string): boolean {
  let rest = head.replace(/^\xef\xbb\xbf/, '').trimStart()
  for (;;) {
    if (/^<(?:\w{1,40}:)?svg[\s>]/i.test(rest)) return true
    const end = BEFORE_ELEMENT.find(([begin]) => begin.test(rest))?.[1]
    const at = end === undefined ? -1 : rest.indexOf(end)
    if (end === undefined || at < 0) return false
    rest = rest.slice(at + end.length).trimStart()
  }
}

/** Truevision's footer (TGA 2.0): the head of such a picture has no sign of its own. */
function isTarga(bytes: Uint8Array): boolean {
  return bytes.length > 44 && latin1(bytes, bytes.length - 18, 17) === 'TRUEVISION-XFILE.'
}
