import type { Buffer } from 'node:buffer'
import {
  areCommands,
  endOfLine,
  type LineSigns,
  lineHead,
  pairOf,
  SCANNED_A_TURN,
  upper,
} from '../bytes.ts'
import {
  type Encoding,
  type Findings,
  type LabelInches,
  type Language,
  type LanguageSign,
  type Media,
  type PrinterReading,
  type PrinterReason,
  type StatusLanguage,
  type StockReader,
  TEXT,
  WITHIN_BYTES,
} from '../language.ts'
import { type LineDots, readLineDots } from '../line-dots.ts'
import { isPlainLines } from '../plain.ts'
import { findPatches, invertPatch, joinParts, type Raster } from '../raster.ts'

const HEAD = 120
const NETWORK = "changes the printer's network settings"
const CALIBRATES = 'makes the printer calibrate'
const STAYS = 'changes a setting that stays in the printer'

/** Effects of lines by their first word. From TSC's manual of TSPL/TSPL2. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['INITIALPRINTER', 'sets the printer back to its factory settings'],
  ['FORMAT', "erases the printer's memory"],
  ['KILL', "deletes files from the printer's memory"],
  ['DOWNLOAD', "stores a file in the printer's memory"],
  ['MOVE', "writes files into the printer's flash memory"],
  ['COPY', "copies files in the printer's memory"],
  ['RUN', 'starts a program inside the printer'],
  ['SELFTEST', 'prints test labels'],
  ['AUTODETECT', CALIBRATES],
  ['GAPDETECT', CALIBRATES],
  ['BLINEDETECT', CALIBRATES],
  ['WLAN', NETWORK],
  ['NET', NETWORK],
  ['BT', NETWORK],
  ['SET', STAYS],
  ['\u001b!R', 'resets the printer'],
  ['\u001b!C', 'restarts the printer'],
])

const BEGINNINGS = new Set(
  ['BITMAP', 'EOP', ...WORDS.keys()].map((word) => pairOf(word.charCodeAt(0), word.charCodeAt(1))),
)
const WORD = /^(?:[A-Z]{2,16}(?![\w$])|.![RC])/i
const SETTING = /^SET[ \t]+([A-Z_]{1,20}\d?)/i
/** A counter of this very label. */
const COUNTER = 'COUNTER'
/** Drivers send these with every label. */
const COMMON = /^(TEAR|PEEL|CUTTER|PARTIAL_CUTTER|BACK|REPRINT|RIBBON)$/

// BITMAP x,y,width in bytes,rows,mode,data; DOWNLOAD [memory,]"file",bytes,data.
const BITMAP =
  /^BITMAP[ \t]+-?\d+[ \t]*,[ \t]*-?\d+[ \t]*,[ \t]*(\d{1,12})[ \t]*,[ \t]*(\d{1,12})[ \t]*,[ \t]*(\d)[ \t]*,/i
const DOWNLOAD = /^DOWNLOAD[ \t]+(?:[A-Z],[ \t]*)?"[^"\r\n]{0,64}"[ \t]*,[ \t]*(\d{1,12})[ \t]*,/i
/** A program follows, up to a line EOP. */
const PROGRAM = /^DOWNLOAD[ \t]+(?:[A-Z],[ \t]*)?"[^"\r\n]{0,64}"\s*$/i
/** Overwrite, OR, XOR; the dots of newer modes are packed, so that their count says nothing. */
const PLAIN_MODES = '012'
const PACKED = new RegExp(BITMAP.source.replace('(\\d)', '[3-9]'), 'i')
/** A command where packed dots may still go on: more than what dots are by chance. */
const SURE_COMMAND =
  /^(?:(?:BITMAP|DOWNLOAD)[ \t]|(?:[A-Z]{4}|EOP|[A-Z]{2,3}[ \t])[\t\x20-\x7e]*(?:[\r\n]|$))/i

/**
 * Walks over TSPL line by line. The bytes of a BITMAP and a DOWNLOAD are data, as many as the command says; a DOWNLOAD
 * without a count takes all lines up to EOP. Packed dots are looked at like what follows them.
 */
function* scanTspl(
  bytes: Buffer,
  from: number,
  findings: Findings,
): Generator<void, void, undefined> {
  let at = from
  let program = -1
  let packedTo = from
  let pauseAt = from + SCANNED_A_TURN
  while (at < bytes.length) {
    if (at >= pauseAt) {
      yield
      pauseAt = at + SCANNED_A_TURN
    }
    while (bytes[at] === 0x20 || bytes[at] === 0x09) at += 1
    const isWord = BEGINNINGS.has(pairOf(upper(bytes[at]), upper(bytes[at + 1])))
    const head = isWord ? lineHead(bytes, at, HEAD) : ''
    const word = readWord(head, at < packedTo)
    program = followProgram(word, head, at, program)
    const data = lookAtLine(bytes, at, { head, word }, findings)
    packedTo = data?.packedTo ?? packedTo
    at = data?.end ?? endOfLine(bytes, at) + 1
  }
  if (program >= 0) findings.noteCut({ command: 'DOWNLOAD', offset: program })
}

/** The word that a line begins with; '' when it is none, or may be dots. */
function readWord(head: string, isPacked: boolean): string {
  return isPacked && !SURE_COMMAND.test(head) ? '' : (WORD.exec(head)?.[0].toUpperCase() ?? '')
}

/** Start of the program that is being kept; -1 = none is. */
function followProgram(word: string, head: string, at: number, program: number): number {
  if (word === 'EOP') return -1
  return word === 'DOWNLOAD' && PROGRAM.test(head) ? at : program
}

/** Data in a line, and where to go on. */
interface LineData {
  readonly end: number
  /** Latest end of packed dots. */
  readonly packedTo?: number
}

/** The data of a line; undefined when it has none. */
function lookAtLine(
  bytes: Buffer,
  at: number,
  { head, word }: { readonly head: string; readonly word: string },
  findings: Findings,
): LineData | undefined {
  const means = WORDS.get(word)
  if (word === 'SET') noteSetting(head, at, findings)
  else if (means !== undefined) {
    findings.add({ command: word.replace('\u001b', 'ESC '), means, isCommon: false, offset: at })
  }
  const data = readData(word, head)
  if (data === undefined) return undefined
  const begin = at + data.from
  const end = begin + data.bytes
  if (!data.isPlain) return { end: begin, packedTo: end }
  if (end > bytes.length) findings.noteCut({ command: word, offset: at })
  return { end }
}

/** Finds the end of a line's dots or file; undefined when it has none, or packed ones. */
export function endOfData(bytes: Uint8Array, from: number): number | undefined {
  let at = from
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at += 1
  const head = lineHead(bytes, at, HEAD)
  const data = readData(readWord(head, false), head)
  return data?.isPlain ? at + data.from + data.bytes : undefined
}

/** Reads where the data of a line begin, and their number; undefined when it has none. */
function readData(
  word: string,
  head: string,
): { readonly from: number; readonly bytes: number; readonly isPlain: boolean } | undefined {
  const found =
    word === 'BITMAP' ? BITMAP.exec(head) : word === 'DOWNLOAD' ? DOWNLOAD.exec(head) : null
  if (found === null) return undefined
  const [all, count, rows = '1', mode = '0'] = found
  const bytes = Number(count) * Number(rows)
  return { from: all.length, bytes, isPlain: PLAIN_MODES.includes(mode) }
}

function noteSetting(head: string, offset: number, findings: Findings): void {
  const setting = SETTING.exec(head)?.[1]?.toUpperCase() ?? ''
  if (setting === COUNTER) return
  const command = `SET ${setting}`.trim()
  findings.add({ command, means: STAYS, isCommon: COMMON.test(setting), offset })
}

/** Bits of the answer to `ESC ! ?` (Gprinter TSPL manual, p. 30; TSC TSPL/TSPL2 Programming manual). */
const BITS: readonly (readonly [number, PrinterReason])[] = [
  [0x41, 'cover-open'],
  [0x02, 'media-jam'],
  [0x04, 'media-empty'],
  [0x08, 'marker-supply-empty'],
  [0x10, 'paused'],
  [0x80, 'other'],
]

const PRINTING = 0x20

/**
 * `OUT` answers to the port that asked; the setting is the label's length in dots (TSPL/TSPL2 Programming manual, OUT and
 * GETSETTING$; public code feeds by it). Printers that do not know it say nothing.
 */
const PAPER_SIZE = '\r\nOUT "LENGTH=";GETSETTING$("CONFIG","TSPL","PAPER SIZE");";"\r\n'
const SIZE_ANSWER = /LENGTH=\s*(\d+)\s*;/

/** TSPL: `ESC ! ?`, answered at once, also in the middle of printing. */
export const status: StatusLanguage = {
  // It says "ready" between two labels, and before it has begun.
  needsBusy: true,
  // Gap or black mark, whichever there is (TSPL/TSPL2 Programming manual, AUTODETECT).
  calibrate: '\r\nAUTODETECT\r\n',
  async ask(talk) {
    return parseStatusByte(await talk('\x1b!?', (answer) => answer.length > 0))
  },
  // The size is what the last label's SIZE said, but for the moment after AUTODETECT.
  async measure(talk) {
    return parsePaperSize(await talk(PAPER_SIZE, (answer) => SIZE_ANSWER.test(answer)))
  },
}

/** The length of a label; undefined when it is not there. */
export function parsePaperSize(answer: string): Media | undefined {
  const lengthDots = Number(SIZE_ANSWER.exec(answer)?.[1] ?? 0)
  return lengthDots > 0 ? { lengthDots } : undefined
}

/** Parses a byte of flags, the last that came; undefined when none did. */
export function parseStatusByte(answer: string): PrinterReading | undefined {
  const byte = answer.charCodeAt(answer.length - 1)
  if (Number.isNaN(byte)) return undefined
  const reasons = BITS.filter(([mask]) => (byte & mask) !== 0).map(([, reason]) => reason)
  return { reasons, isBusy: (byte & PRINTING) !== 0 }
}

/**
 * TSPL and TSPL2 (TSC, and the clones that say XPP, which draw BITMAP and nothing else). BITMAP has 0 = black. One
 * BITMAP around all that is black, as drivers send it. No GAP: the printer knows its stock, and END is not TSPL2.
 */
function encode(raster: Raster, encoding: Encoding): Uint8Array {
  const parts: (string | Uint8Array)[] = [begin(encoding)]
  for (const patch of findPatches(raster, Number.POSITIVE_INFINITY)) {
    const rows = patch.bottom - patch.top
    parts.push(`BITMAP ${patch.left * 8},${patch.top},${patch.right - patch.left},${rows},0,`)
    parts.push(invertPatch(raster, patch), '\r\n')
  }
  parts.push('PRINT 1,1\r\n')
  return joinParts(parts)
}

function begin(encoding: Encoding): string {
  const width = millimetres(encoding.widthDots, encoding.dpi)
  const height = millimetres(encoding.heightDots, encoding.dpi)
  const lines = [`SIZE ${width} mm,${height} mm`, 'DIRECTION 0,0', 'REFERENCE 0,0']
  if (encoding.darkness !== undefined) lines.push(`DENSITY ${Math.round(encoding.darkness * 0.15)}`)
  if (encoding.speed !== undefined) lines.push(`SPEED ${Math.max(1, Math.round(encoding.speed))}`)
  lines.push('CLS', '')
  return lines.join('\r\n')
}

/** To a tenth, which is finer than a dot at 203 dpi. */
function millimetres(dots: number, dpi: number): number {
  return Math.round((dots / dpi) * MM_PER_INCH * 10) / 10
}

const BEGINS_WITH_SIZE = new RegExp(`^(${TEXT}[\\r\\n])?[ \\t]*SIZE[ \\t]`, 'i')
const CLEARS_OR_DRAWS = /[\r\n][ \t]*(CLS|BITMAP)\b/i
// TSC's manual of TSPL/TSPL2. Printers keep the size of an earlier label, so that many leave it out.
const LINES: LineSigns = {
  draws:
    /^(TEXT|BARCODE|QRCODE|BOX|BAR|BITMAP|BLOCK|PDF417|MPDF417|DMATRIX|MAXICODE|AZTEC|RSS|CODABLOCK|PUTBMP|PUTPCX|REVERSE|ERASE|CIRCLE|ELLIPSE|DIAGONAL|TLC39)[ \t]*-?\d+[ \t]*,[ \t]*-?\d+[ \t]*,/i,
  prints: /^PRINT[ \t]+\d+([ \t]*,[ \t]*\d+)?$/i,
  others:
    /^((SIZE|GAP|BLINE|OFFSET|SPEED|DENSITY|DIRECTION|REFERENCE|SHIFT|COUNTRY|CODEPAGE|FEED|BACKFEED|BACKUP|LIMITFEED|SET|SOUND|DOWNLOAD|FORMFEED|HOME|CLS|CUT|EOP|DELAY)\b.*|;.*|@\d.*|REM .*)$/i,
  endOfData,
}

/** A SIZE within the first lines, and a line that clears or draws; or lines that draw and one that prints, and little else. */
const signs: readonly LanguageSign[] = [
  {
    doubt: 1,
    matches: ({ head }) =>
      BEGINS_WITH_SIZE.test(head.slice(0, WITHIN_BYTES)) && CLEARS_OR_DRAWS.test(head),
  },
  { doubt: 2, matches: ({ bytes, start }) => areCommands(bytes, start, LINES) },
]

const MM_PER_INCH = 25.4
// Blanks of one line only, and never two runs of them side by side: else 64 KB of line ends cost seconds.
const SIZE = /^[ \t]*SIZE[ \t]+([\d.]+)[ \t]*(mm[ \t]*)?,[ \t]*([\d.]+)[ \t]*(mm)?/im
const TRACKING = /^[ \t]*(GAP|BLINE)[ \t]+([\d.]+)/im

/** `SIZE`, and `GAP` or `BLINE`. */
const stock: StockReader = {
  dots: /BITMAP /,
  readSize,
  readDots: (bytes) => readLineDots(bytes, endOfData, readLine),
  readTracking(text) {
    const [, command, width] = TRACKING.exec(text) ?? []
    if (command === undefined) return undefined
    if (Number(width) === 0) return 'continuous'
    return command.toUpperCase() === 'GAP' ? 'gap' : 'mark'
  },
}

const POINT =
  /^(BOX|BAR|BITMAP|ERASE|REVERSE|TEXT|BARCODE|QRCODE|BLOCK|DMATRIX|PDF417|REFERENCE)[ \t]*(\d+)[ \t]*,[ \t]*(\d+)(?:[ \t]*,[ \t]*(\d+)[ \t]*,[ \t]*(\d+))?/i

/** `REFERENCE`, and how far boxes, bars and pictures reach; its stock it counts in inches. */
function readLine(line: string): LineDots | undefined {
  const point = POINT.exec(line)
  if (point === null) return undefined
  const [x, y, third, fourth] = [2, 3, 4, 5].map((n) => Number(point[n] ?? 0)) as [
    number,
    number,
    number,
    number,
  ]
  switch (point[1]?.toUpperCase()) {
    case 'REFERENCE':
      return { from: [x, y] }
    case 'BOX':
      return { to: [third, fourth] }
    case 'BITMAP':
      return { to: [x + third * 8, y + fourth] }
    case 'BAR':
    case 'ERASE':
    case 'REVERSE':
    case 'BLOCK':
      return { to: [x + third, y + fourth] }
    default:
      return { to: [x, y] }
  }
}

function readSize(text: string): LabelInches {
  const found = SIZE.exec(text)
  if (found === null) return { width: undefined, height: undefined }
  const toInches = (number = '', unit: string | undefined): number | undefined => {
    const value = Number(number) / (unit === undefined ? 1 : MM_PER_INCH)
    return value > 0 ? value : undefined
  }
  return { width: toInches(found[1], found[2]), height: toInches(found[3], found[4]) }
}

/** TSPL and TSPL2; nothing gets its printers out of half a label. */
export const tspl = {
  name: 'tspl',
  title: 'TSPL',
  makers: 'TSC, Rollo, Xprinter, Munbyn',
  commandSets: ['TSPL', 'TSPL2', 'XPP'],
  mediaType: 'application/vnd.tsc-tspl',
  signs,
  isPlain: (bytes, start) =>
    isPlainLines(bytes, start, { endOfData, ends: PACKED, comment: /^(?:;|REM\b)/i }),
  encode,
  scan: scanTspl,
  lines: { ...LINES, keeps: { begin: PROGRAM, end: /^EOP$/i }, endOfData, packs: PACKED },
  stock,
  status,
  drawsText: (beginning) => /^[ \t]*(TEXT|BARCODE|QRCODE|BLOCK)\s/im.test(beginning),
} as const satisfies Language<'tspl'>
