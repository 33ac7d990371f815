import { freeIfWhole, freeMemory } from '../../system/memory.ts'

/** Reads the fields of one print request out of bytes that arrive in pieces, into `RequestFields`. */
export interface RequestReader {
  /**
   * Takes the next bytes.
   * @throws PlatenError FIELD_INVALID, TOO_MANY_FIELDS, BODY_BROKEN
   */
  push(chunk: Uint8Array): void
  /**
   * Ends the request; to be called after the last piece.
   * @throws PlatenError FIELD_INVALID, TOO_MANY_FIELDS, BODY_BROKEN
   */
  end(): void
  /** Frees the memory of a request that was refused before its end. */
  free?(): void
}

/** The limits of one print request, whichever way it comes. */
export const REQUEST_LIMITS = {
  /** Labels in one request. */
  labels: 100,
  /** Copies of each label. */
  copies: 100,
  /** Jobs of one request: labels x copies. */
  jobs: 500,
  /** Fields, including labels and unknown ones. */
  fields: 1_000,
  nameBytes: 256,
  /** Size of a field that is not a label. */
  valueBytes: 4_096,
  /** Headers of one part of a multipart body. */
  partHeaderBytes: 2_048,
  jsonDepth: 32,
  jsonValues: 20_000,
} as const

/** The bounds of the readers. */
export type RequestBounds = Readonly<Record<Exclude<keyof typeof REQUEST_LIMITS, 'copies'>, number>>

/** Size up to which memory comes from malloc and grows by copying. */
const SMALL_BYTES = 256 * 1024
/** The bytes by which a large label grows. */
const STEP_BYTES = 256 * 1024
/** Addresses that are reserved for a large label; only what it fills becomes memory. More than any request may have. */
const RESERVED_BYTES = 128 * 2 ** 20

/**
 * Memory in which one label grows while it arrives. A large one lies in a resizable array, which the system backs page by page as it grows
 * and takes back at once when it is freed: blocks that are joined at the end would hold a label twice, and what malloc once had of it would
 * stay with the program.
 */
export class LabelMemory {
  #buffer: Buffer = Buffer.alloc(0)
  #used = 0

  /** Number of bytes so far. */
  get length(): number {
    return this.#used
  }

  /** Adds a copy of the bytes. */
  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#buffer.set(bytes, this.#used)
    this.#used += bytes.length
  }

  /** Decodes and adds `text`, whole groups of base64; returns the bytes written, fewer when it holds junk. */
  appendBase64(text: string): number {
    this.#reserve((text.length / 4) * 3)
    const written = this.#buffer.write(text, this.#used, 'base64')
    this.#used += written
    return written
  }

  /** Returns the label, in memory of its own; nothing may be added afterwards. */
  take(): Uint8Array {
    const { buffer } = this.#buffer
    if (this.#used === this.#buffer.length) return this.#buffer
    if (this.#buffer.length > SMALL_BYTES) return new Uint8Array(buffer, 0, this.#used)
    const exact = new Uint8Array(this.#buffer.subarray(0, this.#used))
    this.free()
    return exact
  }

  /** Frees the memory at once. */
  free(): void {
    freeMemory(this.#buffer)
    this.#buffer = Buffer.alloc(0)
    this.#used = 0
  }

  #reserve(more: number): void {
    const wanted = this.#used + more
    if (wanted <= this.#buffer.length) return
    if (wanted <= SMALL_BYTES) {
      // Not from Node's shared pool: a label may be handed on with its memory. Exact at first: most come in one piece.
      const size = this.#used === 0 ? wanted : Math.max(wanted, 2 * this.#used)
      this.#moveTo(Buffer.allocUnsafeSlow(Math.min(size, SMALL_BYTES)))
      return
    }
    const size = Math.ceil(wanted / STEP_BYTES) * STEP_BYTES
    const { buffer } = this.#buffer
    if (buffer instanceof ArrayBuffer && buffer.resizable && size <= buffer.maxByteLength) {
      buffer.resize(size)
      this.#buffer = Buffer.from(buffer)
      return
    }
    const larger = new ArrayBuffer(size, { maxByteLength: Math.max(RESERVED_BYTES, 2 * size) })
    this.#moveTo(Buffer.from(larger))
  }

  #moveTo(larger: Buffer): void {
    larger.set(this.#buffer.subarray(0, this.#used))
    freeMemory(this.#buffer)
    this.#buffer = larger
  }
}

/**
 * Moves a large label out of malloc's heap, and lets the heap shrink. glibc keeps free memory at the end of the heap until it is twice the
 * largest block that was ever freed (M_TRIM_THRESHOLD in mallopt(3)), and the spool frees copies of labels: two more such blocks, which
 * nobody touches, reach that size. Elsewhere they do no harm.
 * @param largest bytes of the largest label that the program has seen
 */
export function moveOutOfHeap(label: Uint8Array, largest: number): Uint8Array {
  const pages = new ArrayBuffer(label.length, { maxByteLength: label.length + STEP_BYTES })
  const moved = new Uint8Array(pages, 0, label.length)
  moved.set(label)
  freeIfWhole(label)
  const blocks = [Buffer.allocUnsafeSlow(largest), Buffer.allocUnsafeSlow(largest)]
  for (const block of blocks) freeMemory(block)
  return moved
}
