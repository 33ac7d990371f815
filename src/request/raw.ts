import { LabelMemory, type Reader } from './reader.ts'
import type { RequestFields } from './request-fields.ts'

/** Reads a body that is a single label; its fields are in the query. */
export class RawReader implements Reader {
  readonly #fields: RequestFields
  readonly #label = new LabelMemory()
  #isTaken = false

  constructor(fields: RequestFields) {
    this.#fields = fields
  }

  push(chunk: Uint8Array): void {
    this.#label.append(chunk)
  }

  /** An empty body has no label. */
  end(): void {
    if (this.#label.length === 0) return
    this.#isTaken = true
    this.#fields.open('label')
    this.#fields.addLabel(this.#label.take())
  }

  free(): void {
    if (!this.#isTaken) this.#label.free()
  }
}

const HEAD_BYTES = 512
const CARET = 0x5e
const TILDE = 0x7e
const EQUALS = 0x3d
const AMPERSAND = 0x26

/**
 * Whether a body that says to be a form is a label: curl says so of every file. The name of a form's first field holds
 * neither `^`, `~` at its beginning, nor a control character, nor a byte beyond ASCII.
 */
export function beginsRaw(chunk: Uint8Array): boolean {
  if (chunk[0] === CARET || chunk[0] === TILDE) return true
  for (const byte of chunk.subarray(0, HEAD_BYTES)) {
    if (byte === EQUALS || byte === AMPERSAND) return false
    if (byte < 0x20 || byte > 0x7e) return true
  }
  return false
}

const BRACES: ReadonlySet<number> = new Set([...'{['].map((letter) => letter.charCodeAt(0)))

/** Opens the reader that the first bytes of a body ask for. */
export class ChoosingReader implements Reader {
  readonly #choose: (first: Uint8Array) => Reader
  #reader: Reader | undefined

  constructor(choose: (first: Uint8Array) => Reader) {
    this.#choose = choose
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return
    this.#reader ??= this.#choose(chunk)
    this.#reader.push(chunk)
  }

  end(): void {
    this.#reader ??= this.#choose(new Uint8Array(0))
    this.#reader.end()
  }

  free(): void {
    this.#reader?.free?.()
  }
}

/** Whether a body without a type is JSON. */
export function beginsJson(chunk: Uint8Array): boolean {
  const first = chunk.find((byte) => byte > 0x20)
  return first !== undefined && BRACES.has(first)
}
