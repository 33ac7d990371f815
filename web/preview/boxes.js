/** Frames, circles, ellipses and slanted lines, as all three languages have them. */
/** @import { Paper, Ink } from './paper.js' */
import { fillBox, fillRows } from './paper.js'

/**
 * A frame, or a filled box where its lines meet.
 * @param {Paper} paper
 * @param {{ x: number, y: number, width: number, height: number, thick: number, radius?: number }} box
 * @param {Ink} ink
 */
export function drawFrame(paper, { x, y, width, height, thick, radius = 0 }, ink) {
  if (radius >= 1) return drawRounded(paper, { x, y, width, height, thick, radius }, ink)
  if (thick * 2 >= width || thick * 2 >= height) return fillBox(paper, x, y, width, height, ink)
  fillBox(paper, x, y, width, thick, ink)
  fillBox(paper, x, y + height - thick, width, thick, ink)
  fillBox(paper, x, y + thick, thick, height - 2 * thick, ink)
  fillBox(paper, x + width - thick, y + thick, thick, height - 2 * thick, ink)
}

/**
 * @param {Paper} paper
 * @param {{ x: number, y: number, width: number, height: number, thick: number, radius: number }} box
 * @param {Ink} ink
 */
function drawRounded(paper, { x, y, width, height, thick, radius }, ink) {
  const inner = { x: x + thick, y: y + thick, width: width - 2 * thick, height: height - 2 * thick }
  const isFilled = inner.width <= 0 || inner.height <= 0
  const spans = (/** @type {number} */ row) => {
    const [outer] = roundedSpan({ x, y, width, height }, radius, row)
    const [hole] = isFilled ? [] : roundedSpan(inner, Math.max(0, radius - thick), row)
    if (outer === undefined) return []
    return hole === undefined ? [outer] : split(outer, hole)
  }
  fillRows(paper, y, height, spans, ink)
}

/**
 * @param {{ x: number, y: number, width: number, height: number }} box
 * @param {number} radius
 * @param {number} row
 * @returns {[number, number][]} the stretch of the box in a row
 */
function roundedSpan({ x, y, width, height }, radius, row) {
  const fromEdge = Math.min(row - y, y + height - row)
  if (fromEdge <= 0) return []
  const up = radius - fromEdge
  const cut = up > 0 ? radius - Math.sqrt(Math.max(0, radius * radius - up * up)) : 0
  return [[x + cut, x + width - cut]]
}

/** @param {[number, number]} outer @param {[number, number]} hole @returns {[number, number][]} */
function split(outer, hole) {
  return [
    [outer[0], hole[0]],
    [hole[1], outer[1]],
  ]
}

/**
 * @param {Paper} paper
 * @param {{ x: number, y: number, width: number, height: number, thick: number }} box around it
 * @param {Ink} ink
 */
export function drawEllipse(paper, { x, y, width, height, thick }, ink) {
  const [middleX, middleY] = [x + width / 2, y + height / 2]
  /** @param {number} row @param {number} less @returns {[number, number][]} */
  const span = (row, less) => {
    const [a, b] = [width / 2 - less, height / 2 - less]
    const part = 1 - ((row - middleY) / b) ** 2
    if (a <= 0 || b <= 0 || part <= 0) return []
    const half = a * Math.sqrt(part)
    return [[middleX - half, middleX + half]]
  }
  const spans = (/** @type {number} */ row) => {
    const [outer] = span(row, 0)
    const [hole] = span(row, thick)
    if (outer === undefined) return []
    return hole === undefined ? [outer] : split(outer, hole)
  }
  fillRows(paper, y, height, spans, ink)
}

/**
 * A slanted line, `thick` wide along its rows.
 * @param {Paper} paper
 * @param {{ x: number, y: number, width: number, height: number, thick: number, isRising: boolean }} box
 * @param {Ink} ink
 */
export function drawSlant(paper, { x, y, width, height, thick, isRising }, ink) {
  const spans = (/** @type {number} */ row) => {
    const down = (row - y) / height
    const left = x + (isRising ? 1 - down : down) * width
    return /** @type {[number, number][]} */ ([[left, left + Math.max(1, thick)]])
  }
  fillRows(paper, y, height, spans, ink)
}
