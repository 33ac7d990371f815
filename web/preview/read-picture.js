import { readCodes } from './read-codes.js'

const DARK = 128

/**
 * Reads the bar codes of a picture.
 * @param {HTMLImageElement} picture one that is loaded
 * @returns {string[]}
 */
export function readPicture(picture) {
  const { naturalWidth: width, naturalHeight: height } = picture
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width, height })
  const brush = canvas.getContext('2d', { willReadFrequently: true })
  if (brush === null || width === 0 || height === 0) return []
  brush.drawImage(picture, 0, 0)
  return readCodes(width, height, ({ row, column = 0 }) => {
    const { data } =
      row === undefined
        ? brush.getImageData(column, 0, 1, height)
        : brush.getImageData(0, row, width, 1)
    return Uint8Array.from({ length: data.length / 4 }, (_, n) => (isDark(data, n * 4) ? 1 : 0))
  })
}

/** Tells whether a pixel is dark; one where nothing is drawn is white. @param {Uint8ClampedArray} data @param {number} at */
function isDark(data, at) {
  const [red = 255, green = 255, blue = 255, alpha = 0] = data.subarray(at, at + 4)
  return alpha > 0 && red + green + blue < 3 * DARK
}
