// Our own, since V8 names no place for "Unexpected token" and quotes the text, which may hold a password: of the 22 faults
// of test/settings/json.test.ts it names 13 in the right place, jsonc-parser 3.3 17, and for a Windows path with single
// backslashes only where the text begins. Sentences, bounds and repeated keys would be ours with either.

/** A position in a JSON text and the fault there. Decision `json-with-positions`. */
export interface JsonFault {
  /** Counted from 1, as editors do. */
  readonly line: number
  readonly column: number
  /** The text at the position, e.g. `"}"` or `the end of the file`; never a whole value. */
  readonly seen: string
  readonly wanted: string
}

/** The findings about a JSON text, besides its value. */
export interface JsonReport {
  /** The first fault of the syntax; undefined = valid JSON (RFC 8259). */
  readonly fault: JsonFault | undefined
  /** Keys that occur twice in one object, of which JSON takes the last; e.g. `printers[0].uri`. */
  readonly repeated: readonly string[]
}

/** Depth to which lists and objects may be nested; bounds the recursion. */
export const DEEPEST = 100
const BLANKS = /[ \t\n\r]*/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])/y
const WORD = /(?:true|false|null)(?![\w.+-])/y
const PLAIN = /(?:[^"\\\p{Cc}]|[\u007f-\u009f])+/uy // what a string holds besides escapes
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const VALUE = 'a value: "text" in double quotes, a number, true, false, null, [ or {'

/** Inspects a JSON text for its first fault and its repeated keys; the value itself is for `JSON.parse`. */
export function inspectJson(text: string): JsonReport {
  const scanner = new Scanner(text)
  scanner.scan()
  return { fault: scanner.fault, repeated: scanner.repeated }
}

/** A reader of one JSON text. Every `read…` returns true on success; otherwise `fault` says why not. */
class Scanner {
  fault: JsonFault | undefined
  readonly repeated: string[] = []
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  scan(): void {
    if (!this.#readValue('', 0)) return
    this.#skip(BLANKS)
    if (this.#at < this.#text.length) this.#fail('the end of the file')
  }

  #readValue(path: string, depth: number): boolean {
    this.#skip(BLANKS)
    if (depth > DEEPEST) return this.#fail(`at most ${DEEPEST} lists and objects inside each other`)
    const first = this.#text[this.#at]
    if (first === '{') return this.#readObject(path, depth)
    if (first === '[') return this.#readList(path, depth)
    if (first === '"') return this.#readText()
    return this.#skip(NUMBER) || this.#skip(WORD) || this.#fail(VALUE)
  }

  #readObject(path: string, depth: number): boolean {
    const keys = new Set<string>()
    this.#at++
    if (this.#take('}')) return true
    do {
      if (!this.#readMember(path, depth, keys)) return false
    } while (this.#take(','))
    return this.#take('}') || this.#fail(', or } after the value')
  }

  #readMember(path: string, depth: number, keys: Set<string>): boolean {
    this.#skip(BLANKS)
    const begin = this.#at
    if (this.#text[begin] !== '"') {
      return this.#fail(keys.size === 0 ? 'a key in double quotes, or }' : 'a key in double quotes')
    }
    if (!this.#readText()) return false
    const key = String(JSON.parse(this.#text.slice(begin, this.#at)))
    const name = path === '' ? key : `${path}.${key}`
    if (keys.has(key)) this.repeated.push(name)
    keys.add(key)
    if (!this.#take(':')) return this.#fail(': after the key')
    return this.#readValue(name, depth + 1)
  }

  #readList(path: string, depth: number): boolean {
    this.#at++
    if (this.#take(']')) return true
    let index = 0
    do {
      if (!this.#readValue(`${path}[${index++}]`, depth + 1)) return false
    } while (this.#take(','))
    return this.#take(']') || this.#fail(', or ] after the value')
  }

  #readText(): boolean {
    this.#at++
    while (this.#skip(PLAIN) || this.#skip(ESCAPE));
    const next = this.#text[this.#at]
    if (next === '"') {
      this.#at++
      return true
    }
    const isEscape = next === '\\'
    return this.#fail(
      isEscape ? 'a known escape (write \\\\ for one backslash)' : '" at the end of the text',
    )
  }

  #take(sign: string): boolean {
    this.#skip(BLANKS)
    if (this.#text[this.#at] !== sign) return false
    this.#at++
    return true
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    const length = pattern.exec(this.#text)?.[0].length ?? 0
    this.#at += length
    return length > 0
  }

  #fail(wanted: string): false {
    const before = this.#text.slice(0, this.#at).split(/\r\n|\r|\n/)
    const column = (before.at(-1)?.length ?? 0) + 1
    this.fault = { line: before.length, column, seen: nameSign(this.#text, this.#at), wanted }
    return false
  }
}

const SIGNS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '\n': 'the end of the line',
    '\r': 'the end of the line',
    '\t': 'a tabulator',
    "'": 'a single quote',
  }),
)

function nameSign(text: string, offset: number): string {
  const code = text.codePointAt(offset)
  if (code === undefined) return 'the end of the file'
  const sign = String.fromCodePoint(code)
  if (/[\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb]/u.test(sign))
    return `a typographic quote ${sign}`
  return SIGNS.get(sign) ?? JSON.stringify(sign)
}
