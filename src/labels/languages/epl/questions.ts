import type { PortQuestion } from '../questions.ts'
import type { PrinterReason } from '../status.ts'

/** Codes of `^ee` (EPL Programming Guide 14245L-003, p. 175). */
const CODES: Readonly<Partial<Record<PrinterReason, string>>> = {
  'media-empty': '07',
  'marker-supply-empty': '07',
  'cover-open': '11',
  paused: '12',
}

/** `^ee`. */
export const questions: readonly PortQuestion[] = [
  {
    name: '^ee',
    asks: /^\^ee(?=[\r\n]|$)/,
    answer: ({ reasons }) => `${listCodes(reasons).join(',') || '00'}\r\n`,
  },
]

function listCodes(reasons: readonly PrinterReason[]): readonly string[] {
  return [...new Set(reasons.flatMap((reason) => CODES[reason] ?? []))]
}
