import { PlatenError } from '../../errors.ts'

const CODES_MAX = 4096 // GIF89a, appendix F: codes have at most 12 bits
const CODE_BITS_MAX = 12
const CODE_SIZE_MAX = 8 // a pixel is an index into at most 256 colours

/**
 * Walks over the LZW codes of a GIF picture without drawing it: every code must be known, and together they must make
 * exactly `pixels` pixels. Takes time in proportion to the bytes read.
 * @param from where the data begin, at the byte with the code size
 * @throws PlatenError PICTURE_BROKEN
 */
export function checkLzw(bytes: Uint8Array, from: number, pixels: number): void {
  const codeSize = bytes[from] ?? 0
  if (codeSize < 1 || codeSize > CODE_SIZE_MAX) {
    throw broken(`has ${codeSize} bits a colour; wanted 1 to ${CODE_SIZE_MAX}`)
  }
  const made = countPixels(readBytes(bytes, from + 1), codeSize, pixels)
  if (made !== pixels) throw broken(`holds ${made > pixels ? 'more' : made} of ${pixels} pixels`)
}

/** Pixels that the codes make; stops as soon as there are more than `most`. */
function countPixels(data: Iterable<number>, codeSize: number, most: number): number {
  const table = new LengthTable(codeSize)
  let made = 0
  for (const code of readCodes(data, table)) {
    if (code === table.end || made > most) break
    const length = table.take(code)
    if (length === undefined) throw broken(`has an unknown code after ${made} of ${most} pixels`)
    made += length
  }
  return made
}

/** What each code stands for, in pixels; grows with every code as the decoder's own table does. */
class LengthTable {
  readonly end: number
  /** Width of the next code. */
  bits: number
  readonly #clear: number
  readonly #lengths: Uint16Array
  #next: number
  #previous: number | undefined

  constructor(codeSize: number) {
    this.#clear = 1 << codeSize
    this.end = this.#clear + 1
    this.#lengths = new Uint16Array(CODES_MAX).fill(1, 0, this.#clear)
    this.bits = codeSize + 1
    this.#next = this.end + 1
  }

  /** Pixels of this code, or undefined when it cannot be known yet. */
  take(code: number): number | undefined {
    if (code === this.#clear) return this.#forget()
    // The code to be added next is legal: it repeats the one before and its first pixel.
    const isKnown = code < this.#clear || (this.#previous !== undefined && code <= this.#next)
    if (!isKnown) return undefined
    if (this.#previous !== undefined) this.#add(this.#previous)
    this.#previous = code
    return this.#lengths[code]
  }

  #add(previous: number): void {
    if (this.#next === CODES_MAX) return
    this.#lengths[this.#next++] = (this.#lengths[previous] ?? 0) + 1
    if (this.#next === 1 << this.bits && this.bits < CODE_BITS_MAX) this.bits++
  }

  #forget(): number {
    this.bits = Math.log2(this.#clear) + 1
    this.#next = this.end + 1
    this.#previous = undefined
    return 0
  }
}

/** Codes of as many bits as the table says before each, lowest bit first. What is left over at the end is no code. */
function* readCodes(data: Iterable<number>, table: LengthTable): Generator<number> {
  let held = 0
  let heldBits = 0
  for (const byte of data) {
    held |= byte << heldBits
    heldBits += 8
    while (heldBits >= table.bits) {
      const width = table.bits
      const code = held & ((1 << width) - 1)
      held >>>= width
      heldBits -= width
      yield code
    }
  }
}

/** The bytes of the sub-blocks (GIF89a, 15), whose lengths the header reader has checked. */
function* readBytes(bytes: Uint8Array, from: number): Generator<number> {
  for (let at = from; (bytes[at] ?? 0) !== 0; at += (bytes[at] ?? 0) + 1) {
    yield* bytes.subarray(at + 1, at + 1 + (bytes[at] ?? 0))
  }
}

function broken(what: string): PlatenError {
  return new PlatenError('PICTURE_BROKEN', `The GIF ${what}.`)
}
