import { FAILURES, type FailureCode } from './failures.ts'
import { hintOf, inEnglish, join, quoteEnglish, type Sentences, toSentences } from './say.ts'

/** The only error that is thrown on purpose: a code for programs, a message for logs and people, a hint for people. */
export class PlatenError extends Error {
  override readonly name = 'PlatenError'
  readonly code: FailureCode
  /** The sentences; `message` is the same in English. */
  readonly said: Sentences
  /** Bytes that the printer surely took before the failure (PRINTER_LOST). */
  readonly accepted: number | undefined
  /** Advice for this very case, when the hint of the code would mislead people. */
  readonly ownHint: Sentences | undefined
  /** The seen and wanted values in technical words, if the message is for packers; '' = the message has them. */
  readonly detail: string

  /**
   * Sentences (`say`) are for people: those at a printer and on the page, in their language. A plain string is for programmers and
   * in English only; the page shows people the `plain` sentence of the code instead (failures.ts).
   */
  constructor(
    code: FailureCode,
    message: Sentences | string,
    more: {
      readonly cause?: unknown
      readonly accepted?: number
      readonly hint?: Sentences | string
      readonly detail?: string
    } = {},
  ) {
    const said = toSentences(message)
    super(inEnglish(said), 'cause' in more ? { cause: more.cause } : undefined)
    this.code = code
    this.said = said
    this.accepted = more.accepted
    this.ownHint = more.hint === undefined ? undefined : toSentences(more.hint)
    this.detail = more.detail ?? ''
  }

  /** The HTTP status of a refusal with this code. */
  get status(): (typeof FAILURES)[FailureCode]['status'] {
    return FAILURES[this.code].status
  }

  /** Sentences and detail, for logs and programs. */
  get whole(): string {
    return this.detail === '' ? this.message : `${this.message} ${this.detail}`
  }

  /** The same as data. */
  get wholeSaid(): Sentences {
    return join(this.said, quoteEnglish(this.detail))
  }

  /** The advice for people. */
  get todo(): Sentences {
    return this.ownHint ?? hintOf(this.code)
  }

  /** The same in English, for logs and programs. */
  get hint(): string {
    return inEnglish(this.todo)
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

/** Makes the refusal of a field of a request: what was sent, and what was wanted instead. */
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
