/** The parts that EPL and TSPL have in common: lines of text with counted data in between, and parts that turn around their top left. */
/** @import { Paper, Stamp, Turn, Ink } from './paper.js' */
/** @import { Encoders } from './symbols.js' */
/** @import { Charset } from './text-bytes.js' */
import { automatic, code128Widths, inSubset } from './code-128.js'
import { createPaper, Overrun, press, pressCode, spend } from './paper.js'
import { bars, linear } from './symbols.js'
import { fixed, setLine } from './type.js'

/**
 * `labels` ended so far and `parts` of the one that is drawn; `head`: dots of the print head; `charset` once the label names one.
 * @typedef {{ paper: Paper, encoders: Encoders, dpi: number, origin: { x: number, y: number }, faults: Set<string>, parts: number, labels: number, head: number, charset?: Charset }} Printer
 */

const MAX_LINES = 30_000
const MAX_LINE = 20_000

/** Walks through a label. */
export class Lines {
  #text
  #at = 0
  #count = 0

  /** @param {string} text a character a byte */
  constructor(text) {
    this.#text = text
  }

  /** True when nothing is left, or far too much came. */
  get isAtEnd() {
    return this.#at >= this.#text.length || this.#count > MAX_LINES
  }

  get isTooLong() {
    return this.#count > MAX_LINES
  }

  /** The next line without its end; undefined at the end. */
  next() {
    this.#count += 1
    const feed = this.#text.indexOf('\n', this.#at)
    const end = feed < 0 ? this.#text.length : feed
    const line = this.#text.slice(this.#at, Math.min(end, this.#at + MAX_LINE))
    this.#at = end + 1
    return line.replace(/\r$/, '')
  }

  /** Matches a pattern right here, and moves past the match. @param {RegExp} pattern that begins with ^ */
  match(pattern) {
    const found = pattern.exec(this.#text.slice(this.#at, this.#at + 80))
    if (found === null) return undefined
    this.#count += 1
    this.#at += found[0].length
    return found.slice(1)
  }

  /** The next bytes, whatever they are. @param {number} count */
  bytes(count) {
    const data = this.#text.slice(this.#at, this.#at + count)
    this.#at += count
    return Uint8Array.from(data, (byte) => byte.charCodeAt(0))
  }
}

/**
 * The first label with something on it, and how many there are.
 * @param {string} text a character a byte
 * @param {{ width: number, height: number, dpi: number, encoders: Encoders }} given dots
 * @param {(printer: Printer, lines: Lines) => void} step reads and draws the next command
 * @returns {{ paper: Paper, labels: number, faults: Set<string> }}
 */
export function drawLines(text, { width, height, dpi, encoders }, step) {
  const lines = new Lines(text)
  /** @type {Printer} */
  const printer = {
    paper: createPaper(width, height),
    encoders,
    dpi,
    origin: { x: 0, y: 0 },
    faults: new Set(),
    parts: 0,
    labels: 0,
    head: width,
  }
  try {
    while (!lines.isAtEnd) step(printer, lines)
  } catch (error) {
    if (!(error instanceof Overrun)) throw error
    printer.faults.add('TOO_LARGE')
  }
  if (lines.isTooLong) printer.faults.add('TOO_LARGE')
  return { paper: printer.paper, labels: Math.max(1, printer.labels), faults: printer.faults }
}

/** Ends a label; one with nothing on it does not come out. @param {Printer} printer */
export function endLabel(printer) {
  if (printer.parts > 0) printer.labels += 1
  printer.parts = 0
}

/**
 * Runs the rule of a command; a failure costs that command only. The labels behind the one that is shown are only counted.
 * @param {Printer} printer @param {string} name @param {boolean} isPart @param {() => void} rule
 */
export function obey(printer, name, isPart, rule) {
  if (isPart) printer.parts += 1
  if (printer.labels > 0) return
  spend(printer.paper, 100)
  try {
    rule()
  } catch (error) {
    if (error instanceof Overrun) throw error
    printer.faults.add(`NOT_DRAWN ${name}`)
  }
}

/**
 * The parameters of a line and its quoted text, whose end is its last quote.
 * @param {string} rest behind the command's name
 * @returns {{ p: string[], text: string }}
 */
export function splitLine(rest) {
  const [head = '', ...parts] = splitQuoted(rest)
  return { p: head.split(',').map((value) => value.trim()), text: parts.join('') }
}

/** @param {string} rest */
function splitQuoted(rest) {
  const begin = rest.indexOf('"')
  const end = rest.lastIndexOf('"')
  if (begin < 0) return [rest]
  return [rest.slice(0, begin), rest.slice(begin + 1, end > begin ? end : undefined)]
}

/** @param {string | undefined} text @param {number} fallback */
export function count(text, fallback) {
  const value = Number.parseFloat(text ?? '')
  return Number.isFinite(value) ? Math.max(-32_000, Math.min(32_000, Math.round(value))) : fallback
}

/**
 * Puts a stamp whose top left, as it is read, stays where it is when it is turned.
 * @param {Paper} paper
 * @param {Stamp} stamp
 * @param {number} x
 * @param {number} y
 * @param {Turn} turn
 * @param {Ink} [ink]
 */
export function pin(paper, stamp, x, y, turn, ink = 'black') {
  const at = topLeft(stamp, x, y, turn)
  press(paper, stamp, at.x, at.y, turn, ink)
}

/** Does the same as `pin` for a bar code. @param {Paper} paper @param {Stamp} stamp @param {number} x @param {number} y @param {Turn} turn */
export function pinCode(paper, stamp, x, y, turn) {
  const at = topLeft(stamp, x, y, turn)
  pressCode(paper, stamp, at.x, at.y, turn)
}

/** Returns the top left of the turned stamp. @param {Stamp} stamp @param {number} x @param {number} y @param {Turn} turn */
function topLeft({ boxWidth, boxHeight }, x, y, turn) {
  return {
    x: turn === 1 ? x - boxHeight : turn === 2 ? x - boxWidth : x,
    y: turn === 2 ? y - boxHeight : turn === 3 ? y - boxWidth : y,
  }
}

/**
 * A linear bar code and the line below it.
 * @param {Paper} paper
 * @param {Encoders} encoders
 * @param {{ x: number, y: number, turn: Turn, name: string, text: string, narrow: number, wide: number, height: number, hasText: boolean, subset?: 'A' | 'B' | 'C', options?: object }} code
 */
export function drawBars(
  paper,
  encoders,
  { x, y, turn, name, text, narrow, wide, height, hasText, subset, options },
) {
  spend(paper, text.length * 2_000)
  const module = Math.max(1, Math.min(50, narrow))
  const tall = Math.max(1, height)
  const symbol =
    name === 'code128'
      ? bars(
          code128Widths(subset === undefined ? automatic(text) : inSubset(subset, text)),
          module,
          tall,
        )
      : linear(encoders, {
          name,
          text,
          module,
          height: tall,
          ratio: Math.max(2, wide / module),
          ...(options && { options }),
        })
  pinCode(paper, symbol, x, y, turn)
  if (!hasText) return
  const line = setLine(paper, fixed(10, 16, 13), text.replaceAll('\u00f1', '').slice(0, 300))
  const [along, down] = [Math.round((symbol.boxWidth - line.boxWidth) / 2), tall + 4]
  const place = [
    [x + along, y + down],
    [x - down, y + along],
    [x - along, y - down],
    [x + down, y - along],
  ][turn]
  pin(paper, line, place?.[0] ?? 0, place?.[1] ?? 0, turn)
}
