import { isBlankByte } from './syntax.ts'

/**
 * Defect of packed data: `cut` ends early, `damaged` cannot be unpacked, `checksum` unpacks to the end but is not what
 * was packed, `unknown` is packed in an unknown way.
 */
export type DataFault = 'cut' | 'damaged' | 'checksum' | 'unknown'

/** Output of one filter. */
export interface FilterStep {
  readonly data: Uint8Array
  /** Bytes without the predictor that is still on; left out = those of `data`. */
  readonly length?: number
  readonly fault?: DataFault | undefined
  readonly isProven?: boolean
}

/** More than the process that draws may take: such data are not looked at. */
export const UNPACKED_MOST = 2 ** 26
const TOO_LARGE: FilterStep = { data: new Uint8Array() }

/** Bytes, whose number is not known before. */
class Output {
  length = 0
  #bytes = new Uint8Array(2 ** 14)

  put(byte: number): void {
    if (this.length === this.#bytes.length) this.#grow()
    this.#bytes[this.length++] = byte
  }

  /** Repeats bytes one by one: the newest may overlap what it repeats. */
  repeat(from: number, count: number): void {
    for (let n = 0; n < count; n++) this.put(this.#bytes[from + n] as number)
  }

  take(): Uint8Array {
    return this.#bytes.subarray(0, this.length)
  }

  #grow(): void {
    const larger = new Uint8Array(2 * this.#bytes.length)
    larger.set(this.#bytes)
    this.#bytes = larger
  }
}

const CLEAR = 256
const END_OF_DATA = 257
const WORDS_MOST = 4096
const [SHORTEST, LONGEST] = [9, 12]

/** LZW (PDF 1.7, 7.4.4): codes from the highest bit on; `early`: they become longer so many codes early. */
export function unpackLzw(data: Uint8Array, early: number): FilterStep {
  const words = new PdfLzwTable(early)
  for (let bit = 0; bit + words.size <= data.length * 8; ) {
    const code = codeAt(data, bit, words.size)
    bit += words.size
    if (code === END_OF_DATA) break
    if (!words.put(code)) return { data: words.out.take(), fault: 'damaged' }
    if (words.out.length > UNPACKED_MOST) return TOO_LARGE
  }
  return { data: words.out.take() }
}

/** Table of LZW codes, each a stretch of what was put out before, one byte longer than that of the code before. */
class PdfLzwTable {
  readonly out = new Output()
  size = SHORTEST
  readonly #early: number
  readonly #starts = new Uint32Array(WORDS_MOST)
  readonly #lengths = new Uint32Array(WORDS_MOST)
  #next = END_OF_DATA + 1
  #start = 0
  #length = 0

  constructor(early: number) {
    this.#early = early
  }

  /** False for a code that stands for nothing. */
  put(code: number): boolean {
    if (code === CLEAR) {
      this.#next = END_OF_DATA + 1
      this.size = SHORTEST
      this.#length = 0
      return true
    }
    if (code > this.#next || (code === this.#next && this.#length === 0)) return false
    this.#learn()
    this.#start = this.out.length
    if (code < CLEAR) this.out.put(code)
    else this.out.repeat(this.#starts[code] as number, this.#lengths[code] as number)
    this.#length = this.out.length - this.#start
    return true
  }

  #learn(): void {
    if (this.#length > 0 && this.#next < WORDS_MOST) {
      this.#starts[this.#next] = this.#start
      this.#lengths[this.#next] = this.#length + 1
      this.#next++
    }
    if (this.#next + this.#early >= 2 ** this.size && this.size < LONGEST) this.size++
  }
}

function codeAt(data: Uint8Array, bit: number, size: number): number {
  const from = bit >> 3
  const three = ((data[from] ?? 0) << 16) | ((data[from + 1] ?? 0) << 8) | (data[from + 2] ?? 0)
  return (three >> (24 - size - (bit & 7))) & (2 ** size - 1)
}

const RUNS_END = 128

/** Runs of bytes (7.4.5). */
export function unpackRuns(data: Uint8Array): FilterStep {
  const out = new Output()
  for (let at = 0; at < data.length && data[at] !== RUNS_END; ) {
    const count = data[at++] as number
    const isPlain = count < RUNS_END
    const packed = isPlain ? count + 1 : 1
    if (at + packed > data.length) return { data: out.take(), fault: 'cut' }
    const times = isPlain ? packed : 257 - count
    for (let n = 0; n < times; n++) out.put(data[at + (n % packed)] as number)
    at += packed
    if (out.length > UNPACKED_MOST) return TOO_LARGE
  }
  return { data: out.take() }
}

const [MORE, LESS, TILDE] = [0x3e, 0x3c, 0x7e]

/** Two digits a byte (7.4.2). */
export function readHex(data: Uint8Array): FilterStep {
  const digits = lettersOf(data, MORE)
  const bytes = new Uint8Array((digits.length + 1) >> 1)
  for (const [n, letter] of digits.entries()) {
    const digit = Number.parseInt(String.fromCharCode(letter), 16)
    if (Number.isNaN(digit)) return { data: bytes, fault: 'damaged' }
    bytes[n >> 1] = (bytes[n >> 1] as number) | (n & 1 ? digit : digit << 4)
  }
  return { data: bytes }
}

const [BASE85_FIRST, BASE85_LAST, ZEROS] = [0x21, 0x75, 0x7a]
const FIVE = 5
const NO_BYTES = [0, 0, 0, 0, 0]

/** Five letters for four bytes (7.4.3). */
export function readBase85(data: Uint8Array): FilterStep {
  const out = new Output()
  const hasHead = data[0] === LESS && data[1] === TILDE
  const letters = lettersOf(hasHead ? data.subarray(2) : data, TILDE)
  if (!letters.every(isBase85)) return { data: out.take(), fault: 'damaged' }
  let group: number[] = []
  for (const letter of letters) {
    group.push(...(letter === ZEROS ? NO_BYTES : [letter - BASE85_FIRST]))
    if (group.length >= FIVE) group = putGroup(out, group)
  }
  if (group.length === 1) return { data: out.take(), fault: 'cut' }
  putGroup(out, group)
  return { data: out.take() }
}

function isBase85(letter: number): boolean {
  return letter === ZEROS || (letter >= BASE85_FIRST && letter <= BASE85_LAST)
}

/** Decodes a group of ASCII85, of fewer letters a byte less; gives the next group. */
function putGroup(out: Output, group: readonly number[]): number[] {
  const digits = Array.from({ length: FIVE }, (_, n) => group[n] ?? 84)
  const value = digits.reduce((sum, one) => sum * 85 + one, 0)
  for (let n = 0; n < Math.min(4, group.length - 1); n++)
    out.put(Math.floor(value / 256 ** (3 - n)) & 0xff)
  return []
}

/** Bytes that are not blanks, up to the mark of the end. */
function lettersOf(data: Uint8Array, end: number): Uint8Array {
  const to = data.indexOf(end)
  return data.subarray(0, to === -1 ? data.length : to).filter((byte) => !isBlankByte(byte))
}
