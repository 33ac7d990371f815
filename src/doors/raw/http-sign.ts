/** Bytes that a browser writes at once: the head of a request ends within them, or more of it comes. */
const AT_ONCE = 8_192
const VERSION = 'HTTP/'

/** Signs of a method (RFC 9110, 5.6.2), lower-case letters too. */
const TOKEN: ReadonlySet<number> = new Set(
  Buffer.from("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"),
)

/**
 * Tells whether a stream begins as a request of HTTP: `METHOD TARGET HTTP/`. A page whose name was made to point at the box
 * chooses the method freely, and `^XA^FDfree^FS^XZ` is one; so no label is taken off such a stream before this is known. Most
 * labels have a comma, a blank or a line end early and are known by that.
 */
export class HttpSign {
  #verdict: 'yes' | 'no' | 'unsure' = 'unsure'
  #part: 'method' | 'target' | 'version' = 'method'
  /** Bytes of the part. */
  #length = 0
  #seen = 0

  get verdict(): 'yes' | 'no' | 'unsure' {
    return this.#verdict
  }

  /** What came is long enough to be a request that was given up in the middle of its head. */
  get isLong(): boolean {
    return this.#verdict === 'unsure' && this.#seen > AT_ONCE
  }

  push(chunk: Uint8Array): void {
    for (const byte of chunk) {
      if (this.#verdict !== 'unsure') return
      this.#read(byte)
      this.#seen += 1
    }
  }

  /** Nothing came for a while: no browser pauses within a head. */
  settle(): void {
    if (this.#verdict === 'unsure' && !this.isLong) this.#verdict = 'no'
  }

  #read(byte: number): void {
    if (byte === 0x20) this.#endPart()
    else this.#judge(byte)
  }

  #judge(byte: number): void {
    const isFine =
      (this.#part === 'method' && TOKEN.has(byte)) ||
      (this.#part === 'target' && this.#isTarget(byte)) ||
      (this.#part === 'version' && VERSION.charCodeAt(this.#length) === byte)
    this.#length += 1
    if (!isFine) this.#verdict = 'no'
    else if (this.#part === 'version' && this.#length === VERSION.length) this.#verdict = 'yes'
  }

  #endPart(): void {
    if (this.#length === 0 || this.#part === 'version') this.#verdict = 'no'
    this.#part = this.#part === 'method' ? 'target' : 'version'
    this.#length = 0
  }

  /** A path, `*`, or the address that a proxy is asked for. */
  #isTarget(byte: number): boolean {
    return this.#length === 0 ? '/*hH'.includes(String.fromCharCode(byte)) : byte > 0x20
  }
}
