import type { BadMessage, Message } from '../../core/intake/requests.ts'
import { MessageReader, readMessageText, takeEntry } from '../../core/request/json.ts'
import { REQUEST_LIMITS } from '../../core/request/reader.ts'
import { RequestFields } from '../../core/request/request-fields.ts'
import { PlatenError } from '../../words/errors.ts'
import type { FailureCode } from '../../words/failures.ts'
import type { SourceIntake } from './source.ts'

/**
 * Reads a message in the form common to all sources: the base64 of one label, or a JSON object with the fields of `POST /`. `messageId` is
 * the source's own; the sender's `idempotency_key` has priority.
 * @throws PlatenError LABEL_BASE64, LABEL_MISSING, BODY_BROKEN, FIELD_INVALID, TOO_MANY_FIELDS
 */
export function readPayload(body: Uint8Array | string, messageId?: string): Message {
  return readWith(messageId, (fields) => {
    if (typeof body === 'string') return readMessageText(body, REQUEST_LIMITS, fields)
    const reader = new MessageReader(fields, REQUEST_LIMITS)
    reader.push(body)
    reader.end()
  })
}

/**
 * Reads the fields of `POST /` from a parsed JSON object.
 * @throws PlatenError LABEL_BASE64, LABEL_MISSING, FIELD_INVALID, TOO_MANY_FIELDS
 */
export function readMessageFields(
  json: Readonly<Record<string, unknown>>,
  messageId?: string,
): Message {
  return readWith(messageId, (fields) => {
    for (const [name, entry] of Object.entries(json)) takeEntry(name, entry, fields)
  })
}

function readWith(messageId: string | undefined, read: (fields: RequestFields) => void): Message {
  const fields = new RequestFields(REQUEST_LIMITS, 'message')
  try {
    read(fields)
    const { labels, titles, options, copies, idempotencyKey } = fields.request()
    const id = idempotencyKey === undefined ? messageId : `key:${idempotencyKey}`
    return {
      labels,
      options,
      ...(titles.some(Boolean) ? { titles } : {}),
      ...(copies === 1 ? {} : { copies }),
      ...(id === undefined ? {} : { messageId: id }),
    }
  } catch (error) {
    fields.freeLabels()
    throw error
  }
}

/** Refusals that are caused by the box: the message is good and is tried again later. */
const BOX_FAULTS: ReadonlySet<FailureCode> = new Set([
  'PRINTER_NONE',
  'PRINTER_AMBIGUOUS',
  'SPOOL_FULL',
  'SPOOL_BROKEN',
  'SERVER_BUSY',
  'SOURCE_UNREACHABLE',
  'SOURCE_REFUSED',
  'STATE_UNWRITABLE',
  'INTERNAL',
])

/**
 * Tells whether the message itself cannot be printed here, now or later: it is set aside, and the next one comes. False when the box cannot
 * take it yet. An unknown printer is the message's fault only when the message names it.
 */
export function isMessageFault(error: unknown, namedPrinter?: string): error is PlatenError {
  if (!(error instanceof PlatenError) || BOX_FAULTS.has(error.code)) return false
  return error.code !== 'PRINTER_UNKNOWN' || namedPrinter !== undefined
}

/** Makes the refusal to read a message of that many bytes. */
export function tooLarge(bytes: number, most: number): PlatenError {
  const message = `The message has ${bytes} bytes; wanted at most ${most} (Largest request).`
  return new PlatenError('BODY_TOO_LARGE', message)
}

/** Faults of labels that are good elsewhere. */
const HOMELESS: ReadonlySet<FailureCode> = new Set([
  'PRINTER_UNKNOWN',
  'PRINTER_LANGUAGE',
  'LABEL_MISDIRECTED',
] as const)

/**
 * Keeps a message that cannot be printed here. If its only fault is an unknown printer, a printer of unknown language, or that it is not
 * for this queue, its labels are kept as labels, which a person can print; any other message is kept as received. `message` is the content
 * as far as it was read; undefined = it could not be read.
 * @throws PlatenError SPOOL_FULL, SPOOL_BROKEN; it was not kept
 */
export async function keepBad(
  intake: Pick<SourceIntake, 'park' | 'setAside'>,
  message: Message | undefined,
  bad: BadMessage,
): Promise<void> {
  if (message === undefined || !HOMELESS.has(bad.error.code)) {
    return await intake.setAside(bad)
  }
  try {
    await intake.park(message, bad.error)
  } catch (error) {
    // Nobody had looked at its labels yet: they are none, so the message is kept like any other bad one.
    if (!isMessageFault(error)) throw error
    await intake.setAside({ ...bad, error })
  }
}

const KNOWN_MOST = 200

/** Remembers the last reported ids, so that a message that keeps coming is reported once. */
export class FirstTime {
  readonly #known = new Set<string>()

  /** True when the id is new, or so old that it was forgotten. */
  of(id: string): boolean {
    if (this.#known.has(id)) return false
    this.#known.add(id)
    const [oldest] = this.#known
    if (this.#known.size > KNOWN_MOST && oldest !== undefined) this.#known.delete(oldest)
    return true
  }
}
