import { PlatenError } from '../../errors.ts'
import type { Bounds } from '../bounds.ts'
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
 * Parses JSON whose depth and number of values are bounded before anything is built from it.
 * @throws PlatenError BODY_BROKEN, never with a piece of the text
 */
export function parseJson(text: string, bounds: Bounds): unknown {
  if (text.trim() === '') return {}
  checkShape(text, bounds)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new PlatenError('BODY_BROKEN', `The body is not valid JSON${placeOf(error, text)}.`)
  }
}

/** V8's message quotes the text, which may be a label, so only the place is taken over, where it has one. */
function placeOf(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : ''
  const offset = /at position (\d+)/.exec(message)?.[1]
  if (offset !== undefined) return `: fault at offset ${offset}`
  return message.includes('end of JSON') ? `: it ends too early, at offset ${text.length}` : ''
}

/** Walks over the marks of JSON outside its texts; a few letters of body must not become a tree of millions. */
function checkShape(text: string, bounds: Bounds): void {
  const mark = /["[\]{},]/g
  let depth = 0
  let values = 1
  for (let found = mark.exec(text); found; found = mark.exec(text)) {
    const letter = found[0]
    if (letter === '"') mark.lastIndex = findTextEnd(text, mark.lastIndex)
    else if (letter === '[' || letter === '{') depth++
    else if (letter === ',') values++
    else depth--
    if (depth > bounds.jsonDepth) throw shapeFault(`is nested deeper than ${bounds.jsonDepth}`)
    if (values > bounds.jsonValues) throw shapeFault(`has more than ${bounds.jsonValues} values`)
  }
}

function shapeFault(what: string): PlatenError {
  return new PlatenError('BODY_BROKEN', `The JSON ${what}.`)
}

/** The offset after the quote that ends a text; the end of the whole when none does. */
function findTextEnd(text: string, from: number): number {
  let end = text.indexOf('"', from)
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end + 1
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text[at - 1 - slashes] === '\\') slashes++
  return slashes % 2 === 1
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
