import { beginsLabel } from '#labels'
import { PlatenError } from '../../words/errors.ts'
import { LabelMemory } from './reader.ts'

/** The value in `HEX` of a character that is not a hexadecimal digit: larger than any four digits. */
export const NO_HEX = 0x10000

/** Value of a hexadecimal digit, by character. */
export const HEX = new Uint32Array(256).fill(NO_HEX)
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  HEX[digit.charCodeAt(0)] = value
  HEX[digit.toUpperCase().charCodeAt(0)] = value
}

/** The line ends that encoders insert, which are dropped from a text. */
const LINE_ENDS = /[\r\n]+/g
/** Characters that cannot occur in the text before its padding. */
const JUNK = /[^A-Za-z0-9+/_ \r\n-]/
/** Longest prefix: `data:image/png;base64,` and similar ones are short; a longer text is not a prefix. */
const PREFIX_MAX = 256
/** Characters that are decoded at a time: longer texts would be copied whole on the way. A multiple of 4. */
const PIECE_LETTERS = 262_144

/**
 * Decodes the whole base64 text of a label (RFC 4648, both alphabets, padding needed). A blank counts as the `+` that form decoding made of
 * it; CR, LF and a leading `data:…;base64,` are dropped.
 * @throws PlatenError LABEL_BASE64 with the offset of the fault; nothing is ever decoded around junk
 */
export function decodeBase64(text: string | Uint8Array): Uint8Array {
  const reader = new Base64Reader()
  if (typeof text === 'string') reader.push(text)
  else reader.pushBytes(text)
  return reader.end()
}

const BEGIN_LETTERS = 64
const AS_FILE =
  'Encode the label file as base64, or send the file itself: as a part of multipart/form-data with a file name (curl -F label=@FILE), or alone as the body.'

/** Files that are printed and are not commands. */
const FILES = /^\s*(?:%PDF-|\x89PNG|GIF8|\xff\xd8)/i

/** Common mistakes where base64 is wanted, and what to send instead. */
const MISTAKEN: readonly (readonly [begins: RegExp, hint: string])[] = [
  [/^\s*["'\u201c]/, 'Send the base64 without the quotes around it.'],
  [
    /^\s*b['"]/,
    "Send the base64 as text: in Python, str(value, 'ascii') or value.decode() instead of the bytes themselves.",
  ],
  [
    /^\s*\[object[ +]/,
    'The program that sent it made text of an object. Send the base64 that the object holds.',
  ],
  [
    /^\s*[{[]/,
    'This is JSON. Send only the value in it that is the label, or JSON as the whole body with Content-Type: application/json.',
  ],
  [
    /^\s*</,
    'This is XML or a web page, not a label. Send only the text in it that is the label; a page often says that a login is missing.',
  ],
  [/^\s*--[^\s]/, 'This is a whole multipart message. Send only the part of it that is the label.'],
  [/^\s*https?:/i, 'This is the address of a label. Download the file and send that.'],
  [
    /^\s*data:/i,
    'Send what stands behind the comma as base64; another kind of data: address is not taken.',
  ],
  [/%(?:2B|2F|3D|0A|0D)/i, 'The base64 is escaped twice (%2B, %2F, %3D). Escape it once.'],
]

/** Returns what to send instead of a text that begins like this; undefined when it may well be base64. */
function explainBegin(begin: string): string | undefined {
  // The text may still be as a form writes it, with plus signs for blanks.
  const isLabel = beginsLabel(begin.replaceAll('+', ' ')) || FILES.test(begin)
  if (isLabel) return `This is the label itself. ${AS_FILE}`
  return MISTAKEN.find(([begins]) => begins.test(begin))?.[1]
}

/** Bytes that are decoded at a time. */
const SCRATCH_BYTES = 48 * 1024
const NOTHING = new Uint8Array(0)
const PAD = 0x3d
const LINE_END = 64
const NO_DIGIT = 65
/** Value of each base64 character (RFC 4648, tables 1 and 2); a blank is the `+` that a form made of it. */
const DIGITS = new Uint8Array(256).fill(NO_DIGIT)
for (const alphabet of ['+/', '-_', ' /']) {
  const digits = `ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789${alphabet}`
  for (let n = 0; n < 64; n++) DIGITS[digits.charCodeAt(n)] = n
}
for (const end of '\r\n') DIGITS[end.charCodeAt(0)] = LINE_END

/** Decodes base64 text that arrives in pieces of any size, by the rules of `decodeBase64`. */
export class Base64Reader {
  readonly #memory = new LabelMemory()
  #scratch = NOTHING
  /** Up to 3 clean characters that wait for their group of four. */
  #carry = ''
  /** `=` seen so far; after the first one nothing but `=` and line ends may follow. */
  #pads = 0
  /** Characters of the text before the current piece. */
  #offset = 0
  /** The beginning, held back until it is clear whether it is a `data:` prefix; undefined = that is settled. */
  #head: string | undefined = ''

  /** The beginning of the text, for a message about what it is instead of base64. */
  #begin = ''

  /** Bytes decoded so far. */
  get bytes(): number {
    return this.#memory.length
  }

  /** @throws PlatenError LABEL_BASE64 */
  push(text: string): void {
    if (this.#head === undefined) this.#take(text)
    else this.#takeHead(this.#head + text)
  }

  /**
   * Adds text of one byte a character without making strings of it: those of a large body would make V8 take 30 MB more for its young
   * objects, and keep them.
   * @throws PlatenError LABEL_BASE64
   */
  pushBytes(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#head === undefined && this.#carry === '' && this.#pads === 0) {
        const taken = this.#decodeBytes(bytes, at)
        this.#offset += taken
        at += taken
      }
      at += this.#skipIdle(bytes, at)
      // The beginning, a group that is cut, and junk are left to the rules for text, which say more.
      const letters = this.#head === undefined ? 4 - this.#carry.length : PREFIX_MAX
      const text = Buffer.from(
        bytes.buffer,
        bytes.byteOffset + at,
        Math.min(letters, bytes.length - at),
      )
      if (text.length > 0) this.push(text.toString('latin1'))
      at += text.length
    }
  }

  /** Skips what adds nothing to a group: line ends, and `=` once there was one. Returns how many bytes. */
  #skipIdle(bytes: Uint8Array, from: number): number {
    if (this.#head !== undefined) return 0
    const isPadding = this.#pads > 0
    let at = from
    for (; at < bytes.length; at++) {
      const byte = bytes[at] as number
      if (isPadding && byte === PAD) this.#pads++
      else if (DIGITS[byte] !== LINE_END) break
    }
    this.#offset += at - from
    return at - from
  }

  /**
   * Returns the whole label, in memory of its own.
   * @throws PlatenError LABEL_BASE64 when groups or padding are not complete
   */
  end(): Uint8Array {
    const head = this.#head
    this.#head = undefined
    if (head) this.#take(head)
    this.#endGroup()
    return this.#memory.take()
  }

  /** Frees what came, for a text that is refused. */
  free(): void {
    this.#memory.free()
  }

  #takeHead(head: string): void {
    const text = head.replace(/^[\r\n]+/, '')
    this.#offset += head.length - text.length
    this.#head = text
    this.#begin = text.slice(0, BEGIN_LETTERS)
    if (!'data:'.startsWith(text.slice(0, 5).toLowerCase())) {
      this.#head = undefined
      this.#take(text)
      return
    }
    const comma = text.slice(0, PREFIX_MAX).indexOf(',')
    if (comma < 0 && text.length < PREFIX_MAX) return
    if (!/;base64,$/i.test(text.slice(0, comma + 1))) {
      throw this.#fault(`the data: prefix at offset ${this.#offset} does not end with ";base64,"`)
    }
    this.#head = undefined
    this.#offset += comma + 1
    this.#take(text.slice(comma + 1))
  }

  #take(text: string): void {
    const pad = this.#pads > 0 ? 0 : text.indexOf('=')
    const body = pad < 0 ? text : text.slice(0, pad)
    for (let at = 0; at < body.length; at += PIECE_LETTERS) {
      const piece = body.slice(at, at + PIECE_LETTERS)
      this.#decode(piece)
      this.#offset += piece.length
    }
    if (pad >= 0) this.#takePadding(text.slice(pad))
  }

  #decode(text: string): void {
    // Node maps letters beyond U+00FF onto the alphabet without a word ("Ł" reads as "A"), so they are looked for first.
    if (/[\u0100-\uffff]/.test(text)) throw this.#junk(text)
    let clean = text
    if (clean.includes('\n') || clean.includes('\r')) clean = clean.replace(LINE_ENDS, '')
    if (clean.includes(' ')) clean = clean.replaceAll(' ', '+')
    clean = this.#carry + clean
    const whole = clean.length - (clean.length % 4)
    const carry = clean.slice(whole)
    // Only valid characters are carried over, so an error found later is in the current piece.
    if (JUNK.test(carry)) throw this.#junk(text)
    this.#carry = carry
    if (whole === 0) return
    // Junk is skipped silently; it shows in the count.
    const written = this.#memory.appendBase64(clean.slice(0, whole))
    if (written !== (whole / 4) * 3) throw this.#junk(text)
  }

  /** Decodes whole groups up to a byte that is not a digit; returns the number of bytes taken. */
  #decodeBytes(bytes: Uint8Array, from: number): number {
    if (bytes.length - from < 4) return 0
    const room = Math.min(bytes.length, SCRATCH_BYTES)
    if (this.#scratch.length < room) this.#scratch = new Uint8Array(room)
    let at = from
    for (let more = true; more; ) {
      const { read, written } = decodeGroups(bytes, at, this.#scratch)
      this.#memory.append(this.#scratch.subarray(0, written))
      at += read
      more = written > 0 && at < bytes.length
    }
    return at - from
  }

  #takePadding(text: string): void {
    const wrong = text.search(/[^=\r\n]/)
    if (wrong >= 0) {
      throw this.#fault(
        `${nameCharacter(text, wrong)} at offset ${this.#offset + wrong} follows the padding; wanted the end of the label`,
      )
    }
    for (const letter of text) if (letter === '=') this.#pads++
    this.#offset += text.length
  }

  #endGroup(): void {
    const carry = this.#carry
    if (carry === '' && this.#pads === 0) return
    if (carry.length < 2 || carry.length + this.#pads !== 4) throw this.#badPadding(carry.length)
    const bytes = Buffer.from(carry, 'base64')
    // The bits that no byte uses are 0 in every honest encoding (RFC 4648, 3.5); others mean a damaged text.
    if (bytes.toString('base64url') !== carry.replaceAll('+', '-').replaceAll('/', '_')) {
      throw this.#fault(
        `the last character before the padding, before offset ${this.#offset}, has bits that belong to no byte; the text is damaged`,
      )
    }
    this.#memory.append(bytes)
  }

  #badPadding(characters: number): PlatenError {
    const end = `the text ends at offset ${this.#offset}`
    if (characters === 0) return this.#fault(`${end} with ${this.#pads} "=" too many`)
    return this.#fault(
      `${end} with ${characters} of 4 characters and ${this.#pads} "="; wanted whole groups of 4, so it was cut or its padding was lost`,
    )
  }

  #junk(text: string): PlatenError {
    const at = text.search(JUNK)
    return this.#fault(
      `${nameCharacter(text, at)} at offset ${this.#offset + at} is not base64; wanted A-Z a-z 0-9 + / =`,
    )
  }

  #fault(message: string): PlatenError {
    const hint = explainBegin(this.#begin)
    return new PlatenError('LABEL_BASE64', `${message}.`, hint === undefined ? {} : { hint })
  }
}

/**
 * Decodes whole groups into `out`, skipping line ends, until it is full, the bytes end or one of them is not a digit. `out` is an array of
 * fixed size: V8 writes a resizable one ten times slower.
 */
function decodeGroups(bytes: Uint8Array, from: number, out: Uint8Array): DecodeCounts {
  const last = bytes.length - 4
  let to = 0
  let at = from
  while (at <= last && to + 3 <= out.length) {
    const a = DIGITS[bytes[at] as number] as number
    const b = DIGITS[bytes[at + 1] as number] as number
    const c = DIGITS[bytes[at + 2] as number] as number
    const d = DIGITS[bytes[at + 3] as number] as number
    let next = at + 4
    let group = (a << 18) | (b << 12) | (c << 6) | d
    if ((a | b | c | d) >= LINE_END) {
      next = endOfGroup(bytes, at)
      if (next < 0) break
      group = readGroup(bytes, at, next)
    }
    out[to] = group >> 16
    out[to + 1] = group >> 8
    out[to + 2] = group
    to += 3
    at = next
  }
  return { read: at - from, written: to }
}

/** Numbers of characters read and bytes written. */
interface DecodeCounts {
  readonly read: number
  readonly written: number
}

/** Finds the end of a group with line ends in it; -1 when it is cut or holds a byte that is not a digit. */
function endOfGroup(bytes: Uint8Array, from: number): number {
  let digits = 0
  for (let at = from; at < bytes.length; at++) {
    const digit = DIGITS[bytes[at] as number] as number
    if (digit === NO_DIGIT) return -1
    if (digit < LINE_END && ++digits === 4) return at + 1
  }
  return -1
}

function readGroup(bytes: Uint8Array, from: number, to: number): number {
  let group = 0
  for (let at = from; at < to; at++) {
    const digit = DIGITS[bytes[at] as number] as number
    if (digit < LINE_END) group = (group << 6) | digit
  }
  return group
}

function nameCharacter(text: string, at: number): string {
  const code = text.codePointAt(at) ?? 0
  if (code > 0x20 && code < 0x7f) return `"${String.fromCodePoint(code)}"`
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
