import { Buffer } from 'node:buffer'
import { PlatenError } from '../errors.ts'
import type { decoders } from './decode/index.ts'

/** A picture format that can be printed; the list in `./decode/index.ts` decides. */
export type PictureFormat = (typeof decoders)[number]['format']

/** What a label is. */
export type Format = 'zpl' | 'epl' | 'tspl' | PictureFormat

const WANTED = 'wanted ZPL, EPL, TSPL, PNG, JPEG or GIF'

const PICTURES = {
  png: ['\x89PNG\r\n\x1a\n'],
  jpeg: ['\xff\xd8\xff'],
  gif: ['GIF87a', 'GIF89a'],
} as const satisfies Record<PictureFormat, readonly string[]>

// Formats that people do send and that we know but do not print: naming them saves a search.
// CPCL: ZQ/QL programming manual, "! {offset} {dpi} {dpi} {height} {copies}"; SGD: "! U1 getvar".
const REFUSED: readonly (readonly [string | RegExp, string])[] = [
  ['%PDF', 'PDF'],
  ['%!PS', 'PostScript'],
  [/^! U\d? /i, 'SGD printer settings'],
  [/^! (\d|UTILITIES|DF )/i, 'CPCL'],
  ['\x1b@', 'ESC/POS'],
  ['\x1bE', 'PCL'],
  ['\x1b%-12345X', 'PJL'],
  [/^RIFF.{4}WEBP/s, 'a WebP picture'],
  ['II*\0', 'a TIFF picture'],
  ['MM\0*', 'a TIFF picture'],
  [/^BM.{12}\(/s, 'a BMP picture'],
  [/^.ftyp(heic|heix|mif1|avif)/s, 'a HEIC or AVIF picture'], // its three leading zeros count as blanks
  [/^<(!doctype|html|\?xml|svg)/i, 'a web page or XML'],
  // base64 of: ^XA, PNG, JPEG, GIF8, %PDF.
  [/^(XlhB|iVBORw0KGgo|\/9j\/|R0lGOD|JVBERi)/, 'a text that was encoded twice (base64 of base64)'],
]

// Text that a label begins with: everything but control characters other than tab, LF, VT, FF, CR and ESC.
const TEXT = String.raw`[\t-\r\x1b\x20-\x7e\x80-\xff]*?`
// Commands that stand outside of a format (ZPL II Programming Guide).
const ZPL_ALONE =
  '~(?:C[CDT]|D[BEGLNSTUY]|EG|H[BDILMQSU]|J[A-GILNOPQRSX]|KB|N[CRT]|P[HLMPRS]|R[OV]|SD|TA|W[CLQR])'
const ZPL_START = new RegExp(String.raw`^(?:\^[A-Z]|${ZPL_ALONE}|CT~~CD,~CC\^~CT~)`)
// Some senders put a line of their own, or printer settings, before the first command. Words with a caret or a tilde in
// them are no label: an error message would "print", and nothing come out.
const ZPL_WITHIN = new RegExp(String.raw`^${TEXT}(?:\^XA|(?:[\r\n][ \t]*|\$\{)${ZPL_ALONE})`)
const TSPL_SIZE = new RegExp(`^(${TEXT}[\\r\\n])?[ \\t]*SIZE `, 'i')
const TSPL_DRAWS = /[\r\n][ \t]*(CLS|BITMAP)\b/i
const EPL_LINE =
  /^(EPL2\s|N[ \t]*[\r\n]|q\d+|Q\d+,|A\d+,\d+,[0-7],|B\d+,|b\d+,|GW\d+|L[OEWS]\d+|X\d+|ZT|ZB|R\d+,|r[YN]|D\d+|S\d+|I8|O[A-Z]|J[FB]|U[NS]|;|P\d+)/
const EPL_PRINTS = /^P\d*(,\d+)?$/
const EPL_GRAPHIC = /^GW\d+,\d+,(\d+),(\d+)[,\r\n]/

const ZPL_WITHIN_BYTES = 512 // how far in the first command may stand
const TSPL_WITHIN_BYTES = 4096 // settings come first, then CLS; the bitmap may be large
const EPL_GRAPHIC_HEAD = 40 // the longest GW command before its data
const LETTER_G = 0x47
const LETTER_P = 0x50
const LETTER_W = 0x57
const COMMA = 0x2c

/** True when the format is a picture's, so that rendering has to draw it. */
export function isPicture(format: string): format is PictureFormat {
  return Object.hasOwn(PICTURES, format)
}

/**
 * Says what a label is by looking at its bytes, never at a name. Raw labels are looked at only: they reach the
 * printer byte for byte.
 * @throws PlatenError LABEL_EMPTY, LABEL_REFUSED (a format we know and do not print), LABEL_UNKNOWN
 */
export function detectFormat(bytes: Uint8Array): Format {
  const start = skipBlanks(bytes)
  if (start === bytes.length) {
    throw new PlatenError(
      'LABEL_EMPTY',
      bytes.length === 0
        ? `The label is empty; ${WANTED}.`
        : `The label is empty: all of its ${bytes.length} bytes are blanks; ${WANTED}.`,
    )
  }
  const format = detectPicture(bytes)
  if (format !== undefined) return format
  const head = latin1(bytes, start, start + TSPL_WITHIN_BYTES)
  const refused = REFUSED.find(([sign]) =>
    typeof sign === 'string' ? head.startsWith(sign) : sign.test(head),
  )
  if (refused !== undefined) {
    const message = `The label is ${refused[1]}, which cannot be printed here; ${WANTED}.`
    throw new PlatenError('LABEL_REFUSED', `${message} ${describe(bytes)}.`)
  }
  const language = detectLanguage(bytes, start, head)
  if (language !== undefined) return language
  const message = `This is no label that can be printed here; ${WANTED}.`
  throw new PlatenError('LABEL_UNKNOWN', `${message} ${describe(bytes)}.`)
}

function detectPicture(bytes: Uint8Array): PictureFormat | undefined {
  const head = latin1(bytes, 0, 16)
  for (const [format, signs] of Object.entries(PICTURES)) {
    if (isPicture(format) && signs.some((sign) => head.startsWith(sign))) return format
  }
  return undefined
}

function detectLanguage(bytes: Uint8Array, start: number, head: string): Format | undefined {
  if (ZPL_START.test(head)) return 'zpl'
  if (TSPL_SIZE.test(head.slice(0, ZPL_WITHIN_BYTES)) && TSPL_DRAWS.test(head)) return 'tspl'
  // EPL before the looser ZPL sign: the text of an EPL label may well hold a caret.
  if (isEpl(bytes, start)) return 'epl'
  if (ZPL_WITHIN.test(head.slice(0, ZPL_WITHIN_BYTES))) return 'zpl'
  return undefined
}

/** EPL: the first line is one of its commands and some line prints. Walks over graphics, whose bytes may be anything. */
function isEpl(bytes: Uint8Array, start: number): boolean {
  if (!EPL_LINE.test(latin1(bytes, start, start + EPL_GRAPHIC_HEAD))) return false
  let at = start
  while (at < bytes.length) {
    const end = endOfLine(bytes, at)
    if (mayPrint(bytes, at) && EPL_PRINTS.test(lineHead(bytes, at, end))) return true
    at = mayBeGraphic(bytes, at) ? endOfGraphic(bytes, at, end + 1) : end + 1
  }
  return false
}

// Making a text of each of a million short lines would take a second: the bytes are looked at first.
function mayPrint(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] !== LETTER_P) return false
  const next = bytes[at + 1]
  return next === undefined || next === COMMA || isBlank(next) || isDigit(next)
}

function mayBeGraphic(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === LETTER_G && bytes[at + 1] === LETTER_W && isDigit(bytes[at + 2])
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39
}

/** Where the line after a GW command begins; `otherwise` when it is another command. */
function endOfGraphic(bytes: Uint8Array, at: number, otherwise: number): number {
  const graphic = EPL_GRAPHIC.exec(latin1(bytes, at, at + EPL_GRAPHIC_HEAD))
  return graphic === null
    ? otherwise
    : at + graphic[0].length + Number(graphic[1]) * Number(graphic[2])
}

function endOfLine(bytes: Uint8Array, from: number): number {
  let end = from
  while (end < bytes.length && bytes[end] !== 0x0a) end++
  return end
}

function lineHead(bytes: Uint8Array, at: number, end: number): string {
  return latin1(bytes, at, Math.min(end, at + EPL_GRAPHIC_HEAD)).trim()
}

/** The first byte that is neither of a UTF-8 byte order mark nor a blank. */
function skipBlanks(bytes: Uint8Array): number {
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  while (at < bytes.length && isBlank(bytes[at])) at++
  return at
}

/** NUL counts as blank: some senders wake the printer with it. */
function isBlank(byte: number | undefined): boolean {
  return byte === 0 || byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d)
}

/** What was seen, in at most 8 bytes: labels hold addresses. */
function describe(bytes: Uint8Array): string {
  const seen = Array.from(bytes.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0'))
  return `Its ${bytes.length} bytes begin with ${seen.join(' ')}`
}

/** Bytes as text, one character a byte, for looking only. */
function latin1(bytes: Uint8Array, from: number, to: number): string {
  const part = bytes.subarray(from, to)
  return Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString('latin1')
}
