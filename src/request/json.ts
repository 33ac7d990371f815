import { PlatenError } from '../errors.ts'
import { freeMemory } from '../system/memory.ts'
import { nameKind, parseEntries } from './bounded-json.ts'
import { isLabelName } from './fields.ts'
import { LabelMemory } from './label-memory.ts'
import { CutJson, LONG_BYTES, LongText } from './long-texts.ts'
import type { Reader, RequestBounds } from './reader.ts'
import type { RequestFields } from './request-fields.ts'

/** Reads a JSON body, once it is whole: its labels stand under the names of a form's, one text or a list of texts. */
export class JsonReader implements Reader {
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
    const grown = this.#memory.take()
    this.#memory = new LabelMemory()
    // Memory that can grow is read byte by byte several times slower.
    const bytes = Buffer.allocUnsafeSlow(grown.length)
    bytes.set(grown)
    freeMemory(grown)
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

/**
 * Takes the fields out of a whole JSON object, UTF-8. `what` begins the message.
 * @throws PlatenError BODY_BROKEN, FIELD_INVALID, TOO_MANY_FIELDS
 */
export function readJsonBytes(
  { buffer, byteOffset, byteLength }: Uint8Array,
  bounds: RequestBounds,
  fields: RequestFields,
  what?: string,
): void {
  const bytes = Buffer.from(buffer, byteOffset, byteLength)
  const cut = new CutJson(bytes, bounds, what)
  const text = cut.text.startsWith('\ufeff') ? cut.text.slice(1) : cut.text
  const marks = bytes.length > LONG_BYTES ? cut : undefined
  for (const [name, entry] of parseEntries(text, bounds, what, marks))
    takeEntry(name, entry, fields)
}

/**
 * The same for text of which there is a string.
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
 * Takes a field as JSON has it: texts and numbers as a form would have them; null counts as left out.
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

function takeText(name: string, entry: unknown, fields: RequestFields): void {
  if (fields.open(name) !== 'text' || entry === null) return
  if (entry instanceof LongText) throw fields.tooLong(name)
  if (typeof entry !== 'string' && typeof entry !== 'number') {
    throw new PlatenError(
      'FIELD_INVALID',
      `${name}: got ${nameKind(entry)}, wanted text or a number.`,
    )
  }
  fields.addText(name, String(entry))
}
