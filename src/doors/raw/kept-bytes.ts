/** Bytes of a stream that arrive at the end and are taken out anywhere. */
export class KeptBytes {
  #bytes = Buffer.alloc(0)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** What is kept; good until the next `push` or `drop`. */
  get view(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  push(chunk: Uint8Array): void {
    const wanted = this.#length + chunk.length
    if (wanted > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(wanted, 2 * this.#bytes.length))
      this.#bytes.copy(grown, 0, 0, this.#length)
      this.#bytes = grown
    }
    this.#bytes.set(chunk, this.#length)
    this.#length = wanted
  }

  /** Takes out what stands from `from` up to `to`. */
  drop(from: number, to: number): void {
    this.#bytes.copyWithin(from, to, this.#length)
    this.#length -= to - from
    // What a large label took is not kept for the small ones after it.
    if (this.#length === 0) this.#bytes = Buffer.alloc(0)
  }

  /** Hands over all of it. */
  release(): Buffer {
    const bytes = this.view
    this.#bytes = Buffer.alloc(0)
    this.#length = 0
    return bytes
  }
}
