/** Divisor of a picture's stored size that it is decoded at; sizes are rounded up. Decision `own-decoders`. */
export type Divisor = 1 | 2 | 4 | 8

/** Factors, from 1. */
export interface PixelAspect {
  readonly across: number
  readonly down: number
}

/** Header of a picture, read without decoding anything. */
export interface Header {
  /** Pixels as stored, before `orientation`. */
  readonly width: number
  readonly height: number
  /** EXIF orientation 1..8; 1 = as stored. */
  readonly orientation: number
  /** Pixels that decoding has to hold or walk, frames beside the screen included. */
  readonly pixels: number
  /** Bytes that this decoder will hold at its peak, by its own measured estimate; the gate compares it. */
  readonly memoryBytes: number
  /** Pixels per inch that the file states, or 0; along the finer direction where its pixels are not square. */
  readonly dpi: number
  /** Factors by which the picture is wider and higher than stored where its pixels are not square; one of them is 1. */
  readonly stretch?: PixelAspect | undefined
  /** Divisors that the decoder itself offers: always 1, and what its coding allows besides. */
  readonly divisors: readonly Divisor[]
  /** Every pixel is plain black or plain white, and `decodeBits` gives them so. */
  readonly isBilevel?: boolean
}

// 204 x 196 dots of a fax are 4 % apart; sizes in millimeters are rounded by 1 %.
const UNEQUAL = 0.02
/** Limit of unequal resolutions: of printers and faxes 1200 x 300 are furthest apart; what is beyond all measure is a slip of its program. */
const UNEQUAL_MOST = 8

/**
 * The resolution of a picture by its densities across and down, which count so many times an inch; 0 = in no unit that is
 * known, so that only how they relate counts.
 */
export function describePixels(
  across: number,
  down: number,
  perInch: number,
): Pick<Header, 'dpi' | 'stretch'> {
  const ratio = across / down
  const isUnequal = Math.abs(ratio - 1) > UNEQUAL && Math.max(ratio, 1 / ratio) <= UNEQUAL_MOST
  if (!isUnequal) return { dpi: Math.round(across * perInch) }
  const stretch = ratio > 1 ? { across: 1, down: ratio } : { across: 1 / ratio, down: 1 }
  return { dpi: Math.round(Math.max(across, down) * perInch), stretch }
}

/** A page of a picture. */
export interface PicturePage {
  /** @throws LabelFault PICTURE_BROKEN, PICTURE_UNSUPPORTED */
  header(): Header
  /** A copy of it as a file of its own. */
  file(): Uint8Array
}

/** Takes one row of luma, 0 black to 255 white, transparency already laid over white. The row is reused after the call. */
export type TakeRow = (row: Uint8Array, y: number) => void

/**
 * A picture format. Adding one = one file with one of these, its test, one line in `./index.ts`. Decoding itself is
 * imported when it is first asked for: the server reads headers only, and decoders with their packages take 16 MB.
 */
export interface Decoder<F extends string = string> {
  readonly format: F
  /** First bytes of its files, one character a byte. */
  readonly signs: readonly string[]
  /** @throws LabelFault PICTURE_BROKEN, PICTURE_UNSUPPORTED */
  header(bytes: Uint8Array): Header
  /**
   * Pages of a format that can hold several, in order; each is a label. At most `most`.
   * @throws LabelFault PICTURE_BROKEN, PICTURE_UNSUPPORTED, PICTURE_TOO_LARGE
   */
  pages?(bytes: Uint8Array, most: number): readonly PicturePage[]
  /** Its pages may lie in the same bytes: the file is kept once for all of them. */
  readonly isShared?: boolean
  /**
   * Calls `take` once a row, top to bottom, as stored (`orientation` is the caller's work), each side divided by
   * `divisor`, one of the header's.
   * @throws LabelFault PICTURE_BROKEN, PICTURE_UNSUPPORTED
   */
  decode(bytes: Uint8Array, divisor: Divisor, take: TakeRow): Promise<void>
  /**
   * The short way of a bilevel picture: rows of one bit a pixel, 1 black, the rest of the last byte 0, no gray between.
   * @throws LabelFault PICTURE_BROKEN
   */
  decodeBits?(bytes: Uint8Array, take: TakeRow): Promise<void>
}

// glibc takes blocks above 32 MB (DEFAULT_MMAP_THRESHOLD_MAX) from the kernel one by one and gives them back at once; once
// a smaller one was freed, the next of its size comes out of a heap that keeps it.
const FROM_KERNEL_BYTES = 33 * 2 ** 20
const LARGE_BYTES = 2 ** 20

/**
 * Zeroed memory for a plane. A large one is set aside larger than it is, so that the kernel has it back once it is freed;
 * what is never touched costs nothing.
 */
export function makeMemory(bytes: number): ArrayBuffer {
  return new ArrayBuffer(bytes < LARGE_BYTES ? bytes : Math.max(bytes, FROM_KERNEL_BYTES))
}

/** The most bytes of rows that are held because they come out of order (interlaced pictures). */
const HELD_BYTES_MAX = 17 * 2 ** 20

/** Rows from `top` up to `bottom`. */
export interface Band {
  readonly top: number
  readonly bottom: number
}

/** The bands, each within `HELD_BYTES_MAX`, in which a picture is held whose rows come out of order: one, of most. */
export function splitBands(width: number, height: number): readonly Band[] {
  const rows = Math.max(1, Math.floor(HELD_BYTES_MAX / width))
  return Array.from({ length: Math.ceil(height / rows) }, (_, n) => ({
    top: n * rows,
    bottom: Math.min(height, (n + 1) * rows),
  }))
}

/** Counts the bytes that a picture held so takes. */
export function heldBytes(width: number, height: number): number {
  return Math.min(width * height, Math.max(width, HELD_BYTES_MAX))
}
