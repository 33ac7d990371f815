import { PlatenError } from '../errors.ts'

/** What a JSON text may hold. */
export interface JsonBounds {
  /** Objects and lists inside each other. */
  readonly jsonDepth: number
  readonly jsonValues: number
}

/**
 * Parses JSON whose depth and number of values are bounded before anything is built from it. `what` begins the message.
 * @throws PlatenError BODY_BROKEN, never with a piece of the text
 */
export function parseJson(text: string, bounds: JsonBounds, what = 'The body'): unknown {
  if (text.trim() === '') return {}
  checkShape(text, bounds)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new PlatenError('BODY_BROKEN', `${what} is not valid JSON${placeOf(error, text)}.`)
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
