/** Letters as dots: outlines of Liberation, in the widths and heights of the printers' fonts. */
/** @import { Paper, Stamp } from './paper.js' */
import { createStamp, Overrun, spend } from './paper.js'
import { GRID, MONO, SANS } from './type-data.js'

/** @typedef {{ advance: number, contours: number[][] }} Outline x, y, 1 = on the curve, for each point, in steps of an em, y up */

/**
 * @typedef {object} Face a font in a size
 * @property {'sans' | 'mono'} family
 * @property {number} scaleX dots of an em
 * @property {number} scaleY
 * @property {number} advance dots of every letter; 0 = as wide as it is
 * @property {number} height of the box of a line
 * @property {number} baseline rows of the box above it
 * @property {boolean} [isCapital] the font has capitals only
 */

/** Rows of subdivision: what is more than half covered is black. */
const SUBROWS = 4
const MAX_LETTER = 4_000 // dots, either way
const KEPT_LETTERS = 2_000

/** @type {Map<string, Map<number, Outline>>} */
const families = new Map()
/** @type {Map<string, Letter>} */
const letters = new Map()

/** @typedef {{ left: number, top: number, width: number, height: number, dots: Uint8Array }} Letter from the pen on the baseline */

/** @param {'sans' | 'mono'} family */
function outlinesOf(family) {
  const known = families.get(family) ?? readOutlines(family === 'sans' ? SANS : MONO)
  families.set(family, known)
  return known
}

/** @param {string} packed */
function readOutlines(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0))
  let at = 0
  const next = () => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0
      value |= (byte & 127) << shift
      if (byte < 128) break
    }
    return value & 1 ? -(value + 1) / 2 : value / 2
  }
  /** @type {Map<number, Outline>} */
  const outlines = new Map()
  while (at < bytes.length) {
    const [point, advance, count] = [next(), next(), next()]
    let [x, y] = [0, 0]
    const contours = Array.from({ length: count }, () => {
      /** @type {number[]} */
      const contour = []
      for (let left = next(); left > 0; left--) {
        const step = next()
        x += step >> 1
        y += next()
        contour.push(x, y, step & 1)
      }
      return contour
    })
    outlines.set(point, { advance, contours })
  }
  return outlines
}

/** Zebra's font 0: measured on pictures of it, capitals end 0.73 of the height up, and Arial Bold is 0.84 as wide. @param {number} height @param {number} width @returns {Face} */
export function scalable(height, width) {
  return {
    family: 'sans',
    scaleX: width * 0.84,
    scaleY: height * 1.02,
    advance: 0,
    height,
    baseline: Math.round(height * 0.745),
  }
}

/**
 * A bitmap font: all letters in cells.
 * @param {number} cell dots from letter to letter
 * @param {number} height rows of the cell
 * @param {number} baseline rows down to it, which are those of a capital
 * @returns {Face}
 */
export function fixed(cell, height, baseline) {
  // Liberation Mono: a letter is 0.6 em wide, a capital 0.66 em high.
  return {
    family: 'mono',
    scaleX: cell / 0.6,
    scaleY: baseline / 0.66,
    advance: cell,
    height,
    baseline,
  }
}

/** @param {Face} face @param {string} text */
export function measure(face, text) {
  if (face.advance > 0) return face.advance * [...text].length
  const outlines = outlinesOf(face.family)
  let width = 0
  for (const letter of text) {
    const outline = outlines.get(letter.codePointAt(0) ?? 0)
    width += ((outline?.advance ?? GRID * 0.6) / GRID) * face.scaleX
  }
  return width
}

/**
 * A line of text; what the font lacks is a frame.
 * @param {Paper} paper that pays for it
 * @param {Face} face
 * @param {string} text
 * @returns {Stamp}
 */
export function setLine(paper, face, text) {
  const over = Math.ceil(face.height * 0.3) + 2
  const width = Math.ceil(measure(face, text))
  const stamp = createStamp(width + 2 * over, face.height + 2 * over)
  spend(paper, stamp.dots.length)
  let pen = over
  for (const sign of text) {
    const letter = letterOf(paper, face, sign)
    stampLetter(stamp, letter, Math.round(pen) + letter.left, over + face.baseline - letter.top)
    pen += measure(face, sign)
  }
  return { ...stamp, left: over, top: over, boxWidth: width, boxHeight: face.height }
}

/** @param {Stamp} stamp @param {Letter} letter @param {number} x @param {number} y */
function stampLetter(stamp, letter, x, y) {
  for (let row = 0; row < letter.height; row++) {
    const toRow = y + row
    if (toRow < 0 || toRow >= stamp.height) continue
    for (let column = 0; column < letter.width; column++) {
      const toX = x + column
      if (toX < 0 || toX >= stamp.width || letter.dots[row * letter.width + column] === 0) continue
      stamp.dots[toRow * stamp.width + toX] = 1
    }
  }
}

/** @param {Paper} paper @param {Face} face @param {string} sign @returns {Letter} */
function letterOf(paper, face, sign) {
  const { family, scaleX, scaleY } = face
  const key = `${family} ${scaleX.toFixed(2)} ${scaleY.toFixed(2)} ${sign}`
  const outline = outlinesOf(family).get(sign.codePointAt(0) ?? 0)
  const isBlank = BLANKS.test(sign)
  if (outline === undefined && !isBlank) paper.lacksLetters = true
  const known = letters.get(key)
  if (known !== undefined) {
    spend(paper, known.dots.length)
    return known
  }
  const letter = isBlank ? BLANK : rasterize(paper, outline ?? FRAME, scaleX, scaleY)
  if (letters.size >= KEPT_LETTERS) letters.clear()
  letters.set(key, letter)
  return letter
}

/** Control characters among them: a printer's font has no picture of those. */
const BLANKS = /[\s\p{Cc}]/u
const BLANK = { left: 0, top: 0, width: 0, height: 0, dots: new Uint8Array(0) }
/** @type {Outline} */
const FRAME = {
  advance: GRID * 0.6,
  contours: [
    [20, 0, 1, 130, 0, 1, 130, 180, 1, 20, 180, 1],
    [36, 16, 1, 36, 164, 1, 114, 164, 1, 114, 16, 1],
  ],
}

/**
 * @param {Paper} paper
 * @param {Outline} outline
 * @param {number} scaleX dots of an em
 * @param {number} scaleY
 * @returns {Letter}
 */
function rasterize(paper, outline, scaleX, scaleY) {
  if (!(scaleX <= MAX_LETTER && scaleY <= MAX_LETTER)) throw new Overrun('a letter is too large')
  const lines = outline.contours.flatMap((contour) =>
    flatten(contour, scaleX / GRID, scaleY / GRID),
  )
  if (lines.length === 0) return BLANK
  const xs = lines.flatMap((line) => [line[0], line[2]])
  const ys = lines.flatMap((line) => [line[1], line[3]])
  const [left, right] = [Math.floor(Math.min(...xs)), Math.ceil(Math.max(...xs))]
  const [bottom, top] = [Math.floor(Math.min(...ys)), Math.ceil(Math.max(...ys))]
  const [width, height] = [right - left, top - bottom]
  spend(paper, width * height * SUBROWS)
  const dots = new Uint8Array(width * height)
  const cover = new Float32Array(width + 1)
  for (let row = 0; row < height; row++) {
    cover.fill(0)
    for (let part = 0; part < SUBROWS; part++) {
      addSpans(cover, lines, top - row - (part + 0.5) / SUBROWS, left)
    }
    for (let x = 0; x < width; x++) {
      if ((cover[x] ?? 0) >= SUBROWS / 2) dots[row * width + x] = 1
    }
  }
  return { left, top, width, height, dots }
}

/** Adds what of each dot lies inside at a height: more windings one way than the other. @param {Float32Array} cover @param {number[][]} lines @param {number} y @param {number} left */
function addSpans(cover, lines, y, left) {
  /** @type {[number, number][]} */
  const crossings = []
  for (const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] of lines) {
    if (y1 <= y === y2 <= y) continue
    crossings.push([x1 + ((y - y1) / (y2 - y1)) * (x2 - x1) - left, y2 > y1 ? 1 : -1])
  }
  crossings.sort((a, b) => a[0] - b[0])
  let winding = 0
  for (const [n, [x, way]] of crossings.entries()) {
    winding += way
    const end = crossings[n + 1]?.[0]
    if (winding !== 0 && end !== undefined) addSpan(cover, x, end)
  }
}

/** @param {Float32Array} cover @param {number} from @param {number} to */
function addSpan(cover, from, to) {
  for (let x = Math.floor(from); x < to; x++) {
    cover[x] = (cover[x] ?? 0) + Math.min(x + 1, to) - Math.max(x, from)
  }
}

/**
 * The straight lines of a contour; a quadratic curve becomes a few.
 * @param {number[]} contour
 * @param {number} sx
 * @param {number} sy
 */
function flatten(contour, sx, sy) {
  const points = withMiddles(contour).map(([x, y, isOn]) => [x * sx, y * sy, isOn])
  /** @type {[number, number, number, number][]} */
  const lines = []
  const begin = points.findIndex((point) => point[2] === 1)
  let [penX = 0, penY = 0] = points[begin] ?? []
  /** @param {number} x @param {number} y */
  const lineTo = (x, y) => {
    lines.push([penX, penY, x, y])
    ;[penX, penY] = [x, y]
  }
  for (let n = 1; n <= points.length; n++) {
    const [x = 0, y = 0, isOn] = points[(begin + n) % points.length] ?? []
    if (isOn === 1) {
      lineTo(x, y)
      continue
    }
    const [toX = 0, toY = 0] = points[(begin + n + 1) % points.length] ?? []
    const [fromX, fromY] = [penX, penY]
    const steps = Math.max(
      2,
      Math.min(12, Math.ceil((Math.abs(toX - fromX) + Math.abs(toY - fromY)) / 4)),
    )
    for (let step = 1; step <= steps; step++) {
      const t = step / steps
      const u = 1 - t
      lineTo(
        u * u * fromX + 2 * u * t * x + t * t * toX,
        u * u * fromY + 2 * u * t * y + t * t * toY,
      )
    }
    n += 1
  }
  return lines
}

/** Between two control points lies a point on the curve. @param {number[]} contour @returns {[number, number, number][]} */
function withMiddles(contour) {
  /** @type {[number, number, number][]} */
  const points = []
  const length = contour.length
  for (let at = 0; at < length; at += 3) {
    const [x = 0, y = 0, isOn = 1] = contour.slice(at, at + 3)
    const [nextX = 0, nextY = 0, isNextOn = 1] = contour.slice(
      (at + 3) % length,
      ((at + 3) % length) + 3,
    )
    points.push([x, y, isOn])
    if (isOn === 0 && isNextOn === 0) points.push([(x + nextX) / 2, (y + nextY) / 2, 1])
  }
  return points
}
