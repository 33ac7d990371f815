/** Draws ZPL as a printer would. What it takes from one label to the next (graphics, formats, settings) stays, as it stays there. */
/** @import { Paper, Turn } from '../paper.js' */
/** @import { Encoders } from '../symbols.js' */
/** @import { By } from './codes.js' */
/** @import { Block } from '../block.js' */
/** @import { Command } from './words.js' */
import { createPaper, Overrun, unpackBits } from '../paper.js'
import { isKnownCode } from './codes.js'
import { drawField, drawShape } from './fields.js'
import { readGraphic } from './graphics.js'
import { countField, MAX_FIELDS, MAX_STORED, RULES, storedName } from './rules.js'
import { parametersOf, readCommands, turnOf, whole } from './words.js'

/** Commands that put nothing on paper, or that paper cannot show. */
const SILENT =
  /^(?:\^(?:FX|CO|CV|DN|EG|FM|HF|HG|HH|HT|HV|HW|HY|HZ|ID|JB|JH|JI|JJ|JM|JS|JT|JU|JW|JZ|KD|KL|KN|KP|MA|MC|MD|MF|ML|MM|MN|MP|MT|MW|NB|NC|ND|NI|NS|NT|NW|PF|PH|PM|PN|PO|PP|PQ|PR|PW|RB|RF|RI|RM|RN|RQ|RR|RS|RT|RU|RW|RZ|SC|SE|SI|SL|SN|SO|SP|SQ|SR|SS|ST|SX|SZ|TO|WD|WF|WT|XB|XS|XZ|XA|ZZ|FS|FP|CN|KV|LF)|~.*)$/

/** @typedef {{ bits: Uint8Array, rowBytes: number }} Graphic */

/**
 * @typedef {object} Field what has been said of it so far
 * @property {{ x: number, y: number, isBaseline: boolean, justify: string } | undefined} at
 * @property {{ name: string, height: number, width: number, turn: Turn | undefined } | undefined} font
 * @property {{ name: string, p: string[], turn: Turn, by: By } | undefined} code
 * @property {Block | undefined} block
 * @property {string | undefined} data a character a byte
 * @property {string} hex the sign before hexadecimal digits, '' = none
 * @property {boolean} isReverse
 * @property {number | undefined} number of ^FN
 */

/**
 * @typedef {object} Printer
 * @property {Paper} paper
 * @property {Encoders} encoders
 * @property {number} dpi
 * @property {Set<string>} faults why something is not drawn, or will not scan
 * @property {{ x: number, y: number }} home
 * @property {{ x: number, y: number }} shift
 * @property {{ name: string, height: number, width: number }} font
 * @property {Turn} turn
 * @property {By} by
 * @property {boolean} isReverse
 * @property {number} charset
 * @property {number} unit dots of one, 1 = dots
 * @property {Map<string, Graphic>} graphics
 * @property {Map<string, Command[]>} formats
 * @property {Map<string, string>} fonts ^CW
 * @property {Map<number, Field>} waiting fields of a stored format
 * @property {Field} field
 * @property {{ x: number, y: number }} pen where the last text ended
 * @property {number} fields of this label
 * @property {number} labels that are done
 * @property {Command[] | undefined} storing the stored format that is being sent
 */

/** @returns {Field} */
function newField() {
  return {
    at: undefined,
    font: undefined,
    code: undefined,
    block: undefined,
    data: undefined,
    hex: '',
    isReverse: false,
    number: undefined,
  }
}

/**
 * The first label with something on it, and how many there are.
 * @param {string} text a character a byte
 * @param {{ width: number, height: number, dpi: number, encoders: Encoders }} given dots
 * @returns {Promise<{ paper: Paper, labels: number, faults: Set<string> }>}
 */
async function drawLabel(text, { width, height, dpi, encoders }) {
  const printer = createPrinter(createPaper(width, height), dpi, encoders)
  try {
    for (const command of readCommands(text)) await step(printer, command)
  } catch (error) {
    if (!(error instanceof Overrun)) throw error
    printer.faults.add('TOO_LARGE')
  }
  if (printer.fields > 0) printer.labels += 1
  return { paper: printer.paper, labels: Math.max(1, printer.labels), faults: printer.faults }
}

/** @param {Printer} printer @param {Command} command */
async function step(printer, command) {
  const { storing } = printer
  if (command.name === '^XZ') endLabel(printer)
  else if (storing !== undefined) {
    if (storing.length < MAX_FIELDS) storing.push(command)
  } else if (command.name === '^DF') printer.storing = startStoring(printer, command)
  else if (printer.labels > 0) countOnly(printer, command)
  else await attempt(printer, command)
}

/** Tries a command; one that cannot be read or drawn costs nothing else. @param {Printer} printer @param {Command} command */
async function attempt(printer, command) {
  try {
    await obey(printer, command)
  } catch (error) {
    if (error instanceof Overrun) throw error
    printer.faults.add(`NOT_DRAWN ${command.name}`)
  }
}

/** @param {Printer} printer */
function endLabel(printer) {
  drawWaiting(printer)
  printer.storing = undefined
  if (printer.fields > 0) printer.labels += 1
  printer.fields = 0
  printer.field = newField()
}

/** @param {Paper} paper @param {number} dpi @param {Encoders} encoders @returns {Printer} */
function createPrinter(paper, dpi, encoders) {
  return {
    paper,
    encoders,
    dpi,
    faults: new Set(),
    home: { x: 0, y: 0 },
    shift: { x: 0, y: 0 },
    font: { name: 'A', height: 0, width: 0 },
    turn: 0,
    by: { module: 2, ratio: 3, height: 10 },
    isReverse: false,
    charset: 0,
    unit: 1,
    graphics: new Map(),
    formats: new Map(),
    fonts: new Map(),
    waiting: new Map(),
    field: newField(),
    pen: { x: 0, y: 0 },
    fields: 0,
    labels: 0,
    storing: undefined,
  }
}

/** @param {Printer} printer @param {Command} command */
function startStoring(printer, command) {
  /** @type {Command[]} */
  const commands = []
  if (printer.formats.size < MAX_STORED) printer.formats.set(storedName(command), commands)
  return commands
}

/** A label behind the one that is shown. @param {Printer} printer @param {Command} command */
function countOnly(printer, { name }) {
  if (name === '^FD' || name === '^FV' || name === '^GF' || name === '^GB' || name === '^XG')
    printer.fields += 1
}

/** @param {Printer} printer @param {Command} command */
async function obey(printer, command) {
  const { name } = command
  const rule = RULES[name]
  if (rule !== undefined) return rule(printer, parametersOf(command), command)
  if (name === '^GF') return await drawGraphic(printer, command)
  if (name === '~DG' || name === '~DY') return await keepGraphic(printer, command)
  if (name === '^XF') return await recall(printer, command)
  if (name === '^FS') return endField(printer)
  if (isKnownCode(name)) return setCode(printer, command)
  if (!SILENT.test(name)) printer.faults.add(`NOT_DRAWN ${name}`)
}

/** @param {Printer} printer @param {Command} command */
function setCode(printer, command) {
  const p = parametersOf(command)
  const isTurnless = command.name === '^BD'
  const turn = isTurnless ? 0 : (turnOf(p[0]) ?? printer.turn)
  printer.field.code = { name: command.name, p, turn, by: { ...printer.by } }
}

/** @param {Printer} printer */
function endField(printer) {
  const { field } = printer
  printer.field = newField()
  if (field.number !== undefined) {
    const stored = printer.waiting.get(field.number)
    if (stored !== undefined && field.data !== undefined) {
      printer.waiting.delete(field.number)
      return draw(printer, { ...stored, data: field.data, hex: field.hex || stored.hex })
    }
    if (field.data === undefined) {
      if (printer.waiting.size < MAX_FIELDS) printer.waiting.set(field.number, field)
      return
    }
  }
  if (field.data !== undefined) draw(printer, field)
}

/** @param {Printer} printer @param {Field} field */
function draw(printer, field) {
  countField(printer)
  try {
    drawField(printer, field)
  } catch (error) {
    // A field that cannot be drawn costs that field only.
    if (error instanceof Overrun) throw error
    printer.faults.add(`NOT_DRAWN ${field.code?.name ?? '^FD'}`)
  }
}

/** Fields of a stored format that nothing was said of stay empty. @param {Printer} printer */
function drawWaiting(printer) {
  if (printer.field.data !== undefined) endField(printer)
  printer.waiting.clear()
}

/** @param {Printer} printer @param {Command} command */
async function drawGraphic(printer, { data, comma }) {
  const [kind = '', , total, row] = data.slice(0, 80).split(comma)
  const from = data.split(comma, 4).join(comma).length + 1
  const rowBytes = Math.max(1, whole(row, 1, 4000))
  const isBinary = /^[BC]/i.test(kind.trim())
  const bits = await readGraphic(data.slice(from), rowBytes, whole(total, 0, 4e6), isBinary)
  countField(printer)
  drawShape(printer, '^GF', [], unpackBits(bits, rowBytes, 1))
}

/** `~DGR:NAME.GRF,total,row,data`; `~DYR:NAME,format,extension,total,row,data`. @param {Printer} printer @param {Command} command */
async function keepGraphic(printer, command) {
  const { data, comma, name } = command
  const isDy = name === '~DY'
  const head = data.slice(0, 160).split(comma)
  const [total, row] = isDy ? [head[3], head[4]] : [head[1], head[2]]
  if (printer.graphics.size >= MAX_STORED) throw new Overrun('too many graphics')
  if (isDy && !/^[AB]/i.test(head[1] ?? '') && !/^G/i.test(head[2] ?? '')) return
  const from = data.split(comma, isDy ? 5 : 3).join(comma).length + 1
  const rowBytes = Math.max(1, whole(row, 1, 4000))
  const isBinary = isDy && /^B/i.test(head[1]?.trim() ?? '')
  const bits = await readGraphic(data.slice(from), rowBytes, whole(total, 0, 4e6), isBinary)
  printer.graphics.set(storedName(command), { bits, rowBytes })
}

/** @param {Printer} printer @param {Command} command */
async function recall(printer, command) {
  const stored = printer.formats.get(storedName(command))
  if (stored === undefined) printer.faults.add('STORED_FORMAT')
  for (const each of stored ?? []) if (each.name !== '^XF') await obey(printer, each)
}

/** Dots of ^PW and ^LL. @param {string} text @returns {{ width?: number, height?: number }} */
function sizeOf(text) {
  const [width, height] = [/\^PW(\d{2,6})/i, /\^LL(\d{2,6})/i].map(
    (command) => command.exec(text)?.[1],
  )
  return { ...(width && { width: Number(width) }), ...(height && { height: Number(height) }) }
}

/** @type {import('../draw.js').Drawer} */
export const zpl = { draw: drawLabel, sizeOf }
