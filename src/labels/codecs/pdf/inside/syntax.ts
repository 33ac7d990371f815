import { latin1 } from '../../../languages/bytes.ts'

/** A value of a PDF (PDF 1.7, 7.3); strings are bytes. */
export type PdfValue =
  | number
  | boolean
  | null
  | Uint8Array
  | Name
  | Ref
  | Dict
  | readonly PdfValue[]
  | Stream

/** `/Name`. */
export class Name {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** `7 0 R`. */
export class Ref {
  readonly number: number

  constructor(number: number) {
    this.number = number
  }
}

export type Dict = ReadonlyMap<string, PdfValue>

/** Finds what values stand for in a file. */
export interface Objects {
  /** Takes the lock off data of a file; undefined while it has none, or the way is not known. */
  readonly key: Key | undefined
  get(value: PdfValue | undefined): PdfValue
  dict(value: PdfValue | undefined): Dict | undefined
  number(value: PdfValue | undefined): number | undefined
}

export interface Key {
  unlock(data: Uint8Array, object: number): Uint8Array
}

/** Its data as they lie in the file, filters still on. */
export class Stream {
  readonly dict: Dict
  readonly data: Uint8Array
  /** Number of its object, for the key of a locked file; 0 = of none. */
  readonly number: number
  /** `/Length` was right. */
  readonly isMeasured: boolean

  constructor(dict: Dict, data: Uint8Array, number: number, isMeasured: boolean) {
    this.dict = dict
    this.data = data
    this.number = number
    this.isMeasured = isMeasured
  }
}

/** A word that is not a value: an operator, `obj`, `endobj`. */
export class Keyword {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Nothing follows. */
export const END = Symbol('end')

type SyntaxToken = PdfValue | Keyword | typeof END

/** Character classes: blanks and delimiters end a name or a keyword (7.2.2). */
const [REGULAR, BLANK, DELIMITER] = [0, 1, 2]
const KINDS = new Uint8Array(256).fill(REGULAR)
for (const blank of [0, 9, 10, 12, 13, 32]) KINDS[blank] = BLANK
for (const sign of '()<>[]{}/%') KINDS[sign.charCodeAt(0)] = DELIMITER

const [LF, CR, PERCENT, SLASH, OPEN, CLOSE, LESS, MORE, OPEN_LIST, BACKSLASH, HASH] = [
  0x0a, 0x0d, 0x25, 0x2f, 0x28, 0x29, 0x3c, 0x3e, 0x5b, 0x5c, 0x23,
]
const [MINUS, PLUS, DOT, ZERO, NINE] = [0x2d, 0x2b, 0x2e, 0x30, 0x39]
const DEEP = 64
const BEHIND = new Set(['>>', 'endobj', 'stream', 'endstream'])
const CONSTANTS: ReadonlyMap<string, PdfValue> = new Map<string, PdfValue>([
  ['true', true],
  ['false', false],
  ['null', null],
])
const WORDS_MOST = 1000
const ESCAPED: ReadonlyMap<string, number> = new Map([
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['b', 8],
  ['f', 12],
])

/** Operators are mostly as short, and there are many thousands of them on a page. */
const SHORT = 3
const words = new Map<number, Keyword>()

function shortWord(bytes: Uint8Array, from: number, length: number): Keyword {
  let key = 0
  for (let n = 0; n < length; n++) key = key * 256 + (bytes[from + n] as number)
  const known = words.get(key)
  if (known !== undefined) return known
  const word = new Keyword(latin1(bytes, from, length))
  if (words.size < WORDS_MOST) words.set(key, word)
  return word
}

export function isBlankByte(byte: number | undefined): boolean {
  return byte !== undefined && KINDS[byte] === BLANK
}

/** Reads values from bytes, one after the other. */
export class Lexer {
  readonly bytes: Uint8Array
  at: number
  /** A string, list or dictionary was not closed: what follows it is not there. */
  isOpen = false

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes
    this.at = at
  }

  /** The next value, `7 0 R` as one; or what else comes. */
  readObject(): SyntaxToken {
    const token = this.read()
    if (typeof token !== 'number' || !Number.isInteger(token) || token < 0) return token
    const before = this.at
    const generation = this.read()
    const word = typeof generation === 'number' ? this.read() : undefined
    if (word instanceof Keyword && word.text === 'R') return new Ref(token)
    this.at = before
    return token
  }

  /** The next value; references are three. */
  read(depth = 0): SyntaxToken {
    this.skipBlanks()
    const first = this.bytes[this.at]
    if (first === undefined) return END
    if (KINDS[first] === REGULAR) return this.#readRegular(first)
    this.at++
    switch (first) {
      case SLASH:
        return new Name(this.#readName())
      case OPEN:
        return this.#readString()
      case OPEN_LIST:
        return this.#readList(depth)
      case LESS:
        if (this.bytes[this.at] !== LESS) return this.#readHex()
        this.at++
        return this.#readDict(depth)
      default:
        if (first === MORE && this.bytes[this.at] === MORE) {
          this.at++
          return new Keyword('>>')
        }
        return new Keyword(String.fromCharCode(first))
    }
  }

  skipBlanks(): void {
    const { bytes } = this
    for (; this.at < bytes.length; this.at++) {
      const byte = bytes[this.at] as number
      if (byte === PERCENT) {
        while (this.at < bytes.length && bytes[this.at] !== LF && bytes[this.at] !== CR) this.at++
      } else if (KINDS[byte] !== BLANK) return
    }
  }

  #readRegular(first: number): SyntaxToken {
    const from = this.at
    const { bytes } = this
    while (this.at < bytes.length && KINDS[bytes[this.at] as number] === REGULAR) this.at++
    if (first <= NINE && (first >= ZERO || first === MINUS || first === PLUS || first === DOT)) {
      const number = this.#readNumber(from)
      if (number !== undefined) return number
    }
    const length = this.at - from
    if (length <= SHORT) return shortWord(bytes, from, length)
    const text = latin1(bytes, from, Math.min(length, 128))
    const constant = CONSTANTS.get(text)
    return constant === undefined ? new Keyword(text) : constant
  }

  /** Undefined of what is none. Some programs write 1.-5 and --5: readers take the digits. */
  #readNumber(from: number): number | undefined {
    let [value, scale] = [0, 0]
    for (let at = from; at < this.at; at++) {
      const byte = this.bytes[at] as number
      if (byte >= ZERO && byte <= NINE) {
        value = value * 10 + byte - ZERO
        scale *= 10
      } else if (byte === DOT && scale === 0) scale = 1
      else if (byte !== MINUS && !(byte === PLUS && at === from)) return undefined
    }
    const number = value / Math.max(1, scale)
    return this.bytes[from] === MINUS ? -number : number
  }

  #readName(): string {
    const from = this.at
    const { bytes } = this
    let hasHex = false
    while (this.at < bytes.length && KINDS[bytes[this.at] as number] === REGULAR) {
      if (bytes[this.at] === HASH) hasHex = true
      this.at++
    }
    const text = latin1(bytes, from, this.at - from)
    if (!hasHex) return text
    return text.replace(/#([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  }

  #readString(): Uint8Array {
    const out: number[] = []
    let depth = 1
    while (this.at < this.bytes.length) {
      const byte = this.bytes[this.at++] as number
      if (byte === BACKSLASH) this.#readEscape(out)
      else {
        if (byte === OPEN) depth++
        else if (byte === CLOSE && --depth === 0) return Uint8Array.from(out)
        out.push(byte)
      }
    }
    this.isOpen = true
    return Uint8Array.from(out)
  }

  #readEscape(out: number[]): void {
    const byte = this.bytes[this.at++]
    if (byte === undefined) return
    const octal = /^[0-7]{1,3}/.exec(latin1(this.bytes, this.at - 1, 3))?.[0]
    if (octal !== undefined) {
      out.push(Number.parseInt(octal, 8) & 0xff)
      this.at += octal.length - 1
    } else if (byte === CR || byte === LF) {
      if (byte === CR && this.bytes[this.at] === LF) this.at++
    } else out.push(ESCAPED.get(String.fromCharCode(byte)) ?? byte)
  }

  #readHex(): Uint8Array {
    const end = this.bytes.indexOf(MORE, this.at)
    if (end === -1) {
      this.isOpen = true
      this.at = this.bytes.length
      return new Uint8Array()
    }
    const digits = latin1(this.bytes, this.at, end - this.at).replace(/[^0-9a-f]/gi, '')
    this.at = end + 1
    const bytes = new Uint8Array((digits.length + 1) >> 1)
    for (let n = 0; n < bytes.length; n++) {
      bytes[n] = Number.parseInt(digits.slice(2 * n, 2 * n + 2).padEnd(2, '0'), 16)
    }
    return bytes
  }

  #readList(depth: number): readonly PdfValue[] {
    const list: PdfValue[] = []
    this.#readUpTo(']', list, depth)
    return list
  }

  #readDict(depth: number): Dict {
    const list: PdfValue[] = []
    this.#readUpTo('>>', list, depth)
    return pairUp(list)
  }

  /** Up to what closes a list or a dictionary, or surely lies behind it. */
  #readUpTo(end: string, list: PdfValue[], depth: number): void {
    while (depth < DEEP) {
      const token = this.read(depth + 1)
      if (token === END) break
      if (!(token instanceof Keyword)) list.push(token)
      else if (token.text === end) return
      else if (token.text === 'R') foldRef(list)
      else if (BEHIND.has(token.text)) break
    }
    this.isOpen = true
  }
}

/** `7 0` before an R. */
function foldRef(list: PdfValue[]): void {
  const [number, generation] = list.slice(-2)
  if (typeof number !== 'number' || typeof generation !== 'number') return
  list.splice(-2, 2, new Ref(number))
}

function pairUp(list: readonly PdfValue[]): Dict {
  const dict = new Map<string, PdfValue>()
  for (let n = 0; n < list.length; ) {
    const key = list[n]
    const value = list[n + 1]
    if (!(key instanceof Name)) n++
    else {
      if (value !== undefined) dict.set(key.text, value)
      n += 2
    }
  }
  return dict
}

export function isDict(value: unknown): value is Dict {
  return value instanceof Map
}

export function nameOf(value: PdfValue | undefined): string {
  return value instanceof Name ? value.text : ''
}
