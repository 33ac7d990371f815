import {
  type LabelSize,
  type Language,
  type Sign,
  type StockReader,
  TEXT,
  WITHIN_BYTES,
} from '../language.ts'
import { areCommands, type LineSigns } from '../lines.ts'
import { encode } from './encode.ts'
import { endOfData, PROGRAM, scanTspl } from './scan.ts'
import { status } from './status.ts'

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
const signs: readonly Sign[] = [
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
  readTracking(text) {
    const [, command, width] = TRACKING.exec(text) ?? []
    if (command === undefined) return undefined
    if (Number(width) === 0) return 'continuous'
    return command.toUpperCase() === 'GAP' ? 'gap' : 'mark'
  },
}

function readSize(text: string): LabelSize {
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
  encode,
  scan: scanTspl,
  lines: { ...LINES, keeps: { begin: PROGRAM, end: /^EOP$/i }, endOfData },
  stock,
  status,
  drawsText: (beginning) => /^[ \t]*(TEXT|BARCODE|QRCODE|BLOCK)\s/m.test(beginning),
} as const satisfies Language<'tspl'>
