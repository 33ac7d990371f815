/** Puts ZPL's fields on the paper. */
/** @import { Ink, Stamp, Turn } from '../paper.js' */
/** @import { Charset } from '../text-bytes.js' */
/** @import { Field, Printer } from './index.js' */

import { setBlock } from '../block.js'
import { drawEllipse, drawFrame, drawSlant } from '../boxes.js'
import { fromAnchor, press, pressCode, spend } from '../paper.js'
import { toText } from '../text-bytes.js'
import { fixed, setLine } from '../type.js'
import { drawCode } from './codes.js'
import { zplFace } from './type.js'
import { whole } from './words.js'

/** @param {Printer} printer @param {Field} field */
function inkOf(printer, field) {
  return printer.isReverse || field.isReverse ? 'xor' : 'black'
}

/** @param {Printer} printer @param {Field} field */
function originOf(printer, field) {
  return field.at ?? { ...printer.home, isBaseline: false, justify: '' }
}

/**
 * A field with data: a line, a block or a bar code.
 * @param {Printer} printer
 * @param {Field} field
 */
export function drawField(printer, field) {
  const bytes = withHex(field.data ?? '', field.hex)
  if (bytes === '' && field.code === undefined) return
  if (field.code !== undefined) return drawSymbol(printer, field, bytes)
  drawText(printer, field, toText(bytes, charsetOf(printer)))
}

/** @param {string} data @param {string} sign */
function withHex(data, sign) {
  if (sign === '') return data
  const parts = data.split(sign)
  return parts
    .map((part, n) => {
      const digits = n === 0 ? null : /^[0-9a-f]{2}/i.exec(part)
      if (digits === null) return n === 0 ? part : sign + part
      return String.fromCharCode(Number.parseInt(digits[0], 16)) + part.slice(2)
    })
    .join('')
}

/** The character sets that ^CI chooses besides code page 850 (ZPL II guide, ^CI). @type {Readonly<Record<number, Charset>>} */
const CHARSETS = {
  27: 'windows-1252',
  28: 'utf-8',
  29: 'utf-8',
  30: 'utf-8',
  31: 'windows-1250',
  33: 'windows-1251',
  34: 'windows-1253',
  35: 'windows-1254',
  36: 'windows-1255',
}

/** @param {Printer} printer */
function charsetOf({ charset }) {
  return CHARSETS[charset] ?? 'cp850'
}

/** @param {Printer} printer @param {Field} field */
function faceOf(printer, { font }) {
  const isUsual = font === undefined || (font.height === 0 && font.width === 0)
  const { height, width } = isUsual ? printer.font : font
  return zplFace(font?.name ?? printer.font.name, height, width)
}

/** @param {Printer} printer @param {Field} field @param {string} text */
function drawText(printer, field, text) {
  const turn = field.font?.turn ?? printer.turn
  const { stamp, baseline } = setText(printer, field, text)
  const at = originOf(printer, field)
  const place = at.isBaseline ? fromAnchor(stamp, turn, at.x, at.y, baseline) : at
  const moved = at.justify === '1' ? justifyRight(stamp, place, turn, at.isBaseline) : place
  press(printer.paper, stamp, moved.x, moved.y, turn, inkOf(printer, field))
  const along = turn === 0 || turn === 1 ? stamp.boxWidth : -stamp.boxWidth
  printer.pen = turn % 2 === 0 ? { x: at.x + along, y: at.y } : { x: at.x, y: at.y + along }
}

/** A line or a block, and where its baseline is. @param {Printer} printer @param {Field} field @param {string} text */
function setText(printer, field, text) {
  const face = faceOf(printer, field)
  const shown = face.isCapital ? text.toUpperCase() : text
  if (field.block !== undefined) return setBlock(printer.paper, face, shown, field.block)
  return { stamp: setLine(printer.paper, face, shown.slice(0, 3000)), baseline: face.baseline }
}

/** @param {Stamp} stamp @param {{ x: number, y: number }} place @param {Turn} turn @param {boolean} isBaseline */
function justifyRight(stamp, { x, y }, turn, isBaseline) {
  if (!isBaseline) return { x: x - (turn % 2 === 0 ? stamp.boxWidth : stamp.boxHeight), y }
  if (turn === 0) return { x: x - stamp.boxWidth, y }
  return turn === 2
    ? { x: x + stamp.boxWidth, y }
    : { x, y: y + (turn === 1 ? -1 : 1) * stamp.boxWidth }
}

/** @param {Printer} printer @param {Field} field @param {string} data */
function drawSymbol(printer, field, data) {
  const code = field.code
  if (code === undefined) return
  const { paper, encoders, dpi, faults } = printer
  spend(paper, data.length * 2_000)
  const {
    stamp,
    shown,
    isAbove,
    module,
    down = 0,
  } = drawCode(code.name, { encoders, by: code.by, p: code.p, data, dpi })
  if (module < 2) faults.add('FINE_BARS')
  const at = originOf(printer, field)
  const ink = inkOf(printer, field)
  const { turn } = code
  const place = at.isBaseline
    ? fromAnchor(stamp, turn, at.x, at.y, stamp.boxHeight)
    : { x: at.x, y: at.y + down }
  pressCode(paper, stamp, place.x, place.y, turn, ink)
  if (shown !== '') drawShown(printer, stamp, { place, turn, shown, isAbove, module, ink })
}

/**
 * The line of text at a bar code: it is turned with the bars, as a box that has them and the line.
 * @param {Printer} printer
 * @param {Stamp} symbol
 * @param {{ place: { x: number, y: number }, turn: Turn, shown: string, isAbove: boolean, module: number, ink: Ink }} how
 */
function drawShown({ paper }, symbol, { place, turn, shown, isAbove, module, ink }) {
  const times = Math.max(1, Math.min(10, module))
  const line = setLine(paper, fixed(6 * times, 9 * times, 7 * times), shown.slice(0, 300))
  const along = Math.round((symbol.boxWidth - line.boxWidth) / 2)
  const gap = isAbove ? -line.boxHeight : symbol.boxHeight + times + 2
  const [w, h] = [symbol.boxWidth, symbol.boxHeight]
  const { x, y } = place
  if (turn === 0) press(paper, line, x + along, y + gap, 0, ink)
  else if (turn === 1) press(paper, line, x + h - gap - line.boxHeight, y + along, 1, ink)
  else if (turn === 2)
    press(paper, line, x + w - along - line.boxWidth, y + h - gap - line.boxHeight, 2, ink)
  else press(paper, line, x + gap, y + w - along - line.boxWidth, 3, ink)
}

/**
 * Boxes, circles, slanted lines, ellipses, graphics.
 * @param {Printer} printer
 * @param {string} name of the command
 * @param {string[]} p
 * @param {Stamp} [stamp]
 */
export function drawShape(printer, name, p, stamp) {
  const { paper, field } = printer
  const at = originOf(printer, field)
  const ink = inkOf(printer, field)
  if (stamp !== undefined) {
    const { x, y } = at.isBaseline ? { x: at.x, y: at.y - stamp.boxHeight } : at
    return press(paper, stamp, x, y, 0, ink)
  }
  const { box, color, rounding } = readShape(name, p)
  const chosen = /^W/i.test(color) && ink !== 'xor' ? 'white' : ink
  const placed = { ...box, x: at.x, y: at.isBaseline ? at.y - box.height : at.y }
  if (name === '^GB') {
    const radius = (rounding / 8) * (Math.min(box.width, box.height) / 2)
    drawFrame(paper, { ...placed, radius }, chosen)
  } else if (name === '^GD') {
    drawSlant(paper, { ...placed, isRising: !/^[L\\]/i.test(p[4] ?? 'R') }, chosen)
  } else drawEllipse(paper, placed, chosen)
}

/** A circle has one size, the others have two. @param {string} name @param {string[]} p */
function readShape(name, p) {
  const isCircle = name === '^GC'
  const [first, second, third, fourth, fifth] = isCircle ? [p[0], p[0], p[1], p[2]] : p
  const thick = Math.max(1, whole(third, 1))
  const size = (/** @type {string | undefined} */ text) => Math.max(thick, Math.abs(whole(text, 1)))
  const rounding = Math.max(0, Math.min(8, whole(fifth, 0)))
  return { box: { width: size(first), height: size(second), thick }, color: fourth ?? '', rounding }
}
