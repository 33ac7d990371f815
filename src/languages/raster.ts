/** One bit per dot, 1 = black, first dot of a row in the highest bit, rows padded with 0 to whole bytes. */
export interface Raster {
  /** Dots per row. */
  readonly width: number
  /** Rows. */
  readonly height: number
  /** `rowBytes(width) * height` bytes, top row first. */
  readonly bits: Uint8Array
}

/** Bytes that a row of so many dots takes. */
export function rowBytes(width: number): number {
  return (width + 7) >> 3
}
