import { PlatenError } from '../errors.ts'
import { INTAKE_LIMITS } from '../jobs/intake-checks.ts'
import type { PrintOptions } from '../jobs/job.ts'
import { decodeBase64 } from '../request/base64.ts'
import { parseJson } from '../request/bounded-json.ts'
import { LargeJsonReader, LONG_BYTES } from '../request/large-json.ts'
import { LongText } from '../request/long-text.ts'
import type { Message } from './source.ts'

/** What a message in JSON may hold; its size is bounded by whoever reads it. */
const BOUNDS = { jsonDepth: 8, jsonValues: 2_000 } as const

/** Names under which labels stand: one text or a list of texts. */
const LABEL_KEYS = ['label', 'labels', 'label[]'] as const

/** The number fields of a print request by the names of its options. */
const NUMBERS = {
  label_width: 'labelWidth',
  label_height: 'labelHeight',
  dpi: 'dpi',
  starting_point_x: 'startingPointX',
  starting_point_y: 'startingPointY',
  expire_after: 'expireAfter',
} as const satisfies Record<string, keyof PrintOptions>

const NAME_MAX = 127
/** A large message is read in pieces of this. */
const PIECE_BYTES = 64 * 1024
/** Bytes at the beginning of a large message that say what it is. */
const HEAD_BYTES = 1024
/** U+FEFF as UTF-8. */
const MARK = [0xef, 0xbb, 0xbf]
const BEGINS_JSON = /^\s*[{[]/
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)$/

type Json = Readonly<Record<string, unknown>>

/**
 * Reads a message as every source takes it: the base64 of one label, or a JSON object with the fields of `POST /`. The
 * intake checks what the fields say; this checks their shape. `messageId` is the source's own, which gives way to the
 * sender's `idempotency_key`.
 * @throws PlatenError LABEL_BASE64, LABEL_MISSING, LABEL_EMPTY, BODY_BROKEN, FIELD_INVALID, TOO_MANY_FIELDS
 */
export function readPayload(body: Uint8Array | string, messageId?: string): Message {
  const id = messageId === undefined ? {} : { messageId }
  const plain = withoutMark(body)
  if (typeof plain !== 'string' && plain.length > LONG_BYTES && !isBlank(plain)) {
    return { ...id, ...readLarge(plain) }
  }
  const text = typeof plain === 'string' ? plain : decodeText(plain)
  if (!BEGINS_JSON.test(text)) return { labels: [decodeRaw(text)], options: {}, ...id }
  return { ...id, ...readMessage(parseJson(text, BOUNDS, 'The message')) }
}

/** Writers of .NET set a byte order mark before a text. */
function withoutMark(body: Uint8Array | string): Uint8Array | string {
  if (typeof body === 'string') return body.startsWith('\ufeff') ? body.slice(1) : body
  return MARK.every((byte, at) => body[at] === byte) ? body.subarray(MARK.length) : body
}

/** A label of megabytes is decoded from the bytes: as texts it would stand in memory several times. */
function readLarge(body: Uint8Array): Message {
  if (!BEGINS_JSON.test(headOf(body))) return { labels: [decodeBase64(body)], options: {} }
  const reader = new LargeJsonReader(BOUNDS, 'The message')
  try {
    for (let at = 0; at < body.length; at += PIECE_BYTES) {
      reader.push(body.subarray(at, at + PIECE_BYTES))
    }
    return readMessage(reader.end())
  } finally {
    reader.free()
  }
}

function headOf(body: Uint8Array): string {
  return decodeText(body.subarray(0, HEAD_BYTES))
}

function isBlank(body: Uint8Array): boolean {
  return headOf(body).trim() === ''
}

function readMessage(json: unknown): Message {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new PlatenError(
      'BODY_BROKEN',
      'The message is a list, wanted an object { … } or the base64 of one label.',
    )
  }
  return readFields(json as Json)
}

/** Labels are ASCII, and names of printers UTF-8. */
function decodeText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

function decodeRaw(text: string): Uint8Array {
  if (text.trim() === '') throw new PlatenError('LABEL_MISSING', 'The message is empty.')
  return decodeBase64(text)
}

/**
 * The fields of `POST /` in a JSON object, as far as their shape goes.
 * @throws PlatenError LABEL_BASE64, LABEL_MISSING, FIELD_INVALID, TOO_MANY_FIELDS
 */
export function readFields(json: Json): Message {
  const labels = readLabels(json)
  const copies = readNumber(json, 'copies')
  const key = readText(json, 'idempotency_key', INTAKE_LIMITS.keyLength)
  return {
    labels,
    options: readOptions(json),
    ...(copies === undefined ? {} : { copies }),
    ...(key === undefined ? {} : { messageId: `key:${key}` }),
  }
}

function readLabels(json: Json): readonly Uint8Array[] {
  const texts = LABEL_KEYS.flatMap((name) => {
    const entry = json[name]
    const list: readonly unknown[] = Array.isArray(entry) ? entry : [entry ?? undefined]
    return list.filter((item) => item !== undefined).map((item) => ({ name, item }))
  })
  if (texts.length === 0) {
    throw new PlatenError('LABEL_MISSING', 'The message has no label; wanted {"label": "base64"}.')
  }
  if (texts.length > INTAKE_LIMITS.labels) {
    throw new PlatenError(
      'TOO_MANY_FIELDS',
      `The message has ${texts.length} labels; wanted at most ${INTAKE_LIMITS.labels}.`,
    )
  }
  return texts.map(({ name, item }, index) => readLabel(name, item, index + 1, texts.length))
}

function readLabel(name: string, item: unknown, number: number, of: number): Uint8Array {
  if (typeof item !== 'string' && !(item instanceof LongText)) {
    throw invalid(name, item, 'base64 text')
  }
  try {
    return typeof item === 'string' ? decodeBase64(item) : item.take()
  } catch (error) {
    if (!(error instanceof PlatenError) || of === 1) throw error
    const message = `label ${number} of ${of}: ${error.message}`
    throw new PlatenError(error.code, message, { cause: error })
  }
}

function readOptions(json: Json): PrintOptions {
  const printer = readText(json, 'printer', NAME_MAX)
  const numbers = Object.entries(NUMBERS)
    .map(([name, option]) => [option, readNumber(json, name)] as const)
    .filter(([, value]) => value !== undefined)
  return { ...(printer === undefined ? {} : { printer }), ...Object.fromEntries(numbers) }
}

/** A number, or the text of one as forms have it; null and blank count as left out. */
function readNumber(json: Json, name: string): number | undefined {
  const value = json[name]
  if (value === undefined || value === null || value === '') return undefined
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text === 'string' && NUMBER.test(text.trim())) return Number(text)
  throw invalid(name, value, 'a number')
}

function readText(json: Json, name: string, most: number): string | undefined {
  const value = json[name]
  if (value === undefined || value === null) return undefined
  if (value instanceof LongText) throw invalid(name, value, `at most ${most} letters`)
  if (typeof value !== 'string') throw invalid(name, value, 'a text')
  if (value.trim() === '') return undefined
  if (value.length > most) {
    throw invalid(name, `${value.length} letters`, `at most ${most} letters`)
  }
  return value
}

function invalid(name: string, seen: unknown, wanted: string): PlatenError {
  if (seen instanceof LongText) {
    return new PlatenError(
      'FIELD_INVALID',
      `${name}: got ${seen.letters} letters, wanted ${wanted}.`,
    )
  }
  const shown = typeof seen === 'object' ? 'a list or an object' : String(seen).slice(0, 40)
  return new PlatenError('FIELD_INVALID', `${name}: got ${shown}, wanted ${wanted}.`)
}
