/** A raw label as dots, whatever its language. */
/** @import { Paper } from './paper.js' */
/** @import { Encoders } from './symbols.js' */
import { drawers } from './languages.js'
import { createPaper } from './paper.js'
import { byteString } from './text-bytes.js'

/** Inches of the usual label, where nothing says another size. Decision `drawn-in-the-browser`. */
const USUAL = { width: 4, height: 6 }

/**
 * @typedef {object} Given
 * @property {string} format the name of a printer language
 * @property {number | null} width_in of the paper, null = not known
 * @property {number | null} height_in
 * @property {number} dpi
 * @property {Encoders} encoders
 */

/** @typedef {import('./draw.d.ts').Warning} Warning */

/**
 * @param {Uint8Array} bytes
 * @param {Given} given
 * @returns {Promise<{ paper: Paper, warnings: Warning[] } | undefined>} the first label of the bytes; undefined of a language
 *   that is not drawn
 */
export async function drawRaw(bytes, given) {
  const drawer = drawers.get(given.format)
  if (drawer === undefined) return undefined
  const text = byteString(bytes)
  const { dpi, encoders } = given
  const size = sizeOf(drawer.sizeOf(text, dpi), given)
  const drawing = await drawer.draw(text, { ...size, dpi, encoders })
  return { paper: widen(drawing.paper, size.stock), warnings: warningsOf(drawing) }
}

/** A label that is narrower than the paper lies in its middle, as rolls lie under the head. @param {Paper} paper @param {number} width @returns {Paper} */
function widen(paper, width) {
  if (paper.width >= width) return paper
  const wide = createPaper(width, paper.height)
  const left = Math.floor((wide.width - paper.width) / 2)
  for (let row = 0; row < wide.height; row++) {
    wide.dots.set(
      paper.dots.subarray(row * paper.width, (row + 1) * paper.width),
      row * wide.width + left,
    )
  }
  return { ...paper, width: wide.width, dots: wide.dots }
}

/**
 * Dots of the paper: what the printer holds, else what the label asks for.
 * @param {{ width?: number, height?: number }} asked
 * @param {Given} given
 */
function sizeOf(asked, { width_in, height_in, dpi }) {
  const dots = (
    /** @type {number | null} */ inches,
    /** @type {number | undefined} */ wanted,
    /** @type {number} */ usual,
  ) =>
    inches !== null && inches > 0
      ? inches * dpi
      : wanted !== undefined && wanted > 40 && wanted < 20 * dpi
        ? wanted
        : usual * dpi
  const stock = Math.round(dots(width_in, asked.width, USUAL.width))
  return {
    stock,
    width: asked.width !== undefined && asked.width > 40 ? Math.min(stock, asked.width) : stock,
    height: Math.round(dots(height_in, asked.height, USUAL.height)),
  }
}

/** @param {import('./draw.d.ts').Drawing} drawing @returns {Warning[]} */
function warningsOf({ paper, labels, faults }) {
  const parts = [...faults]
    .filter((fault) => fault.startsWith('NOT_DRAWN '))
    .map((fault) => fault.slice(10))
    .slice(0, 5)
  /** @type {[boolean | undefined, Warning['key'], Warning['values']?][]} */
  const all = [
    [faults.has('FINE_BARS'), 'fineBars'],
    [paper.isCodeCut, 'codeCut'],
    [paper.lacksLetters, 'lettersMissing'],
    [paper.isBeyond, 'beyondPaper'],
    [faults.has('TOO_LARGE'), 'tooLargeToDraw'],
    [faults.has('STORED_GRAPHIC') || faults.has('STORED_FORMAT'), 'onlyPrinterHas'],
    [parts.length > 0, 'partNotShown', { parts: parts.join(', ') }],
    [labels > 1, 'firstOf', { n: labels }],
  ]
  return all.filter(([holds]) => holds).map(([, key, values = {}]) => ({ key, values }))
}
