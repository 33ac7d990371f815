/** Texts and bar codes of TSPL. */
/** @import { Turn } from '../paper.js' */
/** @import { Printer } from '../lines.js' */
/** @import { Face } from '../type.js' */

import { setBlock } from '../block.js'
import { count, drawBars, pin, pinCode } from '../lines.js'
import { spend } from '../paper.js'
import { matrix, pdf417 } from '../symbols.js'
import { toText } from '../text-bytes.js'
import { fixed, scalable, setLine } from '../type.js'

/** Widths and heights of the bitmap fonts, at any resolution. @type {Readonly<Record<string, readonly [number, number]>>} */
const FONTS = {
  1: [8, 12],
  2: [12, 20],
  3: [16, 24],
  4: [24, 32],
  5: [32, 48],
  6: [14, 19],
  7: [21, 27],
  8: [14, 25],
}

/** Types of BARCODE and bwip-js's names. @type {Readonly<Record<string, string>>} */
const CODES = {
  128: 'code128',
  '128M': 'code128',
  EAN128: 'code128',
  25: 'interleaved2of5',
  '25C': 'interleaved2of5',
  39: 'code39',
  '39C': 'code39',
  93: 'code93',
  EAN13: 'ean13',
  EAN8: 'ean8',
  CODA: 'rationalizedCodabar',
  UPCA: 'upca',
  UPCE: 'upce',
  ITF14: 'interleaved2of5',
  11: 'code11',
  MSI: 'msi',
}

/** @param {string | undefined} degrees @returns {Turn} */
export function turnOf(degrees) {
  return /** @type {Turn} */ ((Math.round(Math.abs(count(degrees, 0)) / 90) % 4) & 3)
}

/** A bitmap font in whole multiples, or the scalable one in points. @param {Printer} printer @param {string} font @param {string | undefined} wide @param {string | undefined} high @returns {Face} */
function faceOf({ dpi }, font, wide, high) {
  const [x, y] = [Math.max(1, count(wide, 1)), Math.max(1, count(high, 1))]
  const cell = FONTS[font]
  if (cell !== undefined) {
    const tall = Math.min(10, y)
    return fixed(cell[0] * Math.min(10, x), cell[1] * tall, Math.round(cell[1] * 0.8) * tall)
  }
  if (/^TST\d|^TSS\d/i.test(font))
    return fixed(12 * Math.min(10, x), 24 * Math.min(10, y), 19 * Math.min(10, y))
  // A point is 1/72 inch; capitals of a font are 0.73 of its size high, as those of our scalable one are.
  return scalable((y * dpi) / 72, (x * dpi) / 72)
}

/** @param {Printer} printer @param {string[]} p */
export function drawText(printer, p) {
  const [x, y, font = '1', turn, wide, high] = p
  const align = p.length > 7 ? count(p[6], 0) : 0
  const face = faceOf(printer, font, wide, high)
  const text = toText(p.at(-1) ?? '', printer.charset ?? 'utf-8').slice(0, 1000)
  const line = setLine(printer.paper, { ...face, height: Math.round(face.height) }, text)
  const { origin } = printer
  const back = align === 2 ? line.boxWidth / 2 : align === 3 ? line.boxWidth : 0
  shifted(printer, line, count(x, 0) + origin.x, count(y, 0) + origin.y, turnOf(turn), back)
}

/** Along its line by so much to the left. @param {Printer} printer @param {import('../paper.js').Stamp} stamp @param {number} x @param {number} y @param {Turn} turn @param {number} back */
function shifted({ paper }, stamp, x, y, turn, back) {
  const along =
    turn === 0 ? [-back, 0] : turn === 1 ? [0, -back] : turn === 2 ? [back, 0] : [0, back]
  pin(paper, stamp, x + (along[0] ?? 0), y + (along[1] ?? 0), turn)
}

/** @param {Printer} printer @param {string[]} p */
export function drawBlock(printer, p) {
  const [x, y, width, height, font = '1', turn, wide, high] = p
  const [space, align] = [p.length > 9 ? count(p[8], 0) : 0, p.length > 10 ? count(p[9], 0) : 0]
  const face = faceOf(printer, font, wide, high)
  const lines = Math.max(1, Math.floor(count(height, 0) / Math.max(1, face.height + space)))
  const justify = align === 2 ? 'C' : align === 3 ? 'R' : 'L'
  const block = { width: Math.max(1, count(width, 1)), lines, space, justify, hang: 0 }
  const text = toText(p.at(-1) ?? '', printer.charset ?? 'utf-8').replaceAll('\\[R]', '\n')
  const { stamp } = setBlock(
    printer.paper,
    { ...face, height: Math.round(face.height) },
    text,
    block,
  )
  pin(
    printer.paper,
    stamp,
    count(x, 0) + printer.origin.x,
    count(y, 0) + printer.origin.y,
    turnOf(turn),
  )
}

/** @param {Printer} printer @param {string[]} p */
export function drawCode({ paper, encoders, origin, faults }, p) {
  const [x, y, type = '', height, human, turn, narrow, wide] = p
  const name = CODES[type.toUpperCase()]
  if (name === undefined) throw new Error(`no bar code ${type}`)
  const module = count(narrow, 2)
  if (module < 2) faults.add('FINE_BARS')
  const text = p.at(-1) ?? ''
  const isGs1 = type.toUpperCase() === 'EAN128'
  drawBars(paper, encoders, {
    x: count(x, 0) + origin.x,
    y: count(y, 0) + origin.y,
    turn: turnOf(turn),
    name,
    text: isGs1 ? `\u00f1${text.replace(/[() ]/g, '')}` : text,
    narrow: module,
    wide: count(wide, 2 * module),
    height: count(height, 50),
    hasText: count(human, 0) > 0,
  })
}

/** @param {Printer} printer @param {string[]} p @param {string} name @param {number} module @param {Turn} turn @param {object} options */
export function square({ paper, encoders, origin }, p, name, module, turn, options) {
  const text = p.at(-1) ?? ''
  spend(paper, text.length * 5_000)
  const dots = Math.max(1, Math.min(60, module))
  const stamp = matrix(encoders, { name, text, moduleX: dots, moduleY: dots, options })
  pinCode(paper, stamp, count(p[0], 0) + origin.x, count(p[1], 0) + origin.y, turn)
}

/** `PDF417 x,y,width,height,turn,options…,"text"`; options are a letter and a number. @param {Printer} printer @param {string[]} p */
export function drawPdf417({ paper, encoders, origin }, p) {
  const text = p.at(-1) ?? ''
  spend(paper, text.length * 5_000)
  /** @param {string} letter @param {number} fallback */
  const option = (letter, fallback) => {
    const found = p.slice(5, -1).find((value) => new RegExp(`^${letter}\\d+$`, 'i').test(value))
    return found === undefined ? fallback : count(found.slice(1), fallback)
  }
  const stamp = pdf417(encoders, {
    text,
    module: Math.max(1, option('W', 2)),
    rowHeight: option('H', 8),
    height: 0,
    security: option('E', 2),
    columns: option('C', 0),
    rows: option('R', 0),
    isCompact: option('T', 0) === 1,
  })
  pinCode(paper, stamp, count(p[0], 0) + origin.x, count(p[1], 0) + origin.y, turnOf(p[4]))
}
