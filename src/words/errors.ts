import { ENGLISH } from './say.ts'

/** Every failure a user can meet: code -> HTTP status. `en.json` says under the code what it means and what to do about it. */
export const FAILURES = {
  // A label or a request that cannot be taken.
  LABEL_MISSING: { status: 400 },
  LABEL_EMPTY: { status: 400 },
  LABEL_BASE64: { status: 400 },
  LABEL_UNKNOWN: { status: 415 },
  LABEL_REFUSED: { status: 415 },
  PICTURE_BROKEN: { status: 422 },
  PICTURE_UNSUPPORTED: { status: 422 },
  PICTURE_TOO_LARGE: { status: 413 },
  PICTURE_TIMEOUT: { status: 422 },
  PICTURE_MEMORY: { status: 422 },
  LABEL_COMMAND: { status: 422 },
  LABEL_CRASHED: { status: 422 },
  LABEL_CUT: { status: 422 },
  LABEL_MISDIRECTED: { status: 409 },
  FIELD_INVALID: { status: 400 },
  PACKLIST_INVALID: { status: 400 },
  REDIRECT_INVALID: { status: 400 },
  IDEMPOTENCY_CONFLICT: { status: 409 },
  BODY_TYPE: { status: 415 },
  BODY_BROKEN: { status: 400 },
  BODY_TOO_LARGE: { status: 413 },
  BODY_TIMEOUT: { status: 408 },
  HEADERS_TOO_LARGE: { status: 431 },
  SERVER_BUSY: { status: 503 },
  TOO_MANY_FIELDS: { status: 413 },
  // Where it should print.
  PRINTER_UNKNOWN: { status: 404 },
  PRINTER_AMBIGUOUS: { status: 400 },
  PRINTER_NONE: { status: 503 },
  PRINTER_BUSY: { status: 503 },
  PRINTER_OFFLINE: { status: 503 },
  PRINTER_STOPPED: { status: 503 },
  PRINTER_LOST: { status: 503 },
  PRINTER_LANGUAGE: { status: 409 },
  PRINTER_IN_USE: { status: 409 },
  // Jobs and the spool.
  JOB_UNKNOWN: { status: 404 },
  JOB_STATE: { status: 409 },
  JOB_CANCELED: { status: 409 },
  JOB_EXPIRED: { status: 409 },
  JOB_DUPLICATE: { status: 409 },
  JOB_LABEL_GONE: { status: 410 },
  PREVIEW_NONE: { status: 404 },
  SPOOL_FULL: { status: 507 },
  SPOOL_BROKEN: { status: 503 },
  // Queues and heartbeat replies.
  SOURCE_UNREACHABLE: { status: 503 },
  SOURCE_REFUSED: { status: 502 },
  // Who may do what.
  HOST_REFUSED: { status: 403 },
  ORIGIN_REFUSED: { status: 403 },
  LOGIN_NEEDED: { status: 401 },
  LOGIN_WRONG: { status: 401 },
  LOGIN_LIMIT: { status: 429 },
  LOCAL_ONLY: { status: 403 },
  CONFIG_INVALID: { status: 400 },
  BACKUP_BROKEN: { status: 400 },
  KEY_UNKNOWN: { status: 404 },
  KEY_WRONG: { status: 401 },
  KEY_LIMIT: { status: 429 },
  KEY_SCOPE: { status: 403 },
  JSON_INVALID: { status: 500 },
  // Other print servers.
  PEER_UNKNOWN: { status: 403 },
  PEER_CODE: { status: 403 },
  PEER_UNREACHABLE: { status: 503 },
  PEER_UNSURE: { status: 409 },
  UPDATE_NONE: { status: 409 },
  ROUTE_UNKNOWN: { status: 404 },
  METHOD_REFUSED: { status: 405 },
  INTERNAL: { status: 500 },
  PROGRAM_BROKEN: { status: 500 },
  // Failures that stop the program at its start (no HTTP answer; the exit code is in docs/errors.md).
  CONFIG_BROKEN: { status: 500 },
  STATE_UNWRITABLE: { status: 500 },
  SPOOL_NEWER: { status: 500 },
  SPOOL_TAKEN: { status: 500 },
  PORT_TAKEN: { status: 500 },
} as const satisfies Record<string, { status: number }>

/** A failure code; programs branch on it, people read the message and the hint. */
export type FailureCode = keyof typeof FAILURES

/** What a person can do about a failure, in English. */
export function hintOf(code: FailureCode): string {
  return ENGLISH[`${code}.hint`]
}

/** The only error that is thrown on purpose: a code for programs, a message for logs, a hint for people. */
export class PlatenError extends Error {
  override readonly name = 'PlatenError'
  readonly code: FailureCode
  /** Bytes that the printer surely took before the failure (PRINTER_LOST). */
  readonly accepted: number | undefined
  /** What to do in this very case, when the hint of the code would send people the wrong way. */
  readonly ownHint: string | undefined
  /** What was seen and wanted in technical words, where the message is for packers; '' = the message says it. */
  readonly detail: string

  constructor(
    code: FailureCode,
    message: string,
    more: {
      readonly cause?: unknown
      readonly accepted?: number
      readonly hint?: string
      readonly detail?: string
    } = {},
  ) {
    super(message, 'cause' in more ? { cause: more.cause } : undefined)
    this.code = code
    this.accepted = more.accepted
    this.ownHint = more.hint
    this.detail = more.detail ?? ''
  }

  /** The HTTP status of a refusal with this code. */
  get status(): (typeof FAILURES)[FailureCode]['status'] {
    return FAILURES[this.code].status
  }

  /** Message and detail, for logs and programs. */
  get whole(): string {
    return this.detail === '' ? this.message : `${this.message} ${this.detail}`
  }

  /** What a person can do about it, in one sentence. */
  get hint(): string {
    return this.ownHint ?? hintOf(this.code)
  }
}

const UNESCAPED = /[\p{Cc}\p{Zl}\p{Zp}]/gu // controls that JSON leaves as they are: DEL, C1, line separators
const LONGEST = 80 // characters of a foreign text that a message repeats
const SHORT = 40

/** A text from outside, in quotes, shortened, without control characters: safe in a message and in a log. */
export function quote(text: string): string {
  return inQuotes(shorten(text, LONGEST))
}

/** The same for a value of a request, of which a message shows less. */
export function quoteShort(text: string): string {
  return inQuotes(shorten(text, SHORT))
}

/** Why a field of a request is refused: what was sent, and what was wanted instead. */
export function refuseField(name: string, got: string, wanted: string): PlatenError {
  return new PlatenError('FIELD_INVALID', `${name}: got ${quoteShort(got)}, wanted ${wanted}.`)
}

function shorten(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

function inQuotes(text: string): string {
  return JSON.stringify(text).replace(UNESCAPED, (sign) => `\\u${hex(sign)}`)
}

function hex(sign: string): string {
  return sign.charCodeAt(0).toString(16).padStart(4, '0')
}
