import type { Buffer } from 'node:buffer'
import { endOfLine, lineHead, pairOf, SCANNED_A_TURN } from '../bytes.ts'
import type { Findings } from '../language.ts'
import { lookOutside, scanZpl } from '../zpl/scan.ts'

const HEAD = 80
const DIGITS = '0123456789'
/** NUL means the end of the label. */
const BLANKS = '\0\t\v\f\r\n '
const FLASH = "which wears out the printer's flash memory"

interface EplCommand {
  readonly line: RegExp
  readonly command: string
  /** The bytes one of which follows the first; left out = the command's own second. */
  readonly second?: string
  readonly means: string
}

// EPL Programming Guide 14245L. Q and O are flash settings too, but stand in nearly every label and are compared first.
const COMMANDS: readonly EplCommand[] = [
  { line: /^FK"/, command: 'FK', means: `deletes a form from the printer, ${FLASH}` },
  { line: /^FS"/, command: 'FS', means: `stores a form in the printer, ${FLASH}` },
  { line: /^GK"/, command: 'GK', means: `deletes a graphic from the printer, ${FLASH}` },
  { line: /^GM"/, command: 'GM', means: `stores a graphic in the printer, ${FLASH}` },
  { line: /^EK"/, command: 'EK', means: `deletes a font from the printer, ${FLASH}` },
  { line: /^ES"/, command: 'ES', means: `stores a font in the printer, ${FLASH}` },
  { line: /^M\d/, command: 'M', second: DIGITS, means: "divides the printer's memory again" },
  { line: /^Y\d/, command: 'Y', second: DIGITS, means: "changes the printer's serial port" },
  { line: /^UP\s*$/m, command: 'UP', means: "prints the printer's memory and stops its XON/XOFF" },
  {
    line: /^U[ABEFGIM]?\s*$/m,
    command: 'U',
    second: `ABEFGIM${BLANKS}`,
    means: "prints the printer's configuration",
  },
  { line: /^dump\b/, command: 'dump', means: 'switches the printer to dump mode' },
  { line: /^\^@/, command: '^@', means: 'resets the printer' },
  {
    line: /^\^default/,
    command: '^default',
    means: 'sets the printer back to its factory settings',
  },
]

function byPair(): ReadonlyMap<number, readonly EplCommand[]> {
  const all = COMMANDS.flatMap((command) =>
    [...(command.second ?? command.command.charAt(1))].map((second) => ({
      pair: pairOf(command.command.charCodeAt(0), second.charCodeAt(0)),
      command,
    })),
  )
  const grouped = Map.groupBy(all, ({ pair }) => pair)
  return new Map([...grouped].map(([pair, rows]) => [pair, rows.map(({ command }) => command)]))
}

const BY_PAIR = byPair()
const PAIRS = {
  graphic: pairOf(0x47, 0x57), // GW
  stored: pairOf(0x47, 0x4d), // GM
  form: pairOf(0x46, 0x53), // FS
  formEnd: pairOf(0x46, 0x45), // FE
  font: pairOf(0x45, 0x53), // ES
} as const
const CARET = 0x5e
const LETTER_A = 0x41
const LETTER_X = 0x58
/** Takes the bit away that makes a letter small. */
const SMALL = 0xdf

const GRAPHIC =
  /^GW[ \t]*-?\d+[ \t]*,[ \t]*-?\d+[ \t]*,[ \t]*(\d{1,12})[ \t]*,[ \t]*(\d{1,12})[ \t]*[,\r\n]/
const STORED_GRAPHIC = /^GM"[^"\r\n]{0,16}"(\d{1,12})\r?\n/
const FORM = /^FS"/
const FONT = /^ES"/

/**
 * Walks over EPL line by line. The bytes of a picture (GW, GM) are data, as many as the command says, and no line end
 * is needed behind them; quoted text stays within its line. Everything between FS and FE is kept for a form.
 */
export function* scanEpl(
  bytes: Buffer,
  from: number,
  findings: Findings,
): Generator<void, void, undefined> {
  let at = from
  let form = -1
  let pauseAt = from + SCANNED_A_TURN
  while (at < bytes.length) {
    if (at >= pauseAt) {
      yield
      pauseAt = at + SCANNED_A_TURN
    }
    lookOutside(bytes, at, findings)
    const pair = pairOf(bytes[at], bytes[at + 1])
    form = followForm(bytes, at, pair, form)
    note(bytes, at, pair, findings)
    if (isZpl(bytes, at)) {
      yield* scanZpl(bytes, at, findings) // printers of both languages change over at once
      break
    }
    at = skipData(bytes, at, pair, findings) ?? endOfLine(bytes, at) + 1
  }
  if (form >= 0) findings.noteCut({ command: 'FS', offset: form })
}

/** Start of the form that is being kept; -1 = none is. */
function followForm(bytes: Buffer, at: number, pair: number, form: number): number {
  if (pair === PAIRS.formEnd) return -1
  return pair === PAIRS.form && FORM.test(lineHead(bytes, at, HEAD)) ? at : form
}

/** `^XA`, in letters of any size. */
function isZpl(bytes: Buffer, at: number): boolean {
  if (bytes[at] !== CARET) return false
  const [second = 0, third = 0] = [bytes[at + 1], bytes[at + 2]]
  return (second & SMALL) === LETTER_X && (third & SMALL) === LETTER_A
}

/** Looks at a line; one that was found before costs no text. */
function note(bytes: Buffer, at: number, pair: number, findings: Findings): void {
  const rows = BY_PAIR.get(pair)?.filter(({ command }) => !findings.has(command)) ?? []
  if (rows.length === 0) return
  const head = lineHead(bytes, at, HEAD)
  const found = rows.find(({ line }) => line.test(head))
  if (found === undefined) return
  const { command, means } = found
  findings.add({ command, means, isCommon: false, offset: at })
}

/** Finds the end of this line's data; undefined when it has none. */
function skipData(bytes: Buffer, at: number, pair: number, findings: Findings): number | undefined {
  const end = endOfData(bytes, at)
  if (end === undefined || end <= bytes.length) return end
  findings.noteCut({ command: pair === PAIRS.graphic ? 'GW' : 'GM', offset: at })
  return end
}

/** Finds the end of the data of the line at `at`, beyond the label perhaps; undefined when it has none. */
export function endOfData(bytes: Uint8Array, at: number): number | undefined {
  const pair = pairOf(bytes[at], bytes[at + 1])
  // The data of a font have no length: what follows cannot be told apart.
  if (pair === PAIRS.font && FONT.test(lineHead(bytes, at, HEAD))) return bytes.length
  if (pair !== PAIRS.graphic && pair !== PAIRS.stored) return undefined
  const [head, bytesWide, rows = '1'] =
    (pair === PAIRS.graphic ? GRAPHIC : STORED_GRAPHIC).exec(lineHead(bytes, at, HEAD)) ?? []
  if (head === undefined) return undefined
  return at + head.length + Number(bytesWide) * Number(rows)
}
