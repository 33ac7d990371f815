// Rec. 601 in integers; the three weights make 256, so white stays 255.
const RED = 77
const GREEN = 150
const BLUE = 29

/** Luma of a row of red, green, blue, alpha, laid over white paper. `row` takes one byte a pixel. */
export function lumaOfRgba(rgba: Uint8Array, from: number, row: Uint8Array): void {
  for (let x = 0, at = from; x < row.length; x++, at += 4) {
    const alpha = rgba[at + 3] ?? 255
    const luma =
      (RED * (rgba[at] ?? 0) + GREEN * (rgba[at + 1] ?? 0) + BLUE * (rgba[at + 2] ?? 0)) >> 8
    row[x] = alpha === 255 ? luma : Math.round((luma * alpha + 255 * (255 - alpha)) / 255)
  }
}

/** Luma of a row of red, green, blue. `row` takes one byte a pixel. */
export function lumaOfRgb(rgb: Uint8Array, from: number, row: Uint8Array): void {
  for (let x = 0, at = from; x < row.length; x++, at += 3) {
    row[x] = (RED * (rgb[at] ?? 0) + GREEN * (rgb[at + 1] ?? 0) + BLUE * (rgb[at + 2] ?? 0)) >> 8
  }
}
