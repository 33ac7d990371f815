/** Draws TSPL as a TSC printer would (TSPL/TSPL2 Programming manual). */
/** @import { Lines, Printer } from '../lines.js' */
import { drawEllipse, drawFrame, drawSlant } from '../boxes.js'
import { count, drawLines, endLabel, obey, pinCode } from '../lines.js'
import { fillBox, press, spend, unpackBits } from '../paper.js'
import { maxicode } from '../symbols.js'
import { drawBlock, drawCode, drawPdf417, drawText, square, turnOf } from './fields.js'

/** @param {Printer} printer @param {Lines} lines */
function step(printer, lines) {
  const bitmap = lines.match(
    /^\s*BITMAP\s+(-?\d+)\s*,\s*(-?\d+)\s*,\s*(\d{1,5})\s*,\s*(\d{1,5})\s*,\s*([0-3])\s*,/i,
  )
  const [x = 0, y = 0, rowBytes = 0, rows = 0, mode = 0] = (bitmap ?? []).map(Number)
  if (bitmap !== undefined) {
    return drawBitmap(printer, lines.bytes(Math.min(5_000_000, rowBytes * rows)), {
      x,
      y,
      rowBytes,
      rows,
      mode,
    })
  }
  const line = lines.next().trimStart()
  const [, name = '', rest = ''] = /^([A-Z0-9]+)[ \t]*(.*)$/is.exec(line) ?? []
  const rule = RULES[name.toUpperCase()]
  if (/^PRINT$/i.test(name)) {
    endLabel(printer)
  } else if (rule !== undefined) {
    const key = name.toUpperCase()
    obey(printer, key, !SETTINGS.has(key), () => rule(printer, readValues(rest)))
  }
}

/** @param {Printer} printer @param {Uint8Array} bits @param {{ x: number, y: number, rowBytes: number, rows: number, mode: number }} at */
function drawBitmap(printer, bits, { x, y, rowBytes, rows, mode }) {
  printer.parts += 1
  // Mode 3 is compressed by the driver and not described.
  if (printer.labels > 0 || rowBytes === 0 || mode === 3) return
  const { paper, origin } = printer
  const [left, top] = [x + origin.x, y + origin.y]
  if (mode === 0) fillBox(paper, left, top, rowBytes * 8, rows, 'white')
  press(paper, unpackBits(bits, rowBytes, 0), left, top, 0, mode === 2 ? 'xor' : 'black')
}

/** The values of a line; a quote in a text is `\["]`. @param {string} rest */
function readValues(rest) {
  const plain = rest.slice(0, 8000).replaceAll('\\["]', '\0')
  const values = plain.match(/"[^"]*"?|[^,]+|(?<=,)(?=,)/g) ?? []
  return values.map((value) => value.trim().replace(/^"|"$/g, '').replaceAll('\0', '"'))
}

const SETTINGS = new Set(['CLS', 'REFERENCE', 'CODEPAGE'])

/** @typedef {(printer: Printer, p: string[]) => void} Rule */

/** @type {Readonly<Record<string, Rule>>} */
const RULES = {
  CLS: ({ paper }) => {
    paper.dots.fill(0)
  },
  REFERENCE: (printer, [x, y]) => {
    printer.origin = { x: count(x, 0), y: count(y, 0) }
  },
  CODEPAGE: (printer, [page = '']) => {
    const windows = page === '8859-1' ? 1252 : Number(/^125[0-5]$/.exec(page)?.[0] ?? 0)
    const other = windows === 0 ? 'cp850' : /** @type {const} */ (`windows-${windows}`)
    printer.charset = /^UTF-?8$/i.test(page) ? 'utf-8' : other
  },
  BAR: (printer, p) => box(printer, p, 'black'),
  ERASE: (printer, p) => box(printer, p, 'white'),
  REVERSE: (printer, p) => box(printer, p, 'xor'),
  BOX: ({ paper, origin }, p) => {
    const [x = 0, y = 0, right = 0, bottom = 0, thick = 1, radius = 0] = p.map((value) =>
      count(value, 0),
    )
    const at = {
      x: Math.min(x, right) + origin.x,
      y: Math.min(y, bottom) + origin.y,
      thick,
      radius,
    }
    drawFrame(paper, { ...at, width: Math.abs(right - x), height: Math.abs(bottom - y) }, 'black')
  },
  CIRCLE: ({ paper, origin }, p) => {
    const [x = 0, y = 0, width = 0, thick = 1] = p.map((value) => count(value, 0))
    drawEllipse(paper, { x: x + origin.x, y: y + origin.y, width, height: width, thick }, 'black')
  },
  ELLIPSE: ({ paper, origin }, p) => {
    const [x = 0, y = 0, width = 0, height = 0, thick = 1] = p.map((value) => count(value, 0))
    drawEllipse(paper, { x: x + origin.x, y: y + origin.y, width, height, thick }, 'black')
  },
  DIAGONAL: ({ paper, origin }, p) => {
    const [x = 0, y = 0, right = 0, bottom = 0, thick = 1] = p.map((value) => count(value, 0))
    const at = { x: Math.min(x, right) + origin.x, y: Math.min(y, bottom) + origin.y, thick }
    const isRising = right > x !== bottom > y
    drawSlant(
      paper,
      { ...at, width: Math.abs(right - x), height: Math.max(1, Math.abs(bottom - y)), isRising },
      'black',
    )
  },
  TEXT: drawText,
  BLOCK: drawBlock,
  BARCODE: drawCode,
  QRCODE: (printer, p) => {
    const [level = 'M', cell] = [p[2]?.toUpperCase(), p[3]]
    square(printer, p, 'qrcode', count(cell, 4), turnOf(p[5]), {
      eclevel: /^[LMQH]$/.test(level) ? level : 'M',
    })
  },
  DMATRIX: (printer, p) => {
    const module = p.slice(4, -1).find((value) => /^x\d+$/i.test(value))
    const turn = p.slice(4, -1).find((value) => /^r\d+$/i.test(value))
    square(
      printer,
      p,
      'datamatrix',
      module ? count(module.slice(1), 4) : 4,
      turnOf(turn?.slice(1)),
      {},
    )
  },
  AZTEC: (printer, p) =>
    square(printer, p, 'azteccode', p.length > 4 ? count(p[3], 6) : 6, turnOf(p[2]), {}),
  PDF417: drawPdf417,
  MAXICODE: ({ paper, encoders, origin, dpi }, p) => {
    spend(paper, 500_000)
    const stamp = maxicode(encoders, { text: p.at(-1) ?? '', mode: 4, dpi })
    pinCode(paper, stamp, count(p[0], 0) + origin.x, count(p[1], 0) + origin.y, 0)
  },
  PUTBMP: (printer) => {
    printer.faults.add('STORED_GRAPHIC')
  },
  PUTPCX: (printer) => {
    printer.faults.add('STORED_GRAPHIC')
  },
}

/** @param {Printer} printer @param {string[]} p @param {import('../paper.js').Ink} ink */
function box({ paper, origin }, p, ink) {
  const [x = 0, y = 0, width = 0, height = 0] = p.map((value) => count(value, 0))
  fillBox(paper, x + origin.x, y + origin.y, width, height, ink)
}

/** Dots of SIZE; undefined where a label has none. @param {string} text @param {number} dpi @returns {{ width?: number, height?: number }} */
function sizeOf(text, dpi) {
  const found =
    /^[ \t]*SIZE[ \t]+([\d.]+)(?:[ \t]*(mm|dot))?(?:[ \t]*,[ \t]*([\d.]+)(?:[ \t]*(mm|dot))?)?/im.exec(
      text.slice(0, 20_000),
    )
  const dots = (/** @type {string | undefined} */ value, /** @type {string | undefined} */ unit) =>
    Number(value) * (unit === undefined ? dpi : /mm/i.test(unit) ? dpi / 25.4 : 1)
  if (found === null) return {}
  const [, width, unit, height, second] = found
  return { width: dots(width, unit), ...(height && { height: dots(height, second ?? unit) }) }
}

/** @type {import('../draw.js').Drawer} */
export const tspl = { draw: (text, given) => drawLines(text, given, step), sizeOf }
