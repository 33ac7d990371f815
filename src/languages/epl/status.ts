import {
  type Media,
  type PrinterReason,
  type Reading,
  type StatusLanguage,
  untilQuiet,
} from '../status.ts'

/** Codes of `^ee` that stop the printer (EPL Programming Guide 14245L-003, p. 175); the others are faults of a label. */
const CODES: Readonly<Record<string, PrinterReason>> = {
  '07': 'media-empty', // labels or ribbon; it does not say which
  '11': 'cover-open',
  '12': 'paused',
}

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
export const status: StatusLanguage = {
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
export function parseErrorReport(answer: string): Reading | undefined {
  const codes = ANSWER.exec(answer)?.[1]?.split(',')
  if (codes === undefined) return undefined
  const reasons = codes.flatMap((code) => CODES[code] ?? [])
  return { reasons: [...new Set(reasons)], isBusy: false }
}
