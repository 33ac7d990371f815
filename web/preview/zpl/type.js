/** ZPL's fonts. */
/** @import { Face } from '../type.js' */
import { fixed, scalable } from '../type.js'

/** Height, width, dots from letter to letter, baseline (ZPL II guide, fonts and bar codes, 8 dots a mm). @type {Readonly<Record<string, readonly [number, number, number, number]>>} */
const BITMAPS = {
  A: [9, 5, 6, 7],
  B: [11, 7, 9, 11],
  C: [18, 10, 12, 14],
  D: [18, 10, 12, 14],
  E: [28, 15, 20, 23],
  F: [26, 13, 16, 21],
  G: [60, 40, 48, 48],
  H: [21, 13, 19, 21],
}

/** Heights of the scalable fonts P to V when nothing is said. @type {Readonly<Record<string, number>>} */
const SCALABLES = { P: 20, Q: 28, R: 35, S: 40, T: 48, U: 59, V: 80 }

/**
 * @param {string} font a letter or digit
 * @param {number} height 0 = not said
 * @param {number} width
 * @returns {Face}
 */
export function zplFace(font, height, width) {
  const cell = BITMAPS[font]
  if (cell === undefined) {
    const usual = SCALABLES[font] ?? 15
    const high = height || width || usual
    return scalable(Math.max(10, high), Math.max(10, width || high))
  }
  const [cellHeight, cellWidth, advance, baseline] = cell
  const [byHeight, byWidth] = [times(height, cellHeight), times(width, cellWidth)]
  const [high, wide] = [byHeight || byWidth || 1, byWidth || byHeight || 1]
  const face = fixed(advance * wide, cellHeight * high, baseline * high)
  return font === 'B' || font === 'H' ? { ...face, isCapital: true } : face
}

/** Returns the factor by which a cell is enlarged: 1 to 10. @param {number} size @param {number} cell */
function times(size, cell) {
  return size > 0 ? Math.min(10, Math.max(1, Math.round(size / cell))) : 0
}
