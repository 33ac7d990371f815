/** The pictures in ZPL: ^GF and what ~DG and ~DY keep. */
import { inflate } from '../text-bytes.js'

const MAX_BYTES = 4e6

/**
 * The bytes of a graphic: hexadecimal with run lengths, :B64:, :Z64:, or just bytes (ZPL II guide, ^GF).
 * @param {string} data
 * @param {number} rowBytes
 * @param {number} total bytes that were announced
 * @param {boolean} isBinary
 * @returns {Promise<Uint8Array>}
 */
export async function readGraphic(data, rowBytes, total, isBinary) {
  const most = Math.min(MAX_BYTES, total > 0 ? total : MAX_BYTES)
  if (isBinary) return bytesOf(data.slice(0, most))
  const coded = /^\s*:(Z64|B64):([A-Za-z0-9+/=\s]*)/.exec(data)
  if (coded === null) return expand(data, rowBytes, most)
  const bytes = bytesOf(atob((coded[2] ?? '').replace(/\s/g, '')))
  return coded[1] === 'Z64' ? await inflate(bytes, most) : bytes.subarray(0, most)
}

/** @param {string} text */
function bytesOf(text) {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0))
}

const DIGITS = '0123456789ABCDEF'

/** Hexadecimal digits one after the other, in rows of a length. */
class Digits {
  length = 0
  run = 0

  /** @param {number} most @param {number} row */
  constructor(most, row) {
    this.all = new Uint8Array(most)
    this.row = row
  }

  get isFull() {
    return this.length >= this.all.length
  }

  /** @param {number} digit @param {number} count */
  put(digit, count) {
    const end = Math.min(this.all.length, this.length + count)
    this.all.fill(digit, this.length, end)
    this.length = end
  }

  /** @param {number} digit the rest of the row */
  fillRow(digit) {
    this.put(digit, this.row - (this.length % this.row))
  }

  /** A digit, or what stands for several. @param {number} code */
  read(code) {
    const digit = DIGITS.indexOf(String.fromCharCode(code).toUpperCase())
    if (digit >= 0) {
      this.put(digit, Math.max(1, this.run))
      this.run = 0
    } else if (code === 0x2c) this.fillRow(0)
    else if (code === 0x21) this.fillRow(15)
    else if (code === 0x3a) this.repeatRow()
    else this.run += runOf(code)
  }

  /** The row above once more. */
  repeatRow() {
    const from = this.length - this.row
    const end = Math.min(this.all.length, this.length + this.row)
    if (from >= 0) this.all.copyWithin(this.length, from, from + (end - this.length))
    this.length = end
  }
}

/** @param {string} data @param {number} rowBytes @param {number} most */
function expand(data, rowBytes, most) {
  const digits = new Digits(most * 2, rowBytes * 2)
  for (let at = 0; at < data.length && !digits.isFull; at++) digits.read(data.charCodeAt(at))
  const bytes = new Uint8Array(digits.length >> 1)
  for (let n = 0; n < bytes.length; n++) {
    bytes[n] = ((digits.all[2 * n] ?? 0) << 4) | (digits.all[2 * n + 1] ?? 0)
  }
  return bytes
}

/** Returns how many times a letter repeats the next digit: `G` = 1 to `Y` = 19, `g` = 20 to `z` = 400. @param {number} code */
function runOf(code) {
  if (code >= 0x47 && code <= 0x59) return code - 0x46
  return code >= 0x67 && code <= 0x7a ? 20 * (code - 0x66) : 0
}
