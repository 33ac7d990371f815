import { freeMemory } from '../../memory.ts'
import { makeMemory, splitBands, type TakeRow } from '../decoder.ts'
import { broken, type GifHeader } from './header.ts'

const WHITE = 255

/** The four passes of an interlaced picture (GIF89a, appendix E): first row and step. */
const PASSES = [
  [0, 8],
  [4, 8],
  [2, 4],
  [1, 2],
] as const

/**
 * Decodes the first picture on its screen; what it leaves open, and what is transparent, is white paper. Holds a row;
 * of an interlaced picture, whose rows come out of order, a band of them.
 * @throws LabelFault PICTURE_BROKEN
 */
export function decodeGif(bytes: Uint8Array, header: GifHeader, take: TakeRow): void {
  const { width, height, firstFrame } = header
  const { x, y: top, isInterlaced } = firstFrame
  const row = new Uint8Array(width).fill(WHITE)
  for (let y = 0; y < top; y++) take(row, y)
  let y = top
  const put = (luma: Uint8Array): void => {
    row.set(luma, x)
    take(row, y++)
  }
  if (isInterlaced) {
    for (const luma of readInterlaced(bytes, header)) put(luma)
  } else readRows(bytes, header, put)
  row.fill(WHITE)
  while (y < height) take(row, y++)
}

/** Rows of the picture as stored; each is reused after the call. */
function readRows(bytes: Uint8Array, header: GifHeader, put: (luma: Uint8Array) => void): void {
  const { width, height, dataStart } = header.firstFrame
  const table = lumaTable(bytes, header)
  const row = new Uint8Array(width)
  let filled = 0
  decodeLzw(bytes, dataStart, width * height, (indices) => {
    for (let at = 0; at < indices.length; ) {
      const count = Math.min(width - filled, indices.length - at)
      for (let n = 0; n < count; n++) row[filled + n] = table[indices[at + n] as number] as number
      at += count
      filled += count
      if (filled < width) return
      put(row)
      filled = 0
    }
  })
}

/** A large picture is decoded again for each band of it that fits. */
function* readInterlaced(bytes: Uint8Array, header: GifHeader): Generator<Uint8Array> {
  const { width, height } = header.firstFrame
  const order = interlacedOrder(height)
  for (const { top, bottom } of splitBands(width, height)) {
    const length = width * (bottom - top)
    const held = new Uint8Array(makeMemory(length), 0, length)
    let stored = 0
    readRows(bytes, header, (row) => {
      const y = order[stored++] as number
      if (y >= top && y < bottom) held.set(row, (y - top) * width)
    })
    for (let y = top; y < bottom; y++) yield held.subarray((y - top) * width, (y - top + 1) * width)
    freeMemory(held)
  }
}

function lumaTable(bytes: Uint8Array, { palette, firstFrame }: GifHeader): Uint8Array {
  // Colors beyond the palette are undefined in GIF89a; they are black, as in most viewers.
  const table = new Uint8Array(256)
  const [from, to] = palette
  for (let at = from, n = 0; at < to; at += 3, n++) {
    table[n] = (77 * (bytes[at] ?? 0) + 150 * (bytes[at + 1] ?? 0) + 29 * (bytes[at + 2] ?? 0)) >> 8
  }
  if (firstFrame.transparent !== undefined) table[firstFrame.transparent] = WHITE
  return table
}

/** Finds where each row of the file belongs. */
function interlacedOrder(height: number): Uint32Array {
  const order = new Uint32Array(height)
  let stored = 0
  for (const [first, step] of PASSES) {
    for (let y = first; y < height; y += step) order[stored++] = y
  }
  return order
}

const CODES_MAX = 4096 // GIF89a, appendix F: codes have at most 12 bits
const CODE_BITS_MAX = 12
const CODE_SIZE_MAX = 8 // a pixel is an index into at most 256 colors
const PIECE = 64 * 1024

/** Takes color indices as they come; the array is reused after the call. */
export type TakePixels = (indices: Uint8Array) => void

/**
 * Decodes the LZW data of one picture into exactly `pixels` color indices, a piece at a time. A code's chain leads to
 * ever smaller codes and its length is known, so nothing can loop; time and output are bounded by `pixels`.
 * @param from where the data begin, at the byte with the code size
 * @throws LabelFault PICTURE_BROKEN
 */
function decodeLzw(bytes: Uint8Array, from: number, pixels: number, take: TakePixels): void {
  const codeSize = bytes[from] ?? 0
  if (codeSize < 1 || codeSize > CODE_SIZE_MAX) {
    throw broken(`has ${codeSize} bits a color; wanted 1 to ${CODE_SIZE_MAX}`)
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

/** Code table: the code before its last pixel, that pixel, its first one, and how many there are. */
class CodeTable {
  readonly end: number
  /** Width of the next code. */
  bits: number
  /** An undefined code was read. */
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
    for (let color = 0; color < this.#clear; color++) {
      this.#last[color] = color
      this.#first[color] = color
      this.#length[color] = 1
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
