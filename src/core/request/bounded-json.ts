import { PlatenError } from '../../words/errors.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** The bounds of a JSON text. */
export interface JsonBounds {
  /** Depth to which objects and lists may be nested. */
  readonly jsonDepth: number
  readonly jsonValues: number
}

/** The values behind the marks of a shortened JSON text, and the number of bytes that are missing before an offset. */
export interface JsonMarks {
  find(value: string): unknown
  missingBefore(offset: number): number
}

/**
 * Parses JSON whose depth and number of values are bounded before anything is built from it. `what` begins the message.
 * @throws PlatenError BODY_BROKEN, never with a piece of the text
 */
export function parseJson(
  text: string,
  bounds: JsonBounds,
  what = 'The body',
  marks?: JsonMarks,
): unknown {
  return parse(text, bounds, what, marks, [])
}

/**
 * Parses JSON whose numbers may be ids: a whole number that JavaScript would round becomes the string of its digits.
 * @throws PlatenError BODY_BROKEN
 */
export function parseExact(text: string, bounds: JsonBounds, what?: string): unknown {
  return parse(text, bounds, what, EXACT, [])
}

/** No marks, and exact digits. */
const EXACT: JsonMarks = { find: (value) => value, missingBefore: () => 0 }

/**
 * Parses a JSON object into entries: a name that occurs twice keeps all its values, in the order of the text.
 * @throws PlatenError BODY_BROKEN
 */
export function parseEntries(
  text: string,
  bounds: JsonBounds,
  what?: string,
  marks?: JsonMarks,
): readonly (readonly [string, unknown])[] {
  const names: number[] = []
  const value = parse(text, bounds, what, marks ?? EXACT, names)
  if (!isObject(value)) {
    throw new PlatenError('BODY_BROKEN', `The JSON is ${nameKind(value)}, wanted an object.`)
  }
  const entries = Object.entries(value)
  if (entries.length === names.length) return entries
  const end = text.lastIndexOf('}')
  return names.flatMap((from, n) => {
    const entry = text.slice(from, names[n + 1] ?? end).replace(/,\s*$/, '')
    return Object.entries(build(`{${entry}}`, marks ?? EXACT) as object)
  })
}

/** The kind of a JSON value, for messages. */
export function nameKind(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (isObject(value)) return 'an object'
  // Nothing else that is one comes out of JSON but what a mark stands for.
  return typeof value === 'object' ? 'a string' : `a ${typeof value}`
}

function isObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  return Object.getPrototypeOf(value) === Object.prototype
}

function parse(
  text: string,
  bounds: JsonBounds,
  what = 'The body',
  marks: JsonMarks | undefined,
  names: number[],
): unknown {
  if (text.trim() === '') return {}
  checkShape(text, bounds, names)
  try {
    return build(text, marks)
  } catch (error) {
    throw new PlatenError('BODY_BROKEN', `${what} is not valid JSON${placeOf(error, text, marks)}.`)
  }
}

/** A number with so many digits that it may be rounded. */
const LONG_NUMBER = /(?<!\d)\d{16}/

function build(text: string, marks: JsonMarks | undefined): unknown {
  if (marks === undefined || (marks === EXACT && !LONG_NUMBER.test(text))) return JSON.parse(text)
  return JSON.parse(text, (...[, value, context]: unknown[]) =>
    typeof value === 'string' ? marks.find(value) : digitsOf(value, context),
  )
}

/** Returns the digits of a number that JavaScript has rounded; `context` has its text (ECMAScript, JSON.parse source text access). */
function digitsOf(value: unknown, context: unknown): unknown {
  if (typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value
  const { source = '' } = context as { readonly source?: string }
  return /^-?\d+$/.test(source) ? source : value
}

/** Returns the place of a syntax error, if V8's message has one. The message itself quotes the text, which may be a label. */
function placeOf(error: unknown, text: string, marks?: JsonMarks): string {
  const message = error instanceof Error ? error.message : ''
  const place = (offset: number): number => offset + (marks?.missingBefore(offset) ?? 0)
  const offset = /at position (\d+)/.exec(message)?.[1]
  if (offset !== undefined) return `: fault at offset ${place(Number(offset))}`
  if (!message.includes('end of JSON')) return ''
  return `: it ends too early, at offset ${place(text.length)}`
}

/**
 * The number of strings, names and values, that JSON with that many values may have. Each string, bracket and comma costs time, so all of
 * them are counted.
 */
export function textsMost({ jsonValues }: JsonBounds): number {
  return 2 * jsonValues
}

/** The fault of JSON with more values than it may have. */
export function tooManyValues({ jsonValues }: JsonBounds): PlatenError {
  return shapeFault(`has more than ${jsonValues} values`)
}

/**
 * Checks depth and counts in the structure of JSON outside its strings: a few characters of body must not become a tree of millions. Adds
 * the offsets of the outermost object's names to `names`.
 */
function checkShape(text: string, bounds: JsonBounds, names: number[]): void {
  let last = 0
  let depth = 0
  let separators = 0
  let brackets = 0
  let texts = 0
  for (let at = 0; at < text.length; at++) {
    const mark = text.charCodeAt(at)
    switch (mark) {
      case QUOTE:
        if (isName(depth, last)) names.push(at)
        at = findTextEnd(text, at + 1)
        texts++
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth++
        brackets++
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--
        break
      case COMMA:
        separators++
        break
      default:
        continue
    }
    last = mark
    // Closing more than was opened is a fault that the parser names; nothing is walked for it.
    if (depth < 0) return
    if (depth > bounds.jsonDepth) throw shapeFault(`is nested deeper than ${bounds.jsonDepth}`)
    checkCounts(Math.max(separators + 1, brackets), texts, bounds)
  }
}

function checkCounts(values: number, texts: number, bounds: JsonBounds): void {
  if (values > bounds.jsonValues || texts > textsMost(bounds)) throw tooManyValues(bounds)
}

/** Tells whether a string is a name of the outermost object. `last`: the character of structure before it. */
function isName(depth: number, last: number): boolean {
  return depth === 1 && (last === OPEN_OBJECT || last === COMMA)
}

function shapeFault(what: string): PlatenError {
  return new PlatenError('BODY_BROKEN', `The JSON ${what}.`)
}

/** Finds the offset of the quote that ends a string; the end of the text when there is none. */
function findTextEnd(text: string, from: number): number {
  let quote = text.indexOf('"', from)
  while (quote >= 0 && isEscaped(text, from, quote)) quote = text.indexOf('"', quote + 1)
  return quote < 0 ? text.length : quote
}

/** Tells whether a quote is escaped: an odd number of backslashes stands before it. */
function isEscaped(text: string, from: number, quote: number): boolean {
  let at = quote
  while (at > from && text.charCodeAt(at - 1) === BACKSLASH) at--
  return (quote - at) % 2 === 1
}
