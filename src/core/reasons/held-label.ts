import {
  formatTitles,
  LabelFault,
  type Misfit,
  SCANNED_A_TURN,
  scanLabel,
  type TruncatedCommand,
} from '#labels'
import { PlatenError } from '../../words/errors.ts'
import type { FailureCode } from '../../words/failures.ts'
import {
  hintOf,
  inEnglish,
  isSame,
  isTranslated,
  join,
  NOTHING,
  type Sentences,
  say,
} from '../../words/say.ts'
import type { Explanation, Job, JobFormat } from '../job.ts'
import { explainLabelFault } from '../label-faults.ts'

/** Characters that are kept of our own fault's message: it may repeat the label. Decision `cut-labels`. */
const FAULT_LETTERS = 200

/** Faults that say that a message holds no label at all. */
const NO_LABEL: ReadonlySet<FailureCode> = new Set([
  'LABEL_UNKNOWN',
  'LABEL_EMPTY',
  'LABEL_MISSING',
  'LABEL_BASE64',
  'BODY_BROKEN',
] as const)

/** Explains why a message is held and not printed: for the packer, with technical details. `way`: the way that it came. */
export function explainUnreadable(way: string, error: PlatenError): Explanation {
  return {
    message: join(nameThing(error, way), tellDrawing(error)),
    hint: join(say('tellSender', { source: way }), say('thenCancel')),
    detail: tellAll(error),
    code: error.code,
  }
}

/** The whole text of a failure, for developers. */
function tellAll({ whole, hint }: PlatenError): string {
  return `${whole} ${hint}`
}

/** Converts a failure into the explanation of a job. */
function toSentence({ said, todo, detail, code }: PlatenError): Explanation {
  return { message: said, hint: todo, detail, code }
}

/** Names the fault of a picture or a PDF, if there are packer's words for it; nothing otherwise. */
function tellDrawing({ code, said, detail }: PlatenError): Sentences {
  const isDrawn = code.startsWith('PICTURE_') || code === 'LABEL_EMPTY'
  return isDrawn && detail !== '' && isTranslated(said) ? said : NOTHING
}

function nameThing({ code, cause }: PlatenError, source: string): Sentences {
  if (NO_LABEL.has(code)) {
    return say('sentNoLabel', { source })
  }
  // What ended the program left no cause behind.
  if (code === 'LABEL_CRASHED') {
    return say(cause === undefined ? 'sentCrash' : 'sentUnread', { source })
  }
  if (code === 'LABEL_CUT') {
    return say('sentCut', { source })
  }
  return code === 'LABEL_REFUSED' ? say('sentKind', { source }) : say('sentFault', { source })
}

/** Explains why a label that found no printer waits for a person. `way`: the way that it came. */
export function explainParked(
  way: string,
  printer: string | undefined,
  error: PlatenError,
): Explanation {
  if (error.code === 'PRINTER_LANGUAGE') return explainLanguage(printer ?? '', error)
  if (error.code === 'LABEL_MISDIRECTED') return explainMisdirected(way, error)
  return explainNoPrinter(way, printer, error)
}

/** Explains a message for another queue; the detail names both. */
function explainMisdirected(way: string, error: PlatenError): Explanation {
  return {
    message: say('wrongQueue', { source: way }),
    hint: say('whichPrinter'),
    detail: tellAll(error),
    code: error.code,
  }
}

function explainNoPrinter(
  way: string,
  printer: string | undefined,
  error: PlatenError,
): Explanation {
  const name = JSON.stringify(printer ?? '').slice(1, -1)
  return {
    message:
      printer === undefined
        ? say('namesNone', { source: way })
        : say('namesUnknown', { source: way, name }),
    hint:
      printer === undefined
        ? say('chooseOrAdd')
        : join(say('pressOther'), say('orAddNamed', { name })),
    detail: tellAll(error),
    code: error.code,
  }
}

/** Explains that a message that an earlier version released is still not a label. */
export function explainNoLabel(): Explanation {
  return {
    message: say('notALabel'),
    hint: say('cancelAndTell'),
    detail: inEnglish(say('sendOneOf', { formats: formatTitles.join(', ') })),
    code: 'LABEL_UNKNOWN',
  }
}

/**
 * Converts a failure of our own code while it read a label into a refusal of that label: its sender or keeper sets it aside, and the next
 * one follows.
 */
export function blameLabel(error: unknown): PlatenError {
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const detail = what.slice(0, FAULT_LETTERS)
  return new PlatenError('LABEL_CRASHED', say('faultHere'), { cause: error, detail })
}

/** Explains such a failure as the reason of a held job. */
export function explainFault(error: unknown): Explanation {
  return toSentence(blameLabel(error))
}

/** Explains why a page of paper without bar codes waits for a person: an invoice on labels would waste a roll. */
export function explainDocument(page: number): Explanation {
  return {
    message: say('looksLikePaper', { page }),
    hint: say('printOnPaper'),
    code: '',
  }
}

/** Explains why a page that would come out far too small waits for a person. */
export function explainMisfit(page: number, misfit: Misfit): Explanation {
  const label = misfit.stock
  if (misfit.kind === 'small') {
    const message = say('tooSmall', { page, label, percent: misfit.percent })
    return { message, hint: say('printSmall'), code: '' }
  }
  const { count, size } = misfit
  const message = say('looksLikeSheet', { page, count, size, label })
  return { message, hint: say('sheetToOther'), code: '' }
}

/**
 * Explains why a raw label must never reach a printer: it ends inside a picture, font, form or file, and the printer would take the labels
 * after it for the rest. Undefined when there is no cut.
 */
export function explainCutLabel(cut: TruncatedCommand | undefined): Explanation | undefined {
  if (cut === undefined) return undefined
  const detail = `The data of ${cut.command} at byte ${cut.offset} are fewer than it says.`
  return {
    message: join(say('endCut'), say('endCutWhy')),
    hint: hintOf('LABEL_CUT'),
    detail,
    code: 'LABEL_CUT',
  }
}

/** Explains the cut in a label's bytes. A large label is not checked here but before it goes to its printer, in turns with others. */
export function findCutLabel(format: JobFormat, label: Uint8Array): Explanation | undefined {
  if (label.length > SCANNED_A_TURN) return undefined
  return explainCutLabel(scanLabel(label, format).cut)
}

/** Tells whether a label is held because its end is missing: it can only be canceled. */
export function isCutLabel({ state, code }: Pick<Job, 'state' | 'code'>): boolean {
  return state === 'pending-held' && code === 'LABEL_CUT'
}

/** Explains that a picture waits for a printer whose language is no longer known. */
export function explainLanguage(printer: string, error: PlatenError): Explanation {
  return {
    message: say('languageUnknown', { printer }),
    hint: say('chooseAndRelease', { printer }),
    detail: error.whole,
    code: error.code,
  }
}

/** The packer's words for faults of pictures; those of the decoder are for developers. */
const DRAWING_FAULTS: Readonly<Partial<Record<FailureCode, Sentences>>> = {
  PICTURE_BROKEN: say('pictureDamaged'),
  PICTURE_UNSUPPORTED: say('pictureKind'),
  PICTURE_TOO_LARGE: say('pictureTooLarge'),
  PICTURE_TIMEOUT: say('pictureTooSlow'),
  PICTURE_MEMORY: say('pictureTooLarge'),
  INTERNAL: say('drawingFault'),
}

/** Explains that the label itself cannot be drawn. */
export function explainUndrawable(error: unknown): Explanation {
  const known = error instanceof LabelFault ? explainLabelFault(error) : error
  const fault = known instanceof PlatenError ? known : new PlatenError('INTERNAL', '')
  return toSentence(plainly(fault))
}

/** Rewords a fault for packers; the words of the decoder become its detail. */
export function plainly(fault: PlatenError): PlatenError {
  const { code, said, todo: hint, whole, detail } = fault
  const plain = DRAWING_FAULTS[code]
  // Sentences for people stay unchanged: those with a detail, which has the other words.
  if (plain === undefined || isSame(said, plain) || detail !== '') return fault
  if (said[0]?.key === 'lockedPdf') return fault
  return new PlatenError(code, plain, { cause: fault, hint, detail: whole })
}

/** Explains that a label is set aside because the program died twice while it drew it. */
export function explainCrashes(format: JobFormat): Explanation {
  return {
    message: say('crashedTwice', { format: format.toUpperCase() }),
    hint: say('askZplOrRetry'),
    code: 'INTERNAL',
  }
}

/** Explains that the bytes of a waiting label are gone, which only a damaged disk can cause. */
export function explainLost(): Explanation {
  return {
    message: say('unreadable'),
    hint: say('sendAndCheck'),
    code: 'JOB_LABEL_GONE',
  }
}
