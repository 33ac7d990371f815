/** The changes that ZPL's commands make in the printer, one rule each. */
/** @import { Printer } from './index.js' */
/** @import { Command } from './words.js' */
import { Overrun, unpackBits } from '../paper.js'
import { drawShape } from './fields.js'
import { isYes, parametersOf, turnOf, whole } from './words.js'

export const MAX_FIELDS = 20_000
export const MAX_STORED = 40

/** @param {Printer} printer @param {string | undefined} text */
function dots(printer, text) {
  if (printer.unit === 1) return whole(text, 0)
  const value = Number.parseFloat(text ?? '')
  return Number.isFinite(value) ? whole(String(value * printer.unit), 0) : 0
}

/** @type {Readonly<Record<string, (printer: Printer, p: string[], command: Command) => void>>} */
export const RULES = {
  '^LH': (printer, [x, y]) => {
    printer.home = { x: dots(printer, x), y: dots(printer, y) }
  },
  '^LS': (printer, [x]) => {
    printer.shift = { ...printer.shift, x: -dots(printer, x) }
  },
  '^LT': (printer, [y]) => {
    printer.shift = { ...printer.shift, y: whole(y, 0, 120) }
  },
  '^LL': () => undefined,
  '^LR': (printer, [value]) => {
    printer.isReverse = isYes(value, false)
  },
  '^MU': (printer, [unit = 'D', from, to]) => {
    const factor = whole(from, 0) > 0 ? whole(to, 0) / whole(from, 1) : 1
    const letter = unit.toUpperCase()
    printer.unit =
      letter === 'I' ? printer.dpi : letter === 'M' ? printer.dpi / 25.4 : Math.max(1, factor)
  },
  '^CF': (printer, [font, height, width]) => {
    const name = font || printer.font.name
    printer.font = {
      name: name.slice(0, 1).toUpperCase(),
      height: dots(printer, height),
      width: dots(printer, width),
    }
  },
  '^CI': (printer, [charset]) => {
    printer.charset = whole(charset, 0)
  },
  '^CW': (printer, [letter = '', file = '']) => {
    if (letter && printer.fonts.size < MAX_STORED) printer.fonts.set(letter.toUpperCase(), file)
  },
  '^FW': (printer, [turn]) => {
    printer.turn = turnOf(turn) ?? printer.turn
  },
  '^BY': (printer, [module, ratio, height]) => {
    const { by } = printer
    printer.by = {
      module: Math.max(1, Math.min(100, dots(printer, module) || by.module)),
      ratio: Math.max(2, Math.min(3, Number.parseFloat(ratio ?? '') || by.ratio)),
      height: Math.max(1, dots(printer, height) || by.height),
    }
  },
  '^FO': (printer, p) => setOrigin(printer, p, false),
  '^FT': (printer, p) => setOrigin(printer, p, true),
  '^A': (printer, _, { data, comma }) => {
    // The font's letter is part of the name: ^A0N,30,20; ^A@N,30,20,E:FONT.TTF.
    const [first = '', height, width] = data.split(comma)
    const letter = first.slice(0, 1).toUpperCase()
    const isTurned = turnOf(first.slice(1))
    const name = printer.fonts.has(letter) || letter === '@' ? '0' : letter
    printer.field.font = {
      name,
      height: dots(printer, height),
      width: dots(printer, width),
      turn: isTurned,
    }
  },
  '^FB': (printer, [width, lines, space, justify, hang]) => {
    printer.field.block = {
      width: Math.max(1, dots(printer, width)),
      lines: Math.max(1, whole(lines, 1)),
      space: dots(printer, space),
      justify: (justify ?? 'L').toUpperCase(),
      hang: dots(printer, hang),
    }
  },
  '^TB': (printer, [turn, width, height]) => {
    const size = printer.field.font?.height || printer.font.height || 20
    printer.field.block = {
      width: Math.max(1, dots(printer, width)),
      lines: Math.max(1, Math.floor(dots(printer, height) / size)),
      space: 0,
      justify: 'L',
      hang: 0,
    }
    if (printer.field.font) printer.field.font.turn = turnOf(turn) ?? printer.field.font.turn
  },
  '^FH': (printer, _, { data }) => {
    printer.field.hex = data.trim().slice(0, 1) || '_'
  },
  '^FR': (printer) => {
    printer.field.isReverse = true
  },
  '^FN': (printer, [number]) => {
    printer.field.number = whole(number, 0)
  },
  '^FD': setData,
  '^FV': setData,
  '^SN': setData,
  '^GB': shape,
  '^GC': shape,
  '^GD': shape,
  '^GE': shape,
  '^GS': (printer, [turn, height, width]) => {
    printer.field.font = {
      name: 'GS',
      height: dots(printer, height),
      width: dots(printer, width),
      turn: turnOf(turn),
    }
  },
  '^XG': (printer, p, command) =>
    recallGraphic(printer, storedName(command), whole(p[1], 1, 10), whole(p[2], 1, 10)),
  '^IM': (printer, _, command) => recallGraphic(printer, storedName(command), 1, 1),
  '^IL': (printer, _, command) => {
    printer.field.at = { x: 0, y: 0, isBaseline: false, justify: '' }
    recallGraphic(printer, storedName(command), 1, 1)
  },
}

/** @param {Printer} printer @param {string[]} p @param {boolean} isBaseline */
function setOrigin(printer, [x = '', y = '', justify = ''], isBaseline) {
  const { home, shift, pen } = printer
  const isFree = isBaseline && x === '' && y === ''
  const at = isFree
    ? pen
    : { x: dots(printer, x) + home.x + shift.x, y: dots(printer, y) + home.y + shift.y }
  printer.field.at = { ...at, isBaseline, justify }
}

/** @param {Printer} printer @param {string[]} _ @param {Command} command */
function setData(printer, _, { name, data, comma }) {
  printer.field.data = name === '^SN' ? (data.split(comma)[0] ?? '') : data.replace(/[\r\n]/g, '')
}

/** @param {Printer} printer @param {string[]} p @param {Command} command */
function shape(printer, p, { name }) {
  const scaled =
    printer.unit === 1
      ? p
      : p.map((value) => (/^[\d.]+$/.test(value) ? String(dots(printer, value)) : value))
  countField(printer)
  drawShape(printer, name, scaled)
}

/** @param {Printer} printer @throws Overrun */
export function countField(printer) {
  printer.fields += 1
  if (printer.fields > MAX_FIELDS) throw new Overrun('too many fields')
}

/** @param {Command} command `R:NAME.ZPL` and what follows */
export function storedName(command) {
  const [name = ''] = parametersOf(command)
  return name
    .toUpperCase()
    .replace(/^[A-Z]:/, '')
    .replace(/\.[A-Z]+$/, '')
}

/** @param {Printer} printer @param {string} name @param {number} mx @param {number} my */
function recallGraphic(printer, name, mx, my) {
  const graphic = printer.graphics.get(name)
  if (graphic === undefined) {
    printer.faults.add('STORED_GRAPHIC')
    return
  }
  countField(printer)
  const stamp = unpackBits(graphic.bits, graphic.rowBytes, 1, Math.max(1, mx), Math.max(1, my))
  drawShape(printer, '^GF', [], stamp)
}
