import { type FailureCode, PlatenError } from '../../errors.ts'
import type { PrinterStatus } from '../../printers/printer.ts'
import type { JobFormat, Sentence } from '../job.ts'

/** A blocked printer: what its card says and what the label in front of it says. */
export interface Blockage {
  readonly status: PrinterStatus
  readonly sentence: Sentence
}

/** Nothing to do. */
export const IDLE: PrinterStatus = { state: 'idle', reasons: ['none'], message: '', hint: '' }

/** A label is on its way. */
export const PRINTING: PrinterStatus = {
  state: 'processing',
  reasons: ['none'],
  message: '',
  hint: '',
}

function blocked(
  reasons: PrinterStatus['reasons'],
  code: Sentence['code'],
  message: string,
  hint: string,
): Blockage {
  return { status: { state: 'stopped', reasons, message, hint }, sentence: { message, hint, code } }
}

/** The printer could not be opened; no byte has left. */
export function explainClosed(printer: string, error: unknown): Blockage {
  const code = error instanceof PlatenError ? error.code : 'PRINTER_OFFLINE'
  // Whoever set the printer up wants to know more: a wrong name or missing rights look like a printer that is off.
  const isTold = error instanceof PlatenError
  const why = isTold ? error.message : ''
  const cure = isTold ? error.ownHint : undefined
  if (code === 'PRINTER_BUSY') {
    return closed(code, `${printer} is in use by somebody else`, why, cure ?? WAIT_OR_MOVE)
  }
  if (code === 'PRINTER_UNKNOWN') {
    // A label of a source may have found no printer.
    const [what, cure] =
      printer === ''
        ? ['The label has no printer', 'Press "Choose a printer…".']
        : [
            `${printer} is no longer in the settings`,
            'Add the printer again, or press "Print on another printer…".',
          ]
    return blocked(['offline'], code, `${what}. The label is kept.`, cure)
  }
  const is = cure === undefined ? 'does not answer' : 'cannot print now'
  return closed('PRINTER_OFFLINE', `${printer} ${is}`, why, cure ?? SWITCH_ON)
}

const WAIT_OR_MOVE = 'Wait, or choose another printer.'
const SWITCH_ON = 'Switch the printer on and check its cable.'

/** `why` is the device's own sentence: on the card of the printer, and among the details of a label. */
function closed(
  code: 'PRINTER_BUSY' | 'PRINTER_OFFLINE',
  what: string,
  why: string,
  hint: string,
): Blockage {
  const reasons = code === 'PRINTER_BUSY' ? (['other'] as const) : (['offline'] as const)
  const message = `${what}; its labels are kept and print by themselves. ${why}`.trimEnd()
  const own = `${what}. The label is kept and prints by itself.`
  return {
    status: { state: 'stopped', reasons, message, hint },
    sentence: { message: own, hint, detail: why, code },
  }
}

// The first one that applies is told: a printer that is open often says "out of labels" too.
const CURES: readonly {
  readonly reason: PrinterStatus['reasons'][number]
  readonly is: string
  readonly hint: string
}[] = [
  { reason: 'cover-open', is: 'is open', hint: 'Close the cover until it clicks.' },
  {
    reason: 'media-jam',
    is: 'has a jam',
    hint: 'Open the cover, take out the labels that are stuck, and close it.',
  },
  {
    reason: 'media-empty',
    is: 'is out of labels',
    hint: 'Load a roll, then press the feed button.',
  },
  {
    reason: 'marker-supply-empty',
    is: 'is out of ribbon',
    hint: 'Put in a new ribbon, then press the feed button.',
  },
  { reason: 'paused', is: 'is paused', hint: 'Press the pause button of the printer.' },
  { reason: 'offline', is: 'cannot be reached', hint: SWITCH_ON },
]

/** `pausedHint` is what to do about a printer that has no button to go on, e.g. a queue. */
function findCure(said: readonly string[], pausedHint: string | undefined) {
  const cure = CURES.find(({ reason }) => said.includes(reason))
  const isPaused = cure?.reason === 'paused' && pausedHint !== undefined
  return isPaused ? { ...cure, hint: pausedHint } : cure
}

/** What a printer said of itself between two labels; `isStuck`: it does not even take the question. */
export function explainReading(
  printer: string,
  said: readonly PrinterStatus['reasons'][number][],
  { isStuck, pausedHint }: { readonly isStuck: boolean; readonly pausedHint: string | undefined },
): Blockage {
  const cure = findCure(said, pausedHint)
  if (cure !== undefined) {
    const reasons = CURES.map(({ reason }) => reason).filter((reason) => said.includes(reason))
    const message = `${printer} ${cure.is}. Its labels are kept and print by themselves afterwards.`
    return blocked(reasons, 'PRINTER_STOPPED', message, cure.hint)
  }
  return blocked(
    ['other'],
    'PRINTER_STOPPED',
    isStuck
      ? `${printer} takes no data. Its labels are kept and print by themselves when it does.`
      : `${printer} reports that it is not ready.`,
    'Check labels, ribbon, cover and the pause button.',
  )
}

/** The printer takes no data in the middle of a label; `said` is what it tells of itself, if it can. */
export function explainStalled(
  printer: string,
  said: readonly string[],
  pausedHint: string | undefined,
): Blockage {
  const cure = findCure(said, pausedHint)
  if (cure !== undefined) {
    return blocked(
      [cure.reason],
      'PRINTER_STOPPED',
      `${printer} ${cure.is}. The label goes on by itself afterwards.`,
      cure.hint,
    )
  }
  return blocked(
    ['other'],
    'PRINTER_STOPPED',
    `${printer} takes no data. The label goes on by itself when it does.`,
    'Check labels, ribbon, cover and the pause button.',
  )
}

/** The connection broke in the middle of a label. */
export function explainCut(printer: string): Blockage {
  return blocked(
    ['other'],
    'PRINTER_LOST',
    `${printer} lost its connection in the middle of a label. The other labels go on by themselves.`,
    'Look at the printer, then press "It came out" or "Print again" at the label that was cut off.',
  )
}

/** The printer may sit in half a label and knows no command that gets it out. */
export function explainHalfLabel(printer: string): Blockage {
  return blocked(
    ['other'],
    'PRINTER_LOST',
    `${printer} was cut off in the middle of a label. Its labels wait until you say what became of that one.`,
    'Switch the printer off and on, then press "It came out" or "Print again" at the label that was cut off.',
  )
}

/** The disk does not take the notes without which nothing may print. */
export function explainSpool(printer: string, error: PlatenError): Blockage {
  return blocked(
    ['other'],
    error.code,
    `${printer} waits because the print server cannot write to its disk. Printing goes on by itself when it can.`,
    error.hint,
  )
}

/** A picture for a printer whose language is not known any more. */
export function explainLanguage(printer: string, error: PlatenError): Sentence {
  return {
    message: `The language of ${printer} is not known, so the label could not be drawn.`,
    hint: `Choose the language of ${printer} among the printers, then press "Release and print".`,
    detail: error.message,
    code: error.code,
  }
}

/** What a packer is told of a picture; the words of the decoder are for developers. */
const DRAWING_FAULTS: Readonly<Partial<Record<FailureCode, string>>> = {
  PICTURE_BROKEN: 'The picture of this label is damaged and could not be drawn.',
  PICTURE_UNSUPPORTED: 'The picture of this label is of a kind that cannot be drawn.',
  PICTURE_TOO_LARGE: 'The picture of this label is too large.',
  PICTURE_TIMEOUT: 'The picture of this label took too long to draw.',
  PICTURE_MEMORY: 'The picture of this label is too large.',
  INTERNAL: 'The label could not be drawn: a fault of the print server.',
}

/** The label itself cannot be drawn. */
export function explainUndrawable(error: unknown): Sentence {
  const fault = error instanceof PlatenError ? error : new PlatenError('INTERNAL', '')
  const { code, hint, message } = fault
  const plain = DRAWING_FAULTS[code]
  return plain === undefined
    ? { message, hint, code }
    : { message: plain, hint, detail: message, code }
}

/** Set aside because the program died twice while it drew this label. */
export function explainCrashes(format: JobFormat): Sentence {
  return {
    message: `The print server failed twice while it drew this label (${format.toUpperCase()}), so it was set aside.`,
    hint: 'Ask for the label as ZPL, or press "Release and print" to try once more.',
    code: 'INTERNAL',
  }
}

/** The bytes of a waiting label are gone, which only a damaged disk can do. */
export function explainLost(): Sentence {
  return {
    message: 'The label can no longer be read from the disk of the print server.',
    hint: 'Send the label again, and check the disk.',
    code: 'JOB_LABEL_GONE',
  }
}
