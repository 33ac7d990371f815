import { PlatenError } from '../../../errors.ts'

/** Bits that one lookup decodes; longer codes are rare. */
const FAST_BITS = 9

/** A Huffman table made ready for decoding (ITU-T T.81, annex C and F.2.2.3). */
export interface HuffmanTable {
  /** By the next 9 bits: length << 8 | symbol, or 0 when the code is longer. */
  readonly fast: Uint16Array
  /** By length: one more than the last code of that length. */
  readonly past: Int32Array
  /** By length: what to add to a code to find its symbol. */
  readonly offset: Int32Array
  readonly symbols: Uint8Array
  /** By the next 9 bits, where they hold a whole AC coefficient: value << 16 | run << 8 | bits used; else 0. */
  readonly whole: Int32Array
}

/**
 * Builds a table from the 16 counts of DHT and the symbols after them.
 * @throws PlatenError PICTURE_BROKEN when the codes do not fit their lengths
 */
export function buildHuffman(counts: Uint8Array, symbols: Uint8Array): HuffmanTable {
  const fast = new Uint16Array(1 << FAST_BITS)
  const past = new Int32Array(17)
  const offset = new Int32Array(17)
  let code = 0
  let index = 0
  for (let length = 1; length <= 16; length += 1) {
    const count = counts[length - 1] ?? 0
    offset[length] = index - code
    if (code + count > 1 << length) {
      throw new PlatenError('PICTURE_BROKEN', 'The JPEG picture has a code table that overflows.')
    }
    if (length <= FAST_BITS) fillFast(fast, symbols.subarray(index, index + count), code, length)
    code += count
    index += count
    past[length] = code
    code <<= 1
  }
  return { fast, past, offset, symbols, whole: findWhole(fast) }
}

function fillFast(fast: Uint16Array, symbols: Uint8Array, first: number, length: number): void {
  const span = 1 << (FAST_BITS - length)
  for (let i = 0; i < symbols.length; i += 1) {
    const from = (first + i) * span
    fast.fill((length << 8) | (symbols[i] ?? 0), from, from + span)
  }
}

/** Most coefficients are small and frequent: their code and their bits (T.81 F.2.2.1) are found by one look. */
function findWhole(fast: Uint16Array): Int32Array {
  const whole = new Int32Array(fast.length)
  for (let bits = 0; bits < fast.length; bits += 1) {
    const entry = fast[bits] as number
    const size = entry & 15
    const used = (entry >> 8) + size
    if (entry === 0 || size === 0 || used > FAST_BITS) continue
    const raw = (bits >> (FAST_BITS - used)) & ((1 << size) - 1)
    const value = raw < 1 << (size - 1) ? raw - (1 << size) + 1 : raw
    whole[bits] = (value << 16) | (((entry >> 4) & 15) << 8) | used
  }
  return whole
}
