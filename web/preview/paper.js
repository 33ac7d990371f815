/**
 * The dots of a label and what a printer does with them. A stamp is a small picture with a box: the printer turns and places
 * the box, dots beyond it (accents, tails) come along.
 */

/** Dots of the largest paper that is drawn: 6x10 inches at 600 dpi fit. */
const MAX_DOTS = 24e6
/** Dots that may be touched for one label: a second of work or two; the labels of carriers take 2 % of it at most. */
const MAX_WORK = 5e8

const FAULTLESS = { isBeyond: false, isCodeCut: false, lacksLetters: false }

/** A label wants more dots than anybody prints. */
export class Overrun extends Error {}

/**
 * @typedef {object} Stamp
 * @property {number} width of its dots
 * @property {number} height
 * @property {Uint8Array} dots 1 = black
 * @property {number} left where the box begins in it
 * @property {number} top
 * @property {number} boxWidth what the printer turns
 * @property {number} boxHeight
 */

/** @typedef {0 | 1 | 2 | 3} Turn quarters, clockwise */
/** @typedef {'black' | 'white' | 'xor'} Ink */

/**
 * @typedef {object} Paper
 * @property {number} width dots
 * @property {number} height
 * @property {Uint8Array} dots a byte each, 1 = black
 * @property {number} work dots touched so far
 * @property {number} slack dots that nobody misses at an edge
 * @property {boolean} isBeyond something black was cut off there
 * @property {boolean} isCodeCut a bar code was
 * @property {boolean} lacksLetters letters are frames here
 */

/**
 * @param {number} width dots
 * @param {number} height
 * @param {number} [slack]
 * @returns {Paper}
 */
export function createPaper(width, height, slack = 8) {
  const wide = Math.max(1, Math.min(12_000, Math.round(width) || 1))
  const high = Math.max(1, Math.min(Math.floor(MAX_DOTS / wide), Math.round(height) || 1))
  return {
    width: wide,
    height: high,
    dots: new Uint8Array(wide * high),
    work: 0,
    slack,
    ...FAULTLESS,
  }
}

/** @param {Paper} paper @param {number} dots @throws Overrun */
export function spend(paper, dots) {
  paper.work += dots + 50
  if (paper.work > MAX_WORK) throw new Overrun('the label takes too long to draw')
}

/** Remembers black that nobody will see. @param {Paper} paper @param {number} x @param {number} y */
function notice(paper, x, y) {
  const { width, height, slack } = paper
  if (x < -slack || y < -slack || x > width + slack || y > height + slack) paper.isBeyond = true
}

/**
 * A filled box, cut at the edges.
 * @param {Paper} paper
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {Ink} ink
 */
export function fillBox(paper, x, y, width, height, ink) {
  const left = Math.max(0, Math.round(x))
  const top = Math.max(0, Math.round(y))
  const right = Math.min(paper.width, Math.round(x) + Math.round(width))
  const bottom = Math.min(paper.height, Math.round(y) + Math.round(height))
  if (!(right > left) || !(bottom > top)) {
    // A rule or frame that ends beyond the edge is usual and nothing is lost; one that lies there whole is.
    if (width > 0 && height > 0 && ink !== 'white') notice(paper, x, y)
    return
  }
  spend(paper, (right - left) * (bottom - top))
  for (let row = top; row < bottom; row++) {
    fillRow(paper.dots, row * paper.width + left, row * paper.width + right, ink)
  }
}

/** @param {Uint8Array} dots @param {number} from @param {number} to @param {Ink} ink */
function fillRow(dots, from, to, ink) {
  if (ink !== 'xor') dots.fill(ink === 'black' ? 1 : 0, from, to)
  else for (let at = from; at < to; at++) dots[at] = 1 - (dots[at] ?? 0)
}

/**
 * An empty stamp that is all box.
 * @param {number} width
 * @param {number} height
 * @returns {Stamp}
 */
export function createStamp(width, height) {
  const [wide, high] = [Math.max(0, Math.round(width)), Math.max(0, Math.round(height))]
  if (wide * high > MAX_DOTS) throw new Overrun('a part of the label is too large')
  const dots = new Uint8Array(wide * high)
  return { width: wide, height: high, dots, left: 0, top: 0, boxWidth: wide, boxHeight: high }
}

/**
 * A stamp of packed dots, each `mx` wide and `my` high.
 * @param {Uint8Array} bits
 * @param {number} rowBytes
 * @param {0 | 1} black the bit that is black
 * @param {number} [mx]
 * @param {number} [my]
 * @returns {Stamp}
 */
export function unpackBits(bits, rowBytes, black, mx = 1, my = 1) {
  const rows = Math.ceil(bits.length / Math.max(1, rowBytes))
  const stamp = createStamp(rowBytes * 8 * mx, rows * my)
  const skip = black === 1 ? 0 : 255
  for (const [at, byte] of bits.entries()) {
    if (byte === skip) continue
    const [x, y] = [(at % rowBytes) * 8, Math.floor(at / rowBytes)]
    for (let bit = 0; bit < 8; bit++) {
      if (((byte >> (7 - bit)) & 1) !== black) continue
      for (let row = 0; row < my; row++) {
        const start = (y * my + row) * stamp.width + (x + bit) * mx
        stamp.dots.fill(1, start, start + mx)
      }
    }
  }
  return stamp
}

/**
 * Returns the place of a turned stamp's box for an anchor at its bottom left in reading direction.
 * @param {Stamp} stamp
 * @param {Turn} turn
 * @param {number} x of the anchor
 * @param {number} y
 * @param {number} baseline rows of the box above the anchor
 * @returns {{ x: number, y: number }} top left of the turned box
 */
export function fromAnchor(stamp, turn, x, y, baseline) {
  const below = stamp.boxHeight - baseline
  if (turn === 0) return { x, y: y - baseline }
  if (turn === 1) return { x: x - below, y }
  if (turn === 2) return { x: x - stamp.boxWidth, y: y - below }
  return { x: x - baseline, y: y - stamp.boxWidth }
}

/**
 * Puts the black dots of a stamp on the paper.
 * @param {Paper} paper
 * @param {Stamp} stamp
 * @param {number} x left of the turned box
 * @param {number} y top of the turned box
 * @param {Turn} turn
 * @param {Ink} ink
 */
export function press(paper, stamp, x, y, turn, ink) {
  const { width, height, dots } = stamp
  spend(paper, width * height)
  const [stepX, stepY, startX, startY] = placing(stamp, Math.round(x), Math.round(y), turn)
  for (
    let at = dots.indexOf(1);
    at >= 0;
    at = dots[at + 1] === 1 ? at + 1 : dots.indexOf(1, at + 1)
  ) {
    const column = at % width
    const row = (at - column) / width
    const toX = startX + column * stepX[0] + row * stepX[1]
    const toY = startY + column * stepY[0] + row * stepY[1]
    dab(paper, toX, toY, ink)
  }
}

/**
 * Does the same as `press` for a bar code, where each dot counts.
 * @param {Paper} paper
 * @param {Stamp} stamp
 * @param {number} x
 * @param {number} y
 * @param {Turn} turn
 * @param {Ink} [ink]
 */
export function pressCode(paper, stamp, x, y, turn, ink = 'black') {
  const { slack, isBeyond } = paper
  Object.assign(paper, { slack: 0, isBeyond: false })
  press(paper, stamp, x, y, turn, ink)
  Object.assign(paper, { slack, isBeyond, isCodeCut: paper.isCodeCut || paper.isBeyond })
}

/** Draws one dot. @param {Paper} paper @param {number} x @param {number} y @param {Ink} ink */
function dab(paper, x, y, ink) {
  if (x < 0 || y < 0 || x >= paper.width || y >= paper.height) {
    if (ink !== 'white') notice(paper, x, y)
    return
  }
  const at = y * paper.width + x
  paper.dots[at] = ink === 'xor' ? 1 - (paper.dots[at] ?? 0) : ink === 'black' ? 1 : 0
}

/**
 * Steps on the paper for a step right and down in the stamp, and where its first dot goes.
 * @param {Stamp} stamp
 * @param {number} x
 * @param {number} y
 * @param {Turn} turn
 * @returns {[[number, number], [number, number], number, number]}
 */
function placing({ left, top, boxWidth, boxHeight }, x, y, turn) {
  const [w, h] = [Math.round(boxWidth) - 1, Math.round(boxHeight) - 1]
  if (turn === 0) return [[1, 0], [0, 1], x - left, y - top]
  if (turn === 1) return [[0, -1], [1, 0], x + h + top, y - left]
  if (turn === 2) return [[-1, 0], [0, -1], x + w + left, y + h + top]
  return [[0, 1], [-1, 0], x - top, y + w + left]
}

/**
 * Fills what a test says, row by row: a stretch of columns, or none.
 * @param {Paper} paper
 * @param {number} y first row
 * @param {number} height
 * @param {(row: number) => readonly (readonly [number, number])[]} spans first and last + 1 column of each stretch of a row, whose middle is given
 * @param {Ink} ink
 */
export function fillRows(paper, y, height, spans, ink) {
  const top = Math.max(0, Math.round(y))
  const bottom = Math.min(paper.height, Math.round(y + height))
  for (let row = top; row < bottom; row++) {
    for (const [from, to] of spans(row + 0.5)) {
      const left = Math.round(from)
      fillBox(paper, left, row, Math.max(0, Math.round(to) - left), 1, ink)
    }
  }
}

/**
 * The dots, 8 in a byte, first in the highest bit.
 * @param {Paper} paper
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function packDots({ width, height, dots }) {
  const stride = (width + 7) >> 3
  const bits = new Uint8Array(stride * height)
  for (let next = dots.indexOf(1); next >= 0; next = dots.indexOf(1, next + 1)) {
    const x = next % width
    const at = ((next - x) / width) * stride + (x >> 3)
    bits[at] = (bits[at] ?? 0) | (128 >> (x & 7))
  }
  return bits
}
