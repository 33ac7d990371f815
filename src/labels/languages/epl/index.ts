import type { Buffer } from 'node:buffer'
import { areCommands, isBlank, type LineSigns, latin1 } from '../bytes.ts'
import {
  type Encoding,
  inchesOf,
  type Language,
  type LanguageSign,
  type StockReader,
} from '../language.ts'
import { type LineDots, readLineDots } from '../line-dots.ts'
import { isPlainLines } from '../plain.ts'
import { findPatches, invertAll, invertPatch, joinParts, type Raster, rowBytes } from '../raster.ts'
import {
  type Media,
  type PrinterReading,
  type PrinterReason,
  type StatusLanguage,
  untilQuiet,
} from '../status.ts'
import { readLineTexts } from '../texts.ts'
import { questions } from './questions.ts'
import { endOfData, scanEpl } from './scan.ts'
import { texts } from './texts.ts'

/** `GW800,1200,100,1200,` and the line end after the data, in round figures. Decision `epl-width`. */
const HEAD_BYTES = 20

/**
 * EPL2, page mode (EPL Programming Guide, 14245L-003). `GW` has 0 = black and no escaping: any byte may follow.
 * `Q` is never sent: it is stored in flash and the printer measures the stock itself.
 */
function encode(raster: Raster, encoding: Encoding): Uint8Array {
  const parts: (string | Uint8Array)[] = [begin(encoding)]
  for (const patch of findPatches(raster, HEAD_BYTES)) {
    const rows = patch.bottom - patch.top
    parts.push(`GW${patch.left * 8},${patch.top},${patch.right - patch.left},${rows},`)
    parts.push(invertPatch(raster, patch), '\n')
  }
  parts.push('P1\n')
  return joinParts(parts)
}

function drawInline(raster: Raster, x: number, y: number): Uint8Array {
  const head = `GW${x},${y},${rowBytes(raster.width)},${raster.height},`
  return joinParts([head, invertAll(raster), '\n'])
}

function begin(encoding: Encoding): string {
  // The first line end flushes half a command that may have been left over, N clears the image buffer.
  const lines = ['', 'N', `q${widthToSet(encoding.widthDots)}`]
  if (encoding.darkness !== undefined) lines.push(`D${Math.round(encoding.darkness * 0.15)}`)
  if (encoding.speed !== undefined) lines.push(`S${wholeSpeed(encoding.speed)}`)
  return `${lines.join('\n')}\n`
}

/**
 * q centers the stock under the head, where the guides of the desktop printers hold it (832 dots above a label of
 * 812), and undoes the q or R of an earlier label. Whole bytes, so that the padding of a GW row is never beyond the
 * label. It clears the image buffer, so it comes before the first GW.
 */
function widthToSet(widthDots: number): number {
  return (widthDots + 7) & ~7
}

/** S counts inches per second on newer printers, and steps of about the same on a 2844 (1.5, 2, 2.5, 3.5). */
function wholeSpeed(inchesPerSecond: number): number {
  return Math.min(6, Math.max(1, Math.round(inchesPerSecond)))
}

/** Codes of `^ee` that stop the printer (EPL Programming Guide 14245L-003, p. 175); the others are faults of a label. */
const CODES: ReadonlyMap<string, PrinterReason> = new Map(
  Object.entries({
    '07': 'media-empty', // labels or ribbon; it does not say which
    '11': 'cover-open',
    '12': 'paused',
  }),
)

const ANSWER = /(?:^|[\r\n])(\d\d(?:,\d\d)*)\r?\n/

/**
 * The line of `UQ` with width and length, e.g. `q816 Q1218,25`: length, then gap, `B` and the width of the mark, or 0 for
 * a roll without gaps (EPL Programming Guide, UQ and Q; answers of LP2844 with firmware 4.14 to 4.70).
 */
const FORM = /^q\d+ +Q(\d+),(B?)(\d+)/m

/**
 * EPL: `^ee`. It tells errors, not what is still to print. Never `U`, `UM` or `UP`: they print, or switch XON/XOFF off.
 * Over USB these printers mostly do not answer; there the port's own status has to do.
 */
const status: StatusLanguage = {
  // AutoSense: measures label and gap (EPL Programming Guide, xa).
  calibrate: '\nxa\n',
  async ask(talk) {
    return parseErrorReport(await talk('\n^ee\n', (answer) => ANSWER.test(answer)))
  },
  // AutoSense sets the length, and so does every label that brings a Q of its own: so only after AutoSense.
  async measure(talk) {
    return parseForm(await talk('\nUQ\n', untilQuiet()))
  },
}

/** The stock as `UQ` tells it; undefined when it is not there or cannot be true. Its width is the last label's. */
export function parseForm(answer: string): Media | undefined {
  const [, length = '', mark, gap = ''] = FORM.exec(answer) ?? []
  if (length === '') return undefined
  const [lengthDots, gapDots] = [Number(length), Number(gap)]
  if (mark === '' && gapDots === 0) return { tracking: 'continuous' }
  // A sensor that is set the wrong way round takes the labels for the gaps.
  if (gapDots >= lengthDots) return undefined
  return { lengthDots, tracking: mark === '' ? 'gap' : 'mark' }
}

/** `00` or `XX,YY`; undefined when it is something else. */
export function parseErrorReport(answer: string): PrinterReading | undefined {
  const codes = ANSWER.exec(answer)?.[1]?.split(',')
  if (codes === undefined) return undefined
  const reasons = codes.flatMap((code) => CODES.get(code) ?? [])
  return { reasons: [...new Set(reasons)], isBusy: false }
}

const FIRST =
  /^(EPL2\s|N[ \t]*[\r\n]|q\d+|Q\d+,|A\d+,\d+,[0-7],|B\d+,|b\d+,|GW\d+|L[OEWS]\d+|X\d+|ZT|ZB|R\d+,|r[YN]|D\d+|S\d+|I8|O[A-Z]|J[FB]|U[NS]|;|P\d+)/
const PRINTS = /^PA?\d*(,\d+)?$/
// From the EPL Programming Guide: every command that a label may hold, as a whole line.
const LINES: LineSigns & { readonly fills: RegExp } = {
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
const signs: readonly LanguageSign[] = [
  {
    doubt: 2,
    matches: ({ bytes, start }) => isEpl(bytes, start) || areCommands(bytes, start, LINES),
  },
]

/** Lines that are known before the one that prints; a picture in a form of its own begins with a line as `P4`. */
const KNOWN_LEAST = 1
/** Number of first lines that are judged; the others are looked at for the one that prints. */
const JUDGED_MOST = 200

/** Walks over graphics, whose bytes may be anything. */
function isEpl(bytes: Buffer, start: number): boolean {
  if (!FIRST.test(latin1(bytes, start, GRAPHIC_HEAD))) return false
  const judge = new LineJudge()
  for (let at = start; at < bytes.length; ) {
    const graphic = mayBeGraphic(bytes, at) ? endOfGraphic(bytes, at) : undefined
    // Behind graphics no line end is needed: one is looked for at each line only, not at each graphic.
    const end = graphic ?? endOfLine(bytes, at) + 1
    const prints = mayPrint(bytes, at) && PRINTS.test(lineHead(bytes, at, end))
    if (prints && judge.known >= KNOWN_LEAST) return judge.isMostlyKnown
    if (!prints) judge.judge(bytes, at, end)
    at = end
  }
  return false
}

/** Counts lines that are commands, and those that are not. */
class LineJudge {
  known = 0
  #lines = 0
  #unknown = 0
  #isFilled = false

  judge(bytes: Buffer, at: number, end: number): void {
    if (this.#lines === JUDGED_MOST) return
    this.#lines += 1
    const line = lineHead(bytes, at, end)
    if (LINES.draws.test(line) || LINES.others.test(line)) this.known += 1
    else if (line !== '' && !this.#isFilled) this.#unknown += 1
    this.#isFilled ||= LINES.fills.test(line)
  }

  get isMostlyKnown(): boolean {
    return this.#unknown <= this.known
  }
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

/** Finds where the line after a GW or GM command begins; undefined when it is another command. */
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
  readDots: (bytes) => readLineDots(bytes, endOfData, readLine),
  readTracking(text) {
    const [, mark, gap] = /^Q\d+,(B?)(\d+)/m.exec(text) ?? []
    if (gap === undefined) return undefined
    if (mark === 'B') return 'mark'
    return Number(gap) === 0 ? 'continuous' : 'gap'
  },
}

const SIZE_LINE = /^([qQR])(\d+)(?:,[ \t]*B?(\d+))?/
const POINT =
  /^(?:[AB]|b|LO|LE|LW|LS|GW|GG|X)[ \t]*(\d+)[ \t]*,[ \t]*(\d+)(?:[ \t]*,[ \t]*(\d+)[ \t]*,[ \t]*(\d+))?(?:[ \t]*,[ \t]*(\d+))?/

/** `q`, `Q` and `R`, and how far lines, boxes and pictures reach. */
function readLine(line: string): LineDots | undefined {
  const size = SIZE_LINE.exec(line)
  if (size !== null) {
    const [first, second] = [Number(size[2]), Number(size[3] ?? 0)]
    if (size[1] === 'R') return { from: [first, second] }
    return size[1] === 'q' ? { width: first } : { height: first }
  }
  const point = POINT.exec(line)
  if (point === null) return undefined
  const [x = 0, y = 0, third = 0, fourth = 0, fifth = 0] = point
    .slice(1)
    .map((digits) => Number(digits ?? 0))
  if (line.startsWith('GW')) return { to: [x + third * 8, y + fourth] }
  if (line.startsWith('X')) return { to: [Math.max(x, fourth), Math.max(y, fifth)] }
  return /^L[OEW]/.test(line) ? { to: [x + third, y + fourth] } : { to: [x, y] }
}

/** EPL2 (EPL Programming Guide, 14245L-003); nothing gets its printers out of half a label. */
export const epl = {
  name: 'epl',
  title: 'EPL',
  makers: 'older Zebra and Eltron, LP 2844',
  commandSets: ['EPL', 'EPL2'],
  mediaType: 'application/vnd.eltron-epl',
  fileEndings: ['epl', 'epl2'],
  beginnings: ['EPL2', 'N\r\n', 'N\n', 'I8,'],
  signs,
  isPlain: (bytes, start) =>
    isPlainLines(bytes, start, { endOfData, ends: /^ES"/, comment: /^;/, fills: /^\?$/ }),
  encode,
  drawInline,
  scan: scanEpl,
  // Where a font ends is unknown (ES).
  lines: { ...LINES, keeps: { begin: /^(FS|ES)"/, end: /^FE$/ }, endOfData },
  questions,
  readTexts: (bytes) => readLineTexts(bytes, texts),
  stock,
  status,
} as const satisfies Language<'epl'>
