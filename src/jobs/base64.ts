import { PlatenError } from '../errors.ts'
import { joinBytes } from './join-bytes.ts'

/** What is dropped from a text: the line ends that encoders put in. */
const LINE_ENDS = /[\r\n]+/g
/** Characters that cannot stand in the text before its padding. */
const JUNK = /[^A-Za-z0-9+/_ \r\n-]/
/** `data:image/png;base64,` and its like are short; a longer one is no prefix. */
const PREFIX_MAX = 256
/** Bytes of the blocks that a label grows by. */
const BLOCK_MIN = 4_096
const BLOCK_MAX = 262_144

/**
 * The bytes of a label's base64 text, whole (RFC 4648, both alphabets, padding needed). A blank counts as the `+`
 * that form decoding made of it; CR, LF and a leading `data:…;base64,` are dropped.
 * @throws PlatenError LABEL_BASE64 with the offset of the fault; nothing is ever decoded around junk
 */
export function decodeBase64(text: string): Uint8Array {
  const reader = new Base64Reader()
  reader.push(text)
  return reader.end()
}

/** Decodes base64 text that arrives in pieces of any size, by the rules of `decodeBase64`. */
export class Base64Reader {
  /** Full blocks; a client that sends letter by letter must not cost an object each. */
  readonly #blocks: Uint8Array[] = []
  #block = Buffer.alloc(0)
  #used = 0
  #bytes = 0
  /** Up to 3 clean characters that wait for their group of four. */
  #carry = ''
  /** `=` seen so far; after the first one nothing but `=` and line ends may follow. */
  #pads = 0
  /** Characters of the text that came before the piece in hand. */
  #offset = 0
  /** The beginning, held back until it is clear whether it is a `data:` prefix; undefined = that is settled. */
  #head: string | undefined = ''

  /** Bytes decoded so far. */
  get bytes(): number {
    return this.#bytes
  }

  /** @throws PlatenError LABEL_BASE64 */
  push(text: string): void {
    if (this.#head === undefined) this.#take(text)
    else this.#takeHead(this.#head + text)
  }

  /**
   * The whole label, in memory of its own.
   * @throws PlatenError LABEL_BASE64 when groups or padding are not complete
   */
  end(): Uint8Array {
    const head = this.#head
    this.#head = undefined
    if (head) this.#take(head)
    this.#endGroup()
    if (this.#blocks.length === 0 && this.#used === this.#block.length) return this.#block
    return joinBytes([...this.#blocks, this.#block.subarray(0, this.#used)])
  }

  #takeHead(head: string): void {
    const text = head.replace(/^[\r\n]+/, '')
    this.#offset += head.length - text.length
    this.#head = text
    if (!'data:'.startsWith(text.slice(0, 5).toLowerCase())) {
      this.#head = undefined
      this.#take(text)
      return
    }
    const comma = text.slice(0, PREFIX_MAX).indexOf(',')
    if (comma < 0 && text.length < PREFIX_MAX) return
    if (!/;base64,$/i.test(text.slice(0, comma + 1))) {
      throw fault(`the data: prefix at offset ${this.#offset} does not end with ";base64,"`)
    }
    this.#head = undefined
    this.#offset += comma + 1
    this.#take(text.slice(comma + 1))
  }

  #take(text: string): void {
    const pad = this.#pads > 0 ? 0 : text.indexOf('=')
    const body = pad < 0 ? text : text.slice(0, pad)
    if (body !== '') this.#decode(body)
    this.#offset += body.length
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
    // Only clean characters are carried, so that a fault found later lies in the piece in hand.
    if (JUNK.test(carry)) throw this.#junk(text)
    this.#carry = carry
    if (whole === 0) return
    const length = (whole / 4) * 3
    this.#reserve(length)
    // Junk is skipped silently; it shows in the count.
    const written = this.#block.write(clean.slice(0, whole), this.#used, 'base64')
    if (written !== length) throw this.#junk(text)
    this.#used += length
    this.#bytes += length
  }

  /** Room in the block; a new one is twice as large as the last, so that small labels cost little. */
  #reserve(bytes: number): void {
    if (this.#used + bytes <= this.#block.length) return
    if (this.#used > 0) this.#blocks.push(this.#block.subarray(0, this.#used))
    const size = Math.min(Math.max(this.#block.length * 2, BLOCK_MIN), BLOCK_MAX)
    // Not from Node's shared pool: a label may be handed on with its memory.
    this.#block = Buffer.allocUnsafeSlow(this.#bytes === 0 ? bytes : Math.max(size, bytes))
    this.#used = 0
  }

  #takePadding(text: string): void {
    const wrong = text.search(/[^=\r\n]/)
    if (wrong >= 0) {
      throw fault(
        `${nameCharacter(text, wrong)} at offset ${this.#offset + wrong} follows the padding; wanted the end of the label`,
      )
    }
    this.#pads += text.length - text.replaceAll('=', '').length
    this.#offset += text.length
  }

  #endGroup(): void {
    const carry = this.#carry
    if (carry === '' && this.#pads === 0) return
    if (carry.length < 2 || carry.length + this.#pads !== 4) throw this.#badPadding(carry.length)
    const bytes = Buffer.from(carry, 'base64')
    // The bits that no byte uses are 0 in every honest encoding (RFC 4648, 3.5); others mean a damaged text.
    if (bytes.toString('base64url') !== carry.replaceAll('+', '-').replaceAll('/', '_')) {
      throw fault(
        `the last character before the padding, before offset ${this.#offset}, has bits that belong to no byte; the text is damaged`,
      )
    }
    this.#reserve(bytes.length)
    this.#used += bytes.copy(this.#block, this.#used)
    this.#bytes += bytes.length
  }

  #badPadding(characters: number): PlatenError {
    const end = `the text ends at offset ${this.#offset}`
    if (characters === 0) return fault(`${end} with ${this.#pads} "=" too many`)
    return fault(
      `${end} with ${characters} of 4 characters and ${this.#pads} "="; wanted whole groups of 4, so it was cut or its padding was lost`,
    )
  }

  #junk(text: string): PlatenError {
    const at = text.search(JUNK)
    return fault(
      `${nameCharacter(text, at)} at offset ${this.#offset + at} is not base64; wanted A-Z a-z 0-9 + / =`,
    )
  }
}

function fault(message: string): PlatenError {
  return new PlatenError('LABEL_BASE64', `${message}.`)
}

function nameCharacter(text: string, at: number): string {
  const code = text.codePointAt(at) ?? 0
  if (code > 0x20 && code < 0x7f) return `"${String.fromCodePoint(code)}"`
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
