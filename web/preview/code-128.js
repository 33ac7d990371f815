/** Code 128 as printers make it: they follow the label's own changes of subset, so a bar code may not be made shorter here. */

/** Widths of the bars and spaces of the values 0 to 106 (ISO/IEC 15417, table 1), 6 digits each; the stop has a bar more. */
const WIDTHS =
  '212222222122222221121223121322131222122213122312132212221213221312231212112232122132122231113222123122123221223211221132' +
  '221231213212223112312131311222321122321221312212322112322211212123212321232121111323131123131321112313132113132311211313' +
  '231113231311112133112331132131113123113321133121313121211331231131213113213311213131311123311321331121312113312311332111' +
  '314111221411431111111224111422121124121421141122141221112214112412122114122411142112142211241211221114413111241112134111' +
  '111242121142121241114212124112124211411212421112421211212141214121412121111143111341131141114113114311411113411311113141' +
  '114131311141411131211412211214211232233111'
export const STOP = 106
export const STARTS = { A: 103, B: 104, C: 105 }
export const SHIFTS = { A: 101, B: 100, C: 99 }
export const FNC1 = 102

/** The six widths of a value; the stop has a bar more. @param {number} value */
export function patternOf(value) {
  return Array.from(WIDTHS.slice(value * 6, value * 6 + 6), Number)
}

/** @typedef {'A' | 'B' | 'C'} Subset */

/**
 * Bars and spaces in modules, a bar first, with check value and stop.
 * @param {readonly number[]} values the start and what follows it
 * @returns {number[]}
 */
export function code128Widths(values) {
  const check = values.reduce((sum, value, n) => sum + value * Math.max(1, n), 0) % 103
  const all = [...values, check, STOP]
  return [...all.map((value) => WIDTHS.slice(value * 6, value * 6 + 6)).join(''), '2'].map(Number)
}

/** The value of a character in A or B; undefined where the subset lacks it. @param {Subset} subset @param {number} code */
function valueIn(subset, code) {
  if (subset === 'B') return code >= 32 && code < 128 ? code - 32 : undefined
  if (code < 32) return code + 64
  return code < 96 ? code - 32 : undefined
}

/** The characters after a `>` in ZPL (ZPL II guide, ^BC, table of invocation codes). @type {Readonly<Record<string, number>>} */
const INVOKED = {
  '<': 62,
  0: 30,
  '=': 94,
  1: 95,
  2: 96,
  3: 97,
  4: 98,
  5: 99,
  6: 100,
  7: 101,
  8: 102,
}
/** @type {Readonly<Record<string, Subset>>} */
const BEGUN = { 9: 'A', ':': 'B', ';': 'C' }

/** Values as they are written, and the subset that they are in. */
class Writer {
  shown = ''

  /** @param {Subset} subset */
  constructor(subset) {
    this.subset = subset
    this.values = [STARTS[subset]]
  }

  /** @param {Subset} to */
  change(to) {
    if (to !== this.subset) this.values.push(SHIFTS[to])
    this.subset = to
  }

  /** A character that the subset may lack. @param {string} sign */
  write(sign) {
    const value = valueIn(this.subset, sign.charCodeAt(0))
    if (value === undefined) return
    this.values.push(value)
    this.shown += sign
  }

  /** A pair of digits. @param {string} pair */
  writePair(pair) {
    this.values.push(Number(pair))
    this.shown += pair
  }
}

/**
 * ZPL's mode N: subset B unless the text says otherwise.
 * @param {string} text
 * @returns {{ values: number[], shown: string }}
 */
export function byInvocations(text) {
  const writer = new Writer(text[0] === '>' ? (BEGUN[text[1] ?? ''] ?? 'B') : 'B')
  let at = 0
  while (at < text.length) at += writeNext(writer, text, at)
  return writer
}

/** Writes the next characters; returns how many were read. @param {Writer} writer @param {string} text @param {number} at */
function writeNext(writer, text, at) {
  if (text[at] === '>') return invoke(writer, text[at + 1] ?? '', at) ? 2 : 1
  const pair = text.slice(at, at + 2)
  if (writer.subset === 'C' && /^\d\d/.test(pair)) {
    writer.writePair(pair)
    return 2
  }
  // What is not a pair of digits is written in B.
  if (writer.subset === 'C') writer.change('B')
  writer.write(text[at] ?? '')
  return 1
}

/** Obeys the code behind a `>`; false when it is not one. @param {Writer} writer @param {string} code @param {number} at */
function invoke(writer, code, at) {
  const begun = BEGUN[code]
  const value = INVOKED[code]
  if (begun !== undefined) {
    if (at > 0) writer.change(begun)
    return true
  }
  if (value === undefined) return false
  const isChange =
    value === 99 || ((value === 100 || value === 101) && writer.subset !== nameOf(value))
  if (isChange) writer.change(nameOf(value))
  else {
    writer.values.push(value)
    if (code === '0') writer.shown += '>'
  }
  return true
}

/** @param {number} value @returns {Subset} */
function nameOf(value) {
  return value === 99 ? 'C' : value === 100 ? 'B' : 'A'
}

/**
 * The shortest way, as the automatic modes do: runs of four digits and more in C.
 * @param {string} text `\u00f1` stands for FNC1
 * @returns {number[]}
 */
export function automatic(text) {
  const isDigits = /^\u00f1?\d{4}/.test(text) || /^\u00f1?(?:\d\d)+$/.test(text)
  const writer = new Writer(isDigits ? 'C' : firstLetters(text))
  let at = 0
  while (at < text.length) at += writeShortest(writer, text, at)
  return writer.values
}

/** Writes the next characters; returns how many were read. @param {Writer} writer @param {string} text @param {number} at */
function writeShortest(writer, text, at) {
  if (text[at] === '\u00f1') {
    writer.values.push(FNC1)
    return 1
  }
  const digits = /^\d*/.exec(text.slice(at, at + 40))?.[0].length ?? 0
  const enough = at + digits >= text.length ? 4 : 6
  if (digits >= enough && digits % 2 === 0) writer.change('C')
  if (writer.subset === 'C' && digits >= 2) {
    writer.writePair(text.slice(at, at + 2))
    return 2
  }
  writeLetter(writer, text[at] ?? '')
  return 1
}

/** @param {Writer} writer @param {string} sign */
function writeLetter(writer, sign) {
  const code = sign.charCodeAt(0)
  const fits = writer.subset !== 'C' && valueIn(writer.subset, code) !== undefined
  if (!fits) writer.change(letterSet(code))
  writer.write(sign)
}

/** @param {string} text @returns {Subset} */
function firstLetters(text) {
  return letterSet(text.charCodeAt(0) || 32)
}

/** @param {number} code @returns {Subset} */
function letterSet(code) {
  return code < 32 ? 'A' : 'B'
}

/** @param {Subset} subset @param {string} text all in one subset, as EPL's and TSPL's fixed ones */
export function inSubset(subset, text) {
  const writer = new Writer(subset)
  if (subset === 'C') for (const pair of text.match(/\d\d/g) ?? []) writer.writePair(pair)
  else for (const sign of text) writer.write(sign)
  return writer.values
}
