/** ZPL's bar codes: what their commands say, and the stamps that their data become. */
/** @import { Stamp } from '../paper.js' */
/** @import { Encoders } from '../symbols.js' */
import { automatic, byInvocations, code128Widths } from '../code-128.js'
import { bars, linear, matrix, pdf417 } from '../symbols.js'
import { drawAztec, drawDataMatrix, drawMaxicode, drawQr } from './matrix.js'
import { isYes, whole } from './words.js'

/**
 * @typedef {object} By ^BY
 * @property {number} module dots
 * @property {number} ratio
 * @property {number} height
 */

/**
 * @typedef {object} Drawn
 * @property {Stamp} stamp
 * @property {string} shown the line of text, '' = none
 * @property {boolean} isAbove
 * @property {number} module dots of the finest bar
 * @property {number} [down] rows further down than the field says
 */

/** @typedef {{ encoders: Encoders, by: By, p: string[], data: string, dpi: number }} Wanted */

/** @typedef {{ name: string, height: number, line: number, above: number, check: number }} LinearCode */

/** Linear symbols: bwip-js's name, and where the command has the height, the line, the line above, the check digit. @type {Readonly<Record<string, LinearCode>>} */
const LINEAR = {
  '^B1': { name: 'code11', height: 2, line: 3, above: 4, check: 1 },
  '^B2': { name: 'interleaved2of5', height: 1, line: 2, above: 3, check: 4 },
  '^B3': { name: 'code39', height: 2, line: 3, above: 4, check: 1 },
  '^B8': { name: 'ean8', height: 1, line: 2, above: 3, check: -1 },
  '^B9': { name: 'upce', height: 1, line: 2, above: 3, check: -1 },
  '^BA': { name: 'code93', height: 1, line: 2, above: 3, check: 4 },
  '^BE': { name: 'ean13', height: 1, line: 2, above: 3, check: -1 },
  '^BI': { name: 'industrial2of5', height: 1, line: 2, above: 3, check: -1 },
  '^BJ': { name: 'industrial2of5', height: 1, line: 2, above: 3, check: -1 },
  '^BK': { name: 'rationalizedCodabar', height: 2, line: 3, above: 4, check: -1 },
  '^BL': { name: 'code39', height: 1, line: 9, above: 2, check: -1 },
  '^BM': { name: 'msi', height: 2, line: 3, above: 4, check: -1 },
  '^BU': { name: 'upca', height: 1, line: 2, above: 3, check: -1 },
}

/** @type {Readonly<Record<string, (wanted: Wanted) => Drawn>>} */
const OTHERS = {
  '^B0': drawAztec,
  '^B7': drawPdf417,
  '^BC': drawCode128,
  '^BD': drawMaxicode,
  '^BF': drawMicroPdf417,
  '^BO': drawAztec,
  '^BQ': drawQr,
  '^BX': drawDataMatrix,
}

/** @param {string} name */
export function isKnownCode(name) {
  return name in LINEAR || name in OTHERS
}

/**
 * @param {string} name of the command
 * @param {Wanted} wanted
 * @returns {Drawn}
 * @throws what bwip-js says of data that the symbol cannot hold
 */
export function drawCode(name, wanted) {
  const [code, other] = [LINEAR[name], OTHERS[name]]
  if (code !== undefined) return drawLinear(code, wanted)
  if (other === undefined) throw new Error(`no bar code ${name}`)
  return other(wanted)
}

/** @param {LinearCode} code @param {Wanted} wanted @returns {Drawn} */
function drawLinear(code, { encoders, by, p, data }) {
  const { module, ratio } = by
  const height = whole(p[code.height], by.height)
  const text = linearText(code.name, data, p)
  const hasCheck = code.check >= 0 && isYes(p[code.check], false)
  const options = hasCheck ? { includecheck: true } : {}
  const stamp = linear(encoders, { name: code.name, text, module, height, ratio, options })
  const shown = code.name === 'code39' ? `*${text}*` : text
  return {
    stamp,
    shown: isYes(p[code.line], true) ? shown : '',
    isAbove: isYes(p[code.above], false),
    module,
  }
}

/** Returns the text that the printer encodes for data of another length or alphabet. @param {string} name @param {string} data @param {string[]} p */
function linearText(name, data, p) {
  const digits = data.replace(/\D/g, '')
  switch (name) {
    case 'ean13':
      return digits.slice(0, 12).padStart(12, '0')
    case 'ean8':
      return digits.slice(0, 7).padStart(7, '0')
    case 'upca':
      return digits.slice(0, 11).padStart(11, '0')
    case 'upce':
      return digits.length === 10 ? digits.slice(4).padStart(7, '0') : digits.slice(0, 7)
    case 'interleaved2of5':
      return (digits.length + (isYes(p[4], false) ? 1 : 0)) % 2 === 1 ? `0${digits}` : digits
    case 'rationalizedCodabar':
      return /^[A-D]/i.test(data) ? data : `${p[5] || 'A'}${data}${p[6] || 'A'}`
    case 'code39':
      return data.toUpperCase().replace(/[^0-9A-Z $%+./-]/g, '')
    default:
      return data
  }
}

/** @param {Wanted} wanted @returns {Drawn} */
function drawCode128({ by, p, data }) {
  const mode = (p[5] ?? 'N').toUpperCase()
  const height = whole(p[1], by.height)
  const { values, shown } = code128Values(mode, data)
  return {
    stamp: bars(code128Widths(values), by.module, height),
    shown: isYes(p[2], true) ? shown : '',
    isAbove: isYes(p[3], false),
    module: by.module,
  }
}

/** @param {string} mode @param {string} data */
function code128Values(mode, data) {
  if (mode === 'A')
    return { values: automatic(data.replaceAll('>8', '\u00f1')), shown: data.replaceAll('>8', '') }
  if (mode === 'U') {
    const digits = data.replace(/\D/g, '').slice(0, 19).padEnd(19, '0')
    const sum = [...digits]
      .reverse()
      .reduce((total, digit, n) => total + Number(digit) * (n % 2 === 0 ? 3 : 1), 0)
    const all = `${digits}${(10 - (sum % 10)) % 10}`
    return { values: automatic(`\u00f1${all}`), shown: all }
  }
  if (mode === 'D') {
    const plain = data.replaceAll('>8', '\u00f1').replace(/[() ]/g, '')
    return { values: automatic(`\u00f1${plain}`), shown: data.replaceAll('>8', '') }
  }
  return byInvocations(data)
}

/** @param {Wanted} wanted @returns {Drawn} */
function drawPdf417({ encoders, by, p, data }) {
  const stamp = pdf417(encoders, {
    text: data,
    module: by.module,
    rowHeight: whole(p[1], 0),
    height: by.height,
    security: Math.max(0, whole(p[2], 0)),
    columns: whole(p[3], 0),
    rows: whole(p[4], 0),
    isCompact: isYes(p[5], false),
  })
  return { stamp, shown: '', isAbove: false, module: by.module }
}

/** @param {Wanted} wanted @returns {Drawn} */
function drawMicroPdf417({ encoders, by, p, data }) {
  const moduleY = Math.max(1, whole(p[1], by.height))
  const stamp = matrix(encoders, {
    name: 'micropdf417',
    text: data,
    moduleX: by.module,
    moduleY,
    options: { rowmult: 1 },
  })
  return { stamp, shown: '', isAbove: false, module: by.module }
}
