/** What the first bytes of a picture promise, read without decoding anything. */
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
  /** Pixels per inch that the file states, or 0. */
  readonly dpi: number
}

/** Takes one row of luma, 0 black to 255 white, transparency already laid over white. The row is reused after the call. */
export type TakeRow = (row: Uint8Array, y: number) => void

/** A picture format. Adding one = one file with one of these, its test, one line in `./index.ts`. */
export interface Decoder<F extends string = string> {
  readonly format: F
  /** @throws PlatenError PICTURE_BROKEN, PICTURE_UNSUPPORTED */
  header(bytes: Uint8Array): Header
  /**
   * Calls `take` once a row, top to bottom, as stored (`orientation` is the caller's work).
   * @throws PlatenError PICTURE_BROKEN, PICTURE_UNSUPPORTED
   */
  decode(bytes: Uint8Array, take: TakeRow): void
}
