/** Exif fields that decide how a picture is shown. */
export interface Exif {
  /** 1 to 8, or undefined. */
  readonly orientation: number | undefined
  /** Pixels per inch across and down, or undefined. */
  readonly across: number | undefined
  readonly down: number | undefined
}

const NOTHING: Exif = { orientation: undefined, across: undefined, down: undefined }
const LITTLE_ENDIAN = 0x49492a00 // "II*\0"
const BIG_ENDIAN = 0x4d4d002a // "MM\0*"
const HEADER_BYTES = 8
const COUNT_BYTES = 2
const ENTRY_BYTES = 12
const ORIENTATION = 0x0112
const X_RESOLUTION = 0x011a
const Y_RESOLUTION = 0x011b
const UNIT = 0x0128
const SHORT = 3
const RATIONAL = 5
const CENTIMETERS = 3
/** Placeholder that cameras write where nothing is known (Exif 2.3, 4.6.4, tag 282). */
const NOT_KNOWN_DPI = 72

/**
 * Reads the first directory of an Exif block, a TIFF of its own (Exif 2.3, 4.6.4), so that none can lead in circles. A
 * damaged block is not a reason to refuse a picture: it says nothing.
 */
export function readExif(block: Uint8Array): Exif {
  if (block.length < HEADER_BYTES) return NOTHING
  const tiff = new DataView(block.buffer, block.byteOffset, block.length)
  const mark = tiff.getUint32(0)
  if (mark !== LITTLE_ENDIAN && mark !== BIG_ENDIAN) return NOTHING
  const entries = readEntries(tiff, mark === LITTLE_ENDIAN)
  const orientation = entries.get(ORIENTATION) ?? 0
  const perInch = entries.get(UNIT) === CENTIMETERS ? 2.54 : 1
  const [across, down] = [entries.get(X_RESOLUTION), entries.get(Y_RESOLUTION)]
  const isKnown = across !== NOT_KNOWN_DPI || down !== NOT_KNOWN_DPI
  return {
    orientation: orientation >= 1 && orientation <= 8 ? orientation : undefined,
    across: isKnown && across !== undefined ? across * perInch : undefined,
    down: isKnown && down !== undefined ? down * perInch : undefined,
  }
}

/** The first value of each tag, of short and rational ones; the first entry of a tag counts. */
function readEntries(tiff: DataView, isLittle: boolean): ReadonlyMap<number, number> {
  const entries = new Map<number, number>()
  const directory = tiff.getUint32(4, isLittle)
  const entriesAt = directory + COUNT_BYTES
  if (entriesAt > tiff.byteLength) return entries
  const room = Math.floor((tiff.byteLength - entriesAt) / ENTRY_BYTES)
  const count = Math.min(tiff.getUint16(directory, isLittle), room)
  for (let n = 0; n < count; n++) {
    const at = entriesAt + n * ENTRY_BYTES
    const tag = tiff.getUint16(at, isLittle)
    const isWanted = tag === ORIENTATION || (tag >= X_RESOLUTION && tag <= UNIT)
    const value = isWanted && !entries.has(tag) ? readEntry(tiff, { tag, at }, isLittle) : undefined
    if (value !== undefined) entries.set(tag, value)
  }
  return entries
}

function readEntry(
  tiff: DataView,
  { tag, at }: { readonly tag: number; readonly at: number },
  isLittle: boolean,
): number | undefined {
  const type = tiff.getUint16(at + 2, isLittle)
  if (type === SHORT) return tiff.getUint16(at + 8, isLittle)
  const place = tiff.getUint32(at + 8, isLittle)
  if (tag !== X_RESOLUTION && tag !== Y_RESOLUTION) return undefined
  if (type !== RATIONAL || place + 8 > tiff.byteLength) return undefined
  return tiff.getUint32(place, isLittle) / Math.max(1, tiff.getUint32(place + 4, isLittle))
}
