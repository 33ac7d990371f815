import { deflateSync } from 'node:zlib'

/** 6 makes 1 % more bytes, 8 and 9 save as much and take four to ten times as long. */
const DEFLATE_LEVEL = 7

const COLON = 0x3a
const COMMA = 0x2c
/** One below `G` = 1 and `g` = 20: letters that count (ZPL Programming Guide, ^GF, alternative data compression). */
const BEFORE_ONES = 0x46
const BEFORE_TWENTIES = 0x66
const FOUR_HUNDRED = 0x7a

/**
 * Rows as hexadecimal with run lengths ("ACS"), which every ZPL printer reads: `,` = the rest of the row is white,
 * `:` = the row above once more. `!` (the rest is black) is not used, since readers disagree on it, and a `:` never
 * begins the data, where it would announce another coding.
 */
export function packRunLengths(bits: Uint8Array, stride: number): Uint8Array {
  // At its worst a row is two digits a byte and a comma: a run never takes more room than its digits.
  const out = new Uint8Array((bits.length / stride) * (2 * stride + 1))
  let to = 0
  for (let start = 0; start < bits.length; start += stride) {
    if (start > 0 && isRepeated(bits, start, stride)) {
      out[to++] = COLON
      continue
    }
    let end = start + stride
    while (end > start && bits[end - 1] === 0) end--
    to = packRow(bits, start, end, out, to)
    // Only whole bytes are left out: a comma may stand for an even number of digits only.
    if (end < start + stride) out[to++] = COMMA
  }
  return out.slice(0, to)
}

/** zlib and base64, for printers known to read it: `:Z64:` data `:` CRC of the base64 characters. */
export function packZ64(bits: Uint8Array): Uint8Array {
  const base64 = deflateSync(bits, { level: DEFLATE_LEVEL }).toString('base64')
  const crc = crc16(Buffer.from(base64, 'latin1')).toString(16).padStart(4, '0')
  return Buffer.from(`:Z64:${base64}:${crc}`, 'latin1')
}

/** CRC-16/XMODEM: polynomial 0x1021, start 0, nothing reflected; "123456789" gives 0x31c3. */
export function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    let mixed = (crc >> 8) ^ byte
    mixed ^= mixed >> 4
    crc = ((crc << 8) ^ (mixed << 12) ^ (mixed << 5) ^ mixed) & 0xffff
  }
  return crc
}

function isRepeated(bits: Uint8Array, start: number, stride: number): boolean {
  for (let i = start; i < start + stride; i++) if (bits[i] !== bits[i - stride]) return false
  return true
}

function packRow(bits: Uint8Array, start: number, end: number, out: Uint8Array, at: number) {
  let to = at
  let digit = 0
  let count = 0
  for (let i = start; i < end; i++) {
    const byte = bits[i] as number
    const [high, low] = [byte >> 4, byte & 15]
    if (high === digit) count++
    else {
      to = writeRun(out, to, digit, count)
      digit = high
      count = 1
    }
    if (low === digit) count++
    else {
      to = writeRun(out, to, digit, count)
      digit = low
      count = 1
    }
  }
  return writeRun(out, to, digit, count)
}

function writeRun(out: Uint8Array, at: number, digit: number, length: number): number {
  let to = at
  let count = length
  const character = digit + (digit < 10 ? 48 : 55)
  if (count < 3) {
    if (count > 0) out[to++] = character
    if (count > 1) out[to++] = character
    return to
  }
  for (; count >= 400; count -= 400) out[to++] = FOUR_HUNDRED
  const twenties = Math.floor(count / 20)
  if (twenties > 0) out[to++] = BEFORE_TWENTIES + twenties
  if (count % 20 > 0) out[to++] = BEFORE_ONES + (count % 20)
  out[to++] = character
  return to
}
