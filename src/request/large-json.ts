import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { PlatenError } from '../errors.ts'
import { type JsonBounds, parseJson, textsMost, tooManyValues } from './bounded-json.ts'
import { LabelMemory } from './label-memory.ts'
import { LongText } from './long-text.ts'

/** A text of JSON of more bytes than this is decoded as it arrives; a body of no more has none. */
export const LONG_BYTES = 32 * 1024

const QUOTE = 0x22
const BACKSLASH = 0x5c
const LETTER_U = 0x75
const ESCAPE_BYTES = 6
/** What no text of JSON may hold: it stands for a fault in a text that is not kept. */
const FORBIDDEN = Uint8Array.of(1)
const NOTHING = new Uint8Array(0)

/**
 * Reads JSON as it arrives, by the rules of `parseJson`; a text of more than `LONG_BYTES` becomes a `LongText`. As
 * strings, a label of 9 MB would stand in memory four times before its first pixel is seen.
 */
export class LargeJsonReader {
  readonly #bounds: JsonBounds
  readonly #what: string
  readonly #longBytes: number
  /** The JSON with a short mark in the place of every long text; nobody else's text can begin so. */
  #kept = new LabelMemory()
  readonly #mark = `${randomUUID()}:`
  readonly #texts: LongText[] = []
  /** By long text: bytes that are missing from what is kept, up to its end. */
  readonly #missing: number[] = []
  #isInText = false
  #begun = 0
  /** The beginning of a text whose end has not come. */
  #held = new LabelMemory()
  #long: LongText | undefined
  /** A long text holds what JSON forbids; what follows does not matter. */
  #isBroken = false
  /** A letter or an escape that the end of a chunk cut. */
  #cut: Uint8Array = NOTHING

  /** `what` begins the messages. */
  constructor(bounds: JsonBounds, what = 'The body', longBytes = LONG_BYTES) {
    this.#bounds = bounds
    this.#what = what
    this.#longBytes = longBytes
  }

  /** @throws PlatenError BODY_BROKEN when it is not UTF-8, or has too many texts */
  push(chunk: Uint8Array): void {
    const bytes =
      this.#cut.length > 0
        ? Buffer.concat([this.#cut, chunk])
        : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    const whole = bytes.subarray(0, bytes.length - cutLetter(bytes))
    if (!isUtf8(whole)) throw this.#notUtf8()
    let at = 0
    for (let next = -1; at < whole.length && next !== at; ) {
      next = at
      at = this.#isInText ? this.#readText(whole, at) : this.#readMarks(whole, at)
    }
    this.#cut = new Uint8Array(bytes.subarray(at))
  }

  /**
   * The value, with a `LongText` for every long text that is no name.
   * @throws PlatenError BODY_BROKEN
   */
  end(): unknown {
    if (!isUtf8(this.#cut)) throw this.#notUtf8()
    if (!this.#isBroken) this.#kept.append(Buffer.concat([this.#held.take(), this.#cut]))
    const bytes = this.#kept.take()
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()
    const json = text.startsWith('\ufeff') ? text.slice(1) : text
    return parseJson(json, this.#bounds, this.#what, {
      find: (value) => this.#find(value),
      missingBefore: (offset) => this.#missingBefore(json, offset),
    })
  }

  /** Gives the memory back of the long texts that nobody took. */
  free(): void {
    this.#kept.free()
    this.#held.free()
    for (const text of this.#texts) text.free()
  }

  #readMarks(bytes: Buffer, from: number): number {
    const quote = bytes.indexOf(QUOTE, from)
    const end = quote < 0 ? bytes.length : quote + 1
    if (!this.#isBroken) this.#kept.append(bytes.subarray(from, end))
    this.#isInText = quote >= 0
    if (quote >= 0 && ++this.#begun > textsMost(this.#bounds)) throw tooManyValues(this.#bounds)
    return end
  }

  #readText(bytes: Buffer, from: number): number {
    const quote = findQuote(bytes, from)
    const end = quote < 0 ? bytes.length - cutEscape(bytes, from) : quote
    if (quote >= 0 && this.#isShort(end - from)) {
      this.#kept.append(bytes.subarray(from, quote + 1))
      this.#isInText = false
      return quote + 1
    }
    this.#takeText(bytes.subarray(from, end))
    if (quote < 0) return end
    this.#endText()
    return quote + 1
  }

  /** A text that came whole, as most do, needs no memory of its own. */
  #isShort(bytes: number): boolean {
    if (this.#isBroken || this.#long !== undefined) return false
    return this.#held.length === 0 && bytes <= this.#longBytes
  }

  #takeText(piece: Uint8Array): void {
    if (this.#isBroken) return
    if (this.#long === undefined && this.#held.length + piece.length > this.#longBytes)
      this.#beginLong()
    if (this.#long === undefined) this.#held.append(piece)
    else this.#pushLong(this.#long, piece)
  }

  #endText(): void {
    this.#isInText = false
    if (this.#isBroken) return
    this.#kept.append(this.#takeHeld())
    this.#kept.append(Uint8Array.of(QUOTE))
    this.#long = undefined
  }

  #beginLong(): void {
    const mark = Buffer.from(`${this.#mark}${this.#texts.length}`)
    this.#kept.append(mark)
    this.#missing.push((this.#missing.at(-1) ?? 0) - mark.length)
    this.#long = new LongText()
    this.#texts.push(this.#long)
    this.#pushLong(this.#long, this.#takeHeld())
  }

  #pushLong(long: LongText, piece: Uint8Array): void {
    if (this.#isBroken) return
    const fault = long.push(piece)
    const index = this.#missing.length - 1
    this.#missing[index] = (this.#missing[index] ?? 0) + (fault < 0 ? piece.length : fault)
    if (fault < 0) return
    this.#isBroken = true
    this.#kept.append(FORBIDDEN)
  }

  #takeHeld(): Uint8Array {
    const held = this.#held.take()
    this.#held = new LabelMemory()
    return held
  }

  #find(value: string): unknown {
    return value.startsWith(this.#mark)
      ? this.#texts[Number(value.slice(this.#mark.length))]
      : value
  }

  #missingBefore(text: string, offset: number): number {
    const at = text.lastIndexOf(this.#mark, offset)
    if (at < 0) return 0
    return this.#missing[Number.parseInt(text.slice(at + this.#mark.length), 10)] ?? 0
  }

  #notUtf8(): PlatenError {
    return new PlatenError('BODY_BROKEN', `${this.#what} is not UTF-8 text.`)
  }
}

/** The quote that ends a text; -1 when it is not there. `from` is no part of an escape. */
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

/** Bytes at the end of a text's piece that are the beginning of an escape: `\`, `\u`, `\u0`… */
function cutEscape(bytes: Buffer, from: number): number {
  for (let count = 1; count < ESCAPE_BYTES && bytes.length - count >= from; count++) {
    const at = bytes.length - count
    if (bytes[at] !== BACKSLASH) continue
    const isEscape = slashesBefore(bytes, from, at + 1) % 2 === 1
    const isCut = count === 1 || bytes[at + 1] === LETTER_U
    return isEscape && isCut ? count : 0
  }
  return 0
}

/** Bytes at the end that are the beginning of a letter of UTF-8. */
function cutLetter(bytes: Uint8Array): number {
  for (let count = 1; count <= Math.min(3, bytes.length); count++) {
    const byte = bytes[bytes.length - count] as number
    if (byte < 0x80) return 0
    if (byte < 0xc0) continue
    const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return wanted > count ? count : 0
  }
  return 0
}
