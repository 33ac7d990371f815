import { inflateSync } from 'node:zlib'
import { LabelFault } from '../../fault.ts'
import type { TakeRow } from '../decoder.ts'
import { decodeFax } from './ccitt.ts'
import type { Strip, TiffHeader } from './header.ts'

// Our own, since no package of npm holds the bounds. utif2 4.1 (with pako) reads a letter page of fax G4 at 600 dpi with
// 87 MB and 4.1 s where this takes 4 MB and 0.3 s; and a file of 26 bytes, whose directory names itself as the next,
// ends the process (photopea/UTIF.js issue 142). The package tiff 7.1 reads neither fax nor PackBits.

/**
 * Rows in gray, transparency laid over white.
 * Decision `tiff-by-hand`.
 * @throws LabelFault PICTURE_BROKEN
 */
export function decodeTiff(bytes: Uint8Array, header: TiffHeader, take: TakeRow): void {
  const { width } = header
  const luma = new Uint8Array(width)
  eachRow(bytes, header, (row, y) => {
    if (header.bits === 1) spreadBits(row, luma, header)
    else spreadSamples(row, luma, header)
    take(luma, y)
  })
}

/**
 * Rows of one bit a pixel, 1 black.
 * @throws LabelFault PICTURE_BROKEN
 */
export function decodeTiffBits(bytes: Uint8Array, header: TiffHeader, take: TakeRow): void {
  const spare = header.width & 7
  eachRow(bytes, header, (row, y) => {
    if (!header.isInverted) for (let n = 0; n < row.length; n++) row[n] = ~(row[n] as number)
    if (spare !== 0) row[row.length - 1] = (row[row.length - 1] as number) & (0xff << (8 - spare))
    take(row, y)
  })
}

/** All rows as the file has them; the row may be written to, and is reused. */
function eachRow(bytes: Uint8Array, header: TiffHeader, take: TakeRow): void {
  const rowBytes = Math.ceil((header.width * header.bits * header.samples) / 8)
  // Some programs write the last strip as long as the others.
  const most = (header.strips[0]?.rows ?? 0) * rowBytes
  let y = 0
  for (const strip of header.strips) {
    const packed = bytes.subarray(strip.from, strip.from + strip.bytes)
    const data = header.isReversed ? packed.map(reverse) : packed
    if (header.packing === 'rle' || header.packing === 'g3' || header.packing === 'g4') {
      const row = new Uint8Array(rowBytes)
      const fax = { width: header.width, rows: strip.rows, kind: header.packing, is2d: header.is2d }
      decodeFax(data, fax, (changes) => {
        paint(row.fill(0), changes, header.width)
        take(row, y++)
      })
    } else {
      y = takeStrip(
        unpack(data, header, strip.rows * rowBytes, most),
        header,
        { strip, rowBytes, y },
        take,
      )
    }
  }
}

function takeStrip(
  data: Uint8Array,
  { samples, bits, isPredicted }: TiffHeader,
  { strip, rowBytes, y }: { readonly strip: Strip; readonly rowBytes: number; readonly y: number },
  take: TakeRow,
): number {
  const row = new Uint8Array(rowBytes)
  for (let n = 0; n < strip.rows; n++) {
    row.fill(0).set(data.subarray(n * rowBytes, (n + 1) * rowBytes))
    if (isPredicted && bits === 8) {
      for (let at = samples; at < rowBytes; at++)
        row[at] = (row[at] as number) + (row[at - samples] as number)
    }
    take(row, y + n)
  }
  return y + strip.rows
}

/** @throws LabelFault PICTURE_BROKEN */
function unpack(
  data: Uint8Array,
  { packing }: TiffHeader,
  length: number,
  most: number,
): Uint8Array {
  if (packing === 'none') return data
  if (packing === 'packbits') return unpackBits(data, length)
  if (packing === 'lzw') return unpackLzw(data, length)
  const rows = inflate(data, most)
  return checkWhole(rows, rows.length, length)
}

function inflate(data: Uint8Array, most: number): Uint8Array {
  try {
    return inflateSync(data, { maxOutputLength: Math.max(1, most) })
  } catch (cause) {
    throw damaged(cause)
  }
}

/** Rows that are missing would come out black or white. @throws LabelFault PICTURE_BROKEN */
function checkWhole(rows: Uint8Array, filled: number, length: number): Uint8Array {
  if (filled < length) throw damaged()
  return rows
}

function damaged(cause?: unknown): LabelFault {
  return new LabelFault('PICTURE_BROKEN', 'The TIFF cannot be read: its data are damaged.', {
    cause,
  })
}

/** PackBits (TIFF 6.0, section 9). */
function unpackBits(data: Uint8Array, length: number): Uint8Array {
  const out = new Uint8Array(length)
  let [at, to] = [0, 0]
  while (at < data.length && to < length) {
    const count = data[at++] as number
    if (count < 128) {
      const piece = data.subarray(at, at + Math.min(count + 1, length - to))
      out.set(piece, to)
      at += count + 1
      to += count + 1
    } else if (count > 128) {
      out.fill(data[at++] ?? 0, to, to + 257 - count)
      to += 257 - count
    }
  }
  return checkWhole(out, to, length)
}

const CLEAR = 256
const END = 257
const LZW_MOST = 4096

/** LZW (TIFF 6.0, section 13): codes from the highest bit, 9 to 12 bits, longer one code early. */
function unpackLzw(data: Uint8Array, length: number): Uint8Array {
  const words = new TiffLzwTable(length)
  for (let bit = 0; !words.isFull && bit + words.size <= data.length * 8; ) {
    const code = codeAt(data, bit, words.size)
    bit += words.size
    if (code === END || !words.put(code)) break
  }
  return checkWhole(words.out, words.isFull ? length : 0, length)
}

/** Table of LZW codes, each a stretch of what was put out before, one byte longer than that of the code before it. */
class TiffLzwTable {
  readonly out: Uint8Array
  /** Bits of the next code. */
  size = 9
  readonly #starts = new Uint32Array(LZW_MOST)
  readonly #lengths = new Uint16Array(LZW_MOST)
  #next = END + 1
  #to = 0
  #before: { readonly start: number; readonly length: number } | undefined

  constructor(length: number) {
    this.out = new Uint8Array(length)
  }

  get isFull(): boolean {
    return this.#to >= this.out.length
  }

  /** False for an undefined code. */
  put(code: number): boolean {
    if (code === CLEAR) {
      this.#next = END + 1
      this.size = 9
      this.#before = undefined
      return true
    }
    const before = this.#before
    if (code > this.#next || (code === this.#next && before === undefined)) return false
    // Known before it is written: the newest code may be the one that comes.
    if (before !== undefined && this.#next < LZW_MOST) this.#learn(before)
    this.#before = { start: this.#to, length: this.#write(code) }
    return true
  }

  #learn({ start, length }: { readonly start: number; readonly length: number }): void {
    this.#starts[this.#next] = start
    this.#lengths[this.#next] = length + 1
    this.#next++
    if (this.#next >= 2 ** this.size - 1 && this.size < 12) this.size++
  }

  #write(code: number): number {
    if (code < CLEAR) {
      this.out[this.#to++] = code
      return 1
    }
    const [from, count] = [this.#starts[code] as number, this.#lengths[code] as number]
    // One by one: the newest code overlaps what it repeats.
    for (let n = 0; n < count && !this.isFull; n++) {
      this.out[this.#to] = this.out[from + n] as number
      this.#to++
    }
    return count
  }
}

function codeAt(data: Uint8Array, bit: number, size: number): number {
  const from = bit >> 3
  const three =
    ((data[from] as number) << 16) | ((data[from + 1] as number) << 8) | (data[from + 2] as number)
  return (three >> (24 - size - (bit & 7))) & (2 ** size - 1)
}

/** Sets the bits of the second color, from each second change to the one after; which color that is the header says. */
function paint(row: Uint8Array, changes: readonly number[], width: number): void {
  for (let n = 0; n < changes.length; n += 2) {
    const to = Math.min(width, changes[n + 1] ?? width)
    for (let x = changes[n] as number; x < to; x++)
      row[x >> 3] = (row[x >> 3] as number) ^ (0x80 >> (x & 7))
  }
}

function spreadBits(row: Uint8Array, luma: Uint8Array, { isInverted, palette }: TiffHeader): void {
  const [zero, one] = palette ?? (isInverted ? [255, 0] : [0, 255])
  for (let x = 0; x < luma.length; x++) {
    const isSet = ((row[x >> 3] as number) & (0x80 >> (x & 7))) !== 0
    luma[x] = (isSet ? one : zero) ?? 255
  }
}

function spreadSamples(row: Uint8Array, luma: Uint8Array, header: TiffHeader): void {
  const { samples, isInverted, palette } = header
  for (let x = 0, at = 0; x < luma.length; x++, at += samples) {
    const first = row[at] as number
    const value =
      samples >= 3
        ? 0.299 * first + 0.587 * (row[at + 1] as number) + 0.114 * (row[at + 2] as number)
        : (palette?.[first] ?? (isInverted ? 255 - first : first))
    const alpha = samples === 2 || samples === 4 ? (row[at + samples - 1] as number) / 255 : 1
    luma[x] = Math.round(255 + (value - 255) * alpha)
  }
}

function reverse(byte: number): number {
  let turned = 0
  for (let n = 0; n < 8; n++) if ((byte & (1 << n)) !== 0) turned |= 0x80 >> n
  return turned
}
