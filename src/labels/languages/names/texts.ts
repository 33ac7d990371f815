import { endOfLine, latin1, upper } from '../bytes.ts'
import { endOfData as endOfEplData } from '../epl/scan.ts'
import { endOfData as endOfTsplData } from '../tspl/index.ts'
import { keyOf, walkZpl } from '../zpl/data.ts'

/** A text on a label, or what a bar code says. */
export interface PrintedText {
  readonly text: string
  readonly isBars: boolean
  /** Dots from the origin of the label. */
  readonly x: number
  readonly y: number
  /** Quarter turns clockwise. */
  readonly turn: 0 | 1 | 2 | 3
}

/** Limit of bytes that are examined: real ones have some 100 texts in some KB, and pictures behind them. */
const BYTES_MOST = 256 * 1024
const TEXTS_MOST = 400
const TEXT_MOST = 600
const LINE_MOST = 1_000

/** The texts and bar codes of a raw label in the order of its commands; empty for pictures. */
export function readTexts(label: Uint8Array, format: string): readonly PrintedText[] {
  const bytes = label.subarray(0, BYTES_MOST)
  if (format === 'zpl') return takeSome(readZpl(bytes))
  if (format === 'epl') return takeSome(readLines(bytes, readEplLine, EPL_PAGE, endOfEplData))
  if (format === 'tspl') return takeSome(readLines(bytes, readTsplLine, TSPL_PAGE, endOfTsplData))
  return []
}

function takeSome(texts: Iterable<PrintedText | undefined>): readonly PrintedText[] {
  const some: PrintedText[] = []
  for (const text of texts) {
    if (text === undefined || text.text.trim() === '') continue
    some.push(text)
    if (some.length === TEXTS_MOST) break
  }
  return some
}

const KEY = {
  fo: keyOf('^FO'),
  ft: keyOf('^FT'),
  fd: keyOf('^FD'),
  fv: keyOf('^FV'),
  fh: keyOf('^FH'),
  fs: keyOf('^FS'),
  fb: keyOf('^FB'),
  tb: keyOf('^TB'),
  ci: keyOf('^CI'),
  fw: keyOf('^FW'),
  by: keyOf('^BY'),
  sn: keyOf('^SN'),
  xa: keyOf('^XA'),
} as const
const ENDS: ReadonlySet<number> = new Set([KEY.fs, KEY.xa])
const [LETTER_A, LETTER_B] = [0x41, 0x42]
const TURNS = 'NRIB'
type TextTurn = PrintedText['turn']

/** State of a field before its text. */
interface FieldState {
  x: number
  y: number
  /** Undefined: as ^FW says. */
  turn: TextTurn | undefined
  isBars: boolean
  isBlock: boolean
  /** The escape character before two hexadecimal digits; '' = none. */
  hex: string
  data: Uint8Array | undefined
}

/** ZPL II Programming Guide: ^FO, ^FT, ^FW, ^A, ^B, ^FH, ^FD, ^FV, ^SN, ^FS. */
function* readZpl(bytes: Uint8Array): Generator<PrintedText> {
  const label: FieldDefaults = { turn: 0, page: undefined }
  let field = newField()
  for (const { key, at, end } of walkZpl(bytes)) {
    // Some senders leave ^FS out: then the place of the next field ends this one.
    const isPlace = key === KEY.fo || key === KEY.ft
    if (ENDS.has(key) || (isPlace && field.data !== undefined)) {
      yield* finish(field, label)
      field = newField()
    }
    const rest = (): string => latin1(bytes, at + 3, Math.min(end - at - 3, 80))
    if (isPlace) putAt(field, rest())
    else if (!lasts(label, key, rest)) follow(field, key, bytes.subarray(at, end), rest)
  }
  yield* finish(field, label)
}

/** Defaults for all following fields. */
interface FieldDefaults {
  turn: TextTurn
  page: CodePage
}

/** True for a command that says something of all fields behind it. */
function lasts(label: FieldDefaults, key: number, rest: () => string): boolean {
  if (key === KEY.ci) label.page = CODE_PAGES.get(String(Number.parseInt(rest(), 10)))
  else if (key === KEY.fw) label.turn = turnOf(rest().charAt(0)) ?? label.turn
  else return false
  return true
}

function putAt(field: FieldState, parameters: string): void {
  const [x = '', y = ''] = parameters.split(',')
  field.x = Number.parseInt(x, 10) || 0
  field.y = Number.parseInt(y, 10) || 0
}

function newField(): FieldState {
  return { x: 0, y: 0, turn: undefined, isBars: false, isBlock: false, hex: '', data: undefined }
}

/** Applies one command to its field. */
function follow(field: FieldState, key: number, command: Uint8Array, rest: () => string): void {
  const isControl = key > 0xffff
  if (key === KEY.fd || key === KEY.fv || key === KEY.sn) field.data ??= command.subarray(3)
  else if (key === KEY.fh) field.hex = rest().trim().charAt(0) || '_'
  else if (key === KEY.fb || key === KEY.tb) field.isBlock = true
  else if (isControl || key === KEY.by) return
  else if (key >> 8 === LETTER_B) {
    field.isBars = true
    field.turn = turnOf(rest().charAt(0)) ?? field.turn
  } else if (key >> 8 === LETTER_A) field.turn = turnOf(rest().charAt(0)) ?? field.turn
}

function turnOf(letter: string): TextTurn | undefined {
  const turn = letter === '' ? -1 : TURNS.indexOf(letter.toUpperCase())
  return turn < 0 ? undefined : (turn as TextTurn)
}

/** Its text, or the lines of its block one below the other. */
function* finish(
  { data, hex, isBlock, ...place }: FieldState,
  label: FieldDefaults,
): Generator<PrintedText> {
  if (data === undefined) return
  const { x, y, turn = label.turn, isBars } = place
  const plain = decode(undoHex(data.subarray(0, 3 * TEXT_MOST), hex), label.page)
  const lines = isBlock && !isBars ? plain.split('\\&') : [plain]
  for (const [n, line] of lines.entries()) {
    const [dx, dy] = LINE_STEPS[turn]
    yield { text: clean(line), isBars, x: x + n * dx * LINE, y: y + n * dy * LINE, turn }
  }
}

/** Dots, about; how high the lines of a block are does not matter, only their order does. */
const LINE = 24

/** Steps to the next line of a text, by its turn. */
export const LINE_STEPS: readonly [number, number][] & Record<TextTurn, readonly [number, number]> =
  [
    [0, 1],
    [-1, 0],
    [0, -1],
    [1, 0],
  ]

/** Texts of bar codes keep the characters that only scanners see. */
function clean(text: string): string {
  return text.slice(0, TEXT_MOST).replace(/[\r\n]+/g, ' ')
}

function undoHex(data: Uint8Array, hex: string): Uint8Array {
  if (hex === '') return data
  const mark = hex.charCodeAt(0)
  const bytes: number[] = []
  for (let at = 0; at < data.length; at += 1) {
    const digits = data[at] === mark ? latin1(data, at + 1, 2) : ''
    if (/^[0-9A-Fa-f]{2}$/.test(digits)) {
      bytes.push(Number.parseInt(digits, 16))
      at += 2
    } else bytes.push(data[at] ?? 0)
  }
  return Uint8Array.from(bytes)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })
/** Number of a code page of Windows; undefined = another one. */
type CodePage = number | undefined
/** By ^CI (ZPL II guide; ^CI28 is UTF-8), I8 (EPL Programming Guide) and CODEPAGE (TSC's manual). */
const CODE_PAGES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    27: 1252,
    31: 1250,
    33: 1251,
    34: 1253,
    35: 1254,
    36: 1255,
    A: 1252,
    B: 1250,
    C: 1251,
    D: 1253,
    E: 1254,
    F: 1255,
    1250: 1250,
    1251: 1251,
    1252: 1252,
    1253: 1253,
    1254: 1254,
    1255: 1255,
    '8859-1': 1252,
  }),
)
const EPL_PAGE = /^I8,([0-9A-F])/
const TSPL_PAGE = /^CODEPAGE[ \t]+([\w-]+)/i

/** The text; '' when nobody can say what its letters beyond ASCII are. */
function decode(bytes: Uint8Array, page: CodePage): string {
  if (bytes.every((byte) => byte < 0x80)) return latin1(bytes, 0, bytes.length)
  try {
    return utf8.decode(bytes)
  } catch {
    return page === undefined ? '' : new TextDecoder(`windows-${page}`).decode(bytes)
  }
}

/** Each line that writes; the bytes of pictures are passed over. */
function* readLines(
  bytes: Uint8Array,
  read: (line: string) => PrintedText | undefined,
  pages: RegExp,
  endOfData: (bytes: Uint8Array, at: number) => number | undefined,
): Generator<PrintedText | undefined> {
  let page: CodePage
  let at = 0
  while (at < bytes.length) {
    while (bytes[at] === 0x20 || bytes[at] === 0x09) at += 1
    const end = endOfLine(bytes, at, LINE_MOST)
    if (end - at < LINE_MOST && LINE_LETTERS.has(upper(bytes[at]))) {
      const line = decode(bytes.subarray(at, end), page)
      const named = pages.exec(line)
      if (named !== null) page = CODE_PAGES.get(named[1] ?? '')
      yield read(line)
    }
    at = endOfData(bytes, at) ?? endOfLine(bytes, end) + 1
  }
}

/** A, B, T: what EPL's A, B and b, and TSPL's TEXT, BLOCK and BARCODE begin with; I, C: what names a code page. */
const LINE_LETTERS: ReadonlySet<number> = new Set([0x41, 0x42, 0x54, 0x49, 0x43])

// EPL Programming Guide: A x,y,turn,font,width,height,N|R,"text"; B x,y,turn,kind,…,"data"; b x,y,kind,…,"data".
const EPL = /^([ABb])(\d+),(\d+),([0-3])?[^"]*"(.*)"/s
// TSC's manual: TEXT x,y,"font",turn,…,"text"; BLOCK x,y,width,height,"font",turn,…,"text"; BARCODE x,y,"kind",…,"data".
// One way to match a line: where quotes may stand in several places, a line of quotes takes a second to be none.
const TSPL = /^(TEXT|BLOCK|BARCODE)\s+(\d+)\s*,\s*(\d+)\s*,[^"]*"[^"]*"\s*,([^"]*)"(.*)"\s*$/is

function readEplLine(line: string): PrintedText | undefined {
  const [, letter, x, y, turn, text] = EPL.exec(line) ?? []
  if (text === undefined) return undefined
  const plain = text.replace(/\\(["\\])/g, '$1')
  const place = { x: Number(x), y: Number(y), turn: Number(turn ?? 0) as TextTurn }
  return { text: clean(plain), isBars: letter !== 'A', ...place }
}

function readTsplLine(line: string): PrintedText | undefined {
  const [, word = '', x, y, between = '', text] = TSPL.exec(line) ?? []
  if (text === undefined) return undefined
  const isBars = word.toUpperCase() === 'BARCODE'
  const degrees = isBars ? 0 : Number.parseInt(between, 10) || 0
  const turn = ((((degrees / 90) % 4) + 4) % 4) as TextTurn
  const place = {
    x: Number(x),
    y: Number(y),
    turn: (Number.isInteger(turn) ? turn : 0) as TextTurn,
  }
  return { text: clean(text.replaceAll('\\["]', '"')), isBars, ...place }
}
