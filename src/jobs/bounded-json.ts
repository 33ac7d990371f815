import { PlatenError } from '../errors.ts'

/** What a JSON text may hold. */
export interface JsonBounds {
  /** Objects and lists inside each other. */
  readonly jsonDepth: number
  readonly jsonValues: number
}

/** Of a text in which marks stand for others: what they stand for, and how much longer it was up to an offset. */
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
  if (text.trim() === '') return {}
  checkShape(text, bounds)
  try {
    if (marks === undefined) return JSON.parse(text)
    return JSON.parse(text, (_, value) => (typeof value === 'string' ? marks.find(value) : value))
  } catch (error) {
    throw new PlatenError('BODY_BROKEN', `${what} is not valid JSON${placeOf(error, text, marks)}.`)
  }
}

/** V8's message quotes the text, which may be a label, so only the place is taken over, where it has one. */
function placeOf(error: unknown, text: string, marks?: JsonMarks): string {
  const message = error instanceof Error ? error.message : ''
  const place = (offset: number): number => offset + (marks?.missingBefore(offset) ?? 0)
  const offset = /at position (\d+)/.exec(message)?.[1]
  if (offset !== undefined) return `: fault at offset ${place(Number(offset))}`
  if (!message.includes('end of JSON')) return ''
  return `: it ends too early, at offset ${place(text.length)}`
}

/** Walks over the marks of JSON outside its texts; a few letters of body must not become a tree of millions. */
function checkShape(text: string, bounds: JsonBounds): void {
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
