import { TextDecoder } from 'node:util'
import { PlatenError } from '../../errors.ts'
import type { Bounds } from '../bounds.ts'
import { type FieldKind, type Fields, type LabelText, tooLong } from './fields.ts'

/**
 * Reads an application/x-www-form-urlencoded body as it arrives (URL Standard, 5.1). Text values come out as
 * URLSearchParams would give them; label values go to the base64 reader piece by piece and are never held as text.
 */
export class FormReader {
  readonly #fields: Fields
  readonly #bounds: Bounds
  readonly #decoder: TextDecoder
  #kind: FieldKind | 'name' = 'name'
  /** Escapes not yet undone. */
  #name = ''
  #value = ''
  #label: LabelText | undefined
  /** An escape that the end of a chunk cut: `%` or `%2`. */
  #cut = ''

  /** `charset` decodes the texts; labels are ASCII in any of them. */
  constructor(fields: Fields, bounds: Bounds, charset: 'utf-8' | 'windows-1252' = 'utf-8') {
    this.#fields = fields
    this.#bounds = bounds
    this.#decoder = new TextDecoder(charset, { ignoreBOM: true })
  }

  /** @throws PlatenError FIELD_INVALID, TOO_MANY_FIELDS, BODY_BROKEN */
  push(chunk: Uint8Array): void {
    const text =
      this.#cut + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')
    this.#cut = /%[0-9A-Fa-f]?$/.exec(text)?.[0] ?? ''
    this.#read(text.slice(0, text.length - this.#cut.length))
  }

  /** @throws PlatenError FIELD_INVALID, TOO_MANY_FIELDS, BODY_BROKEN */
  end(): void {
    // What looked like the beginning of an escape was none: it stands for itself.
    this.#read(`${this.#cut}&`)
  }

  #read(text: string): void {
    let at = 0
    while (at < text.length)
      at = this.#kind === 'name' ? this.#readName(text, at) : this.#readValue(text, at)
  }

  #readName(text: string, from: number): number {
    const mark = /[=&]/g
    mark.lastIndex = from
    const end = mark.exec(text)?.index ?? text.length
    this.#name += text.slice(from, end)
    if (this.#name.length > this.#bounds.nameBytes) throw nameTooLong(this.#bounds)
    if (end === text.length) return end
    const isValueNext = text[end] === '='
    if (this.#name !== '' || isValueNext) this.#begin()
    if (!isValueNext) this.#finish()
    return end + 1
  }

  #readValue(text: string, from: number): number {
    const end = text.indexOf('&', from)
    this.#take(text.slice(from, end < 0 ? text.length : end))
    if (end < 0) return text.length
    this.#finish()
    return end + 1
  }

  #begin(): void {
    this.#name = this.#undo(this.#name)
    this.#kind = this.#fields.open(this.#name)
    if (this.#kind === 'label') this.#label = this.#fields.openLabel()
  }

  #take(piece: string): void {
    if (this.#kind === 'label') {
      this.#label?.push(undoEscapes(piece))
    } else if (this.#kind === 'text') {
      this.#value += piece
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
    return this.#decoder.decode(Buffer.from(undoEscapes(text.replaceAll('+', ' ')), 'latin1'))
  }
}

/** Percent escapes to the bytes they stand for, one letter a byte; `+` is left, as a label means it so. */
function undoEscapes(text: string): string {
  if (!text.includes('%')) return text
  // The three that base64 needs are undone by native replacement; one call a letter is for what else there is.
  const most = text.replace(/%2b/gi, '+').replace(/%2f/gi, '/').replace(/%3d/gi, '=')
  if (!most.includes('%')) return most
  return most.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

function nameTooLong(bounds: Bounds): PlatenError {
  return new PlatenError(
    'BODY_BROKEN',
    `The form has a field name of more than ${bounds.nameBytes} bytes; wanted label=… with the label as base64.`,
  )
}
