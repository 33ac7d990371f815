import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { LabelFault } from '#labels'
import { explainLabelFault } from '../core/label-faults.ts'
import { type Fault, readFaults } from '../settings/faults.ts'
import { FAILURES, type FailureCode, PlatenError } from '../words/errors.ts'
import { readSentences, saidJson } from '../words/read-sentences.ts'
import { type SentenceKey, say, sayAll } from '../words/say.ts'
import type { Bounds } from './bounds.ts'

/** What Node says of a request that never became one, and what we say; all others are BODY_BROKEN. */
const FAULTS: ReadonlyMap<string, readonly [FailureCode, string]> = new Map(
  Object.entries({
    HPE_HEADER_OVERFLOW: ['HEADERS_TOO_LARGE', 'The headers of the request are too large.'],
    ERR_HTTP_REQUEST_TIMEOUT: ['BODY_TIMEOUT', 'The request did not arrive in time.'],
  }),
)

/** Answers what the HTTP parser refused, in the one shape, and ends the connection. */
export function answerBadRequest(error: Error & { readonly code?: string }, socket: Socket): void {
  // An answer that has begun cannot be followed by another; a reset connection takes none.
  const isTls = /^(ERR_SSL|ERR_TLS|EPROTO)/.test(error.code ?? '')
  if (!socket.writable || isTls || error.code === 'ECONNRESET' || hasAnswerBegun(socket)) {
    socket.destroy()
    return
  }
  const [code, message] = FAULTS.get(error.code ?? '') ?? ['BODY_BROKEN', 'This is not HTTP/1.1.']
  const body = JSON.stringify(refusalJson(new PlatenError(code, message)))
  socket.end(
    [
      `HTTP/1.1 ${FAILURES[code].status} Refused`,
      'Connection: close',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  )
  // A client that floods does not read either.
  socket.setTimeout(1_000, () => socket.destroy())
}

const deadlines = new WeakMap<IncomingMessage, NodeJS.Timeout>()

/** Ends a request that is not whole in time; one that nobody reads, since it was refused, is ended by `lingerOn`. */
export function boundRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { requestTimeoutMs }: Bounds,
): void {
  const timer = setTimeout(() => {
    const late = new Error('the request is not whole in time')
    const error = Object.assign(late, { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    if (!incoming.complete) answerBadRequest(error, incoming.socket)
  }, requestTimeoutMs)
  timer.unref()
  deadlines.set(incoming, timer)
  incoming.once('end', () => clearTimeout(timer))
  outgoing.once('close', () => clearTimeout(timer))
}

/**
 * A backup of a gigabyte takes hours over a slow Wi-Fi: of it only the pauses and the pace are bounded, by its reader. To be
 * called once its sender has shown that it may send one.
 */
export function allowLong(incoming: IncomingMessage | undefined): void {
  if (incoming !== undefined) clearTimeout(deadlines.get(incoming))
}

/** Ends the connection of a client that does not read a finished answer; its next request gets a fresh time limit. */
export function boundAnswer(
  { socket }: IncomingMessage,
  outgoing: ServerResponse,
  { answerIdleMs, socketIdleMs }: Bounds,
): void {
  outgoing.once('prefinish', () => socket.setTimeout(answerIdleMs))
  // Before Node's own listener, which knows what an idle connection gets.
  outgoing.prependOnceListener('finish', () => socket.setTimeout(socketIdleMs))
}

/**
 * Lets a refused body run out for a while: closing on a sender that still sends would reset the connection, and the
 * sender would never see why (RFC 9112, 9.6).
 */
export function lingerOn(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  bounds: Bounds,
): void {
  outgoing.once('finish', () => {
    if (incoming.complete || incoming.destroyed) return
    const { socket } = incoming
    const seen = socket.bytesRead
    const timer = setTimeout(() => socket.destroySoon(), bounds.lingerMs)
    // Counted on the socket: once the answer is sent, Node silently drops the rest of the body.
    const count = (): void => {
      if (socket.bytesRead - seen > bounds.lingerBytes) socket.destroySoon()
    }
    socket.on('data', count)
    const stop = (): void => {
      clearTimeout(timer)
      socket.off('data', count)
      socket.off('close', stop)
    }
    incoming.once('end', stop)
    socket.on('close', stop)
    incoming.resume()
  })
}

function hasAnswerBegun(socket: Socket): boolean {
  const { _httpMessage: message } = socket as Socket & { _httpMessage?: ServerResponse | null }
  return message?.headersSent ?? false
}

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
