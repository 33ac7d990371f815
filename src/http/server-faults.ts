import { LabelFault } from '#labels'
import { PrinterFault } from '#printers'
import { explainLabelFault } from '../core/label-faults.ts'
import { explainPrinterFault } from '../core/printers/faults.ts'
import { type Fault, readFaults } from '../settings/faults.ts'
import { type FailureCode, PlatenError } from '../words/errors.ts'
import { readSentences, saidJson } from '../words/read-sentences.ts'
import { type SentenceKey, say, sayAll } from '../words/say.ts'

/** Where a refusal can only be temporary: seconds until it makes sense to try again (RFC 9110, 10.2.3). */
const RETRY_AFTER: Readonly<Record<number, string>> = { 408: '1', 429: '60', 503: '10', 507: '60' }

/** The value of Retry-After for a status, or undefined. */
export function retryAfterOf(status: number): string | undefined {
  return RETRY_AFTER[status]
}

/** The one shape of errors outside `/packlist` and `/v1`. */
interface RefusalJson {
  readonly Status: 'Error'
  readonly Message: string
  readonly code: string
  readonly hint: string
  /** Keys and values of both, or of `plain`, for other languages: `readSentences`. */
  readonly texts?: unknown
  /** The same for people, where `Message` is for programmers. */
  readonly plain?: { readonly message: string; readonly hint: string }
  /** Technical words; left out where there are none. */
  readonly detail?: string
  /** Of settings: all faults at once, by key. */
  readonly faults?: readonly unknown[]
}

/** The failure that a client sees: any other error is our own fault and stays in the log. */
export function toFailure(error: unknown): PlatenError {
  if (error instanceof PlatenError) return error
  if (error instanceof LabelFault) return explainLabelFault(error)
  if (error instanceof PrinterFault) return explainPrinterFault(error)
  return new PlatenError('INTERNAL', say('serverFault'), { cause: error })
}

/** What each code says to a person, where its own message is for programmers. */
const PLAIN: Readonly<Record<FailureCode, SentenceKey>> = {
  LABEL_MISSING: 'noLabelSent',
  LABEL_EMPTY: 'isEmpty',
  LABEL_BASE64: 'unclear',
  LABEL_UNKNOWN: 'notPrintable',
  LABEL_REFUSED: 'notPrintable',
  LABEL_CUT: 'endCut',
  LABEL_COMMAND: 'changesPrinter',
  LABEL_CRASHED: 'drawingFault',
  LABEL_MISDIRECTED: 'notPossible',
  PICTURE_BROKEN: 'pictureDamaged',
  PICTURE_UNSUPPORTED: 'pictureKind',
  PICTURE_TOO_LARGE: 'pictureTooLarge',
  PICTURE_TIMEOUT: 'pictureTooSlow',
  PICTURE_MEMORY: 'pictureTooLarge',
  FIELD_INVALID: 'unclear',
  PACKLIST_INVALID: 'unclear',
  REDIRECT_INVALID: 'unclear',
  IDEMPOTENCY_CONFLICT: 'sameKey',
  BODY_TYPE: 'unclear',
  BODY_BROKEN: 'unclear',
  BODY_TOO_LARGE: 'tooMany',
  BODY_TIMEOUT: 'tooSlow',
  HEADERS_TOO_LARGE: 'unclear',
  SERVER_BUSY: 'tooBusy',
  TOO_MANY_FIELDS: 'tooMany',
  PRINTER_UNKNOWN: 'goneFromSettings',
  PRINTER_AMBIGUOUS: 'hasNoPrinter',
  PRINTER_NONE: 'noneKnown',
  PRINTER_BUSY: 'notNow',
  PRINTER_OFFLINE: 'notReached',
  PRINTER_STOPPED: 'notNow',
  PRINTER_LOST: 'notReached',
  PRINTER_LANGUAGE: 'notPossible',
  PRINTER_IN_USE: 'notPossible',
  JOB_UNKNOWN: 'noSuchLabel',
  JOB_STATE: 'notPossible',
  JOB_CANCELED: 'isCanceled',
  JOB_EXPIRED: 'tooLate',
  JOB_DUPLICATE: 'isHeld',
  JOB_LABEL_GONE: 'labelGone',
  PREVIEW_NONE: 'noPicture',
  SPOOL_FULL: 'noRoom',
  SPOOL_BROKEN: 'fileUnwritable',
  SOURCE_UNREACHABLE: 'otherSide',
  SOURCE_REFUSED: 'otherSideOdd',
  HOST_REFUSED: 'otherAddress',
  ORIGIN_REFUSED: 'mayNot',
  LOGIN_NEEDED: 'pressLogin',
  LOGIN_WRONG: 'wrongLogin',
  LOGIN_LIMIT: 'manyWrong',
  LOCAL_ONLY: 'onlyHere',
  CONFIG_INVALID: 'someFaults',
  BACKUP_BROKEN: 'notRestored',
  KEY_UNKNOWN: 'badKey',
  KEY_WRONG: 'badKey',
  KEY_LIMIT: 'badKey',
  KEY_SCOPE: 'badKey',
  JSON_INVALID: 'unclear',
  PEER_UNKNOWN: 'notPaired',
  PEER_CODE: 'wrongCode',
  PEER_UNREACHABLE: 'otherSide',
  PEER_UNSURE: 'tooLongAgo',
  UPDATE_NONE: 'noUpdateServer',
  ROUTE_UNKNOWN: 'nothingThere',
  METHOD_REFUSED: 'nothingThere',
  INTERNAL: 'serverFault',
  PROGRAM_BROKEN: 'programDamaged',
  CONFIG_BROKEN: 'someFaults',
  STATE_UNWRITABLE: 'fileUnwritable',
  SPOOL_NEWER: 'fileUnwritable',
  SPOOL_TAKEN: 'fileUnwritable',
  PORT_TAKEN: 'notOpen',
}

/** Codes that only the author of the page or program can act on. */
const FOR_MAKERS: ReadonlySet<SentenceKey> = new Set(['unclear', 'sameKey', 'noLabelSent'])

/** A failure in words for people who use the page; the rest is in the detail. */
export function forPeople(failure: PlatenError): {
  readonly message: string
  readonly hint: string
  readonly detail: string
} {
  const { code, message, hint, detail, whole } = failure
  if (readSentences(message).length > 0) return { message, hint, detail }
  const key = PLAIN[code]
  return FOR_MAKERS.has(key)
    ? { message: say(key), hint: say('tellMaker'), detail: `${whole} ${hint}` }
    : { message: say(key), hint, detail: whole }
}

/** A failure as JSON. */
export function refusalJson(failure: PlatenError): RefusalJson {
  const { code, message, hint } = failure
  const people = forPeople(failure)
  const faults = readFaults(failure).map(faultJson)
  return {
    Status: 'Error',
    Message: message,
    code,
    hint,
    ...saidJson(people.message, people.hint),
    ...(people.message !== message && { plain: { message: people.message, hint: people.hint } }),
    ...(people.detail !== '' && { detail: people.detail }),
    ...(faults.length > 0 && { faults }),
  }
}

function faultJson({ key, message, sentences }: Fault): object {
  return { key, message, plain: sayAll(sentences), texts: sentences }
}
