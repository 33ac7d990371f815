import type { Buffer } from 'node:buffer'
import { isBlank, latin1 } from '../bytes.ts'
import { inchesOf, type Language, type Sign, type StockReader } from '../language.ts'
import { areCommands, type LineSigns } from '../lines.ts'
import { encode } from './encode.ts'
import { endOfData, scanEpl } from './scan.ts'
import { status } from './status.ts'

const FIRST =
  /^(EPL2\s|N[ \t]*[\r\n]|q\d+|Q\d+,|A\d+,\d+,[0-7],|B\d+,|b\d+,|GW\d+|L[OEWS]\d+|X\d+|ZT|ZB|R\d+,|r[YN]|D\d+|S\d+|I8|O[A-Z]|J[FB]|U[NS]|;|P\d+)/
const PRINTS = /^PA?\d*(,\d+)?$/
// From the EPL Programming Guide: every command that a label may hold, as a whole line.
const LINES: LineSigns = {
  draws:
    /^(A\d+,\d+,[0-7],|B\d+,\d+,[0-3],|b\d+,\d+,[A-Z]|L[OEWS]\d+,\d+,\d+,\d+|X\d+,\d+,\d+,\d+|GW\d+,|GG\d+,\d+,"|FR")/,
  prints: PRINTS,
  others:
    /^(EPL2|[.?N]|;.*|[qDSWfY]\d+|[QR]\d+,.*|[AVC]\d+,.*|[Bb]\d+,\d+,.*|(FS|FK|GK|GM|EK|ES)".*|FE|[GEF]I|I8.*|Z[TB]|r[YN]|O[A-Z0-9,]*|J[BCF]|T[DTS].*|U[A-Z]*|eR.*|o[A-Z].*|AUTOFR|xa|\^@|\^ee|\^default)$/,
  fills: /^\?$/, // the values of a form follow
  endOfData: (bytes, line) => (mayBeGraphic(bytes, line) ? endOfGraphic(bytes, line) : undefined),
}
const GRAPHIC = /^(?:GW\d+,\d+,(\d+),(\d+)[,\r\n]|GM"[^"\r\n]{0,16}"(\d{1,9})\r?\n)/
const GRAPHIC_HEAD = 40 // the longest GW command before its data
const LETTER_G = 0x47
const LETTER_M = 0x4d
const LETTER_P = 0x50
const LETTER_W = 0x57
const LETTER_A = 0x41
const COMMA = 0x2c

/** The first line is a command and some line prints, or most lines are commands, one draws and one prints. */
const signs: readonly Sign[] = [
  {
    doubt: 2,
    matches: ({ bytes, start }) => isEpl(bytes, start) || areCommands(bytes, start, LINES),
  },
]

/** Walks over graphics, whose bytes may be anything. */
function isEpl(bytes: Buffer, start: number): boolean {
  if (!FIRST.test(latin1(bytes, start, GRAPHIC_HEAD))) return false
  let at = start
  while (at < bytes.length) {
    const end = endOfLine(bytes, at)
    if (mayPrint(bytes, at) && PRINTS.test(lineHead(bytes, at, end))) return true
    at = (mayBeGraphic(bytes, at) ? endOfGraphic(bytes, at) : undefined) ?? end + 1
  }
  return false
}

// Making a text of each of a million short lines would take a second: the bytes are looked at first.
function mayPrint(bytes: Buffer, at: number): boolean {
  if (bytes[at] !== LETTER_P) return false
  const next = bytes[at + 1] === LETTER_A ? bytes[at + 2] : bytes[at + 1]
  return next === undefined || next === COMMA || isBlank(next) || isDigit(next)
}

function mayBeGraphic(bytes: Buffer, at: number): boolean {
  if (bytes[at] !== LETTER_G) return false
  return (bytes[at + 1] === LETTER_W && isDigit(bytes[at + 2])) || bytes[at + 1] === LETTER_M
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39
}

/** Where the line after a GW or GM command begins; undefined when it is another command. */
function endOfGraphic(bytes: Buffer, at: number): number | undefined {
  const graphic = GRAPHIC.exec(latin1(bytes, at, GRAPHIC_HEAD))
  return graphic === null
    ? undefined
    : at + graphic[0].length + Number(graphic[3] ?? Number(graphic[1]) * Number(graphic[2]))
}

/** A CR alone ends no line here: a label that has only such prints nothing. */
function endOfLine(bytes: Buffer, from: number): number {
  let end = from
  while (end < bytes.length && bytes[end] !== 0x0a) end++
  return end
}

function lineHead(bytes: Buffer, at: number, end: number): string {
  return latin1(bytes, at, Math.min(end - at, GRAPHIC_HEAD)).trim()
}

/** `q`, and `Q` with what follows its length: the gap, `B` and the width of the mark, or 0. */
const stock: StockReader = {
  dots: /GW\d/,
  readSize: (text, dpi) => ({
    width: inchesOf(/^q(\d+)/m, text, dpi),
    height: inchesOf(/^Q(\d+)/m, text, dpi),
  }),
  readTracking(text) {
    const [, mark, gap] = /^Q\d+,(B?)(\d+)/m.exec(text) ?? []
    if (gap === undefined) return undefined
    if (mark === 'B') return 'mark'
    return Number(gap) === 0 ? 'continuous' : 'gap'
  },
}

/** EPL2 (EPL Programming Guide, 14245L-003); nothing gets its printers out of half a label. */
export const epl = {
  name: 'epl',
  title: 'EPL',
  makers: 'older Zebra and Eltron, LP 2844',
  commandSets: ['EPL', 'EPL2'],
  mediaType: 'application/vnd.eltron-epl',
  signs,
  encode,
  scan: scanEpl,
  // Where a font ends is unknown (ES).
  lines: { ...LINES, keeps: { begin: /^(FS|ES)"/, end: /^FE$/ }, endOfData },
  stock,
  status,
} as const satisfies Language<'epl'>
