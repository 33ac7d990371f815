import { LabelFault } from '../../fault.ts'
import { describePixels, type Header, type PicturePage } from '../decoder.ts'

/** Compression of a TIFF (TIFF 6.0, tag 259). */
export type Packing = 'none' | 'rle' | 'g3' | 'g4' | 'lzw' | 'deflate' | 'packbits'

const PACKINGS: Readonly<Record<number, Packing>> = {
  1: 'none',
  2: 'rle',
  3: 'g3',
  4: 'g4',
  5: 'lzw',
  8: 'deflate',
  32946: 'deflate',
  32773: 'packbits',
}

/** Range of a strip of rows in the file. */
export interface Strip {
  readonly from: number
  readonly bytes: number
  readonly rows: number
}

/** Contents of a page's directory. */
export interface TiffHeader extends Header {
  readonly packing: Packing
  /** 1 or 8. */
  readonly bits: number
  readonly samples: number
  /** 0 is white. */
  readonly isInverted: boolean
  /** Differences of neighbors (tag 317). */
  readonly isPredicted: boolean
  /** The lowest bit of a byte comes first (tag 266). */
  readonly isReversed: boolean
  /** Two-dimensional `g3`: rows refer to the one before (tag 292). */
  readonly is2d: boolean
  readonly strips: readonly Strip[]
  /** Colors of a palette as luma, or undefined. */
  readonly palette: Uint8Array | undefined
}

const TAG = {
  subfile: 254,
  width: 256,
  height: 257,
  bits: 258,
  packing: 259,
  photometric: 262,
  fillOrder: 266,
  strips: 273,
  orientation: 274,
  samples: 277,
  stripRows: 278,
  stripBytes: 279,
  xResolution: 282,
  yResolution: 283,
  planar: 284,
  g3Options: 292,
  unit: 296,
  predictor: 317,
  palette: 320,
  tileWidth: 322,
} as const
const WHITE_IS_ZERO = 0
const RGB = 2
const PALETTE = 3
const CENTIMETERS = 3
/** Bits of tag 254: a smaller version or the mask of another picture of the file. */
const SMALLER_OR_MASK = 1 | 4
const ENTRIES_MOST = 512
const STRIPS_MOST = 100_000
/** Bytes of a value by its type: BYTE, ASCII, SHORT, LONG, RATIONAL. */
const SIZES: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8 }
const RATIONAL = 5

/** Reads the numbers of one directory. */
class Directory {
  readonly #view: DataView
  readonly #isLittle: boolean
  readonly #entries = new Map<number, { type: number; count: number; at: number }>()
  /** Offset of the next page's directory; 0 = there is none. */
  readonly next: number

  constructor(bytes: Uint8Array, at: number | undefined) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#isLittle = bytes[0] === 0x49
    const start = at ?? this.#long(4)
    const count = this.#short(start)
    if (count === 0 || count > ENTRIES_MOST) throw broken('its directory is damaged')
    for (let n = 0; n < count; n++) {
      const entry = start + 2 + n * 12
      const type = this.#short(entry + 2)
      const values = this.#long(entry + 4)
      const isInside = (SIZES[type] ?? 8) * values <= 4
      const place = isInside ? entry + 8 : this.#long(entry + 8)
      this.#entries.set(this.#short(entry), { type, count: values, at: place })
    }
    this.next = this.#long(start + 2 + count * 12)
  }

  /** At most the first `wanted` values of a tag, which may have `most`. */
  list(tag: number, most = STRIPS_MOST, wanted = most): readonly number[] {
    const entry = this.#entries.get(tag)
    if (entry === undefined) return []
    const size = SIZES[entry.type]
    const isOdd = entry.type === RATIONAL && tag !== TAG.xResolution && tag !== TAG.yResolution
    if (size === undefined || isOdd || entry.count > most) throw broken(`tag ${tag} is damaged`)
    return Array.from({ length: Math.min(entry.count, wanted) }, (_, n) =>
      this.#value(entry.type, entry.at + n * size),
    )
  }

  one(tag: number, otherwise: number): number {
    return this.list(tag, STRIPS_MOST, 1)[0] ?? otherwise
  }

  #value(type: number, at: number): number {
    if (type === RATIONAL) return this.#long(at) / Math.max(1, this.#long(at + 4))
    if (type === 4) return this.#long(at)
    return type === 3 ? this.#short(at) : this.#byte(at)
  }

  #byte(at: number): number {
    this.#check(at, 1)
    return this.#view.getUint8(at)
  }

  #short(at: number): number {
    this.#check(at, 2)
    return this.#view.getUint16(at, this.#isLittle)
  }

  #long(at: number): number {
    this.#check(at, 4)
    return this.#view.getUint32(at, this.#isLittle)
  }

  #check(at: number, bytes: number): void {
    if (at + bytes > this.#view.byteLength) throw broken('it is cut off')
  }
}

/**
 * Reads the header of the page whose directory lies there; of the first, where none is named.
 * @throws LabelFault PICTURE_BROKEN, PICTURE_UNSUPPORTED
 */
export function readTiffHeader(bytes: Uint8Array, at?: number): TiffHeader {
  const directory = new Directory(bytes, at)
  const [width, height] = [directory.one(TAG.width, 0), directory.one(TAG.height, 0)]
  if (width < 1 || height < 1) throw broken('it has no size')
  const samples = directory.one(TAG.samples, 1)
  const bits = directory.one(TAG.bits, 1)
  const photometric = directory.one(TAG.photometric, WHITE_IS_ZERO)
  const packing = PACKINGS[directory.one(TAG.packing, 1)]
  checkKind(directory, { bits, samples, photometric, packing })
  const rowBytes = Math.ceil((width * bits * samples) / 8)
  const strips = readStrips(directory, { width, height, length: bytes.length }, (rows) =>
    packing === 'none' ? rows * rowBytes : undefined,
  )
  const orientation = directory.one(TAG.orientation, 1)
  const isBilevel = bits === 1 && photometric !== PALETTE
  return {
    width,
    height,
    pixels: width * height,
    divisors: [1],
    orientation: orientation >= 1 && orientation <= 8 ? orientation : 1,
    memoryBytes: Math.max(...strips.map(({ rows }) => rows)) * rowBytes + 4 * width,
    ...readPixels(directory),
    ...(isBilevel && { isBilevel }),
    packing: packing as Packing,
    bits,
    samples,
    strips,
    isInverted: photometric === WHITE_IS_ZERO,
    // Of other packings libtiff passes over it, and the samples are as they are (TIFF 6.0, section 14).
    isPredicted:
      (packing === 'lzw' || packing === 'deflate') && directory.one(TAG.predictor, 1) === 2,
    isReversed: directory.one(TAG.fillOrder, 1) === 2,
    is2d: (directory.one(TAG.g3Options, 0) & 1) === 1,
    palette: photometric === PALETTE ? readPalette(directory, bits) : undefined,
  }
}

/**
 * The pages of a TIFF; as a file of its own each is the same file, its head pointing at that page.
 * @throws LabelFault PICTURE_BROKEN, PICTURE_TOO_LARGE
 */
export function listTiffPages(bytes: Uint8Array, most: number): readonly PicturePage[] {
  const places: number[] = []
  const seen = new Set<number>()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const isLittle = bytes[0] === 0x49
  if (bytes.length < 8) throw broken('it is cut off')
  let at = view.getUint32(4, isLittle)
  while (at !== 0 && !seen.has(at)) {
    seen.add(at)
    if (seen.size > most) {
      throw new LabelFault('PICTURE_TOO_LARGE', `The TIFF has more than ${most} pages.`)
    }
    const directory = new Directory(bytes, at)
    // GIMP writes a thumbnail behind its picture; what comes first is a page, whatever it says.
    if (places.length === 0 || (directory.one(TAG.subfile, 0) & SMALLER_OR_MASK) === 0) {
      places.push(at)
    }
    at = directory.next
  }
  return places.map((place) => ({
    header: () => readTiffHeader(bytes, place),
    file: () => pointAt(bytes, place),
  }))
}

/**
 * The file with its head pointing at the page whose directory lies there, and no page behind it: whoever splits the page once
 * more (another print server that it is handed to) finds this one alone.
 */
function pointAt(bytes: Uint8Array, directory: number): Uint8Array {
  const isLittle = bytes[0] === 0x49
  const page = new Uint8Array(bytes)
  const view = new DataView(page.buffer)
  view.setUint32(4, directory, isLittle)
  view.setUint32(directory + 2 + view.getUint16(directory, isLittle) * 12, 0, isLittle)
  return page
}

/** @throws LabelFault PICTURE_UNSUPPORTED, PICTURE_BROKEN */
function checkKind(directory: Directory, kind: TiffSampleFormat): void {
  const { bits, samples, photometric, packing } = kind
  const most = photometric === RGB ? 4 : 2
  const isFax = packing === 'rle' || packing === 'g3' || packing === 'g4'
  const faults: readonly (readonly [boolean, string])[] = [
    [packing === undefined, `compression ${directory.one(TAG.packing, 1)}`],
    [bits !== 1 && bits !== 8, `${bits} bits a sample`],
    [photometric > PALETTE, `colors of kind ${photometric}`],
    [samples > most, `${samples} samples a pixel`],
    [photometric === RGB && (samples < 3 || bits !== 8), `${samples} samples of ${bits} bits`],
    [samples > 1 && bits !== 8, `${samples} samples of ${bits} bits`],
    [samples > 1 && directory.one(TAG.planar, 1) !== 1, 'colors apart'],
    [directory.one(TAG.tileWidth, 0) !== 0, 'tiles'],
    [isFax && (bits !== 1 || samples !== 1), 'fax compression of gray'],
  ]
  const fault = faults.find(([isFault]) => isFault)
  if (fault !== undefined) throw unsupported(fault[1])
}

interface TiffSampleFormat {
  readonly bits: number
  readonly samples: number
  readonly photometric: number
  readonly packing: Packing | undefined
}

/** `measure`: the bytes of so many rows, where they follow from the rows; of others the file says it. */
function readStrips(
  directory: Directory,
  { width, height, length }: { width: number; height: number; length: number },
  measure: (rows: number) => number | undefined,
): readonly Strip[] {
  const places = directory.list(TAG.strips)
  const sizes = directory.list(TAG.stripBytes)
  const each = Math.min(height, directory.one(TAG.stripRows, height) || height)
  if (places.length !== Math.ceil(height / each) || places.length === 0)
    throw broken('its strips do not cover it')
  if (width > 1_000_000) throw broken('it is too wide')
  return places.map((from, n) => {
    const rows = Math.min(each, height - n * each)
    const bytes = measure(rows) ?? sizes[n] ?? length - from
    // Half a label must not print.
    if (from > length || from + bytes > length) throw broken('it is cut off')
    return { from, bytes, rows }
  })
}

const INCHES = 2

/** Without a unit the densities say how they relate. */
function readPixels(directory: Directory): Pick<Header, 'dpi' | 'stretch'> {
  const across = directory.one(TAG.xResolution, 0)
  const unit = directory.one(TAG.unit, INCHES)
  const perInch = unit === CENTIMETERS ? 2.54 : unit === INCHES ? 1 : 0
  return describePixels(across, readYResolution(directory) || across, perInch)
}

/** 0 where it is damaged: a picture is whole without it. */
function readYResolution(directory: Directory): number {
  try {
    return directory.one(TAG.yResolution, 0)
  } catch (error) {
    if (error instanceof LabelFault) return 0
    throw error
  }
}

/** Rec. 601 luma of each color; the file has all reds first, then greens, then blues, of 16 bits or, as libtiff reads them, 8. */
function readPalette(directory: Directory, bits: number): Uint8Array {
  const colors = directory.list(TAG.palette, 3 * 256)
  const count = 2 ** bits
  if (colors.length < 3 * count) throw broken('its palette is cut off')
  const white = colors.every((value) => value < 256) ? 255 : 65_535
  return Uint8Array.from({ length: count }, (_, n) => {
    const [red = 0, green = 0, blue = 0] = [colors[n], colors[n + count], colors[n + 2 * count]]
    return Math.round(((0.299 * red + 0.587 * green + 0.114 * blue) * 255) / white)
  })
}

function broken(why: string): LabelFault {
  return new LabelFault('PICTURE_BROKEN', `The TIFF cannot be read: ${why}.`)
}

function unsupported(what: string): LabelFault {
  return new LabelFault('PICTURE_UNSUPPORTED', `The TIFF has ${what}, which is not read here.`)
}
