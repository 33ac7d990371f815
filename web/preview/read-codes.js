/** Reads Code 128, which carriers write their tracking numbers in, from a picture that is as sharp as its print. */
import { FNC1, patternOf, SHIFTS, STARTS, STOP } from './code-128.js'

/** Scan lines each way at most: a tracking number is half an inch high, some fifty dots. */
const LINES = 220
/** Lines that have to say the same. */
const AGREED = 2
const SYMBOLS_MOST = 60
/** Modules of white before the first bar; ten by the standard, fewer on crowded labels. */
const QUIET = 4
/** Modules by which the six runs of a symbol may differ from its pattern, taken together. */
const STRAY = 2.2

const PATTERNS = Array.from({ length: STOP + 1 }, (_, value) => patternOf(value))

/**
 * @param {number} width of the picture, dots
 * @param {number} height
 * @param {(at: { row?: number, column?: number }) => Uint8Array} lineOf a line of the picture, 1 = black
 * @returns {string[]} what its bar codes say
 */
export function readCodes(width, height, lineOf) {
  /** @type {Map<string, number>} */
  const seen = new Map()
  const look = (/** @type {Uint8Array} */ line) => {
    for (const text of new Set(readLine(line))) seen.set(text, (seen.get(text) ?? 0) + 1)
  }
  for (const row of places(height)) look(lineOf({ row }))
  for (const column of places(width)) look(lineOf({ column }))
  return [...seen].filter(([, lines]) => lines >= AGREED).map(([text]) => text)
}

/** @param {number} length */
function places(length) {
  const step = Math.max(1, Math.floor(length / LINES))
  return Array.from({ length: Math.floor(length / step) }, (_, n) => n * step)
}

/** Reads the codes in one line, in both directions. @param {Uint8Array} line @returns {string[]} */
export function readLine(line) {
  const runs = runsOf(line)
  return [...readRuns(runs), ...readRuns(runs.toReversed())]
}

/** Lengths of white and black in turn; white begins and ends. @param {Uint8Array} line */
function runsOf(line) {
  /** @type {number[]} */
  const runs = [0]
  let isBlack = 0
  for (const dot of line) {
    if (dot !== isBlack) {
      runs.push(0)
      isBlack = dot
    }
    runs[runs.length - 1] = (runs.at(-1) ?? 0) + 1
  }
  if (isBlack === 1) runs.push(0)
  return runs
}

/** @param {number[]} runs @returns {string[]} */
function readRuns(runs) {
  /** @type {string[]} */
  const texts = []
  for (let at = 1; at + 6 < runs.length; at += 2) {
    const values = readValues(runs, at)
    if (values === undefined) continue
    const text = decode(values)
    if (text !== undefined) texts.push(text)
    at += 6 * values.length
  }
  return texts
}

/** From start to the last before the check value, or undefined. @param {number[]} runs @param {number} at the first bar */
function readValues(runs, at) {
  const total = sumAt(runs, at)
  const isQuiet = (runs[at - 1] ?? 0) >= (QUIET * total) / 11
  const start = isQuiet ? match(runs, { at, total, first: STARTS.A }) : undefined
  if (start === undefined || start === STOP) return undefined
  const values = [start]
  while (values.length <= SYMBOLS_MOST) {
    const value = valueAt(runs, at + 6 * values.length, total)
    if (value === undefined) return undefined
    if (value === STOP) return isChecked(values) ? values.slice(0, -1) : undefined
    values.push(value)
  }
  return undefined
}

/** @param {number[]} runs @param {number} at @param {number} usual dots of a symbol */
function valueAt(runs, at, usual) {
  const total = sumAt(runs, at)
  if (Math.abs(total - usual) > usual / 5) return undefined
  return match(runs, { at, total, first: 0 })
}

/** @param {number[]} values with the check value */
function isChecked(values) {
  const sum = values.slice(0, -1).reduce((sum, value, n) => sum + value * Math.max(1, n), 0)
  return values.length > 2 && sum % 103 === values.at(-1)
}

/** @param {number[]} runs @param {number} at */
function sumAt(runs, at) {
  let sum = 0
  for (let n = at; n < at + 6; n++) sum += runs[n] ?? 0
  return sum
}

/**
 * The value from `first` on whose pattern is the nearest.
 * @param {number[]} runs
 * @param {{ at: number, total: number, first: number }} symbol
 */
function match(runs, { at, total, first }) {
  if (at + 6 > runs.length || total < 11) return undefined
  let best = STRAY
  /** @type {number | undefined} */
  let found
  for (let value = first; value <= STOP; value++) {
    const pattern = PATTERNS[value] ?? []
    let stray = 0
    for (let n = 0; n < 6 && stray < best; n++) {
      stray += Math.abs(((runs[at + n] ?? 0) * 11) / total - (pattern[n] ?? 0))
    }
    if (stray >= best) continue
    best = stray
    found = value
  }
  return found
}

/** @type {Readonly<Record<number, 'A' | 'B' | 'C'>>} */
const SUBSETS = { [STARTS.A]: 'A', [STARTS.B]: 'B', [STARTS.C]: 'C' }
/** @type {Readonly<Record<number, 'A' | 'B' | 'C'>>} */
const CHANGES = { [SHIFTS.A]: 'A', [SHIFTS.B]: 'B', [SHIFTS.C]: 'C' }

/**
 * Decodes values to text; the mark between two parts of GS1 becomes a blank.
 * @param {number[]} values the start and what follows it
 * @returns {string | undefined} of what has control characters or letters beyond ASCII: no number that is looked for
 */
function decode([start = 0, ...values]) {
  let subset = SUBSETS[start]
  let text = ''
  for (const value of values) {
    const change = CHANGES[value]
    const isChange = !isDigits(subset, value) && change !== undefined && change !== subset
    const letters = isChange ? '' : lettersOf(subset, value)
    if (letters === undefined) return undefined
    if (isChange) subset = change
    text += letters
  }
  return text.trim()
}

/** @param {string | undefined} subset @param {number} value */
function isDigits(subset, value) {
  return subset === 'C' && value < 100
}

/** @param {string | undefined} subset @param {number} value */
function lettersOf(subset, value) {
  if (value === FNC1) return ' '
  if (isDigits(subset, value)) return String(value).padStart(2, '0')
  return value < (subset === 'A' ? 64 : 95) ? String.fromCharCode(value + 32) : undefined
}
