import { LabelFault } from '../../fault.ts'

// ITU-T T.4, tables 2 to 4, in the order of their run lengths: 0 to 63, then 64 to 1728 by 64; those from 1792 on are of
// both colors.
const WHITE =
  '00110101 000111 0111 1000 1011 1100 1110 1111 10011 10100 00111 01000 001000 000011 110100 110101 101010 101011 0100111 0001100 0001000 0010111 0000011 0000100 0101000 0101011 0010011 0100100 0011000 00000010 00000011 00011010 00011011 00010010 00010011 00010100 00010101 00010110 00010111 00101000 00101001 00101010 00101011 00101100 00101101 00000100 00000101 00001010 00001011 01010010 01010011 01010100 01010101 00100100 00100101 01011000 01011001 01011010 01011011 01001010 01001011 00110010 00110011 00110100 11011 10010 010111 0110111 00110110 00110111 01100100 01100101 01101000 01100111 011001100 011001101 011010010 011010011 011010100 011010101 011010110 011010111 011011000 011011001 011011010 011011011 010011000 010011001 010011010 011000 010011011'
const BLACK =
  '0000110111 010 11 10 011 0011 0010 00011 000101 000100 0000100 0000101 0000111 00000100 00000111 000011000 0000010111 0000011000 0000001000 00001100111 00001101000 00001101100 00000110111 00000101000 00000010111 00000011000 000011001010 000011001011 000011001100 000011001101 000001101000 000001101001 000001101010 000001101011 000011010010 000011010011 000011010100 000011010101 000011010110 000011010111 000001101100 000001101101 000011011010 000011011011 000001010100 000001010101 000001010110 000001010111 000001100100 000001100101 000001010010 000001010011 000000100100 000000110111 000000111000 000000100111 000000101000 000001011000 000001011001 000000101011 000000101100 000001011010 000001100110 000001100111 0000001111 000011001000 000011001001 000001011011 000000110011 000000110100 000000110101 0000001101100 0000001101101 0000001001010 0000001001011 0000001001100 0000001001101 0000001110010 0000001110011 0000001110100 0000001110101 0000001110110 0000001110111 0000001010010 0000001010011 0000001010100 0000001010101 0000001011010 0000001011011 0000001100100 0000001100101'
const LONG =
  '00000001000 00000001100 00000001101 000000010010 000000010011 000000010100 000000010101 000000010110 000000010111 000000011100 000000011101 000000011110 000000011111'
// T.4, table 5: pass, horizontal, vertical by 0, 1 to 3 to the right, 1 to 3 to the left.
const MODES = '0001 001 1 011 000011 0000011 010 000010 0000010'
const PASS = 0
const HORIZONTAL = 1
const SHIFTS = [0, 0, 0, 1, 2, 3, -1, -2, -3]
const EOL_ZEROS = 11

const CODE_BITS = 13
/** By the next 13 bits: value * 16 + the length of its code; 0 = there is no such code. */
type FaxCodes = Int32Array<ArrayBuffer>

function makeTable(
  codes: string,
  valueAt: (n: number) => number,
  table = new Int32Array(2 ** CODE_BITS),
): FaxCodes {
  for (const [n, code] of codes.split(' ').entries()) {
    const spare = CODE_BITS - code.length
    const from = Number.parseInt(code, 2) << spare
    table.fill(valueAt(n) * 16 + code.length, from, from + (1 << spare))
  }
  return table
}

const runAt = (n: number): number => (n < 64 ? n : (n - 63) * 64)
const RUNS: readonly [FaxCodes, FaxCodes] = [
  makeTable(LONG, (n) => 1792 + n * 64, makeTable(WHITE, runAt)),
  makeTable(LONG, (n) => 1792 + n * 64, makeTable(BLACK, runAt)),
]
const MODE_TABLE = makeTable(MODES, (n) => n)

/** Coding of the rows of a fax. */
export interface Fax {
  readonly width: number
  readonly rows: number
  readonly kind: 'rle' | 'g3' | 'g4'
  /** Two-dimensional `g3`: each row says by a bit whether it refers to the one before. */
  readonly is2d: boolean
  /** Each row begins with a byte (PDF's EncodedByteAlign). */
  readonly isAligned?: boolean
}

/**
 * Counts the rows of a fax that can be read, and tells whether what stopped them is the mark of its end: then no more were sent.
 */
export function countFaxRows(
  data: Uint8Array,
  fax: Fax,
): { readonly rows: number; readonly hasEnd: boolean } {
  const bits = new Bits(data)
  let before: readonly number[] = []
  for (let rows = 0; rows < fax.rows; rows++) {
    if (rows > 0 && bits.hasEnd(fax.kind)) return { rows, hasEnd: true }
    const changes = readRow(bits, fax, before)
    if (changes === undefined) return { rows, hasEnd: false }
    before = changes
  }
  return { rows: fax.rows, hasEnd: false }
}

/**
 * Decodes fax compression (ITU-T T.4 and T.6; RLE is TIFF 6.0, section 10) row by row: the places where colors change,
 * white first. A row that goes wrong ends the picture there, as fax machines do; the rest is white.
 * @throws LabelFault PICTURE_BROKEN when not one row can be read
 */
export function decodeFax(
  data: Uint8Array,
  fax: Fax,
  take: (changes: readonly number[]) => void,
): void {
  const bits = new Bits(data)
  let before: number[] = []
  for (let row = 0; row < fax.rows; row++) {
    const changes = readRow(bits, fax, before)
    if (changes === undefined) {
      if (row === 0)
        throw new LabelFault('PICTURE_BROKEN', 'The TIFF cannot be read: its rows are damaged.')
      for (; row < fax.rows; row++) take([])
      return
    }
    take(changes)
    before = changes
  }
}

function readRow(
  bits: Bits,
  { width, kind, is2d, isAligned = false }: Fax,
  before: readonly number[],
): number[] | undefined {
  if (isAligned) bits.align()
  if (kind === 'g4') return readReferring(bits, width, before)
  if (kind === 'rle') {
    bits.align()
    return readAlone(bits, width)
  }
  bits.skipEndOfLine()
  const isAlone = !is2d || bits.take(1) === 1
  return isAlone ? readAlone(bits, width) : readReferring(bits, width, before)
}

/** A row of runs, white and black in turn. */
function readAlone(bits: Bits, width: number): number[] | undefined {
  const changes: number[] = []
  let at = 0
  for (let color: 0 | 1 = 0; at < width; color = color === 0 ? 1 : 0) {
    const run = readRun(bits, color)
    if (run === undefined || at + run > width || isEndless(changes, width)) return undefined
    at += run
    changes.push(at)
  }
  return changes
}

/** Runs of no dot, each of which is kept, could be as many as the file has bits. */
function isEndless(changes: readonly number[], width: number): boolean {
  return changes.length > 2 * (width + 1)
}

function readRun(bits: Bits, color: 0 | 1): number | undefined {
  let length = 0
  while (true) {
    const run = bits.read(RUNS[color])
    if (run === undefined) return undefined
    length += run
    if (run < 64) return length
  }
}

/** A row that refers to the one before (T.6, 2.2). */
function readReferring(bits: Bits, width: number, before: readonly number[]): number[] | undefined {
  const row: CodingLine = { at: -1, color: 0, changes: [], passed: 0 }
  while (row.at < width) {
    const mode = bits.read(MODE_TABLE)
    if (mode === undefined || !follow(bits, row, mode, before, width)) return undefined
    if (isEndless(row.changes, width)) return undefined
  }
  return row.changes
}

/** False when what the mode asks for is not there. */
function follow(
  bits: Bits,
  row: CodingLine,
  mode: number,
  before: readonly number[],
  width: number,
): boolean {
  if (mode === HORIZONTAL) return addRuns(bits, row, width)
  const b1 = findChange(before, row)
  if (mode !== PASS) return addChange(row, (before[b1] ?? width) + (SHIFTS[mode] ?? 0), width)
  row.at = before[b1 + 1] ?? width
  return true
}

interface CodingLine {
  at: number
  color: 0 | 1
  readonly changes: number[]
  /** Changes of the row before that do not lie behind `at`; looked at once, or wide rows of dots would take minutes. */
  passed: number
}

/** Two runs, of both colors; false when they are none. */
function addRuns(bits: Bits, row: CodingLine, width: number): boolean {
  const first = readRun(bits, row.color)
  const second = first === undefined ? undefined : readRun(bits, row.color === 0 ? 1 : 0)
  if (first === undefined || second === undefined) return false
  const middle = Math.max(row.at, 0) + first
  row.at = middle + second
  row.changes.push(middle, row.at)
  return row.at <= width
}

function addChange(row: CodingLine, at: number, width: number): boolean {
  if (at < Math.max(row.at, 0) || at > width) return false
  row.changes.push(at)
  row.at = at
  row.color = row.color === 0 ? 1 : 0
  return true
}

/** The first change of the row before that lies behind `at` and is to the other color than the present one. */
function findChange(before: readonly number[], row: CodingLine): number {
  while (row.passed < before.length && (before[row.passed] as number) <= row.at) row.passed++
  return (row.passed & 1) === row.color ? row.passed : row.passed + 1
}

class Bits {
  readonly #data: Uint8Array
  #at = 0

  constructor(data: Uint8Array) {
    this.#data = data
  }

  /** The value of the next code; undefined when there is none. */
  read(table: FaxCodes): number | undefined {
    const entry = table[this.#peek(CODE_BITS)] as number
    if (entry === 0 || this.#at >= this.#data.length * 8) return undefined
    this.#at += entry & 15
    return entry >> 4
  }

  take(count: number): number {
    const value = this.#peek(count)
    this.#at += count
    return value
  }

  /** To the next byte. */
  align(): void {
    this.#at = (this.#at + 7) & ~7
  }

  /** Zeros up to a 1 that follow a row; many writers leave them out. */
  skipEndOfLine(): void {
    let zeros = 0
    while (this.#at + zeros < this.#data.length * 8 && this.#bit(this.#at + zeros) === 0) zeros++
    if (zeros >= EOL_ZEROS) this.#at += zeros + 1
  }

  /** Two ends of a line, one after the other, which end a fax (T.4, 4.1.4; T.6, 2.4.1.1); none is passed over. */
  hasEnd(kind: Fax['kind']): boolean {
    const before = this.#at
    this.skipEndOfLine()
    const first = this.#at
    if (first > before && kind !== 'g4' && this.#bit(first) === 1) this.#at += 1
    const second = this.#at
    this.skipEndOfLine()
    const isEnd = first > before && this.#at > second && this.#at - second <= EOL_ZEROS + 1
    this.#at = before
    return isEnd
  }

  #bit(at: number): number {
    return ((this.#data[at >> 3] as number) >> (7 - (at & 7))) & 1
  }

  #peek(count: number): number {
    const from = this.#at >> 3
    const four =
      ((this.#data[from] ?? 0) * 2 ** 24 +
        ((this.#data[from + 1] as number) << 16) +
        ((this.#data[from + 2] as number) << 8) +
        (this.#data[from + 3] ?? 0)) >>>
      0
    return (four >>> (32 - count - (this.#at & 7))) & (2 ** count - 1)
  }
}
