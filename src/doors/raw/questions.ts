import { latin1 } from '../../languages/bytes.ts'
import { languages } from '../../languages/index.ts'
import type { StreamLines } from '../../languages/language.ts'
import { keyOf } from '../../languages/zpl/data.ts'
import type { KnownPrinter, PrinterReason } from '../../printers/printer.ts'
import { decoders } from '../../render/decode/index.ts'

/** What programs ask a printer on the line of the labels. */
export type Question =
  | 'zpl-status'
  | 'zpl-errors'
  | 'zpl-identity'
  | 'epl-errors'
  | 'tspl-status'
  | 'sgd'

const [STX, ETX] = ['\x02', '\x03']

/** The question that this command or line is; undefined = none. */
export function findQuestion(line: string): Question | undefined {
  if (/^~HS/i.test(line)) return 'zpl-status'
  if (/^~HI/i.test(line)) return 'zpl-identity'
  if (/^~HQES/i.test(line)) return 'zpl-errors'
  if (/^\^ee$/.test(line)) return 'epl-errors'
  return /^! U1 getvar /i.test(line) ? 'sgd' : undefined
}

/** What is told of a printer. */
export type Told = Pick<KnownPrinter, 'makeAndModel' | 'dpi' | 'media' | 'status'>

/**
 * The answer as the printer would give it, one character a byte, from what it last said of itself; `waiting` = labels
 * that are not printed yet. '' = silence, as of a printer that is switched off.
 */
export function answerQuestion(question: Question, printer: Told, waiting: number): string {
  const { reasons } = printer.status
  if (reasons.includes('offline')) return ''
  switch (question) {
    case 'zpl-status':
      return sayHostStatus(printer, waiting)
    case 'zpl-errors':
      return sayErrors(reasons)
    case 'zpl-identity':
      return sayIdentity(printer)
    case 'epl-errors':
      return `${listEplCodes(reasons).join(',') || '00'}\r\n`
    case 'tspl-status':
      return String.fromCharCode(sumTsplBits(reasons, waiting))
    case 'sgd':
      // What a printer says of a variable that it does not know (ZPL Programming Guide, getvar).
      return '"?"'
  }
}

/** ZPL II Programming Guide, ~HS: three strings; what nobody here knows is as after switching on. */
function sayHostStatus({ status: { reasons }, media }: Told, waiting: number): string {
  const bit = (...some: readonly PrinterReason[]): string =>
    some.some((reason) => reasons.includes(reason)) ? '1' : '0'
  const length = digits(media?.lengthDots ?? 0, 4)
  const formats = digits(waiting, 3)
  const first = `030,${bit('media-empty')},${bit('paused', 'media-jam', 'other')},${length},${formats},0,0,0,000,0,0,0`
  const second = `000,0,${bit('cover-open')},${bit('marker-supply-empty')},0,2,4,0,00000000,1,000`
  return [first, second, '1234,0'].map((text) => `${STX}${text}${ETX}\r\n`).join('')
}

/** Bits of the first group of errors (ZPL Programming Guide, ~HQ). */
const ZPL_BITS: Readonly<Partial<Record<PrinterReason, number>>> = {
  'media-empty': 0x1,
  'marker-supply-empty': 0x2,
  'cover-open': 0x4,
  'media-jam': 0x1000,
  paused: 0x10000,
  other: 0x8,
}

function sayErrors(reasons: readonly PrinterReason[]): string {
  const bits = sumBits(reasons, ZPL_BITS)
  const row = (name: string, is: boolean, group: number): string =>
    `   ${name}:`.padEnd(19) +
    `${is ? 1 : 0} 00000000 ${group.toString(16).toUpperCase().padStart(8, '0')}\r\n`
  // Programs look for the flags at fixed places.
  const title = '  PRINTER STATUS'.padEnd(44)
  return `${STX}\r\n\r\n${title}\r\n${row('ERRORS', bits !== 0, bits)}${row('WARNINGS', false, 0)}${ETX}`
}

/** `MODEL,VERSION,DPMM,MEMORY` (ZPL II Programming Guide, ~HI). */
function sayIdentity({ makeAndModel, dpi }: Told): string {
  const model = makeAndModel.replace(/^Zebra /, '').replace(/[^ -~]|,/g, '') || 'platen'
  return `${STX}${model},V1.0,${Math.round(dpi / 25.4)},8176KB${ETX}\r\n`
}

/** EPL Programming Guide 14245L-003, p. 175. */
const EPL_CODES: Readonly<Partial<Record<PrinterReason, string>>> = {
  'media-empty': '07',
  'marker-supply-empty': '07',
  'cover-open': '11',
  paused: '12',
}

function listEplCodes(reasons: readonly PrinterReason[]): readonly string[] {
  return [...new Set(reasons.flatMap((reason) => EPL_CODES[reason] ?? []))]
}

/** TSC TSPL/TSPL2 Programming manual, ESC ! ?. */
const TSPL_BITS: Readonly<Partial<Record<PrinterReason, number>>> = {
  'cover-open': 0x01,
  'media-jam': 0x02,
  'media-empty': 0x04,
  'marker-supply-empty': 0x08,
  paused: 0x10,
  other: 0x80,
}
const TSPL_PRINTING = 0x20

function sumTsplBits(reasons: readonly PrinterReason[], waiting: number): number {
  return sumBits(reasons, TSPL_BITS) | (waiting > 0 ? TSPL_PRINTING : 0)
}

function sumBits(
  reasons: readonly PrinterReason[],
  bits: Readonly<Partial<Record<PrinterReason, number>>>,
): number {
  return reasons.reduce((sum, reason) => sum | (bits[reason] ?? 0), 0)
}

function digits(value: number, count: number): string {
  return String(Math.min(value, 10 ** count - 1)).padStart(count, '0')
}

/** What was found in a stream, in its order. */
export type Piece =
  /** A whole label, as it came but for blanks around it. */
  | { readonly kind: 'label'; readonly bytes: Uint8Array }
  /** A label whose end never came. */
  | { readonly kind: 'broken'; readonly bytes: Uint8Array }
  /** What stood behind the last label and puts nothing on paper. */
  | { readonly kind: 'rest'; readonly bytes: Uint8Array }
  | { readonly kind: 'question'; readonly question: Question }
  /** The other side takes this for another kind of port; nothing more is found. */
  | { readonly kind: 'http' | 'tls' }

export const LINES: readonly StreamLines[] = languages.flatMap((language) =>
  'lines' in language ? [language.lines] : [],
)

/** The longest head of data: of a BITMAP, a GW, and of ZPL's parameters. */
export const LINE_HEAD = 120
export const ZPL_HEAD = 164
/** How far into a label text of any kind may stand before ^XA: drivers put settings there. */
export const WITHIN = 4096
export const ZPL_INSIDE = /\^XA[ \t\r\n]*[\^~]/i
export const HTTP = /^(?:GET|POST|PUT|HEAD|OPTIONS|DELETE|PATCH|TRACE|CONNECT) (?:\/|\*|https?:)/
/** Only ask, so that they never make a job; those that are answered are in questions.ts. */
export const ASKS = /^~H[BDMQU]/i
export const KEYS = { begin: keyOf('^XA'), end: keyOf('^XZ') } as const
export const [CARET, TILDE, ESC, LF, CR] = [0x5e, 0x7e, 0x1b, 0x0a, 0x0d]
/** A handshake of TLS (RFC 8446, 5.1). */
export const TLS = '\x16\x03'

/** One document takes the whole connection: how they begin. */
export const DOCUMENTS: readonly string[] = [
  ...decoders.flatMap(({ signs }) => signs),
  ...['%PDF-', '\x1f\x8b', '\xff\xfe', '\xfe\xff'], // PDF; gzip and UTF-16, which the intake unpacks
]

/** Where the dots or the file of a line end, in whichever language; undefined when it has none. */
export function endOfData(view: Buffer, at: number): number | undefined {
  for (const lines of LINES) {
    const found = lines.endOfData(view, at)
    if (found !== undefined) return found
  }
  return undefined
}

/** Whether the last three bytes are a command of ZPL: unless a character of its own belongs to it. */
export function isCommand(view: Buffer, at: number): boolean {
  return view.length - at === 3 && !/^[cC]|^[hH][qQ]/.test(latin1(view, at + 1, 2))
}
