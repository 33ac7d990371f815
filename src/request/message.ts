import { PlatenError } from '../errors.ts'
import { readJsonBytes, readJsonText } from './json.ts'
import type { Reader, RequestBounds } from './reader.ts'
import type { LabelText, RequestFields } from './request-fields.ts'

/** Bytes at the beginning of a message that say what it is. */
const HEAD_BYTES = 1024
/** Writers of .NET set it before a text. */
const MARK = '\ufeff'
const MARK_BYTES = Buffer.byteLength(MARK)
const BEGINS_JSON = /^\s*[{[]/
const WHAT = 'The message'

/** Reads a message of a source, once it is whole: the base64 of one label, or a JSON object with the fields of `POST /`. */
export class MessageReader implements Reader {
  readonly #fields: RequestFields
  readonly #bounds: RequestBounds
  readonly #chunks: Uint8Array[] = []

  constructor(fields: RequestFields, bounds: RequestBounds) {
    this.#fields = fields
    this.#bounds = bounds
  }

  /** Nothing is copied: what sources hand over must stay as it is until the end. */
  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
  }

  /** @throws PlatenError LABEL_MISSING when there is nothing but blanks, and as every reader */
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
 * The same for a message of which there is a string.
 * @throws PlatenError as `MessageReader`
 */
export function readMessageText(text: string, bounds: RequestBounds, fields: RequestFields): void {
  const plain = text.startsWith(MARK) ? text.slice(1) : text
  if (BEGINS_JSON.test(plain)) readJsonText(plain, bounds, fields, WHAT)
  else takeRaw(plain, fields, (label) => label.push(plain))
}

function takeRaw(text: string, fields: RequestFields, push: (label: LabelText) => void): void {
  if (text.trim() === '') throw new PlatenError('LABEL_MISSING', 'The message is empty.')
  fields.open('label')
  const label = fields.openLabel()
  push(label)
  label.end()
}

/** Labels are ASCII, and names of printers UTF-8. */
function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8')
}
