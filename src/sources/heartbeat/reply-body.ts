import { LabelMemory } from '../../jobs/label-memory.ts'
import { freeIfWhole } from '../../render/decode/memory.ts'

const OPENING = 0x7b // {
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

/**
 * Collects a reply as it arrives. What does not begin as a JSON object is not worth reading: a page, a word, nothing.
 * Memory is given back at once, since a receiver that floods us does so at every beat.
 */
export class ReplyBody {
  readonly #memory = new LabelMemory()
  #bytes = 0

  /** Bytes so far, those dropped before the beginning too. */
  get bytes(): number {
    return this.#bytes
  }

  /** False when nothing that follows matters. The chunk is of no use afterwards. */
  push(chunk: Buffer): boolean {
    this.#bytes += chunk.length
    const hasBegun = this.#memory.length > 0
    const at = hasBegun ? 0 : chunk.findIndex((byte) => !BLANKS.has(byte))
    const isOpen = hasBegun || at < 0 || chunk[at] === OPENING
    if (at >= 0 && isOpen) this.#memory.append(chunk.subarray(at))
    freeIfWhole(chunk)
    return isOpen
  }

  /** The whole as text, without the blanks before it; the memory is free then. */
  end(): string {
    const { buffer, byteOffset, byteLength } = this.#memory.take()
    const text = Buffer.from(buffer, byteOffset, byteLength).toString('utf8')
    this.#memory.free()
    return text
  }

  /** Gives the memory back. */
  free(): void {
    this.#memory.free()
  }
}
