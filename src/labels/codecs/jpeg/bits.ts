import { LabelFault } from '../../fault.ts'

/**
 * Reads the entropy-coded bits of one scan (ITU-T T.81, F.2.2.5): stuffed zero bytes are dropped, and the reader
 * stops in front of a marker. Past the end it gives zero bits, but only as many as one lookahead needs.
 */
export class BitReader {
  readonly #bytes: Uint8Array
  #at: number
  /** The next bits, left-aligned in 32. */
  #bits = 0
  /** Number of valid ones. */
  #count = 0
  /** Bits given beyond the end of the data. */
  #beyond = 0

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes
    this.#at = at
  }

  /** The next Huffman symbol. @throws LabelFault PICTURE_BROKEN */
  symbol(table: HuffmanTable): number {
    if (this.#count < 16) this.#fill()
    const entry = table.fast[this.#bits >>> 23] as number
    if (entry !== 0) {
      const length = entry >> 8
      this.#bits <<= length
      this.#count -= length
      return entry & 255
    }
    return this.#longSymbol(table)
  }

  /**
   * The next AC coefficient as value << 8 | zeros before it. A value of 0 is not a coefficient: with 15 zeros the band goes
   * on after 16 of them, else the block ends.
   * @throws LabelFault PICTURE_BROKEN
   */
  coefficient(table: HuffmanTable): number {
    if (this.#count < 16) this.#fill()
    const whole = table.whole[this.#bits >>> 23] as number
    if (whole !== 0) {
      const used = whole & 255
      this.#bits <<= used
      this.#count -= used
      return whole >> 8
    }
    const symbol = this.symbol(table)
    const size = symbol & 15
    return size === 0 ? symbol >> 4 : (this.signed(size) << 8) | (symbol >> 4)
  }

  #longSymbol(table: HuffmanTable): number {
    for (let length = 10; length <= 16; length += 1) {
      const code = this.#bits >>> (32 - length)
      const past = table.past[length] as number
      if (code >= past) continue
      this.#bits <<= length
      this.#count -= length
      return table.symbols[(table.offset[length] as number) + code] ?? 0
    }
    throw new LabelFault(
      'PICTURE_BROKEN',
      'The JPEG picture has a code that is in none of its tables.',
    )
  }

  /** `size` bits (1..16) as the signed value of T.81 F.2.2.1 (EXTEND). */
  signed(size: number): number {
    if (this.#count < size) this.#fill()
    const value = this.#bits >>> (32 - size)
    this.#bits <<= size
    this.#count -= size
    return value < 1 << (size - 1) ? value - (1 << size) + 1 : value
  }

  /** `size` bits (1..16) as they are. */
  unsigned(size: number): number {
    if (this.#count < size) this.#fill()
    const value = this.#bits >>> (32 - size)
    this.#bits <<= size
    this.#count -= size
    return value
  }

  /** Walks over `size` bits (0..16). */
  skip(size: number): void {
    if (this.#count < size) this.#fill()
    this.#bits <<= size
    this.#count -= size
  }

  /** True when more bits were used than there are: the file was cut. */
  get isExhausted(): boolean {
    return this.#beyond > this.#count
  }

  /** Finds where the marker after the entropy-coded data stands. */
  get end(): number {
    return this.#at
  }

  /** Aligns and passes the restart marker that must stand here. @throws LabelFault PICTURE_BROKEN */
  restart(): void {
    const bytes = this.#bytes
    if (this.isExhausted) {
      throw new LabelFault('PICTURE_BROKEN', 'The JPEG picture has too few bits before a restart.')
    }
    // Bytes looked at in advance can only be padding: a restart marker stops the reader.
    while (bytes[this.#at] === 0xff && bytes[this.#at + 1] === 0xff) this.#at += 1
    const marker = bytes[this.#at + 1] ?? 0
    if (bytes[this.#at] !== 0xff || marker < 0xd0 || marker > 0xd7) {
      throw new LabelFault(
        'PICTURE_BROKEN',
        'The JPEG picture lacks a restart marker: it is damaged.',
      )
    }
    this.#at += 2
    this.#bits = 0
    this.#count = 0
    this.#beyond = 0
  }

  #fill(): void {
    const bytes = this.#bytes
    while (this.#count <= 24) {
      let byte = 0
      const next = bytes[this.#at]
      if (next === undefined) this.#beyond += 8
      else if (next !== 0xff) {
        byte = next
        this.#at += 1
      } else if (bytes[this.#at + 1] === 0) {
        byte = 0xff
        this.#at += 2
      } else this.#beyond += 8
      this.#bits |= byte << (24 - this.#count)
      this.#count += 8
    }
  }
}

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
 * @throws LabelFault PICTURE_BROKEN when the codes do not fit their lengths
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
      throw new LabelFault('PICTURE_BROKEN', 'The JPEG picture has a code table that overflows.')
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
    fast.fill((length << 8) | (symbols[i] as number), from, from + span)
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
