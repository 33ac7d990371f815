/** Draws EPL2 as a printer in page mode would (EPL Programming Guide 14245L). */
/** @import { Turn } from '../paper.js' */
/** @import { Encoders } from '../symbols.js' */
/** @import { Charset } from '../text-bytes.js' */
/** @import { Lines, Printer } from '../lines.js' */
import { drawFrame, drawSlant } from '../boxes.js'
import { count, drawBars, drawLines, endLabel, obey, pin, pinCode, splitLine } from '../lines.js'
import { fillBox, press, spend, unpackBits } from '../paper.js'
import { matrix, maxicode, pdf417 } from '../symbols.js'
import { toText } from '../text-bytes.js'
import { fixed, setLine } from '../type.js'

/** Widths and heights of the fonts 1 to 5 at 203 and 300 dpi. */
const FONTS = {
  203: [
    [8, 12],
    [10, 16],
    [12, 20],
    [14, 24],
    [32, 48],
  ],
  300: [
    [12, 20],
    [16, 28],
    [20, 36],
    [24, 44],
    [48, 80],
  ],
}

/** Types of `B` and bwip-js's names. @type {Readonly<Record<string, string>>} */
const CODES = {
  0: 'code128',
  1: 'code128',
  '1A': 'code128',
  '1B': 'code128',
  '1C': 'code128',
  '1E': 'code128',
  2: 'interleaved2of5',
  '2C': 'interleaved2of5',
  '2D': 'interleaved2of5',
  3: 'code39',
  '3C': 'code39',
  9: 'code93',
  E30: 'ean13',
  E80: 'ean8',
  UA0: 'upca',
  UE0: 'upce',
  K: 'rationalizedCodabar',
}

/** @param {Printer} printer @param {Lines} lines */
function step(printer, lines) {
  const graphic = lines.match(
    /^\s*GW\s*(-?\d+)\s*,\s*(-?\d+)\s*,\s*(\d{1,5})\s*,\s*(\d{1,5})\s*[,\r\n]/,
  )
  const [x = 0, y = 0, rowBytes = 0, rows = 0] = (graphic ?? []).map(Number)
  if (graphic !== undefined) {
    const bits = lines.bytes(Math.min(5_000_000, rowBytes * rows))
    if (printer.labels > 0 || rowBytes === 0) return
    printer.parts += 1
    const { origin } = printer
    return press(
      printer.paper,
      unpackBits(bits, rowBytes, 0),
      x + origin.x,
      y + origin.y,
      0,
      'black',
    )
  }
  const line = lines.next().trimStart()
  if (/^P\d*/.test(line) && !/^P[A-Z]/.test(line)) {
    endLabel(printer)
  } else if (printer.labels === 0 || /^[ABbLXG]/.test(line)) drawLine(printer, line)
}

/** @param {Printer} printer @param {string} line */
function drawLine(printer, line) {
  const name = Object.keys(RULES).find((key) => line.startsWith(key))
  const rule = RULES[name ?? '']
  if (name === undefined || rule === undefined) return
  const { p, text } = splitLine(line.slice(name.length))
  obey(printer, name, !SETTINGS.has(name), () => rule(printer, p, text.replace(/\\(.)/g, '$1')))
}

const SETTINGS = new Set(['N', 'q', 'R', 'I'])

/** Code pages of Windows (EPL Programming Guide, I). @type {Readonly<Record<string, Charset>>} */
const WINDOWS = {
  A: 'windows-1252',
  B: 'windows-1250',
  C: 'windows-1251',
  D: 'windows-1253',
  E: 'windows-1254',
  F: 'windows-1255',
}

/** @type {Readonly<Record<string, (printer: Printer, p: string[], text: string) => void>>} */
const RULES = {
  N: ({ paper }) => {
    paper.dots.fill(0)
  },
  q: (printer) => {
    printer.origin = { x: 0, y: 0 }
  },
  R: (printer, [x, y]) => {
    printer.origin = { x: count(x, 0), y: count(y, 0) }
  },
  // I8,A,001: eight bits, Windows-1252.
  I: (printer, [, page = '']) => {
    printer.charset = WINDOWS[page] ?? 'cp850'
  },
  LO: (printer, p) => box(printer, p, 'black'),
  LE: (printer, p) => box(printer, p, 'xor'),
  LW: (printer, p) => box(printer, p, 'white'),
  LS: ({ paper, origin }, p) => {
    const [x = 0, y = 0, thick = 1, right = 0, bottom = 0] = p.map((value) => count(value, 0))
    const at = { x: Math.min(x, right) + origin.x, y: Math.min(y, bottom) + origin.y, thick }
    const isRising = right > x !== bottom > y
    drawSlant(
      paper,
      { ...at, width: Math.abs(right - x), height: Math.max(1, Math.abs(bottom - y)), isRising },
      'black',
    )
  },
  X: ({ paper, origin }, p) => {
    const [x = 0, y = 0, thick = 1, right = 0, bottom = 0] = p.map((value) => count(value, 0))
    const at = { x: Math.min(x, right) + origin.x, y: Math.min(y, bottom) + origin.y, thick }
    drawFrame(paper, { ...at, width: Math.abs(right - x), height: Math.abs(bottom - y) }, 'black')
  },
  A: drawText,
  B: drawCode,
  b: drawMatrix,
  GG: (printer) => {
    printer.faults.add('STORED_GRAPHIC')
  },
  FR: (printer) => {
    printer.faults.add('STORED_FORMAT')
  },
}

/** @param {Printer} printer @param {string[]} p @param {import('../paper.js').Ink} ink */
function box({ paper, origin }, p, ink) {
  const [x = 0, y = 0, width = 0, height = 0] = p.map((value) => count(value, 0))
  fillBox(paper, x + origin.x, y + origin.y, width, height, ink)
}

/** @param {string | undefined} text @returns {Turn} */
function turnOf(text) {
  return /** @type {Turn} */ (Math.abs(count(text, 0)) % 4)
}

/** @param {Printer} printer @param {string[]} p @param {string} text */
function drawText(
  { paper, origin, dpi, charset = 'cp850' },
  [x, y, turn, font = '', wide, high, reverse],
  text,
) {
  const sizes = dpi > 250 ? FONTS[300] : FONTS[203]
  const [cell = 12, height = 20] = sizes[count(font, 3) - 1] ?? sizes[2] ?? []
  const [times, tall] = [
    Math.max(1, Math.min(24, count(wide, 1))),
    Math.max(1, Math.min(24, count(high, 1))),
  ]
  const face = fixed(cell * times, height * tall, Math.round(height * 0.8) * tall)
  const line = setLine(paper, face, toText(text, charset).slice(0, 1000))
  const at = { x: count(x, 0) + origin.x, y: count(y, 0) + origin.y }
  if (reverse?.toUpperCase() === 'R') {
    const ground = { ...line, dots: new Uint8Array(line.dots.length) }
    for (let row = line.top; row < line.top + line.boxHeight; row++) {
      ground.dots.fill(
        1,
        row * line.width + line.left,
        row * line.width + line.left + line.boxWidth,
      )
    }
    pin(paper, ground, at.x, at.y, turnOf(turn))
    pin(paper, line, at.x, at.y, turnOf(turn), 'white')
  } else pin(paper, line, at.x, at.y, turnOf(turn))
}

/** @param {Printer} printer @param {string[]} p @param {string} text */
function drawCode(
  { paper, encoders, origin, faults },
  [x, y, turn, type = '', narrow, wide, height, hasText],
  text,
) {
  const name = CODES[type.toUpperCase()]
  if (name === undefined) throw new Error(`no bar code ${type}`)
  const module = count(narrow, 2)
  if (module < 2) faults.add('FINE_BARS')
  const isGs1 = type === '0' || type.toUpperCase() === '1E'
  const subset = /^1([ABC])$/i.exec(type)?.[1]?.toUpperCase()
  drawBars(paper, encoders, {
    x: count(x, 0) + origin.x,
    y: count(y, 0) + origin.y,
    turn: turnOf(turn),
    name,
    text: isGs1 ? `\u00f1${text.replace(/[() ]/g, '')}` : text,
    narrow: module,
    wide: count(wide, 2 * module),
    height: count(height, 50),
    hasText: /^B/i.test(hasText ?? ''),
    ...(subset && { subset: /** @type {'A' | 'B' | 'C'} */ (subset) }),
    ...(type.toUpperCase() === '3C' && { options: { includecheck: true } }),
  })
}

/** @param {Printer} printer @param {string[]} p @param {string} text */
function drawMatrix({ paper, encoders, origin, dpi }, [left, top, kind = '', ...more], text) {
  spend(paper, text.length * 5_000)
  const at = { x: count(left, 0) + origin.x, y: count(top, 0) + origin.y }
  /** Options are a letter and a number, in any order. @param {string} letter @param {number} fallback */
  const option = (letter, fallback) => {
    const found = more.find((value) => new RegExp(`^${letter}\\d+$`).test(value))
    return found === undefined ? fallback : count(found.slice(1), fallback)
  }
  const square = (
    /** @type {string} */ name,
    /** @type {number} */ module,
    /** @type {object} */ options,
  ) =>
    matrix(encoders, {
      name,
      text,
      moduleX: Math.min(60, module),
      moduleY: Math.min(60, module),
      options,
    })
  if (kind === 'P') {
    const stamp = pdf417(encoders, {
      text,
      module: Math.max(1, option('x', 2)),
      rowHeight: option('y', 6),
      height: 0,
      security: option('s', 1),
      columns: option('c', 0),
      rows: option('r', 0),
      isCompact: option('t', 0) === 1,
    })
    return pinCode(paper, stamp, at.x, at.y, turnOf(String(option('o', 0))))
  }
  if (kind === 'D') return pinCode(paper, square('datamatrix', option('h', 5), {}), at.x, at.y, 0)
  if (kind === 'Q') {
    const level = /** @type {string} */ (
      more.find((value) => /^e[LMQH]$/.test(value)) ?? 'eM'
    ).slice(1)
    return pinCode(paper, square('qrcode', option('s', 3), { eclevel: level }), at.x, at.y, 0)
  }
  if (kind === 'A') return pinCode(paper, square('azteccode', option('d', 3), {}), at.x, at.y, 0)
  if (kind !== 'M') throw new Error(`no symbol ${kind}`)
  pinCode(paper, eplMaxicode(encoders, text, option('m', 2), dpi), at.x, at.y, 0)
}

/** The beginning of a carrier's message; a version of two digits follows. */
const CARRIER_HEADER = '[)>\x1e01\x1d'

/** Class, country, postal code and message, separated by commas. @param {Encoders} encoders @param {string} text @param {number} mode @param {number} dpi */
function eplMaxicode(encoders, text, mode, dpi) {
  const parts = /^(\d{1,3}),(\d{1,3}),([^,]*),(.*)$/s.exec(text)
  if (parts === null) return maxicode(encoders, { text, mode: 4, dpi })
  const [, service = '', country = '', postal = '', rest = ''] = parts
  const main = `${postal}\x1d${country.padStart(3, '0')}\x1d${service.padStart(3, '0')}\x1d`
  const head = rest.startsWith(CARRIER_HEADER) ? rest.slice(0, CARRIER_HEADER.length + 2) : ''
  const whole = `${head}${main}${rest.slice(head.length)}`
  return maxicode(encoders, { text: whole, mode, dpi })
}

/** Dots of q and Q. @param {string} text @returns {{ width?: number, height?: number }} */
function sizeOf(text) {
  const [width, height] = [/^[ \t]*q(\d{2,5})/m, /^[ \t]*Q(\d{2,5})/m].map(
    (command) => command.exec(text)?.[1],
  )
  return { ...(width && { width: Number(width) }), ...(height && { height: Number(height) }) }
}

/** @type {import('../draw.js').Drawer} */
export const epl = { draw: (text, given) => drawLines(text, given, step), sizeOf }
