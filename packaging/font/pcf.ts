import { gunzipSync } from 'node:zlib'

/** The glyphs of an X11 bitmap font: bytes of one row after the other, first dot in the highest bit. */
export interface PcfFont {
  /** Dots. */
  readonly width: number
  /** Dots. */
  readonly height: number
  /** Code point to `height` rows of `(width + 7) >> 3` bytes. */
  readonly glyphs: ReadonlyMap<number, Uint8Array>
}

const ENCODINGS = 1 << 5
const BITMAPS = 1 << 3
const BIG_ENDIAN = 1 << 2
const NO_GLYPH = 0xffff

/** Reads a gzipped PCF file whose glyphs all have one size (format: fontforge.org/docs/techref/pcf-format.html). */
export function readPcf(gzipped: Uint8Array, width: number, height: number): PcfFont {
  const bytes = gunzipSync(gzipped)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const table = (type: number) => {
    const count = view.getUint32(4, true)
    for (let index = 0; index < count; index += 1) {
      const entry = 8 + 16 * index
      if (view.getUint32(entry, true) === type) {
        const format = view.getUint32(entry + 4, true)
        return {
          format,
          little: (format & BIG_ENDIAN) === 0,
          offset: view.getUint32(entry + 12, true),
        }
      }
    }
    throw new Error(`the PCF file has no table ${type}`)
  }

  const bitmaps = table(BITMAPS)
  const glyphCount = view.getUint32(bitmaps.offset + 4, bitmaps.little)
  const data = bitmaps.offset + 8 + 4 * glyphCount + 16
  const pad = 1 << (bitmaps.format & 3)
  const packed = (width + 7) >> 3
  const stride = Math.ceil(packed / pad) * pad
  const read = (index: number) => {
    const start = data + view.getUint32(bitmaps.offset + 8 + 4 * index, bitmaps.little)
    const rows = new Uint8Array(packed * height)
    for (let y = 0; y < height; y += 1) {
      rows.set(bytes.subarray(start + y * stride, start + y * stride + packed), y * packed)
    }
    return rows
  }

  const encodings = table(ENCODINGS)
  const [firstCell, lastCell, firstRow, lastRow] = [4, 6, 8, 10].map((at) =>
    view.getUint16(encodings.offset + at, encodings.little),
  ) as [number, number, number, number]
  const glyphs = new Map<number, Uint8Array>()
  let at = encodings.offset + 14
  for (let row = firstRow; row <= lastRow; row += 1) {
    for (let cell = firstCell; cell <= lastCell; cell += 1, at += 2) {
      const index = view.getUint16(at, encodings.little)
      if (index !== NO_GLYPH) glyphs.set(row * 256 + cell, read(index))
    }
  }
  return { width, height, glyphs }
}
