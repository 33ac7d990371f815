import { type AnswerFacts, type PortQuestion, sumBits } from '../questions.ts'
import type { PrinterReason } from '../status.ts'

const [STX, ETX] = ['\x02', '\x03']

/** `~HS`, `~HI`, `~HQES`, and the variables of Set-Get-Do. */
export const questions: readonly PortQuestion[] = [
  { name: '~HS', asks: /^~HS/i, answer: sayHostStatus },
  { name: '~HI', asks: /^~HI/i, answer: sayIdentity },
  { name: '~HQES', asks: /^~HQES/i, answer: ({ reasons }) => sayErrors(reasons) },
  // What a printer says of a variable that it does not know (ZPL Programming Guide, getvar).
  { name: 'getvar', asks: /^! U1 getvar [^\r\n^~]*/i, answer: () => '"?"' },
]

/** ZPL II Programming Guide, ~HS: three strings; what nobody here knows is as after switching on. */
function sayHostStatus({ reasons, media, waiting }: AnswerFacts): string {
  const bit = (...some: readonly PrinterReason[]): string =>
    some.some((reason) => reasons.includes(reason)) ? '1' : '0'
  const length = digits(media?.lengthDots ?? 0, 4)
  const formats = digits(waiting, 3)
  const first = `030,${bit('media-empty')},${bit('paused', 'media-jam', 'other')},${length},${formats},0,0,0,000,0,0,0`
  const second = `000,0,${bit('cover-open')},${bit('marker-supply-empty')},0,2,4,0,00000000,1,000`
  return [first, second, '1234,0'].map((text) => `${STX}${text}${ETX}\r\n`).join('')
}

/** Bits of the first group of errors (ZPL Programming Guide, ~HQ). */
const BITS: Readonly<Partial<Record<PrinterReason, number>>> = {
  'media-empty': 0x1,
  'marker-supply-empty': 0x2,
  'cover-open': 0x4,
  'media-jam': 0x1000,
  paused: 0x10000,
  other: 0x8,
}

function sayErrors(reasons: readonly PrinterReason[]): string {
  const bits = sumBits(reasons, BITS)
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

function digits(value: number, count: number): string {
  return String(Math.min(value, 10 ** count - 1)).padStart(count, '0')
}
