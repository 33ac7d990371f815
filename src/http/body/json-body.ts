import { PlatenError } from '../../errors.ts'
import { freeIfWhole } from '../../free-memory.ts'
import { parseJson } from '../../request/bounded-json.ts'
import { LargeJsonReader, LONG_BYTES } from '../../request/large-json.ts'
import { LongText } from '../../request/long-text.ts'
import type { HttpContext } from '../context.ts'
import { type BodyLimits, contentTypeOf, readBody, readText } from './body.ts'
import { type Fields, quote } from './fields.ts'

/** Names under which JSON may carry labels: one text or a list of texts. */
const LABEL_KEYS: ReadonlySet<string> = new Set(['label', 'labels', 'label[]'])

/** True for application/json and its kin, e.g. application/vnd.api+json. */
export function isJson(type: string): boolean {
  return type === 'application/json' || type === 'text/json' || /^application\/.+\+json$/.test(type)
}

/**
 * Refuses a body that says it is something else than JSON, where nothing else is read.
 * @throws PlatenError BODY_TYPE
 */
export function wantJson(c: HttpContext, what: string): void {
  const { type } = contentTypeOf(c)
  if (type === '' || isJson(type)) return
  throw new PlatenError('BODY_TYPE', `${what} is ${quote(type)}, wanted application/json.`, {
    hint: 'Send it as JSON, with the header Content-Type: application/json.',
  })
}

/**
 * A JSON body, parsed; an empty one is an empty object.
 * @throws PlatenError BODY_TYPE, BODY_BROKEN, and as `readBody`
 */
export async function readJson(c: HttpContext, limits: BodyLimits): Promise<unknown> {
  wantJson(c, 'The body')
  return parseJson(await readText(c, limits), limits.bounds)
}

/**
 * Reads the fields of a print request out of a JSON body; the labels of a large one are decoded as they arrive.
 * @throws PlatenError BODY_BROKEN, FIELD_INVALID, TOO_MANY_FIELDS, and as `readBody`
 */
export async function readJsonFields(
  c: HttpContext,
  limits: BodyLimits,
  fields: Fields,
): Promise<void> {
  // A body without a length may be of any.
  if (Number(c.req.header('content-length') ?? Number.POSITIVE_INFINITY) <= LONG_BYTES) {
    takeJsonFields(parseJson(await readText(c, limits), limits.bounds), fields)
    return
  }
  const reader = new LargeJsonReader(limits.bounds)
  try {
    await readBody(c, limits, (chunk) => {
      reader.push(chunk)
      // The reader copies what it keeps.
      freeIfWhole(chunk)
    })
    takeJsonFields(reader.end(), fields)
  } finally {
    reader.free()
  }
}

/**
 * Takes the fields of a print request out of a JSON object: texts and numbers as a form would have them.
 * @throws PlatenError BODY_BROKEN, FIELD_INVALID, TOO_MANY_FIELDS
 */
export function takeJsonFields(value: unknown, fields: Fields): void {
  if (!isObject(value)) {
    throw new PlatenError('BODY_BROKEN', `The JSON is ${nameKind(value)}, wanted an object.`)
  }
  for (const [name, entry] of Object.entries(value)) {
    if (LABEL_KEYS.has(name)) takeLabels(name, entry, fields)
    else takeText(name, entry, fields)
  }
}

function isObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  return !Array.isArray(value) && !(value instanceof LongText)
}

function takeLabels(name: string, entry: unknown, fields: Fields): void {
  if (entry === null) return
  for (const text of Array.isArray(entry) ? entry : [entry]) {
    if (text instanceof LongText) {
      fields.open('label')
      fields.addDecoded(() => text.take())
      continue
    }
    if (typeof text !== 'string') {
      throw new PlatenError('FIELD_INVALID', `${name}: got ${nameKind(text)}, wanted base64 text.`)
    }
    fields.open('label')
    const label = fields.openLabel()
    label.push(text)
    label.end()
  }
}

function takeText(name: string, entry: unknown, fields: Fields): void {
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

function nameKind(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (value instanceof LongText) return 'a string'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
