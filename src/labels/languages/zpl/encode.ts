import { deflateSync } from 'node:zlib'
import type { Encoding } from '../language.ts'
import { joinParts, type Raster, rowBytes } from '../raster.ts'

/** ^GF counts to 99,999 bytes at most; 609 rows of a 4 inch label at 203 dpi are proven to print. */
const BAND_BYTES = 62_118

/**
 * ZPL II. The picture goes as several ^GF, each far below the 99,999 bytes that ^GF can count. The job resets what
 * labels of others leave behind, and leaves alone what the bench calibrated (^LT ~TA ^MM ^MN ^MD ~SD ^PR), but for
 * the darkness and speed that were configured.
 */
export function encode(raster: Raster, encoding: Encoding): Uint8Array {
  const stride = rowBytes(raster.width)
  const most = Math.max(1, Math.floor(BAND_BYTES / stride))
  const pack = encoding.z64 ? packZ64 : packRunLengths
  const parts: (string | Uint8Array)[] = [beginZpl(encoding)]
  let top = skipBlank(raster, 0, stride)
  // A format without any field need not feed a label, so a blank picture sends one blank byte.
  if (top === raster.height) parts.push('^FO0,0^GFA,1,1,1,00^FS\n')
  while (top < raster.height) {
    const bottom = trimBlank(raster, top, Math.min(top + most, raster.height), stride)
    const bytes = (bottom - top) * stride
    parts.push(`^FO0,${top}^GFA,${bytes},${bytes},${stride},`)
    parts.push(pack(raster.bits.subarray(top * stride, bottom * stride), stride), '^FS\n')
    top = skipBlank(raster, bottom, stride)
  }
  parts.push('^XZ\n')
  return joinParts(parts)
}

/** The data of a field whose place others say: `^FO` before it, `^FS` behind it. */
export function drawInline({ width, height, bits }: Raster): Uint8Array {
  const stride = rowBytes(width)
  const count = stride * height
  return joinParts([`^GFA,${count},${count},${stride},`, packRunLengths(bits, stride)])
}

/** Settings that the beginning of a label depends on. */
type Beginning = Pick<Encoding, 'darkness' | 'speed' | 'widthDots' | 'heightDots'>

/**
 * ^LL rules continuous stock only (gap and mark stock measures itself), where the length of an earlier label would
 * cut this one; it must stand before the first ^FS. ~SD is at once, so it stands before the format.
 * @param turn as ^PO: N = upright, I = upside down
 */
export function beginZpl(beginning: Beginning, turn: 'N' | 'I' = 'N'): string {
  const { darkness, speed, widthDots, heightDots } = beginning
  const dark = darkness === undefined ? '' : `~SD${twoDigits(darkness * 0.3)}\n`
  const fast = speed === undefined ? '' : `^PR${Math.min(14, Math.max(1, Math.round(speed)))}`
  return `${dark}^XA^CI28^LH0,0^LS0^PO${turn}^LRN^PMN^FWN^MCY^PW${widthDots}^LL${heightDots}${fast}\n`
}

function twoDigits(value: number): string {
  return String(Math.round(value)).padStart(2, '0')
}

function skipBlank(raster: Raster, from: number, stride: number): number {
  let y = from
  while (y < raster.height && isBlank(raster.bits, y * stride, stride)) y++
  return y
}

/** The end of the last row before `bottom` that has a black dot; row `top` has one. */
function trimBlank(raster: Raster, top: number, bottom: number, stride: number): number {
  let end = bottom
  while (end > top + 1 && isBlank(raster.bits, (end - 1) * stride, stride)) end--
  return end
}

function isBlank(bits: Uint8Array, start: number, stride: number): boolean {
  for (let i = start; i < start + stride; i++) if (bits[i] !== 0) return false
  return true
}

/** 6 makes 1 % more bytes, 8 and 9 save as much and take four to ten times as long. */
const DEFLATE_LEVEL = 7

const COLON = 0x3a
const COMMA = 0x2c
/** Code below `G` = 1 and `g` = 20: letters that count (ZPL Programming Guide, ^GF, alternative data compression). */
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
