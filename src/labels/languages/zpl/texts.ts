import { latin1 } from '../bytes.ts'
import {
  type CodePage,
  decodePrinted,
  LINE_STEPS,
  type PrintedText,
  TEXT_MOST,
  type TextTurn,
  tidyPrinted,
} from '../texts.ts'
import { keyOf, walkZpl } from './data.ts'

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
export function* readZplTexts(bytes: Uint8Array): Generator<PrintedText> {
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
  if (key === KEY.ci) label.page = PAGES.get(String(Number.parseInt(rest(), 10)))
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
  const plain = decodePrinted(undoHex(data.subarray(0, 3 * TEXT_MOST), hex), label.page)
  const lines = isBlock && !isBars ? plain.split('\\&') : [plain]
  for (const [n, line] of lines.entries()) {
    const [dx, dy] = LINE_STEPS[turn]
    yield { text: tidyPrinted(line), isBars, x: x + n * dx * LINE, y: y + n * dy * LINE, turn }
  }
}

/** Dots, about; how high the lines of a block are does not matter, only their order does. */
const LINE = 24

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

/** Code pages of Windows by the number of ^CI (ZPL II guide; ^CI28 is UTF-8). */
const PAGES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    27: 1252,
    31: 1250,
    33: 1251,
    34: 1253,
    35: 1254,
    36: 1255,
  }),
)
