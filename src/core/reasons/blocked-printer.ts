import { PlatenError } from '../../words/errors.ts'
import { join, NOTHING, type Sentences, say } from '../../words/say.ts'
import type { Explanation } from '../job.ts'
import type { PrinterStatus } from '../printers/status.ts'

/** A blocked printer: the text of its card, and that of the label in front of it. */
export interface Blockage {
  readonly status: PrinterStatus
  readonly sentence: Explanation
}

/** The status of a printer with nothing to do. */
export const IDLE: PrinterStatus = {
  state: 'idle',
  reasons: ['none'],
  message: NOTHING,
  hint: NOTHING,
}

/** The status of a printer with a label on its way. */
export const PRINTING: PrinterStatus = {
  state: 'processing',
  reasons: ['none'],
  message: NOTHING,
  hint: NOTHING,
}

function blocked(
  reasons: PrinterStatus['reasons'],
  code: Explanation['code'],
  message: Sentences,
  hint: Sentences,
): Blockage {
  return { status: { state: 'stopped', reasons, message, hint }, sentence: { message, hint, code } }
}

/** Explains that the printer could not be opened; no byte has left. */
export function explainClosed(printer: string, error: unknown): Blockage {
  const code = error instanceof PlatenError ? error.code : 'PRINTER_OFFLINE'
  // Whoever set the printer up wants to know more: a wrong name or missing rights look like a printer that is off.
  const isTold = error instanceof PlatenError
  const why = isTold ? error.whole : ''
  const cure = isTold ? error.ownHint : undefined
  if (code === 'PRINTER_BUSY') {
    return closed(
      code,
      [say('busyWait', { printer }), say('busy', { printer })],
      why,
      cure ?? say('waitOrMove'),
    )
  }
  if (code === 'PRINTER_UNKNOWN') {
    // A label of a source may have found no printer.
    const [what, cure] =
      printer === ''
        ? [say('noPrinter'), say('chooseOne')]
        : [say('printerGone', { printer }), say('addOrMove')]
    return blocked(['offline'], code, join(what, say('kept')), cure)
  }
  const what =
    cure === undefined
      ? ([say('silentWait', { printer }), say('silent', { printer })] as const)
      : ([say('cannotWait', { printer }), say('cannot', { printer })] as const)
  return closed('PRINTER_OFFLINE', what, why, cure ?? say('switchOn'))
}

/**
 * Makes the blockage of a closed printer. `why` is the device's own sentence, which may hold addresses: it goes into the details of printer
 * and label.
 */
function closed(
  code: 'PRINTER_BUSY' | 'PRINTER_OFFLINE',
  [ofPrinter, ofLabel]: readonly [Sentences, Sentences],
  why: string,
  hint: Sentences,
): Blockage {
  const reasons = code === 'PRINTER_BUSY' ? (['other'] as const) : (['offline'] as const)
  return {
    status: { state: 'stopped', reasons, message: ofPrinter, hint, detail: why },
    sentence: { message: join(ofLabel, say('labelKept')), hint, detail: why, code },
  }
}

// The first one that applies is told: a printer that is open often says "out of labels" too.
const CURES: readonly {
  readonly reason: PrinterStatus['reasons'][number]
  readonly is: 'isOpen' | 'isJammed' | 'isOutOfLabels' | 'isOutOfRibbon' | 'isPaused' | 'isOffline'
  readonly hint: Sentences
}[] = [
  { reason: 'cover-open', is: 'isOpen', hint: say('closeCover') },
  {
    reason: 'media-jam',
    is: 'isJammed',
    hint: say('clearJam'),
  },
  {
    reason: 'media-empty',
    is: 'isOutOfLabels',
    hint: say('loadRoll'),
  },
  {
    reason: 'marker-supply-empty',
    is: 'isOutOfRibbon',
    hint: say('newRibbon'),
  },
  { reason: 'paused', is: 'isPaused', hint: say('pressPause') },
  { reason: 'offline', is: 'isOffline', hint: say('switchOn') },
]

/** Finds the remedy. `pausedHint` is the advice for a printer that has no button to resume, e.g. a queue. */
function findCure(said: readonly string[], pausedHint: Sentences | undefined) {
  const cure = CURES.find(({ reason }) => said.includes(reason))
  const isPaused = cure?.reason === 'paused' && pausedHint !== undefined
  return isPaused ? { ...cure, hint: pausedHint } : cure
}

/** Explains what a printer reported between two labels; `isStuck`: it does not even take the question. */
export function explainReading(
  printer: string,
  said: readonly PrinterStatus['reasons'][number][],
  {
    isStuck,
    pausedHint,
  }: { readonly isStuck: boolean; readonly pausedHint: Sentences | undefined },
): Blockage {
  const cure = findCure(said, pausedHint)
  if (cure !== undefined) {
    const reasons = CURES.map(({ reason }) => reason).filter((reason) => said.includes(reason))
    const message = join(say(cure.is, { printer }), say('keptAfterwards'))
    return blocked(reasons, 'PRINTER_STOPPED', message, cure.hint)
  }
  return blocked(
    ['other'],
    'PRINTER_STOPPED',
    isStuck
      ? join(say('takesNoData', { printer }), say('keptUntilThen'))
      : say('isNotReady', { printer }),
    say('checkPrinter'),
  )
}

/** Explains that the printer takes no data in the middle of a label; `said` is what it reports about itself, if it can. */
export function explainStalled(
  printer: string,
  said: readonly string[],
  pausedHint: Sentences | undefined,
): Blockage {
  const cure = findCure(said, pausedHint)
  if (cure !== undefined) {
    const message = join(say(cure.is, { printer }), say('goesOnAfterwards'))
    return blocked([cure.reason], 'PRINTER_STOPPED', message, cure.hint)
  }
  const message = join(say('takesNoData', { printer }), say('goesOnUntilThen'))
  return blocked(['other'], 'PRINTER_STOPPED', message, say('checkPrinter'))
}

/** Explains that the connection broke in the middle of a label. */
export function explainLostConnection(printer: string): Blockage {
  const message = join(say('lostMidway', { printer }), say('othersGoOn'))
  return blocked(['other'], 'PRINTER_LOST', message, say('lookAtCut'))
}

/** Explains that the printer may have half a label in memory and knows no command to clear it. */
export function explainHalfLabel(printer: string): Blockage {
  const message = join(say('cutMidway', { printer }), say('waitForWord'))
  return blocked(['other'], 'PRINTER_LOST', message, say('restartCut'))
}

/** Explains that the disk does not take the notes without which nothing may print. */
export function explainSpool(printer: string, error: PlatenError): Blockage {
  const message = join(say('diskWait', { printer }), say('diskGoesOn'))
  return blocked(['other'], error.code, message, error.todo)
}
