import { PlatenError } from '../errors.ts'
import { Base64Reader } from './base64.ts'

const BACKSLASH = 0x5c
const SPACE = 0x20
/** Escapes of one letter (RFC 8259, 7) and the bytes they stand for; `u` has its own rule. */
const ESCAPES: ReadonlyMap<number, number> = new Map(
  [...'"\\/bfnrt'].map((letter, n) => [letter.charCodeAt(0), '"\\/\b\f\n\r\t'.charCodeAt(n)]),
)
const LETTER_U = 0x75
/** `\u0041` */
const UNICODE_BYTES = 6
const NO_HEX = 0x10000
/** By character: the value of a hexadecimal digit. */
const HEX = new Uint32Array(256).fill(NO_HEX)
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  HEX[digit.charCodeAt(0)] = value
  HEX[digit.toUpperCase().charCodeAt(0)] = value
}

/**
 * A long text of a JSON body that is decoded as base64 while it arrives and is never held as text. Whether it is a label
 * shows only when the whole JSON is there, so a fault waits until somebody takes it for one.
 */
export class LongText {
  /** Undefined once the text is no base64, or taken. */
  #reader: Base64Reader | undefined = new Base64Reader()
  #fault: PlatenError | undefined
  #letters = 0
  /** A piece with its escapes undone; used again for every piece. */
  #plain = new Uint8Array(0)

  /** Bytes between the quotes so far, escapes as they stand. */
  get letters(): number {
    return this.#letters
  }

  /**
   * Takes a piece that ends with a whole escape. Returns where JSON forbids what stands there, -1 when it is all right;
   * nothing may be added after a fault.
   */
  push(piece: Uint8Array): number {
    this.#letters += piece.length
    const clean = findSpecial(piece, 0)
    this.#give((reader) => reader.pushBytes(piece.subarray(0, clean)))
    return clean === piece.length ? -1 : this.#pushEscaped(piece, clean)
  }

  /**
   * What the text stands for, in memory of its own, once.
   * @throws PlatenError LABEL_BASE64
   */
  take(): Uint8Array {
    let label: Uint8Array | undefined
    this.#give((reader) => {
      label = reader.end()
    })
    this.#reader = undefined
    if (label === undefined) throw this.#fault ?? new Error('A text of JSON is taken twice.')
    return label
  }

  /** Gives the memory back of a text that nobody took. */
  free(): void {
    this.#reader?.free()
    this.#reader = undefined
  }

  #pushEscaped(piece: Uint8Array, from: number): number {
    if (this.#plain.length < piece.length) this.#plain = new Uint8Array(piece.length)
    for (let at = from; at < piece.length; ) {
      const { end, written } = undoEscapes(piece, at, this.#plain)
      this.#give((reader) => reader.pushBytes(this.#plain.subarray(0, written)))
      if (end === piece.length) return -1
      const code = piece[end] === BACKSLASH ? readEscape(piece, end) : -1
      if (code < 0) return end
      // A letter of more than a byte, which no base64 has.
      this.#give((reader) => reader.push(String.fromCharCode(code)))
      at = end + UNICODE_BYTES
    }
    return -1
  }

  #give(step: (reader: Base64Reader) => void): void {
    if (this.#reader === undefined) return
    try {
      step(this.#reader)
    } catch (error) {
      if (!(error instanceof PlatenError)) throw error
      this.#fault = error
      this.free()
    }
  }
}

/** The offset of the first escape or control character, the length when there is none. */
function findSpecial(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length) {
    const byte = bytes[at] as number
    if (byte < SPACE || byte === BACKSLASH) break
    at++
  }
  return at
}

/** Copies letters of a byte, escaped or not, up to the first other one; `end` is where that stands. */
function undoEscapes(
  bytes: Uint8Array,
  from: number,
  to: Uint8Array,
): { readonly end: number; readonly written: number } {
  let written = 0
  let at = from
  while (at < bytes.length) {
    const byte = bytes[at] as number
    if (byte < SPACE) break
    if (byte !== BACKSLASH) {
      to[written++] = byte
      at++
      continue
    }
    const code = readEscape(bytes, at)
    if (code < 0 || code > 0xff) break
    to[written++] = code
    at += bytes[at + 1] === LETTER_U ? UNICODE_BYTES : 2
  }
  return { end: at, written }
}

/** The code unit that an escape stands for; -1 when JSON has no such escape. */
function readEscape(bytes: Uint8Array, at: number): number {
  const letter = bytes[at + 1] ?? 0
  if (letter !== LETTER_U) return ESCAPES.get(letter) ?? -1
  let code = 0
  for (let digit = at + 2; digit < at + UNICODE_BYTES; digit++) {
    code = code * 16 + (HEX[bytes[digit] ?? 0] as number)
  }
  return code < NO_HEX ? code : -1
}
