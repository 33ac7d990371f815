import { PlatenError } from '../../../errors.ts'

const CODES_MAX = 4096 // GIF89a, appendix F: codes have at most 12 bits
const CODE_BITS_MAX = 12
const CODE_SIZE_MAX = 8 // a pixel is an index into at most 256 colours
const PIECE = 64 * 1024

/** Takes colour indices as they come; the array is reused after the call. */
export type TakePixels = (indices: Uint8Array) => void

/**
 * Decodes the LZW data of one picture into exactly `pixels` colour indices, a piece at a time. A code's chain leads to
 * ever smaller codes and its length is known, so nothing can loop; time and output are bounded by `pixels`.
 * @param from where the data begin, at the byte with the code size
 * @throws PlatenError PICTURE_BROKEN
 */
export function decodeLzw(bytes: Uint8Array, from: number, pixels: number, take: TakePixels): void {
  const codeSize = bytes[from] ?? 0
  if (codeSize < 1 || codeSize > CODE_SIZE_MAX) {
    throw broken(`has ${codeSize} bits a colour; wanted 1 to ${CODE_SIZE_MAX}`)
  }
  const codes = new CodeReader(bytes, from + 1)
  const table = new CodeTable(codeSize)
  // The longest code is shorter than the table, so what is written past a piece fits behind it.
  const out = new Uint8Array(PIECE + CODES_MAX)
  let written = 0
  for (let filled = -1; filled !== 0; ) {
    filled = fillPiece(codes, table, out)
    written += filled
    // What follows the last pixel is not of the picture: viewers pass over it.
    const more = Math.max(0, written - pixels)
    if (table.isUnknown && written < pixels) {
      throw broken(`has an unknown code after ${written} of ${pixels} pixels`)
    }
    take(out.subarray(0, filled - more))
    if (written >= pixels) return
  }
  throw broken(`holds ${written} of ${pixels} pixels`)
}

/** Decodes until a piece is full or the data end; returns how many pixels that are. */
function fillPiece(codes: CodeReader, table: CodeTable, out: Uint8Array): number {
  let filled = 0
  while (filled < PIECE) {
    const code = codes.next(table.bits)
    if (code < 0 || code === table.end) {
      codes.end()
      break
    }
    filled += table.take(code, out, filled)
    if (table.isUnknown) break
  }
  return filled
}

/** Codes of a width that changes, lowest bit first, out of sub-blocks (GIF89a, 15). */
class CodeReader {
  readonly #bytes: Uint8Array
  #at: number
  /** Bytes left in this sub-block. */
  #left = 0
  #held = 0
  #heldBits = 0
  #isEnded = false

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes
    this.#at = at
  }

  /** No more codes: what follows the end code is not of the picture. */
  end(): void {
    this.#isEnded = true
  }

  /** The next code, or -1 at the end of the data. */
  next(bits: number): number {
    if (this.#isEnded) return -1
    while (this.#heldBits < bits) {
      if (this.#left === 0) {
        this.#left = this.#bytes[this.#at++] ?? 0
        if (this.#left === 0) return -1
      }
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) return -1
      this.#held |= byte << this.#heldBits
      this.#heldBits += 8
      this.#left -= 1
    }
    const code = this.#held & ((1 << bits) - 1)
    this.#held >>>= bits
    this.#heldBits -= bits
    return code
  }
}

/** What each code stands for: the code before its last pixel, that pixel, its first one, and how many there are. */
class CodeTable {
  readonly end: number
  /** Width of the next code. */
  bits: number
  /** A code came that stands for nothing. */
  isUnknown = false
  readonly #clear: number
  readonly #prefix = new Uint16Array(CODES_MAX)
  readonly #last = new Uint8Array(CODES_MAX)
  readonly #first = new Uint8Array(CODES_MAX)
  readonly #length = new Uint16Array(CODES_MAX)
  #next: number
  #before = -1

  constructor(codeSize: number) {
    this.#clear = 1 << codeSize
    this.end = this.#clear + 1
    this.#next = this.end + 1
    this.bits = codeSize + 1
    for (let colour = 0; colour < this.#clear; colour++) {
      this.#last[colour] = colour
      this.#first[colour] = colour
      this.#length[colour] = 1
    }
  }

  /** Writes the pixels of a code; returns how many. A code that cannot be known yet writes none, and is remembered. */
  take(code: number, out: Uint8Array, at: number): number {
    if (code === this.#clear) return this.#forget()
    // The code to be added next is legal: it repeats the one before and its first pixel.
    const isKnown = code < this.#clear || (this.#before >= 0 && code <= this.#next)
    if (!isKnown || code >= CODES_MAX) {
      this.isUnknown = true
      return 0
    }
    if (this.#before >= 0) this.#add(code)
    this.#before = code
    const length = this.#length[code] as number
    let link = code
    for (let to = at + length - 1; to >= at; to--) {
      out[to] = this.#last[link] as number
      link = this.#prefix[link] as number
    }
    return length
  }

  /** Adds the code before with the first pixel of this one; a full table stays as it is (deferred clear). */
  #add(code: number): void {
    const added = this.#next
    if (added === CODES_MAX) return
    const before = this.#before
    this.#prefix[added] = before
    this.#first[added] = this.#first[before] as number
    this.#last[added] = this.#first[code === added ? before : code] as number
    this.#length[added] = (this.#length[before] as number) + 1
    this.#next = added + 1
    if (this.#next === 1 << this.bits && this.bits < CODE_BITS_MAX) this.bits += 1
  }

  #forget(): number {
    this.bits = Math.log2(this.#clear) + 1
    this.#next = this.end + 1
    this.#before = -1
    return 0
  }
}

function broken(what: string): PlatenError {
  return new PlatenError('PICTURE_BROKEN', `The GIF ${what}.`)
}
