/**
 * Bar codes as stamps. Code 128 is our own, the others are bwip-js's encoders, which are handed in: a worker and Node
 * find them in different places.
 */
/** @import { Stamp } from './paper.js' */
import { createPaper, createStamp, fillBox, fillRows } from './paper.js'

/**
 * The parts of bwip-js's `bwipp.mjs` that are used: the encoders, and the function that runs one of them.
 * @typedef {Record<string, unknown> & { bwipp_encode: (graphics: object, encoder: unknown, text: string, options: object, isDry: true) => Map<string, unknown>[] }} Encoders
 */

/** @typedef {{ length: number, b?: unknown[], o?: number }} PostScriptArray a view of an array */

/**
 * @param {Encoders} encoders
 * @param {string} name
 * @param {string} text a character a byte
 * @param {object} options of BWIPP
 * @returns {(name: string) => number[]} the arrays that the encoder gives
 */
function encode(encoders, name, text, options) {
  const encoder = encoders[`bwipp_${name}`]
  const [found] = encoders.bwipp_encode({}, encoder, text, { binarytext: true, ...options }, true)
  return (key) => {
    const value = found?.get(key)
    if (typeof value === 'number') return [value]
    const array = /** @type {PostScriptArray | undefined} */ (value)
    if (array?.b === undefined) return []
    const from = array.o ?? 0
    return array.b.slice(from, from + array.length).map(Number)
  }
}

/**
 * Bars of one height. Widths beyond one module are wide by `ratio`, where the symbol knows two widths only.
 * @param {readonly number[]} widths modules of bar, space, bar, …
 * @param {number} module dots
 * @param {number} height dots
 * @param {number} [ratio]
 * @returns {Stamp}
 */
export function bars(widths, module, height, ratio) {
  const wide = ratio === undefined ? 0 : Math.max(module + 1, Math.floor(module * ratio + 0.001))
  const dots = widths.map((width) => (wide > 0 && width > 1 ? wide : width * module))
  const stamp = createStamp(
    dots.reduce((sum, width) => sum + width, 0),
    Math.max(1, height),
  )
  let x = 0
  for (const [n, width] of dots.entries()) {
    if (n % 2 === 0) {
      for (let row = 0; row < stamp.height; row++) {
        stamp.dots.fill(1, row * stamp.width + x, row * stamp.width + x + width)
      }
    }
    x += width
  }
  return stamp
}

/** Symbols of two widths, which `ratio` is for. */
const TWO_WIDTHS = new Set([
  'code39',
  'interleaved2of5',
  'rationalizedCodabar',
  'industrial2of5',
  'code2of5',
  'code11',
  'msi',
])

/**
 * A linear symbol of bwip-js.
 * @param {Encoders} encoders
 * @param {{ name: string, text: string, module: number, height: number, ratio: number, options?: object }} wanted
 * @returns {Stamp}
 */
export function linear(encoders, { name, text, module, height, ratio, options = {} }) {
  const widths = encode(encoders, name, text, options)('sbs')
  if (widths.length === 0) throw new Error(`${name} has no bars`)
  return bars(widths, module, height, TWO_WIDTHS.has(name) ? ratio : undefined)
}

/**
 * A symbol of square or oblong modules.
 * @param {Encoders} encoders
 * @param {{ name: string, text: string, moduleX: number, moduleY: number, options: object, rowEach?: number }} wanted `rowEach`: rows that bwip-js gives for one
 * @returns {Stamp}
 */
export function matrix(encoders, { name, text, moduleX, moduleY, options, rowEach = 1 }) {
  const found = encode(encoders, name, text, options)
  const [columns = 0] = found('pixx')
  const rows = (found('pixy')[0] ?? 0) / rowEach
  const modules = found('pixs')
  const stamp = createStamp(columns * moduleX, rows * moduleY)
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) {
      if (modules[y * rowEach * columns + x] === 1)
        fillModule(stamp, x * moduleX, y * moduleY, moduleX, moduleY)
    }
  }
  return stamp
}

/** @param {Stamp} stamp @param {number} x @param {number} y @param {number} width @param {number} height */
function fillModule(stamp, x, y, width, height) {
  for (let row = y; row < y + height; row++) {
    stamp.dots.fill(1, row * stamp.width + x, row * stamp.width + x + width)
  }
}

/**
 * PDF417, rows as high as asked, or all as high together as the bars would be.
 * @param {Encoders} encoders
 * @param {{ text: string, module: number, rowHeight: number, height: number, security: number, columns: number, rows: number, isCompact: boolean, ratio?: number }} wanted
 */
export function pdf417(
  encoders,
  { text, module, rowHeight, height, security, columns, rows, isCompact },
) {
  const name = isCompact ? 'pdf417compact' : 'pdf417'
  const options = {
    eclevel: Math.min(8, security),
    rowmult: 1,
    ...(columns > 0 && { columns: Math.min(30, columns) }),
    ...(rows > 0 && { rows: Math.min(90, Math.max(3, rows)) }),
  }
  const found = encode(encoders, name, text, options)
  const count = found('pixy')[0] ?? 1
  const moduleY = rowHeight > 0 ? rowHeight : Math.max(1, Math.floor(height / count))
  return matrix(encoders, { name, text, moduleX: module, moduleY, options })
}

/** Rings of the middle of a MaxiCode, mm (ISO/IEC 16023, figure 5). */
const RINGS = [3.87, 3.2, 2.53, 1.86, 1.18, 0.51]

/**
 * A MaxiCode, which has one size: hexagons of 0.88 mm.
 * @param {Encoders} encoders
 * @param {{ text: string, mode: number, dpi: number, options?: object }} wanted
 * @returns {Stamp}
 */
export function maxicode(encoders, { text, mode, dpi, options = {} }) {
  const modules = encode(encoders, 'maxicode', text, { mode, ...options })('pixs')
  const dot = dpi / 25.4
  const [across, down] = [0.88 * dot, 0.76 * dot]
  const stamp = createStamp(30 * across, 32 * down + 1.02 * dot)
  const paper = createPaper(stamp.width, stamp.height)
  for (const module of modules) {
    const row = Math.floor(module / 30)
    const x = ((module % 30) + (row % 2 === 0 ? 0.5 : 1)) * across
    fillHexagon(paper, x, row * down + 0.51 * dot, 0.39 * dot)
  }
  const [x, y] = [14.5 * across, 16 * down + 0.51 * dot]
  for (const [n, radius] of RINGS.entries()) {
    const r = radius * dot
    const spans = (/** @type {number} */ row) => round(x, row - y, r)
    fillRows(paper, Math.max(0, y - r), 2 * r, spans, n % 2 === 0 ? 'black' : 'white')
  }
  return { ...stamp, dots: paper.dots }
}

/** @param {number} x @param {number} dy from the middle @param {number} r @returns {[number, number][]} */
function round(x, dy, r) {
  const half = Math.sqrt(Math.max(0, r * r - dy * dy))
  return half > 0 ? [[x - half, x + half]] : []
}

/** Fills a hexagon that stands on a corner. @param {import('./paper.js').Paper} paper @param {number} x @param {number} y @param {number} half its width */
function fillHexagon(paper, x, y, half) {
  const top = (half * 2) / Math.sqrt(3)
  for (let row = Math.ceil(y - top - 0.5); row <= y + top - 0.5; row++) {
    const dy = Math.abs(row + 0.5 - y)
    const wide = dy <= top / 2 ? half : half * ((top - dy) / (top / 2))
    const left = Math.round(x - wide)
    if (wide > 0) fillBox(paper, left, row, Math.round(x + wide) - left, 1, 'black')
  }
}
