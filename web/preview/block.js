/** Blocks of text, whose lines are broken where they are too long. */
/** @import { Paper, Stamp } from './paper.js' */
/** @import { Face } from './type.js' */
import { createStamp } from './paper.js'
import { measure, setLine } from './type.js'

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
