import { TextDecoder } from 'node:util'
import { PlatenError } from '../../words/errors.ts'
import { HEX } from './base64.ts'
import { LabelMemory, type RequestBounds, type RequestReader } from './reader.ts'
import {
  type FieldKind,
  type LabelTextSink,
  type RequestFields,
  tooLong,
} from './request-fields.ts'

const AMPERSAND = 0x26
const EQUALS = 0x3d
const PERCENT = 0x25
const BYTE_LAST = 0xff
const NOTHING = new Uint8Array(0)

/**
 * Reads an application/x-www-form-urlencoded body as it arrives (URL Standard, 5.1). Text values come out as URLSearchParams would give
 * them; label values go to the base64 reader piece by piece and are never held as text.
 */
export class FormReader implements RequestReader {
  readonly #fields: RequestFields
  readonly #bounds: RequestBounds
  readonly #decoder: TextDecoder
  #kind: FieldKind | 'name' = 'name'
  /** The name so far, its escapes not undone yet. */
  #name = ''
  #value = ''
  #label: LabelTextSink | undefined
  /** An escape that the end of a chunk cut: `%` or `%2`. */
  #cut: Uint8Array = NOTHING
  /** A piece of a label with its escapes undone; reused for every piece. */
  #plain = NOTHING

  /** `charset` decodes the texts; labels are ASCII in any charset. */
  constructor(
    fields: RequestFields,
    bounds: RequestBounds,
    charset: 'utf-8' | 'windows-1252' = 'utf-8',
  ) {
    this.#fields = fields
    this.#bounds = bounds
    this.#decoder = new TextDecoder(charset, { ignoreBOM: true })
  }

  /** @throws PlatenError FIELD_INVALID, TOO_MANY_FIELDS, BODY_BROKEN */
  push(chunk: Uint8Array): void {
    const bytes =
      this.#cut.length > 0
        ? Buffer.concat([this.#cut, chunk])
        : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    const end = bytes.length - cutEscape(bytes)
    this.#cut = new Uint8Array(bytes.subarray(end))
    this.#read(bytes.subarray(0, end))
  }

  /** @throws PlatenError FIELD_INVALID, TOO_MANY_FIELDS, BODY_BROKEN */
  end(): void {
    // It looked like an escape but is not one: take it literally.
    this.#read(Buffer.concat([this.#cut, Buffer.from('&')]))
  }

  #read(bytes: Buffer): void {
    let at = 0
    while (at < bytes.length)
      at = this.#kind === 'name' ? this.#readName(bytes, at) : this.#readValue(bytes, at)
  }

  #readName(bytes: Buffer, from: number): number {
    let end = from
    while (end < bytes.length && bytes[end] !== EQUALS && bytes[end] !== AMPERSAND) end++
    this.#name += bytes.toString('latin1', from, end)
    if (this.#name.length > this.#bounds.nameBytes) throw nameTooLong(this.#bounds)
    if (end === bytes.length) return end
    const isValueNext = bytes[end] === EQUALS
    if (this.#name !== '' || isValueNext) this.#begin()
    if (!isValueNext) this.#finish()
    return end + 1
  }

  #readValue(bytes: Buffer, from: number): number {
    const end = bytes.indexOf(AMPERSAND, from)
    this.#take(bytes.subarray(from, end < 0 ? bytes.length : end))
    if (end < 0) return bytes.length
    this.#finish()
    return end + 1
  }

  #begin(): void {
    this.#name = this.#undo(this.#name)
    this.#kind = this.#fields.open(this.#name)
    if (this.#kind === 'label') this.#label = this.#fields.openLabel()
  }

  #take(piece: Buffer): void {
    if (this.#kind === 'label') {
      this.#label?.pushBytes(this.#undoIn(piece))
    } else if (this.#kind === 'text') {
      this.#value += piece.toString('latin1')
      // An escape takes three letters for a byte.
      if (this.#value.length > this.#bounds.valueBytes * 3) throw tooLong(this.#name, this.#bounds)
    }
  }

  #finish(): void {
    if (this.#kind === 'label') this.#label?.end()
    if (this.#kind === 'text') this.#fields.addText(this.#name, this.#undo(this.#value))
    this.#kind = 'name'
    this.#name = ''
    this.#value = ''
    this.#label = undefined
  }

  #undo(text: string): string {
    const bytes = Buffer.from(text.replaceAll('+', ' '), 'latin1')
    return this.#decoder.decode(bytes.subarray(0, undoEscapes(bytes, bytes)))
  }

  /** Undoes the escapes of a piece of a label; `+` stays, because a label means it literally. */
  #undoIn(piece: Buffer): Uint8Array {
    if (!piece.includes(PERCENT)) return piece
    if (this.#plain.length < piece.length) this.#plain = new Uint8Array(piece.length)
    return this.#plain.subarray(0, undoEscapes(piece, this.#plain))
  }
}

/** Counts the bytes at the end that may be the beginning of an escape. */
function cutEscape(bytes: Buffer): number {
  const last = bytes.length - 1
  if (bytes[last] === PERCENT) return 1
  return bytes[last - 1] === PERCENT && (HEX[bytes[last] ?? 0] as number) < 16 ? 2 : 0
}

/** Replaces percent escapes by the bytes they stand for; returns the number of bytes. `to` may be `from` itself. */
function undoEscapes(from: Uint8Array, to: Uint8Array): number {
  let length = 0
  for (let at = 0; at < from.length; at++) {
    const byte = from[at] as number
    if (byte === PERCENT) {
      const value = (HEX[from[at + 1] ?? 0] as number) * 16 + (HEX[from[at + 2] ?? 0] as number)
      // Not an escape: take it literally.
      if (value <= BYTE_LAST) {
        to[length++] = value
        at += 2
        continue
      }
    }
    to[length++] = byte
  }
  return length
}

function nameTooLong(bounds: RequestBounds): PlatenError {
  return new PlatenError(
    'BODY_BROKEN',
    `The form has a field name of more than ${bounds.nameBytes} bytes; wanted label=… with the label as base64.`,
  )
}

/** Reads a body that is a single label; its fields are in the query. */
export class RawReader implements RequestReader {
  readonly #fields: RequestFields
  readonly #label = new LabelMemory()
  #isTaken = false

  constructor(fields: RequestFields) {
    this.#fields = fields
  }

  push(chunk: Uint8Array): void {
    this.#label.append(chunk)
  }

  /** Adds the body as a label; an empty body has none. */
  end(): void {
    if (this.#label.length === 0) return
    this.#isTaken = true
    this.#fields.open('label')
    this.#fields.addLabel(this.#label.take())
  }

  free(): void {
    if (!this.#isTaken) this.#label.free()
  }
}

const HEAD_BYTES = 512
const CARET = 0x5e
const TILDE = 0x7e

/**
 * Tells whether a body that claims to be a form is a label: curl claims so for every file. The name of a form's first field holds neither
 * `^`, `~` at its beginning, nor a control character, nor a byte beyond ASCII.
 */
export function beginsRaw(chunk: Uint8Array): boolean {
  if (chunk[0] === CARET || chunk[0] === TILDE) return true
  for (const byte of chunk.subarray(0, HEAD_BYTES)) {
    if (byte === EQUALS || byte === AMPERSAND) return false
    if (byte < 0x20 || byte > 0x7e) return true
  }
  return false
}

const BRACES: ReadonlySet<number> = new Set([...'{['].map((letter) => letter.charCodeAt(0)))

/** Chooses a reader by the first bytes of a body. */
export class ChoosingReader implements RequestReader {
  readonly #choose: (first: Uint8Array) => RequestReader
  #reader: RequestReader | undefined

  constructor(choose: (first: Uint8Array) => RequestReader) {
    this.#choose = choose
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return
    this.#reader ??= this.#choose(chunk)
    this.#reader.push(chunk)
  }

  end(): void {
    this.#reader ??= this.#choose(new Uint8Array(0))
    this.#reader.end()
  }

  free(): void {
    this.#reader?.free?.()
  }
}

/** Tells whether a body without a type is JSON. */
export function beginsJson(chunk: Uint8Array): boolean {
  const first = chunk.find((byte) => byte > 0x20)
  return first !== undefined && BRACES.has(first)
}
