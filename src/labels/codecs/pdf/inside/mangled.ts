import { Buffer } from 'node:buffer'
import type { Stream } from './syntax.ts'

/** So many places tell what happened to a file; by chance there are none. */
const ENOUGH = 3
const [LF, CR, HIGH] = [0x0a, 0x0d, 0x80]
/** In half of so many bytes of packed data the highest bit is set. */
const LONG = 24

/**
 * Tells whether damaged data were read as text on their way, which no program does to what it takes as bytes: letters that UTF-8
 * does not have became U+FFFD or `?`, bytes of Latin-1 were written as UTF-8, or ends of lines were changed. `broken`: the
 * streams that cannot be unpacked.
 */
export function wasReadAsText(pdf: Uint8Array, broken: readonly Stream[]): boolean {
  const bytes = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength)
  if (hasReplaced(bytes) || isUtf8(bytes)) return true
  if (broken.some(isStripped)) return true
  return broken.some(({ isMeasured }) => !isMeasured) && hasChangedLines(bytes)
}

function hasReplaced(bytes: Buffer): boolean {
  let found = 0
  for (let at = bytes.indexOf('efbfbd', 0, 'hex'); at !== -1 && found < ENOUGH; found++) {
    at = bytes.indexOf('efbfbd', at + 3, 'hex')
  }
  return found >= ENOUGH
}

/** All of a file with packed data is UTF-8 only if it was written so. */
function isUtf8(bytes: Uint8Array): boolean {
  if (bytes.every((byte) => byte < HIGH)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/** Each line feed has a carriage return before it, or there is not one carriage return. */
function hasChangedLines(bytes: Uint8Array): boolean {
  let [alone, pairs, returns] = [0, 0, 0]
  for (let n = 0; n < bytes.length; n++) {
    if (bytes[n] === CR) returns++
    if (bytes[n] !== LF) continue
    if (bytes[n - 1] === CR) pairs++
    else alone++
  }
  return pairs === 0 ? returns === 0 && alone >= ENOUGH : alone === 0 && pairs >= ENOUGH
}

/** The highest bit is gone from all bytes, or `?` stands for those that had it. */
function isStripped({ dict, data }: Stream): boolean {
  return dict.has('Filter') && data.length >= LONG && data.every((byte) => byte < HIGH)
}
