/** ZPL's symbols of modules whose data have a form of their own. */
/** @import { Drawn, Wanted } from './codes.js' */
import { matrix, maxicode } from '../symbols.js'
import { whole } from './words.js'

/** Data of `^BQ` begin with the level, the way they are entered, a comma (ZPL II guide, ^BQ); alphanumeric ones lose what is not. @param {Wanted} wanted @returns {Drawn} */
export function drawQr({ encoders, by, p, data, dpi }) {
  const module = Math.max(1, Math.min(100, whole(p[2], dpi >= 550 ? 6 : dpi >= 280 ? 3 : 2)))
  const { level, text } = readQr(data, p[3] ?? '')
  const options = { eclevel: level }
  const stamp = matrix(encoders, {
    name: 'qrcode',
    text,
    moduleX: module,
    moduleY: module,
    options,
  })
  return { stamp, shown: '', isAbove: false, module, down: by.height }
}

/** @param {string} data @param {string} usual level */
function readQr(data, usual) {
  const head = /^(?:D\d{4}[0-9A-F]{2},?)?([HQML])([AM]),?/i.exec(data)
  const level = (head?.[1] ?? usual).toUpperCase()
  const text = head === null ? data.slice(3) : data.slice(head[0].length)
  const isByHand = head?.[2]?.toUpperCase() === 'M'
  return { level: /^[HQML]$/.test(level) ? level : 'Q', text: isByHand ? withoutMode(text) : text }
}

/** Data whose mode is said: `B` and how many bytes, `A`, `N`, `K`. @param {string} text */
function withoutMode(text) {
  const bytes = /^B(\d{4})/i.exec(text)
  if (bytes) return text.slice(5, 5 + Number(bytes[1]))
  const rest = text.slice(1)
  return /^A/i.test(text) ? rest.replace(/[^0-9A-Za-z $%*+./:-]/g, '') : rest
}

/** @param {Wanted} wanted @returns {Drawn} */
export function drawDataMatrix({ encoders, by, p, data }) {
  const module = Math.max(1, whole(p[1], Math.max(1, Math.round(by.height / 20)), 200))
  const [columns, rows] = [whole(p[3], 0), whole(p[4], 0)]
  const text = dataMatrixText(data, p[6] || '~')
  const options = { parse: true, parsefnc: true }
  const sized = rows > 0 && columns > 0 ? { version: `${rows}x${columns}` } : {}
  const format = p[7] === '2' ? { format: 'rectangle' } : {}
  const draw = (/** @type {object} */ more) =>
    matrix(encoders, {
      name: 'datamatrix',
      text,
      moduleX: module,
      moduleY: module,
      options: { ...options, ...more },
    })
  // A size that the data do not fit in, or that there is none of, is not kept by printers either.
  const stamp = attempt(
    () => draw({ ...sized, ...format }),
    () => draw({}),
  )
  return { stamp, shown: '', isAbove: false, module }
}

/** @template T @param {() => T} first @param {() => T} second */
function attempt(first, second) {
  try {
    return first()
  } catch {
    return second()
  }
}

/** `_1` is FNC1, `_d065` a character, `_@` to `__` control characters and the sign itself. @param {string} data @param {string} sign */
function dataMatrixText(data, sign) {
  let text = ''
  for (let at = 0; at < data.length; at++) {
    if (data[at] !== sign) {
      text += escapeBwipp(data.charCodeAt(at))
      continue
    }
    const code = /^d(\d{3})/.exec(data.slice(at + 1, at + 5))
    text += code ? escapeBwipp(Number(code[1]) & 255) : escaped(data[at + 1] ?? '', sign)
    at += code ? 4 : 1
  }
  return text
}

/** @param {string} next @param {string} sign */
function escaped(next, sign) {
  if (next === '1') return '^FNC1'
  if (next === sign) return escapeBwipp(next.charCodeAt(0))
  return next >= '@' && next <= '_' ? escapeBwipp(next.charCodeAt(0) - 64) : ''
}

/** @param {number} code */
function escapeBwipp(code) {
  return code >= 48 && code < 123 && code !== 94
    ? String.fromCharCode(code)
    : `^${String(code).padStart(3, '0')}`
}

/** Service, country, postal code, then the message whose header they go behind. @param {Wanted} wanted @returns {Drawn} */
export function drawMaxicode({ encoders, p, data, dpi }) {
  const mode = whole(p[0], 2)
  const draw = (/** @type {number} */ wanted) =>
    maxicode(encoders, { text: wanted <= 3 ? maxicodeText(data, wanted) : data, mode: wanted, dpi })
  const stamp = attempt(
    () => draw(mode),
    () => draw(mode === 2 ? 3 : 4),
  )
  return { stamp, shown: '', isAbove: false, module: Math.round(0.88 * (dpi / 25.4)) }
}

/** The beginning of a carrier's message; a version of two digits follows. */
const CARRIER_HEADER = '[)>\x1e01\x1d'

/** @param {string} data @param {number} mode */
function maxicodeText(data, mode) {
  const at = data.indexOf(CARRIER_HEADER)
  if (at < 6) return data
  const [service, country] = [data.slice(0, 3), data.slice(3, 6)]
  const postal = data
    .slice(6, at)
    .trimEnd()
    .slice(0, mode === 2 ? 9 : 6)
  const from = at + CARRIER_HEADER.length + 2
  return `${data.slice(at, from)}${postal}\x1d${country}\x1d${service}\x1d${data.slice(from).replaceAll('\0', '')}`
}

/** @param {Wanted} wanted @returns {Drawn} */
export function drawAztec({ encoders, p, data }) {
  const module = Math.max(1, whole(p[1], 2, 100))
  const stamp = matrix(encoders, {
    name: 'azteccode',
    text: data,
    moduleX: module,
    moduleY: module,
    options: {},
  })
  return { stamp, shown: '', isAbove: false, module }
}
