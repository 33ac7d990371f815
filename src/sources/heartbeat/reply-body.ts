import { freeIfWhole } from '../../free-memory.ts'
import { LabelMemory } from '../../request/label-memory.ts'

const OBJECT = 0x7b // {
const PAGE = 0x3c // <
/** Blanks, and the bytes of the mark that some programs set before every text (U+FEFF). */
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf])

/** What a good answer to a heartbeat says. */
export interface Reply {
  /** A JSON object as text; '' when it was none. */
  readonly text: string
  /** It was a page (HTML, XML) instead, which a proxy or a hotspot may have put in the receiver's place. */
  readonly isPage: boolean
}

/** Of an answer without a body. */
export const NO_REPLY: Reply = { text: '', isPage: false }

/**
 * Collects a reply as it arrives. What does not begin as a JSON object is not worth reading: a page, a word, nothing.
 * Memory is given back at once, since a receiver that floods us does so at every beat.
 */
export class ReplyBody {
  readonly #memory = new LabelMemory()
  #bytes = 0
  #isPage = false

  /** Bytes so far, those dropped before the beginning too. */
  get bytes(): number {
    return this.#bytes
  }

  /** False when nothing that follows matters. The chunk is of no use afterwards. */
  push(chunk: Buffer): boolean {
    this.#bytes += chunk.length
    const hasBegun = this.#memory.length > 0
    const at = hasBegun ? 0 : chunk.findIndex((byte) => !BLANKS.has(byte))
    const isOpen = hasBegun || at < 0 || chunk[at] === OBJECT
    if (!isOpen) this.#isPage = chunk[at] === PAGE
    if (at >= 0 && isOpen) this.#memory.append(chunk.subarray(at))
    freeIfWhole(chunk)
    return isOpen
  }

  /** The whole, without the blanks before it; the memory is free then. */
  end(): Reply {
    const { buffer, byteOffset, byteLength } = this.#memory.take()
    const text = Buffer.from(buffer, byteOffset, byteLength).toString('utf8')
    this.#memory.free()
    return { text, isPage: this.#isPage }
  }

  /** Gives the memory back. */
  free(): void {
    this.#memory.free()
  }
}
