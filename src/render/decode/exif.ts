import type { Buffer } from 'node:buffer'

// The first bytes as numbers: a file may hold thousands of these segments, and texts of them would be garbage.
const EXIF = 0x45786966 // "Exif", then two zeros
const LITTLE_ENDIAN = 0x49492a00 // "II*\0"
const BIG_ENDIAN = 0x4d4d002a // "MM\0*"

const TIFF_AT = 6
const TIFF_HEADER_BYTES = 8
const COUNT_BYTES = 2
const ENTRY_BYTES = 12
const ORIENTATION = 0x0112
const SHORT = 3

/**
 * The orientation 1..8 in an APP1 segment (Exif 2.3, 4.6.4, tag 274), or undefined when it holds none. A damaged
 * Exif block is no reason to refuse a picture: it holds none. Only the first directory is read, so none can lead in circles.
 */
export function readOrientation(segment: Buffer): number | undefined {
  if (segment.length < TIFF_AT + TIFF_HEADER_BYTES) return undefined
  if (segment.readUInt32BE(0) !== EXIF || segment.readUInt16BE(4) !== 0) return undefined
  const { buffer, byteOffset, length } = segment
  const tiff = new DataView(buffer, byteOffset + TIFF_AT, length - TIFF_AT)
  const mark = tiff.getUint32(0)
  if (mark !== LITTLE_ENDIAN && mark !== BIG_ENDIAN) return undefined
  const value = findOrientation(tiff, mark === LITTLE_ENDIAN)
  return value !== undefined && value >= 1 && value <= 8 ? value : undefined
}

function findOrientation(tiff: DataView, isLittle: boolean): number | undefined {
  const directory = tiff.getUint32(4, isLittle)
  const entriesAt = directory + COUNT_BYTES
  if (entriesAt > tiff.byteLength) return undefined
  const room = Math.floor((tiff.byteLength - entriesAt) / ENTRY_BYTES)
  const entries = Math.min(tiff.getUint16(directory, isLittle), room)
  for (let n = 0; n < entries; n++) {
    const at = entriesAt + n * ENTRY_BYTES
    const isFound = tiff.getUint16(at, isLittle) === ORIENTATION
    if (isFound && tiff.getUint16(at + 2, isLittle) === SHORT) {
      return tiff.getUint16(at + 8, isLittle)
    }
  }
  return undefined
}
