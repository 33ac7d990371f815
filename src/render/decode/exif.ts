import type { Buffer } from 'node:buffer'

const EXIF = 'Exif\0\0'
const TIFF_AT = EXIF.length
const ORIENTATION = 0x0112
const SHORT = 3
const ENTRY_BYTES = 12
const TIFF_HEADER_BYTES = 8

/**
 * The orientation 1..8 in an APP1 segment (Exif 2.3, 4.6.4, tag 274), or undefined when it holds none. A damaged
 * Exif block is no reason to refuse a picture: it holds none.
 */
export function readOrientation(segment: Buffer): number | undefined {
  if (segment.toString('latin1', 0, TIFF_AT) !== EXIF) return undefined
  const tiff = segment.subarray(TIFF_AT)
  const read = chooseByteOrder(tiff)
  const directory = read?.long(4) ?? tiff.length
  if (read === undefined || directory + 2 > tiff.length) return undefined
  const entries = Math.min(
    read.short(directory),
    Math.floor((tiff.length - directory - 2) / ENTRY_BYTES),
  )
  for (let n = 0; n < entries; n++) {
    const at = directory + 2 + n * ENTRY_BYTES
    if (read.short(at) === ORIENTATION && read.short(at + 2) === SHORT) {
      const value = read.short(at + 8)
      return value >= 1 && value <= 8 ? value : undefined
    }
  }
  return undefined
}

interface Reader {
  short(at: number): number
  long(at: number): number
}

function chooseByteOrder(tiff: Buffer): Reader | undefined {
  if (tiff.length < TIFF_HEADER_BYTES) return undefined
  const mark = tiff.toString('latin1', 0, 4)
  if (mark === 'II*\0') {
    return { short: (at) => tiff.readUInt16LE(at), long: (at) => tiff.readUInt32LE(at) }
  }
  if (mark === 'MM\0*') {
    return { short: (at) => tiff.readUInt16BE(at), long: (at) => tiff.readUInt32BE(at) }
  }
  return undefined
}
