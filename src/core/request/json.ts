import { holdsLabel } from '#labels'
import { freeMemory } from '../../system/memory.ts'
import { PlatenError } from '../../words/errors.ts'
import { nameKind, parseEntries } from './bounded-json.ts'
import { isLabelName } from './field-values.ts'
import { CutJson, LONG_BYTES, LongText, readUtf8 } from './long-texts.ts'
import { LabelMemory, type RequestBounds, type RequestReader } from './reader.ts'
import type { LabelTextSink, RequestFields } from './request-fields.ts'

/** The byte order mark, which .NET writes before a text. */
const MARK = '\ufeff'

/** Reads a JSON body, once it is whole: its labels stand under the same names as in a form, as one string or a list of strings. */
export class JsonReader implements RequestReader {
  readonly #fields: RequestFields
  readonly #bounds: RequestBounds
  #memory = new LabelMemory()

  constructor(fields: RequestFields, bounds: RequestBounds) {
    this.#fields = fields
    this.#bounds = bounds
  }

  push(chunk: Uint8Array): void {
    this.#memory.append(chunk)
  }

  end(): void {
    const bytes = fixed(this.#memory.take())
    this.#memory = new LabelMemory()
    try {
      readJsonBytes(bytes, this.#bounds, this.#fields)
    } finally {
      freeMemory(bytes)
    }
  }

  free(): void {
    this.#memory.free()
  }
}

/** Copies bytes out of memory that can grow: V8 reads it byte by byte several times slower. */
function fixed(bytes: Uint8Array): Uint8Array {
  const { buffer } = bytes
  if (!(buffer instanceof ArrayBuffer && buffer.resizable)) return bytes
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  copy.set(bytes)
  freeMemory(bytes)
  return copy
}

/**
 * Takes the fields out of a whole JSON object in UTF-8. `what` begins the message.
 * @throws PlatenError BODY_BROKEN, FIELD_INVALID, TOO_MANY_FIELDS
 */
function readJsonBytes(
  { buffer, byteOffset, byteLength }: Uint8Array,
  bounds: RequestBounds,
  fields: RequestFields,
  what?: string,
): void {
  const bytes = Buffer.from(buffer, byteOffset, byteLength)
  if (bytes.length <= LONG_BYTES) {
    readJsonText(withoutMark(readUtf8(bytes, what)), bounds, fields, what)
    return
  }
  const cut = new CutJson(bytes, bounds, what)
  for (const [name, entry] of parseEntries(withoutMark(cut.text), bounds, what, cut))
    takeEntry(name, entry, fields)
}

/** Returns a text without the byte order mark before it. */
export function withoutMark(text: string): string {
  return text.startsWith(MARK) ? text.slice(1) : text
}

/**
 * Takes the fields out of a JSON object that is a string already.
 * @throws PlatenError BODY_BROKEN, FIELD_INVALID, TOO_MANY_FIELDS
 */
export function readJsonText(
  text: string,
  bounds: RequestBounds,
  fields: RequestFields,
  what?: string,
): void {
  for (const [name, entry] of parseEntries(text, bounds, what)) takeEntry(name, entry, fields)
}

/**
 * Takes a field of a JSON object: strings and numbers as in a form; null counts as left out.
 * @throws PlatenError FIELD_INVALID, TOO_MANY_FIELDS
 */
export function takeEntry(name: string, entry: unknown, fields: RequestFields): void {
  if (!isLabelName(name)) takeText(name, entry, fields)
  else if (entry !== null) {
    for (const text of Array.isArray(entry) ? entry : [entry]) takeLabel(name, text, fields)
  }
}

function takeLabel(name: string, text: unknown, fields: RequestFields): void {
  const isLong = text instanceof LongText
  if (!isLong && typeof text !== 'string') {
    throw new PlatenError('FIELD_INVALID', `${name}: got ${nameKind(text)}, wanted base64 text.`)
  }
  fields.open(name)
  if (isLong) {
    fields.addDecoded(() => text.decode())
    return
  }
  const label = fields.openLabel()
  label.push(text)
  label.end()
}

/** Finds the name of what looks like a label in an answer that was passed on whole. A long string there is hardly anything else. */
function findLabel(name: string, entry: unknown): string | undefined {
  if (entry instanceof LongText) return name
  if (typeof entry === 'string') return holdsLabel(entry) ? name : undefined
  if (typeof entry !== 'object' || entry === null) return undefined
  for (const [key, value] of Object.entries(entry)) {
    const found = findLabel(Array.isArray(entry) ? name : key, value)
    if (found !== undefined) return found
  }
  return undefined
}

function takeText(name: string, entry: unknown, fields: RequestFields): void {
  const kind = fields.open(name)
  if (kind === 'skip') {
    const found = findLabel(name, entry)
    if (found !== undefined) fields.noteElsewhere(found)
  }
  if (kind !== 'text' || entry === null) return
  if (entry instanceof LongText) throw fields.tooLong(name)
  if (typeof entry !== 'string' && typeof entry !== 'number') {
    throw new PlatenError(
      'FIELD_INVALID',
      `${name}: got ${nameKind(entry)}, wanted text or a number.`,
    )
  }
  fields.addText(name, String(entry))
}

/** Bytes at the beginning of a message that show its format. */
const HEAD_BYTES = 1024
const MARK_BYTES = Buffer.byteLength(MARK)
const BEGINS_JSON = /^\s*[{[]/
const WHAT = 'The message'

/** Reads a message of a source, once it is whole: the base64 of one label, or a JSON object with the fields of `POST /`. */
export class MessageReader implements RequestReader {
  readonly #fields: RequestFields
  readonly #bounds: RequestBounds
  readonly #chunks: Uint8Array[] = []

  constructor(fields: RequestFields, bounds: RequestBounds) {
    this.#fields = fields
    this.#bounds = bounds
  }

  /** Keeps a chunk without copying it: what sources hand over must stay unchanged until the end. */
  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
  }

  /** @throws PlatenError LABEL_MISSING when the message is blank, and as every reader */
  end(): void {
    const [first] = this.#chunks
    const body = first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks)
    const isMarked = textOf(body.subarray(0, MARK_BYTES)) === MARK
    const bytes = isMarked ? body.subarray(MARK_BYTES) : body
    const head = textOf(bytes.subarray(0, HEAD_BYTES))
    const text = head.trim() === '' ? textOf(bytes) : head
    if (BEGINS_JSON.test(text)) readJsonBytes(bytes, this.#bounds, this.#fields, WHAT)
    else takeRaw(text, this.#fields, (label) => label.pushBytes(bytes))
  }
}

/**
 * Reads a message that is a string already.
 * @throws PlatenError as `MessageReader`
 */
export function readMessageText(text: string, bounds: RequestBounds, fields: RequestFields): void {
  const plain = withoutMark(text)
  if (BEGINS_JSON.test(plain)) readJsonText(plain, bounds, fields, WHAT)
  else takeRaw(plain, fields, (label) => label.push(plain))
}

function takeRaw(text: string, fields: RequestFields, push: (label: LabelTextSink) => void): void {
  if (text.trim() === '') throw new PlatenError('LABEL_MISSING', 'The message is empty.')
  fields.open('label')
  const label = fields.openLabel()
  push(label)
  label.end()
}

/** Decodes UTF-8: labels are ASCII, names of printers are not always. */
function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8')
}
