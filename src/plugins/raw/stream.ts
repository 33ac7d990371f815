import {
  decoders,
  findPrefix,
  keyOf,
  languages,
  latin1,
  type Prefixes,
  readZplData,
  type StreamLines,
} from '#labels'
import type { Question } from '../door/questions.ts'

/** What was found in a stream, in its order. */
export type Piece =
  /** A whole label, as it came but for blanks around it. */
  | { readonly kind: 'label'; readonly bytes: Uint8Array }
  /** A label whose end never came. */
  | { readonly kind: 'broken'; readonly bytes: Uint8Array }
  /** What stood behind the last label and puts nothing on paper. */
  | { readonly kind: 'rest'; readonly bytes: Uint8Array }
  | { readonly kind: 'question'; readonly question: Question }
  /** The other side takes this for another kind of port; nothing more is found. */
  | { readonly kind: 'http' }
  | { readonly kind: 'foreign'; readonly protocol: string }

export const LINES: readonly StreamLines[] = languages.flatMap((language) =>
  'lines' in language ? [language.lines] : [],
)

/** The longest head of data: of a BITMAP, a GW, and of ZPL's parameters. */
export const LINE_HEAD = 120

const ZPL_HEAD = 164

/** How far into a label text of any kind may stand before ^XA: drivers put settings there. */
const WITHIN = 4096

const ZPL_INSIDE = /\^XA[ \t\r\n]*[\^~]/i

export const HTTP = /^(?:GET|POST|PUT|HEAD|OPTIONS|DELETE|PATCH|TRACE|CONNECT) (?:\/|\*|https?:)/

/** Only ask, so that they never make a job; those that are answered are in door/questions.ts. */
export const ASKS = /^~H[BDMQU]/i

export const KEYS = { begin: keyOf('^XA'), end: keyOf('^XZ') } as const

const [CARET, TILDE, ESC, LF, CR] = [0x5e, 0x7e, 0x1b, 0x0a, 0x0d]

/** ESC, caret and tilde: what questions and ZPL begin with. */
export function isPrefix(byte: number): boolean {
  return byte === ESC || byte === CARET || byte === TILDE
}

/** Where the line behind the line end at `end` begins. */
export function skipLineEnd(view: Buffer, end: number): number {
  return view[end] === CR && view[end + 1] === LF ? end + 2 : end + 1
}

/** One document takes the whole connection: how they begin. */
const DOCUMENTS: readonly string[] = [
  ...decoders.flatMap(({ signs }) => signs),
  '%PDF-',
  '\x1f\x8b',
  '\xff\xfe',
  '\xfe\xff', // PDF; gzip and UTF-16, which the intake unpacks
]

/** What a label that begins so is; undefined = more bytes are needed to tell. `isWhole`: no more will come. */
export function kindOf(head: string, isWhole: boolean): 'document' | 'lines' | undefined {
  if (DOCUMENTS.some((sign) => head.startsWith(sign))) return 'document'
  return DOCUMENTS.some((sign) => sign.startsWith(head)) && !isWhole ? undefined : 'lines'
}

/** Where a format begins behind text on a line, as the signs of ZPL know it; undefined if no format begins. */
export function findZpl(view: Buffer, from: number, end: number): number | undefined {
  if (from > WITHIN) return undefined
  const found = latin1(view, from, Math.min(end - from + 8, WITHIN)).search(ZPL_INSIDE)
  // What begins on a later line may be the next label.
  return found < 0 || from + found >= end ? undefined : from + found
}

/**
 * Where to go on behind a ZPL command that may have data, which may be beyond the bytes; undefined = more are needed to tell.
 * Hexadecimal and packed data hold no prefix; only binary ones are counted.
 */
export function endOfZplData(
  view: Buffer,
  at: number,
  key: number,
  { prefixes, isWhole }: { readonly prefixes: Prefixes; readonly isWhole: boolean },
): number | undefined {
  const data = readZplData(view, at, key, prefixes)
  const isShort = view.length - at < ZPL_HEAD && !isWhole
  if (data === undefined) {
    const isOpen = findPrefix(view, at + 3, prefixes) === view.length
    return isOpen && isShort ? undefined : at + 2
  }
  return data.isCut && isShort && data.end <= view.length ? undefined : data.end
}

/** Where the dots or the file of a line end, in whichever of these languages; undefined when it has none. */
export function endOfData(
  view: Buffer,
  at: number,
  languages: readonly StreamLines[],
): number | undefined {
  for (const lines of languages) {
    const found = lines.endOfData(view, at)
    if (found !== undefined) return found
  }
  return undefined
}

/** Tells whether the last three bytes are a command of ZPL: unless a character of its own belongs to it. */
export function isCommand(view: Buffer, at: number): boolean {
  return view.length - at === 3 && !/^[cC]|^[hH][qQ]/.test(latin1(view, at + 1, 2))
}

/** Bytes of a stream that arrive at the end and are taken out anywhere. */
export class KeptBytes {
  #bytes = Buffer.alloc(0)
  #start = 0
  #end = 0

  get length(): number {
    return this.#end - this.#start
  }

  /** What is kept; good until the next `push` or `drop`. */
  get view(): Buffer {
    return this.#bytes.subarray(this.#start, this.#end)
  }

  push(chunk: Uint8Array): void {
    if (this.#end + chunk.length > this.#bytes.length) this.#makeRoom(this.length + chunk.length)
    this.#bytes.set(chunk, this.#end)
    this.#end += chunk.length
  }

  #makeRoom(wanted: number): void {
    const isLarge = wanted > this.#bytes.length
    const room = isLarge
      ? Buffer.allocUnsafeSlow(Math.max(wanted, 2 * this.#bytes.length))
      : this.#bytes
    this.#bytes.copy(room, 0, this.#start, this.#end)
    this.#bytes = room
    this.#end = this.length
    this.#start = 0
  }

  /** Takes out what stands from `from` up to `to`; moves what is before it or behind it, whichever is less. */
  drop(from: number, to: number): void {
    const [first, next] = [this.#start + from, this.#start + to]
    if (from <= this.length - to) {
      this.#bytes.copyWithin(next - from, this.#start, first)
      this.#start += to - from
    } else {
      this.#bytes.copyWithin(first, next, this.#end)
      this.#end -= to - from
    }
    // What a large label took is not kept for the small ones after it.
    if (this.length === 0) this.release()
  }

  /** Hands over all of it. */
  release(): Buffer {
    const bytes = this.view
    this.#bytes = Buffer.alloc(0)
    this.#start = 0
    this.#end = 0
    return bytes
  }
}

/** Bytes that a browser writes at once: the head of a request ends within them, or more of it comes. */
const AT_ONCE = 8_192
const VERSION = 'HTTP/'

/** Signs of a method (RFC 9110, 5.6.2), lower-case letters too. */
const TOKEN: ReadonlySet<number> = new Set(
  Buffer.from("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"),
)

/**
 * Tells whether a stream begins as a request of HTTP: `METHOD TARGET HTTP/`. A page whose name was made to point at the box
 * chooses the method freely, and `^XA^FDfree^FS^XZ` is one; so no label is taken off such a stream before this is known. Most
 * labels have a comma, a blank or a line end early and are known by that.
 */
export class HttpSign {
  #verdict: 'yes' | 'no' | 'unsure' = 'unsure'
  #part: 'method' | 'target' | 'version' = 'method'
  /** Bytes of the part. */
  #length = 0
  #seen = 0

  get verdict(): 'yes' | 'no' | 'unsure' {
    return this.#verdict
  }

  /** What came is long enough to be a request that was given up in the middle of its head. */
  get isLong(): boolean {
    return this.#verdict === 'unsure' && this.#seen > AT_ONCE
  }

  push(chunk: Uint8Array): void {
    for (const byte of chunk) {
      if (this.#verdict !== 'unsure') return
      this.#read(byte)
      this.#seen += 1
    }
  }

  /** Nothing came for a while: no browser pauses within a head. */
  settle(): void {
    if (this.#verdict === 'unsure' && !this.isLong) this.#verdict = 'no'
  }

  #read(byte: number): void {
    if (byte === 0x20) this.#endPart()
    else this.#judge(byte)
  }

  #judge(byte: number): void {
    const isFine =
      (this.#part === 'method' && TOKEN.has(byte)) ||
      (this.#part === 'target' && this.#isTarget(byte)) ||
      (this.#part === 'version' && VERSION.charCodeAt(this.#length) === byte)
    this.#length += 1
    if (!isFine) this.#verdict = 'no'
    else if (this.#part === 'version' && this.#length === VERSION.length) this.#verdict = 'yes'
  }

  #endPart(): void {
    if (this.#length === 0 || this.#part === 'version') this.#verdict = 'no'
    this.#part = this.#part === 'method' ? 'target' : 'version'
    this.#length = 0
  }

  /** A path, `*`, or the address that a proxy is asked for. */
  #isTarget(byte: number): boolean {
    return this.#length === 0 ? '/*hH'.includes(String.fromCharCode(byte)) : byte > 0x20
  }
}
