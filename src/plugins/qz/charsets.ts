import { DOS_PAGES } from './dos-pages.ts'

// Pages name the character set in which a printer reads their words as Java does: its names and aliases (java.nio.charset).
// Node only decodes; a decoder turned round encodes.

/** Text as bytes; `isWhole`: every character is in the set. A `?` stands for each that is not, as in Java. */
export interface EncodedText {
  readonly bytes: Buffer
  readonly isWhole: boolean
}

/** A character set that a page may ask for. */
export interface Charset {
  /** The name as the page gave it. */
  readonly name: string
  encode(text: string): EncodedText
}

/** A rule for finding the characters of a set. */
interface Plan {
  /** The label of Node's decoder; '' = a code page of DOS. */
  readonly label: string
  readonly dosPage?: string
  /** The first and second bytes of two-byte characters; left out = every character is one byte. */
  readonly pairs?: { readonly leads: Range; readonly trails: Range }
  /** Lead bytes that are tried last: the same characters exist under others too. */
  readonly late?: Range
  /** True when bytes 0x80 to 0x9f are the ISO controls, whatever Node's decoder makes of them. */
  readonly isIso?: true
  /** The family of characters with three or four bytes, or of those that Node's decoder lacks. */
  readonly more?: 'euc-jp' | 'gb18030' | 'uhc'
}

type Range = readonly [from: number, to: number]

const ALL: Range = [0x81, 0xfe]
const HIGH: Range = [0xa1, 0xfe]
const TRAILS: Range = [0x40, 0xfe]

const UNICODE: ReadonlyMap<string, (text: string) => Buffer> = new Map(
  Object.entries<(text: string) => Buffer>({
    'UTF-8': (text) => Buffer.from(text, 'utf8'),
    'UTF-16LE': (text) => Buffer.from(text, 'utf16le'),
    'UTF-16BE': (text) => Buffer.from(text, 'utf16le').swap16(),
    // Java sets its mark before it.
    'UTF-16': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
    'X-UTF-16LE-BOM': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  }),
)

/** The other names of each set, without hyphens and the like. */
const UNICODE_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    '': 'UTF-8',
    UTF8: 'UTF-8',
    UNICODE11UTF8: 'UTF-8',
    UTF16LE: 'UTF-16LE',
    UNICODELITTLEUNMARKED: 'UTF-16LE',
    UTF16BE: 'UTF-16BE',
    UNICODEBIGUNMARKED: 'UTF-16BE',
    UTF16: 'UTF-16',
    UNICODE: 'UTF-16',
    UNICODEBIG: 'UTF-16',
    UNICODELITTLE: 'X-UTF-16LE-BOM',
    XUTF16LEBOM: 'X-UTF-16LE-BOM',
  }),
)

const GBK: Plan = { label: 'gbk', pairs: { leads: ALL, trails: TRAILS } }
const SJIS: Plan = {
  label: 'shift_jis',
  pairs: { leads: [0x81, 0xfc], trails: [0x40, 0xfc] },
  late: [0xed, 0xee],
}
const BIG5: Plan = { label: 'big5', pairs: { leads: HIGH, trails: TRAILS } }
const EUC_KR: Plan = { label: 'euc-kr', pairs: { leads: HIGH, trails: HIGH } }

const PLANS: ReadonlyMap<string, Plan> = new Map(
  Object.entries<Plan>({
    GBK,
    CP936: GBK,
    MS936: GBK,
    WINDOWS936: GBK,
    XMSWIN936: GBK,
    GB2312: { label: 'gbk', pairs: { leads: HIGH, trails: HIGH } },
    GB18030: { label: 'gb18030', pairs: { leads: ALL, trails: TRAILS }, more: 'gb18030' },
    BIG5,
    BIG5HKSCS: { label: 'big5', pairs: { leads: [0x87, 0xfe], trails: TRAILS } },
    SHIFTJIS: SJIS,
    EUCJP: { label: 'euc-jp', pairs: { leads: [0x8e, 0xfe], trails: HIGH }, more: 'euc-jp' },
    EUCKR: EUC_KR,
    MS949: { label: 'euc-kr', pairs: { leads: HIGH, trails: HIGH }, more: 'uhc' },
    KOI8R: { label: 'koi8-r' },
    KOI8U: { label: 'koi8-u' },
    TIS620: { label: 'windows-874', isIso: true },
    WINDOWS874: { label: 'windows-874' },
    CP866: { label: 'ibm866' },
    MACROMAN: { label: 'macintosh' },
    MACCYRILLIC: { label: 'x-mac-cyrillic' },
  }),
)

const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    EUCCN: 'GB2312',
    XEUCCN: 'GB2312',
    GB231280: 'GB2312',
    GB23121980: 'GB2312',
    GB180302000: 'GB18030',
    GB180302022: 'GB18030',
    CSBIG5: 'BIG5',
    CP950: 'BIG5',
    MS950: 'BIG5',
    WINDOWS950: 'BIG5',
    XWINDOWS950: 'BIG5',
    BIG5HK: 'BIG5HKSCS',
    MS950HKSCS: 'BIG5HKSCS',
    SJIS: 'SHIFTJIS',
    XSJIS: 'SHIFTJIS',
    MSKANJI: 'SHIFTJIS',
    CSSHIFTJIS: 'SHIFTJIS',
    MS932: 'SHIFTJIS',
    CP932: 'SHIFTJIS',
    WINDOWS31J: 'SHIFTJIS',
    WINDOWS932: 'SHIFTJIS',
    CSWINDOWS31J: 'SHIFTJIS',
    EUCJIS: 'EUCJP',
    XEUCJP: 'EUCJP',
    CSEUCPKDFMTJAPANESE: 'EUCJP',
    KSC5601: 'EUCKR',
    KSC56011987: 'EUCKR',
    KSC56011989: 'EUCKR',
    KSC56011992: 'EUCKR',
    '5601': 'EUCKR',
    CSEUCKR: 'EUCKR',
    XWINDOWS949: 'MS949',
    WINDOWS949: 'MS949',
    CP949: 'MS949',
    KOI8: 'KOI8R',
    CSKOI8R: 'KOI8R',
    TIS6202533: 'TIS620',
    CP874: 'WINDOWS874',
    MS874: 'WINDOWS874',
    XWINDOWS874: 'WINDOWS874',
    XIBM874: 'WINDOWS874',
    XMACROMAN: 'MACROMAN',
    MACINTOSH: 'MACROMAN',
    XMACCYRILLIC: 'MACCYRILLIC',
  }),
)

const LATIN1 =
  /^(?:ASCII|USASCII|US|ASCII7|ISO646US|646|(?:IBM|CP)367|ISOIR6|L(?:ATIN)?1|(?:ISO)?88591|(?:IBM|CP)?819|CSISOLATIN1|ISOIR100)$/
/** The names of the parts of ISO 8859, by number and by the name of the alphabet. */
const ISO = /^(?:ISO)?8859(1[013456]|[2-8])$/
const LATIN: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    '2': '2',
    '3': '3',
    '4': '4',
    '5': '9',
    '6': '10',
    '7': '13',
    '8': '14',
    '9': '15',
    '0': '15',
    '10': '16',
  }),
)
const ISO_WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    CYRILLIC: '5',
    ARABIC: '6',
    GREEK: '7',
    HEBREW: '8',
  }),
)
const WINDOWS = /^(?:WINDOWS|CP|MS|IBM|XWINDOWS)?(125[0-8])$/
const DOS = /^(?:CP|IBM|PC|CCSID|XIBM)?(?:00)?(\d{3})$/

/** Finds the set of this name; undefined when it is not known. */
export function findCharset(name: string): Charset | undefined {
  const key = name.toUpperCase().replace(/[\s_:.+()-]/g, '')
  const encode = UNICODE.get(UNICODE_NAMES.get(key) ?? '')
  if (encode !== undefined)
    return { name, encode: (text) => ({ bytes: encode(text), isWhole: true }) }
  if (LATIN1.test(key)) return { name, encode: encodeLatin1 }
  const plan = findPlan(key)
  return plan === undefined ? undefined : { name, encode: (text) => encodeBy(plan, text) }
}

function findPlan(key: string): Plan | undefined {
  const known = PLANS.get(ALIASES.get(key) ?? key)
  if (known !== undefined) return known
  const windows = WINDOWS.exec(key)?.[1]
  if (windows !== undefined) return plan(`windows-${windows}`)
  const part =
    ISO.exec(key)?.[1] ?? ISO_WORDS.get(key) ?? LATIN.get(/^L(?:ATIN)?(\d0?)$/.exec(key)?.[1] ?? '')
  if (part === '9' || /^(?:ISO)?88599$/.test(key)) return plan('windows-1254', true)
  if (part === '11') return plan('windows-874', true)
  if (part !== undefined) return plan(`iso-8859-${part}`)
  const page = DOS.exec(key)?.[1] ?? ''
  if (page === '866') return PLANS.get('CP866')
  return Object.hasOwn(DOS_PAGES, page) ? dosPlan(page) : undefined
}

const made = new Map<string, Plan>()

/** Returns one object for each set, so that its inverted table is found again. */
function plan(label: string, isIso = false): Plan {
  const name = `${label} ${isIso}`
  const found = made.get(name) ?? { label, ...(isIso && { isIso }) }
  made.set(name, found)
  return found
}

function dosPlan(dosPage: string): Plan {
  const found = made.get(dosPage) ?? { label: '', dosPage }
  made.set(dosPage, found)
  return found
}

/** Encodes as Latin-1. For a character outside the set Node would take the low byte, which turns a z with caron into a `~`. */
function encodeLatin1(text: string): EncodedText {
  const plain = text.replace(/[^\0-\xff]/gu, '?')
  return { bytes: Buffer.from(plain, 'latin1'), isWhole: plain === text }
}

/** The bytes of each character, as one number. */
type Letters = ReadonlyMap<string, number>

const KEPT_MOST = 3
const kept = new Map<Plan, Letters>()

/** Returns the inverted table of a set. The ones used last are kept: a table of two-byte characters takes 1 to 4 MB. */
function lettersOf(plan: Plan): Letters {
  const found = kept.get(plan) ?? turnRound(plan)
  kept.delete(plan)
  kept.set(plan, found)
  for (const oldest of kept.keys()) if (kept.size > KEPT_MOST) kept.delete(oldest)
  return found
}

const QUESTION = 0x3f

function encodeBy(plan: Plan, text: string): EncodedText {
  const letters = lettersOf(plan)
  const out = Buffer.alloc(text.length * 4)
  let [to, isWhole] = [0, true]
  for (const letter of text) {
    const code = letter.codePointAt(0) as number
    const bytes = code < 0x80 ? code : (letters.get(letter) ?? beyond(plan, code))
    if (bytes === undefined) isWhole = false
    to = write(out, to, bytes ?? QUESTION)
  }
  return { bytes: out.subarray(0, to), isWhole }
}

function write(out: Buffer, at: number, bytes: number): number {
  const count = bytes > 0xff_ffff ? 4 : bytes > 0xffff ? 3 : bytes > 0xff ? 2 : 1
  return out.writeUIntBE(bytes, at, count)
}

/** Computes the bytes of a character beyond U+FFFF: GB 18030 counts them in a row (annex C). */
function beyond({ more }: Plan, code: number): number | undefined {
  return more === 'gb18030' && code > 0xffff ? fourBytes(189_000 + code - 0x10000) : undefined
}

function fourBytes(count: number): number {
  const [a, b, c, d] = [
    Math.floor(count / 12_600),
    Math.floor(count / 1_260) % 10,
    Math.floor(count / 10) % 126,
    count % 10,
  ]
  return (0x81 + a) * 2 ** 24 + (0x30 + b) * 2 ** 16 + (0x81 + c) * 2 ** 8 + 0x30 + d
}

/** The number of four-byte characters of GB 18030 up to U+FFFF. */
const FOUR_BYTES_MOST = 39_420

function turnRound(plan: Plan): Letters {
  if (plan.dosPage !== undefined) return readPage(DOS_PAGES[plan.dosPage] as string)
  const letters = decodeAll(plan.label, [...singlesOf(plan), ...pairsOf(plan), ...moreOf(plan)])
  if (plan.isIso) setControls(letters)
  if (plan.label === 'big5') for (const [letter, code] of BIG5_LAST) letters.set(letter, code)
  if (plan.more === 'uhc') addHangul(letters)
  if (plan.pairs !== undefined) addTwins(letters)
  return letters
}

/** Lists the one-byte codes beyond ASCII: for GB 18030 none, as Node's decoder reads 0x80 like that of GBK. */
function singlesOf({ more }: Plan): readonly number[] {
  return more === 'gb18030' ? [] : range([0x80, 0xff])
}

function moreOf({ more }: Plan): readonly number[] {
  if (more === 'gb18030') return Array.from({ length: FOUR_BYTES_MOST }, (_, n) => fourBytes(n))
  if (more !== 'euc-jp') return []
  return range(HIGH).flatMap((second) =>
    range(HIGH).map((third) => 0x8f0000 | (second << 8) | third),
  )
}

function setControls(letters: Map<string, number>): void {
  for (const [letter, code] of letters) if (code < 0xa0) letters.delete(letter)
  for (const code of range([0x80, 0x9f])) letters.set(String.fromCharCode(code), code)
}

/** Pairs of characters of which decoders and Java take one or the other for the same code. */
const TWINS: readonly (readonly [string, string])[] = [
  ['\u00a2', '\uffe0'],
  ['\u00a3', '\uffe1'],
  ['\u00ac', '\uffe2'],
  ['\u00a5', '\uffe5'],
  ['\u2016', '\u2225'],
  ['\u2212', '\uff0d'],
  ['\u301c', '\uff5e'],
  ['\u2014', '\u2015'],
  ['\u00b7', '\u30fb'],
  ['\u2027', '\u00b7'],
]

function addTwins(letters: Map<string, number>): void {
  for (const [one, other] of TWINS) {
    const [first, second] = [letters.get(one), letters.get(other)]
    if (first === undefined && second !== undefined) letters.set(one, second)
    if (second === undefined && first !== undefined) letters.set(other, first)
  }
}

/** Adds the syllables that KS X 1001 lacks: code page 949 has them in Unicode order, in the places that KS X 1001 leaves free. */
function addHangul(letters: Map<string, number>): void {
  const early = [...range([0x41, 0x5a]), ...range([0x61, 0x7a]), ...range([0x81, 0xfe])]
  const places = range([0x81, 0xc6]).flatMap((lead) => {
    const trails = lead < 0xa1 ? early : early.filter((trail) => trail < 0xa1)
    return trails.map((trail) => (lead << 8) | trail)
  })
  let next = 0
  for (const code of range([0xac00, 0xd7a3])) {
    const letter = String.fromCharCode(code)
    if (!letters.has(letter)) letters.set(letter, places[next++] as number)
  }
}

/** Characters that occur twice in Big5 (Encoding Standard, "index Big5 pointer"): the later code counts. */
const BIG5_LAST: readonly (readonly [string, number])[] = [
  ['\u2550', 0xf9f9],
  ['\u255e', 0xf9e9],
  ['\u2561', 0xf9eb],
  ['\u256a', 0xf9ea],
  ['\u5341', 0xa451],
  ['\u5345', 0xa4ca],
]

function readPage(page: string): Letters {
  const letters = new Map<string, number>()
  for (const [n, letter] of [...page].entries())
    if (letter !== '\ufffd') letters.set(letter, 0x80 + n)
  return letters
}

function pairsOf({ pairs, late }: Plan): readonly number[] {
  if (pairs === undefined) return []
  const isLate = (lead: number): boolean => late !== undefined && lead >= late[0] && lead <= late[1]
  const leads = range(pairs.leads)
  const order = [...leads.filter((lead) => !isLate(lead)), ...leads.filter(isLate)]
  return order.flatMap((lead) => range(pairs.trails).map((trail) => (lead << 8) | trail))
}

function range([from, to]: Range): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, n) => from + n)
}

/**
 * Decodes all codes at once, each on its own line, as a decoder always reads a line end as such. The first of two equal characters counts.
 */
function decodeAll(label: string, codes: readonly number[]): Map<string, number> {
  const bytes = Buffer.alloc(codes.length * 5)
  let at = 0
  for (const code of codes) {
    at = write(bytes, at, code)
    at = bytes.writeUInt8(0x0a, at)
  }
  const lines = new TextDecoder(label, { ignoreBOM: true })
    .decode(bytes.subarray(0, at))
    .split('\n')
  const letters = new Map<string, number>()
  for (const [n, line] of lines.entries()) {
    const isLetter =
      line !== '\ufffd' && [...line].length === 1 && (line.codePointAt(0) as number) >= 0x80
    if (isLetter && !letters.has(line)) letters.set(line, codes[n] as number)
  }
  return letters
}
