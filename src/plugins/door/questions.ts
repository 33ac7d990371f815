import type { PrinterReason } from '#labels'
import type { KnownPrinter } from '../../core/printers/status.ts'

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
export type AnswerFacts = Pick<KnownPrinter, 'makeAndModel' | 'dpi' | 'media' | 'status'>

/**
 * The answer as the printer would give it, one character a byte, from what it last said of itself; `waiting` = labels
 * that are not printed yet. '' = silence, as of a printer that is switched off.
 */
export function answerQuestion(question: Question, printer: AnswerFacts, waiting: number): string {
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
function sayHostStatus({ status: { reasons }, media }: AnswerFacts, waiting: number): string {
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
function sayIdentity({ makeAndModel, dpi }: AnswerFacts): string {
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
