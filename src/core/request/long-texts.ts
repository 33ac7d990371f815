// Cuts the long strings out of a JSON body, so that a label is decoded from the bytes. JSON.parse alone would save this file.
// The bundle in the environment of systemd/platen.service, with these lines and without; the most MB:
//   a label of 11.5 MB, three times: resident              129  144
//   the same, and a text beside it that is not Latin-1     125  161  then V8 holds the whole body with two bytes a letter
//   the pictures of `make bench`: resident                 149  180
//   bodies of 16 MB that are made to hurt: resident        136  208
//   PDFs of 11 MB: anonymous memory of server and child    180  205  225 when six come at once
// The unit slows the service down above 180 MB (MemoryHigh) and ends it above 240 (MemoryMax). It was never ended.

import { isAscii, isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { PlatenError } from '../../words/errors.ts'
import { Base64Reader, HEX, NO_HEX } from './base64.ts'
import { type JsonBounds, type JsonMarks, textsMost, tooManyValues } from './bounded-json.ts'

/** Size in bytes above which a JSON string is decoded from the bytes; shorter JSON has no such strings. Decision `long-texts`. */
export const LONG_BYTES = 32 * 1024

const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20
const LETTER_U = 0x75
/** Escapes of one character (RFC 8259, 7) and the bytes they stand for; `u` has a rule of its own. */
const ESCAPES: ReadonlyMap<number, number> = new Map(
  [...'"\\/bfnrt'].map((letter, n) => [letter.charCodeAt(0), '"\\/\b\f\n\r\t'.charCodeAt(n)]),
)
/** Length of `\u0041`. */
const UNICODE_BYTES = 6
/** Size of the pieces in which escapes are undone. */
const PIECE_BYTES = 48 * 1024
/** A character that a JSON string must not hold: marks an error in a string that was cut out. */
const FORBIDDEN = '\u0001'
const ASCII_LAST = 0x7f

/** A long JSON string that is never made a JavaScript string: a label of megabytes would be in memory three times. */
export class LongText {
  /** The bytes between the quotes, UTF-8, escapes included. */
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /**
   * Decodes the string as base64, into memory of its own.
   * @throws PlatenError LABEL_BASE64
   */
  decode(): Uint8Array {
    const reader = new Base64Reader()
    try {
      if (isAscii(this.#bytes) && !this.#bytes.includes(BACKSLASH)) reader.pushBytes(this.#bytes)
      else this.#pushEscaped(reader)
      return reader.end()
    } catch (error) {
      reader.free()
      throw error
    }
  }

  #pushEscaped(reader: Base64Reader): void {
    const bytes = this.#bytes
    const plain = new Uint8Array(Math.min(PIECE_BYTES, bytes.length))
    for (let at = 0; at < bytes.length; ) {
      const { end, written } = undoEscapes(bytes, at, plain)
      reader.pushBytes(plain.subarray(0, written))
      at = end
      if (at === bytes.length || written === plain.length) continue
      // A letter of more than a byte, which no base64 has.
      const isEscape = bytes[at] === BACKSLASH
      const letter = isEscape ? String.fromCharCode(readEscape(bytes, at)) : letterAt(bytes, at)
      reader.push(letter)
      at += isEscape ? UNICODE_BYTES : Buffer.byteLength(letter)
    }
  }
}

/** @throws PlatenError BODY_BROKEN when it is not UTF-8; `what` begins the message */
export function readUtf8(bytes: Buffer, what = 'The body'): string {
  checkUtf8(bytes, what)
  return bytes.toString('utf8')
}

function checkUtf8(bytes: Buffer, what: string): void {
  if (!isUtf8(bytes)) throw new PlatenError('BODY_BROKEN', `${what} is not UTF-8 text.`)
}

/** JSON in which a mark replaces every long string and stands for a `LongText`. */
export class CutJson implements JsonMarks {
  /** The beginning of every mark, which no string of a client can share. */
  readonly #mark = `${randomUUID()}:`
  readonly #texts: LongText[] = []
  /** Bytes that are missing from `text` up to the end of each long string. */
  readonly #missing: number[] = []
  readonly text: string

  /**
   * `bytes` must stay unchanged until the labels are decoded; `what` begins the message.
   * @throws PlatenError BODY_BROKEN when it is not UTF-8, or has too many strings
   */
  constructor(bytes: Buffer, bounds: JsonBounds, what = 'The body', longBytes = LONG_BYTES) {
    checkUtf8(bytes, what)
    const pieces: string[] = []
    let kept = 0
    for (const { from, end } of findTexts(bytes, bounds)) {
      if (end - from <= longBytes) continue
      const inside = bytes.subarray(from, end)
      const fault = findFault(inside)
      pieces.push(bytes.toString('utf8', kept, from), this.#leaveOut(inside, fault))
      kept = fault < 0 ? end : bytes.length
      if (fault >= 0) break
    }
    this.text = pieces.join('') + bytes.toString('utf8', kept)
  }

  find(value: string): unknown {
    if (!value.startsWith(this.#mark)) return value
    return this.#texts[Number(value.slice(this.#mark.length))]
  }

  missingBefore(offset: number): number {
    const at = this.text.lastIndexOf(this.#mark, offset)
    if (at < 0) return 0
    return this.#missing[Number.parseInt(this.text.slice(at + this.#mark.length), 10)] as number
  }

  /** Makes the mark for a long string. `fault` is the offset of something that JSON forbids in it; nothing follows then. */
  #leaveOut(inside: Buffer, fault: number): string {
    const mark = `${this.#mark}${this.#texts.length}`
    const length = fault < 0 ? inside.length : fault
    this.#missing.push((this.#missing.at(-1) ?? 0) + length - mark.length)
    this.#texts.push(new LongText(inside))
    return fault < 0 ? mark : mark + FORBIDDEN
  }
}

/**
 * Finds all strings of JSON, without their quotes.
 * @throws PlatenError BODY_BROKEN when there are too many
 */
function* findTexts(
  bytes: Buffer,
  bounds: JsonBounds,
): Generator<{ readonly from: number; readonly end: number }> {
  let count = 0
  for (let open = bytes.indexOf(QUOTE); open >= 0; ) {
    if (++count > textsMost(bounds)) throw tooManyValues(bounds)
    const quote = findQuote(bytes, open + 1)
    yield { from: open + 1, end: quote < 0 ? bytes.length : quote }
    open = quote < 0 ? -1 : bytes.indexOf(QUOTE, quote + 1)
  }
}

/** Finds the quote that ends a string; -1 when there is none. */
function findQuote(bytes: Buffer, from: number): number {
  let quote = bytes.indexOf(QUOTE, from)
  while (quote >= 0 && slashesBefore(bytes, from, quote) % 2 === 1) {
    quote = bytes.indexOf(QUOTE, quote + 1)
  }
  return quote
}

function slashesBefore(bytes: Buffer, from: number, end: number): number {
  let at = end
  while (at > from && bytes[at - 1] === BACKSLASH) at--
  return end - at
}

/** Finds the offset of something that JSON forbids in a string; -1 = none. */
function findFault(bytes: Buffer): number {
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte < SPACE) return at
    if (byte !== BACKSLASH) continue
    if (readEscape(bytes, at) < 0) return at
    at += bytes[at + 1] === LETTER_U ? UNICODE_BYTES - 1 : 1
  }
  return -1
}

/** Copies ASCII characters, escaped or not, up to the first other one or until `to` is full; `end` is the offset of the next one. */
function undoEscapes(
  bytes: Buffer,
  from: number,
  to: Uint8Array,
): { readonly end: number; readonly written: number } {
  let written = 0
  let at = from
  while (at < bytes.length && written < to.length) {
    const byte = bytes[at] as number
    const code = byte === BACKSLASH ? readEscape(bytes, at) : byte
    if (code > ASCII_LAST) break
    to[written++] = code
    if (byte !== BACKSLASH) at++
    else at += bytes[at + 1] === LETTER_U ? UNICODE_BYTES : 2
  }
  return { end: at, written }
}

/** Reads the code unit of an escape; -1 when JSON has no such escape. */
function readEscape(bytes: Buffer, at: number): number {
  const letter = bytes[at + 1] ?? 0
  if (letter !== LETTER_U) return ESCAPES.get(letter) ?? -1
  let code = 0
  for (let digit = at + 2; digit < at + UNICODE_BYTES; digit++) {
    code = code * 16 + (HEX[bytes[digit] ?? 0] as number)
  }
  return code < NO_HEX ? code : -1
}

/** The UTF-8 character that begins at an offset. */
function letterAt(bytes: Buffer, at: number): string {
  return String.fromCodePoint(bytes.toString('utf8', at, at + 4).codePointAt(0) ?? 0)
}
