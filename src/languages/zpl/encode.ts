import type { Encoding } from '../language.ts'
import { joinParts } from '../parts.ts'
import { type Raster, rowBytes } from '../raster.ts'
import { packRunLengths, packZ64 } from './graphics.ts'

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

/** What the beginning of a label depends on. */
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
