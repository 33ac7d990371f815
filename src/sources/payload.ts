import { takeEntry } from '../request/json.ts'
import { REQUEST_LIMITS } from '../request/limits.ts'
import { MessageReader, readMessageText } from '../request/message.ts'
import { RequestFields } from '../request/request-fields.ts'
import type { Message } from './source.ts'

/**
 * Reads a message as every source takes it: the base64 of one label, or a JSON object with the fields of `POST /`.
 * `messageId` is the source's own, which gives way to the sender's `idempotency_key`.
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
 * The same for the fields of `POST /` in a JSON object that was read.
 * @throws PlatenError LABEL_BASE64, LABEL_MISSING, FIELD_INVALID, TOO_MANY_FIELDS
 */
export function readFields(json: Readonly<Record<string, unknown>>, messageId?: string): Message {
  return readWith(messageId, (fields) => {
    for (const [name, entry] of Object.entries(json)) takeEntry(name, entry, fields)
  })
}

function readWith(messageId: string | undefined, read: (fields: RequestFields) => void): Message {
  const fields = new RequestFields(REQUEST_LIMITS, 'message')
  try {
    read(fields)
    const { labels, options, copies, idempotencyKey } = fields.request()
    const id = idempotencyKey === undefined ? messageId : `key:${idempotencyKey}`
    return {
      labels,
      options,
      ...(copies === 1 ? {} : { copies }),
      ...(id === undefined ? {} : { messageId: id }),
    }
  } catch (error) {
    fields.freeLabels()
    throw error
  }
}
