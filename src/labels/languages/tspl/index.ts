import { areCommands, type LineSigns } from '../bytes.ts'
import {
  type Encoding,
  type LabelInches,
  type Language,
  type LanguageSign,
  type StockReader,
  TEXT,
  WITHIN_BYTES,
} from '../language.ts'
import { type LineDots, readLineDots } from '../line-dots.ts'
import { isPlainLines } from '../plain.ts'
import { findPatches, invertAll, invertPatch, joinParts, type Raster, rowBytes } from '../raster.ts'
import type { Media, PrinterReading, PrinterReason, StatusLanguage } from '../status.ts'
import { readLineTexts } from '../texts.ts'
import { questions } from './questions.ts'
import { endOfData, PACKED, PROGRAM, scanTspl } from './scan.ts'
import { texts } from './texts.ts'

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

function drawInline(raster: Raster, x: number, y: number): Uint8Array {
  const head = `BITMAP ${x},${y},${rowBytes(raster.width)},${raster.height},0,`
  return joinParts([head, invertAll(raster), '\r\n'])
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
  fileEndings: ['tspl', 'tsc'],
  beginnings: ['SIZE '],
  signs,
  isPlain: (bytes, start) =>
    isPlainLines(bytes, start, { endOfData, ends: PACKED, comment: /^(?:;|REM\b)/i }),
  encode,
  drawInline,
  scan: scanTspl,
  lines: { ...LINES, keeps: { begin: PROGRAM, end: /^EOP$/i }, endOfData, packs: PACKED },
  questions,
  readTexts: (bytes) => readLineTexts(bytes, texts),
  stock,
  status,
  drawsText: (beginning) => /^[ \t]*(TEXT|BARCODE|QRCODE|BLOCK)\s/im.test(beginning),
} as const satisfies Language<'tspl'>
