import type { PrinterReason } from '../printer.ts'
import type { Reading, StatusLanguage } from './reading.ts'

/** Codes of `^ee` that stop the printer (EPL Programming Guide 14245L-003, p. 175); the others are faults of a label. */
const CODES: Readonly<Record<string, PrinterReason>> = {
  '07': 'media-empty', // labels or ribbon; it does not say which
  '11': 'cover-open',
  '12': 'paused',
}

const ANSWER = /(?:^|[\r\n])(\d\d(?:,\d\d)*)\r?\n/

/**
 * EPL: `^ee`. It tells errors, not what is still to print. Never `U` or `UP`: they print, and switch XON/XOFF off. Over
 * USB these printers mostly do not answer; there the port's own status has to do.
 */
export const epl: StatusLanguage = {
  language: 'epl',
  // AutoSense: measures label and gap (EPL Programming Guide, xa).
  calibrate: '\nxa\n',
  async ask(talk) {
    return parseErrorReport(await talk('\n^ee\n', (answer) => ANSWER.test(answer)))
  },
}

/** `00` or `XX,YY`; undefined when it is something else. */
export function parseErrorReport(answer: string): Reading | undefined {
  const codes = ANSWER.exec(answer)?.[1]?.split(',')
  if (codes === undefined) return undefined
  const reasons = codes.flatMap((code) => CODES[code] ?? [])
  return { reasons: [...new Set(reasons)], isBusy: false }
}
