// biome-ignore-all lint/suspicious/noControlCharactersInRegex: other makers' languages begin with them

/** A kind of file that people do send and that is not printed: naming it saves a search. */
export interface Refused {
  /** What it begins with, one character a byte. */
  readonly sign: string | RegExp
  readonly name: string
  /** What to do; left out = ask for one of ours. */
  readonly hint?: string
}

const MAKER = 'Where the label is made, choose'
const OTHER_PRINTER = (choose: string): string =>
  `It was made for another maker's printer. ${MAKER} ${choose}; in the carrier's settings it is called label format, or printer.`
const ZPL_OR_PICTURE = OTHER_PRINTER('ZPL, EPL, TSPL, PNG or PDF')
const AS_PICTURE = `Save or export it as PDF or PNG and send that.`

// SBPL: SATO programming guide, ESC A begins a label. DPL: Datamax-O'Neil Class Series 2, STX L and STX commands; IPL:
// Intermec programmer's reference, STX ... ETX. TPCL: Toshiba TEC external equipment interface, {...|}. StarPRNT: Star
// Line Mode commands, ESC * r and ESC GS. CPCL: ZQ/QL programming manual, "! {offset} {dpi} {dpi} {height} {copies}".
const REFUSED: readonly Refused[] = [
  { sign: '%!PS', name: 'PostScript', hint: AS_PICTURE },
  { sign: /^! U\d? (?!.*\^XA)/is, name: 'SGD printer settings' },
  { sign: /^! (\d|UTILITIES|DF )/i, name: 'CPCL', hint: ZPL_OR_PICTURE },
  { sign: /^\x02?\x1bA(?=[\x1b\r\n\x00]|$)/, name: 'SBPL (SATO)', hint: ZPL_OR_PICTURE },
  {
    sign: /^(\x02(?:[LMnmfcOoKVrd])(?:[\r\n]|[\dA-Z]{1,5}\r)|\x01[A-Z]\r?\n?\x02)/,
    name: 'DPL (Datamax)',
    hint: ZPL_OR_PICTURE,
  },
  {
    sign: /^\x02[^\x02\x03^~\r\n]{1,80}\x03/,
    name: 'IPL (Intermec)',
    hint: ZPL_OR_PICTURE,
  },
  { sign: /^\{[A-Z]{1,3}[^{}"]{0,80}\|\}/, name: 'TPCL (Toshiba)', hint: ZPL_OR_PICTURE },
  {
    sign: /^\x1b(?:@\s*)?\x1b?(?:\*r[A-Z]|\x1d[\x03#(a-zA-Z]|\x1e[aF]|\x06\x01)/,
    name: 'StarPRNT (STARPL)',
    hint: ZPL_OR_PICTURE,
  },
  {
    sign: /^(?:\x1b@|\x1b[ta!d][\x00-\x3e]|\x1d[vVhHwkL(!B])/,
    name: 'ESC/POS',
    hint: ZPL_OR_PICTURE,
  },
  { sign: '\x1bE', name: 'PCL', hint: AS_PICTURE },
  { sign: '\x1b%-12345X', name: 'PJL', hint: AS_PICTURE },
  { sign: /^RIFF.{4}WEBP/s, name: 'a WebP picture', hint: AS_PICTURE },
  {
    sign: /^BM.{4}.{4}.{4}[\x0c\x28\x34\x38\x40\x6c\x7c]\0\0\0/s,
    name: 'a BMP picture',
    hint: AS_PICTURE,
  },
  {
    sign: /^.?ftyp(heic|heix|hevc|mif1|msf1|avif)/s, // its three leading zeros count as blanks
    name: 'a HEIC or AVIF picture',
    hint: `${AS_PICTURE} On an iPhone: Settings, Camera, Formats, "Most Compatible".`,
  },
  { sign: 'jP  \r\n', name: 'a JPEG 2000 picture', hint: AS_PICTURE },
  { sign: '8BPS', name: 'a Photoshop picture', hint: AS_PICTURE },
  {
    sign: /^(?:<\?xml.{0,500}?)?(?:<!--.{0,500}?-->\s*)?(?:<!doctype svg.{0,300}?)?<svg[\s>]/is,
    name: 'an SVG drawing',
    hint: AS_PICTURE,
  },
  {
    sign: /^<(!doctype html|html|head|body|div|table|p|script|!--)\b/i,
    name: 'a web page',
    hint: 'Often it is a page that asks to log in, or one that shows the label: download the label itself and send that.',
  },
  { sign: /^<(!doctype|\?xml|(?!xpml)[a-z][\w:.-]*[\s>])(?!.*\^XA)/is, name: 'XML' },
  {
    sign: /^PK\x03\x04(?:.{26}(?:\[Content_Types\]|_rels|docProps|word|xl|ppt)|.{0,400}(?:mimetypeapplication|word\/|xl\/))/s,
    name: 'an Office file',
    hint: AS_PICTURE,
  },
  {
    sign: /^(?:PK\x03\x04|PK\x05\x06|Rar!\x1a|7z\xbc\xaf)/,
    name: 'a ZIP or another archive',
    hint: 'Unpack it and send the labels inside.',
  },
  { sign: '\xd0\xcf\x11\xe0', name: 'an Office file', hint: AS_PICTURE },
  { sign: '{\\rtf', name: 'an Office file', hint: AS_PICTURE },
  {
    sign: /^https?:\/\/\S+\s*$/i,
    name: 'an address of a file',
    hint: 'Download the file and send its bytes.',
  },
  // base64 of: ^XA, PNG, JPEG, GIF8, %PDF.
  {
    sign: /^(XlhB|iVBORw0KGgo|\/9j\/|R0lGOD|JVBERi)/,
    name: 'a text encoded twice',
  },
]

/** The kind of a file that is not printed; undefined when nobody knows it. */
export function findRefused(head: string): Refused | undefined {
  return REFUSED.find(({ sign }) =>
    typeof sign === 'string' ? head.startsWith(sign) : sign.test(head),
  )
}
