import { PlatenError } from '../../errors.ts'
import { parseJson } from '../../jobs/bounded-json.ts'
import type { HttpContext } from '../context.ts'
import { type BodyLimits, contentTypeOf, readText } from './body.ts'
import { type Fields, quote } from './fields.ts'

/** Names under which JSON may carry labels: one text or a list of texts. */
const LABEL_KEYS: ReadonlySet<string> = new Set(['label', 'labels', 'label[]'])

/** True for application/json and its kin, e.g. application/vnd.api+json. */
export function isJson(type: string): boolean {
  return type === 'application/json' || type === 'text/json' || /^application\/.+\+json$/.test(type)
}

/**
 * A JSON body, parsed; an empty one is an empty object.
 * @throws PlatenError BODY_TYPE, BODY_BROKEN, and as `readBody`
 */
export async function readJson(c: HttpContext, limits: BodyLimits): Promise<unknown> {
  const { type } = contentTypeOf(c)
  if (type !== '' && !isJson(type)) {
    throw new PlatenError('BODY_TYPE', `The body is ${quote(type)}, wanted application/json.`)
  }
  return parseJson(await readText(c, limits), limits.bounds)
}

/**
 * Takes the fields of a print request out of a JSON object: texts and numbers as a form would have them.
 * @throws PlatenError BODY_BROKEN, FIELD_INVALID, TOO_MANY_FIELDS
 */
export function takeJsonFields(value: unknown, fields: Fields): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new PlatenError('BODY_BROKEN', `The JSON is ${nameKind(value)}, wanted an object.`)
  }
  for (const [name, entry] of Object.entries(value)) {
    if (LABEL_KEYS.has(name)) takeLabels(name, entry, fields)
    else takeText(name, entry, fields)
  }
}

function takeLabels(name: string, entry: unknown, fields: Fields): void {
  if (entry === null) return
  for (const text of Array.isArray(entry) ? entry : [entry]) {
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
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
