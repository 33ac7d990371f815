import {
  decoders,
  type FoundQuestion,
  languages,
  type PortQuestion,
  portQuestions,
  type StreamCommands,
  type StreamLines,
} from '#labels'

/** A piece found in a stream, in the order of the stream. */
export type Piece =
  /** A whole label, as it came but for blanks around it. */
  | { readonly kind: 'label'; readonly bytes: Uint8Array }
  /** A label whose end never came. */
  | { readonly kind: 'broken'; readonly bytes: Uint8Array }
  /** Bytes behind the last label that put nothing on paper. */
  | { readonly kind: 'rest'; readonly bytes: Uint8Array }
  | { readonly kind: 'question'; readonly question: PortQuestion }
  /** The start of an HTTP request: the other side takes this for another kind of port; nothing more is found. */
  | { readonly kind: 'http' }
  | { readonly kind: 'foreign'; readonly protocol: string }

export const LINES: readonly StreamLines[] = languages.flatMap(({ lines }) => lines ?? [])

export const COMMANDS: readonly StreamCommands[] = languages.flatMap(
  ({ commands }) => commands ?? [],
)

/** The longest head of data in a line: of a BITMAP or a GW. */
export const LINE_HEAD = 120

export const HTTP = /^(?:GET|POST|PUT|HEAD|OPTIONS|DELETE|PATCH|TRACE|CONNECT) (?:\/|\*|https?:)/

/** Questions that are not lines, by their bytes. */
const ALONE = portQuestions.flatMap((question) =>
  typeof question.asks === 'string' ? [{ question, bytes: question.asks }] : [],
)

/** First characters of commands that are not lines, and of such questions. */
const PREFIXES: ReadonlySet<number> = new Set(
  Buffer.from(
    [...COMMANDS.map(({ prefixes }) => prefixes), ...ALONE.map(({ bytes }) => bytes[0])].join(''),
  ),
)

/** Tells whether a line that begins with this byte may be something other than a line. */
export function isPrefix(byte: number): boolean {
  return PREFIXES.has(byte)
}

/** Finds the question that begins a line; undefined when there is none. */
export function findAlone(head: string): FoundQuestion | undefined {
  const found = ALONE.find(({ bytes }) => head.startsWith(bytes))
  return found && { question: found.question, length: found.bytes.length }
}

const [LF, CR] = [0x0a, 0x0d]

/** Returns the start of the line behind the line end at `end`. */
export function skipLineEnd(view: Buffer, end: number): number {
  return view[end] === CR && view[end + 1] === LF ? end + 2 : end + 1
}

/** The first bytes of documents; one document takes the whole connection. */
const DOCUMENTS: readonly string[] = [
  ...decoders.flatMap(({ signs }) => signs),
  '%PDF-',
  '\x1f\x8b',
  '\xff\xfe',
  '\xfe\xff', // PDF; gzip and UTF-16, which the intake unpacks
]

/** Tells what a label with this beginning is; undefined = more bytes are needed. `isWhole`: no more will come. */
export function kindOf(head: string, isWhole: boolean): 'document' | 'lines' | undefined {
  if (DOCUMENTS.some((sign) => head.startsWith(sign))) return 'document'
  return DOCUMENTS.some((sign) => sign.startsWith(head)) && !isWhole ? undefined : 'lines'
}

/** Finds the end of the dots or the file of a line, in whichever of these languages; undefined when it has none. */
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

/** Bytes of a stream that arrive at the end and can be taken out anywhere. */
export class KeptBytes {
  #bytes = Buffer.alloc(0)
  #start = 0
  #end = 0

  get length(): number {
    return this.#end - this.#start
  }

  /** The bytes kept; valid until the next `push` or `drop`. */
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

  /** Takes out the bytes from `from` up to `to`; moves the shorter of the parts before and behind them. */
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

  /** Hands over all bytes. */
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

/** Characters of a method (RFC 9110, 5.6.2), including lower-case letters. */
const TOKEN: ReadonlySet<number> = new Set(
  Buffer.from("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"),
)

/**
 * Tells whether a stream begins like an HTTP request: `METHOD TARGET HTTP/`. A page whose name was made to point at the box chooses the
 * method freely, and `^XA^FDfree^FS^XZ` is a valid one; so no label is taken from such a stream before this is known. Most labels have a
 * comma, a blank or a line end early, which settles it.
 */
export class HttpSign {
  #verdict: 'yes' | 'no' | 'unsure' = 'unsure'
  #part: 'method' | 'target' | 'version' = 'method'
  /** Bytes of the current part. */
  #length = 0
  #seen = 0

  get verdict(): 'yes' | 'no' | 'unsure' {
    return this.#verdict
  }

  /** True when the bytes are long enough to be a request that was given up in the middle of its head. */
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

  /** Decides for a label when nothing came for a while: no browser pauses within a head. */
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

  /** Tells whether the byte fits a target: a path, `*`, or the address that a proxy is asked for. */
  #isTarget(byte: number): boolean {
    return this.#length === 0 ? '/*hH'.includes(String.fromCharCode(byte)) : byte > 0x20
  }
}
