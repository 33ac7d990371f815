import type { SentenceKey } from './say.ts'

/**
 * Every failure a user can meet: its code, HTTP status, and the sentence that says it to people where its own message is for
 * programmers. `en.json` says under `CODE.meaning` what it means, and under `CODE.hint` what to do about it. The answers,
 * `docs/errors.md` and the description of the API come from here.
 */
export const FAILURES = {
  // A label or a request that cannot be taken.
  LABEL_MISSING: { status: 400, plain: 'noLabelSent' },
  LABEL_EMPTY: { status: 400, plain: 'isEmpty' },
  LABEL_BASE64: { status: 400, plain: 'unclear' },
  LABEL_UNKNOWN: { status: 415, plain: 'notPrintable' },
  LABEL_REFUSED: { status: 415, plain: 'notPrintable' },
  PICTURE_BROKEN: { status: 422, plain: 'pictureDamaged' },
  PICTURE_UNSUPPORTED: { status: 422, plain: 'pictureKind' },
  PICTURE_TOO_LARGE: { status: 413, plain: 'pictureTooLarge' },
  PICTURE_TIMEOUT: { status: 422, plain: 'pictureTooSlow' },
  PICTURE_MEMORY: { status: 422, plain: 'pictureTooLarge' },
  LABEL_COMMAND: { status: 422, plain: 'changesPrinter' },
  LABEL_CRASHED: { status: 422, plain: 'drawingFault' },
  LABEL_CUT: { status: 422, plain: 'endCut' },
  LABEL_MISDIRECTED: { status: 409, plain: 'notPossible' },
  FIELD_INVALID: { status: 400, plain: 'unclear' },
  PACKLIST_INVALID: { status: 400, plain: 'unclear' },
  REDIRECT_INVALID: { status: 400, plain: 'unclear' },
  IDEMPOTENCY_CONFLICT: { status: 409, plain: 'sameKey' },
  BODY_TYPE: { status: 415, plain: 'unclear' },
  BODY_BROKEN: { status: 400, plain: 'unclear' },
  BODY_TOO_LARGE: { status: 413, plain: 'tooMany' },
  BODY_TIMEOUT: { status: 408, plain: 'tooSlow' },
  HEADERS_TOO_LARGE: { status: 431, plain: 'unclear' },
  SERVER_BUSY: { status: 503, plain: 'tooBusy' },
  TOO_MANY_FIELDS: { status: 413, plain: 'tooMany' },
  // Where it should print.
  PRINTER_UNKNOWN: { status: 404, plain: 'goneFromSettings' },
  PRINTER_AMBIGUOUS: { status: 400, plain: 'hasNoPrinter' },
  PRINTER_NONE: { status: 503, plain: 'noneKnown' },
  PRINTER_BUSY: { status: 503, plain: 'notNow' },
  PRINTER_OFFLINE: { status: 503, plain: 'notReached' },
  PRINTER_STOPPED: { status: 503, plain: 'notNow' },
  PRINTER_LOST: { status: 503, plain: 'notReached' },
  PRINTER_LANGUAGE: { status: 409, plain: 'notPossible' },
  PRINTER_IN_USE: { status: 409, plain: 'notPossible' },
  // Jobs and the spool.
  JOB_UNKNOWN: { status: 404, plain: 'noSuchLabel' },
  JOB_STATE: { status: 409, plain: 'notPossible' },
  JOB_CANCELED: { status: 409, plain: 'isCanceled' },
  JOB_EXPIRED: { status: 409, plain: 'tooLate' },
  JOB_DUPLICATE: { status: 409, plain: 'isHeld' },
  JOB_LABEL_GONE: { status: 410, plain: 'labelGone' },
  PREVIEW_NONE: { status: 404, plain: 'noPicture' },
  SPOOL_FULL: { status: 507, plain: 'noRoom' },
  SPOOL_BROKEN: { status: 503, plain: 'fileUnwritable' },
  // Queues and heartbeat replies.
  SOURCE_UNREACHABLE: { status: 503, plain: 'otherSide' },
  SOURCE_REFUSED: { status: 502, plain: 'otherSideOdd' },
  // Who may do what.
  HOST_REFUSED: { status: 403, plain: 'otherAddress' },
  ORIGIN_REFUSED: { status: 403, plain: 'mayNot' },
  LOGIN_NEEDED: { status: 401, plain: 'pressLogin' },
  LOGIN_WRONG: { status: 401, plain: 'wrongLogin' },
  LOGIN_LIMIT: { status: 429, plain: 'manyWrong' },
  LOCAL_ONLY: { status: 403, plain: 'onlyHere' },
  CONFIG_INVALID: { status: 400, plain: 'someFaults' },
  BACKUP_BROKEN: { status: 400, plain: 'notRestored' },
  KEY_UNKNOWN: { status: 404, plain: 'badKey' },
  KEY_WRONG: { status: 401, plain: 'badKey' },
  KEY_LIMIT: { status: 429, plain: 'badKey' },
  KEY_SCOPE: { status: 403, plain: 'badKey' },
  JSON_INVALID: { status: 500, plain: 'unclear' },
  // Other print servers.
  PEER_UNKNOWN: { status: 403, plain: 'notPaired' },
  PEER_CODE: { status: 403, plain: 'wrongCode' },
  PEER_UNREACHABLE: { status: 503, plain: 'otherSide' },
  PEER_UNSURE: { status: 409, plain: 'tooLongAgo' },
  UPDATE_NONE: { status: 409, plain: 'noUpdateServer' },
  ROUTE_UNKNOWN: { status: 404, plain: 'nothingThere' },
  METHOD_REFUSED: { status: 405, plain: 'nothingThere' },
  INTERNAL: { status: 500, plain: 'serverFault' },
  PROGRAM_BROKEN: { status: 500, plain: 'programDamaged' },
  // Failures that stop the program at its start (no HTTP answer; the exit code is in docs/errors.md).
  CONFIG_BROKEN: { status: 500, plain: 'someFaults' },
  STATE_UNWRITABLE: { status: 500, plain: 'fileUnwritable' },
  SPOOL_NEWER: { status: 500, plain: 'fileUnwritable' },
  SPOOL_TAKEN: { status: 500, plain: 'fileUnwritable' },
  PORT_TAKEN: { status: 500, plain: 'notOpen' },
} as const satisfies Record<string, { readonly status: number; readonly plain: SentenceKey }>

/** A failure code; programs branch on it, people read the message and the hint. */
export type FailureCode = keyof typeof FAILURES
