/** ZPL's fonts and what it sets with them. */
/** @import { Paper, Stamp } from './paper.js' */
/** @import { Face } from './type.js' */
import { createStamp } from './paper.js'
import { fixed, measure, scalable, setLine } from './type.js'

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

/** How often a cell is enlarged: 1 to 10. @param {number} size @param {number} cell */
function times(size, cell) {
  return size > 0 ? Math.min(10, Math.max(1, Math.round(size / cell))) : 0
}

/** @typedef {{ width: number, lines: number, space: number, justify: string, hang: number }} Block */

/**
 * A block of lines; those that are too many lie on the last one, as on the printer.
 * @param {Paper} paper
 * @param {Face} face
 * @param {string} text
 * @param {Block} block
 * @returns {{ stamp: Stamp, baseline: number }} the baseline of the last line that there may be
 */
export function setBlock(paper, face, text, block) {
  const lines = wrap(face, text, block)
  const step = face.height + block.space
  const count = Math.max(1, Math.min(block.lines, 500))
  const over = Math.ceil(face.height * 0.3) + 2
  const used = Math.min(count, Math.max(1, lines.length))
  const whole = createStamp(
    block.width + 2 * over,
    Math.max(1, (used - 1) * step + face.height) + 2 * over,
  )
  for (const [n, line] of lines.entries()) {
    if (n >= count + 20) break
    const set = setLine(paper, face, line)
    const hang = n > 0 ? block.hang : 0
    const free = Math.max(0, block.width - hang - set.boxWidth)
    const share = block.justify === 'C' ? 0.5 : block.justify === 'R' ? 1 : 0
    const x = over + hang + Math.round(free * share) - set.left
    lay(whole, set, x, over + Math.min(n, count - 1) * step - set.top)
  }
  const boxHeight = (used - 1) * step + face.height
  const stamp = { ...whole, left: over, top: over, boxWidth: block.width, boxHeight }
  return { stamp, baseline: (count - 1) * step + face.baseline }
}

/** @param {Stamp} on @param {Stamp} line @param {number} x @param {number} y */
function lay(on, line, x, y) {
  for (let row = 0; row < line.height; row++) {
    if (y + row < 0 || y + row >= on.height) continue
    const from = line.dots.subarray(row * line.width, (row + 1) * line.width)
    for (let at = from.indexOf(1); at >= 0; at = from.indexOf(1, at + 1)) {
      if (x + at >= 0 && x + at < on.width) on.dots[(y + row) * on.width + x + at] = 1
    }
  }
}

/** Lines no wider than the block; `\&` ends one. @param {Face} face @param {string} text @param {Block} block */
function wrap(face, text, { width, hang }) {
  /** @type {string[]} */
  const lines = []
  for (const part of text.slice(0, 3000).split(/\\&|\r?\n/))
    wrapPart(face, part, lines, width, hang)
  return lines.slice(0, 500).map((line) => line.replace(/\\\\/g, '\\'))
}

/** @param {Face} face @param {string} part @param {string[]} lines @param {number} width @param {number} hang */
function wrapPart(face, part, lines, width, hang) {
  const room = () => width - (lines.length > 0 ? hang : 0)
  let line = ''
  for (const word of part.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && measure(face, longer) > room()) {
      lines.push(line)
      line = word
    } else line = longer
    while (line.length > 1 && measure(face, line) > room()) {
      const fit = fitting(face, line, room())
      lines.push(line.slice(0, fit))
      line = line.slice(fit)
    }
  }
  lines.push(line)
}

/** @param {Face} face @param {string} line @param {number} room */
function fitting(face, line, room) {
  let width = 0
  for (let n = 0; n < line.length; n++) {
    width += measure(face, line[n] ?? '')
    if (width > room) return Math.max(1, n)
  }
  return line.length
}
