/** Node's, which browsers do not have. */
const NodeBuffer = (globalThis as { readonly Buffer?: typeof Buffer }).Buffer

/** Part of a label as text, one character a byte, for looking only: some thousand bytes at most. Browsers run it too. */
export function latin1(bytes: Uint8Array, from: number, length: number): string {
  const part = bytes.subarray(from, from + length)
  // Spread into arguments it takes a hundred times as long, and leaves an object a letter behind.
  if (NodeBuffer !== undefined)
    return NodeBuffer.from(part.buffer, part.byteOffset, part.length).toString('latin1')
  return String.fromCharCode(...part)
}

/** A line with its end, or its first `most` bytes, as text for looking only. */
export function lineHead(bytes: Uint8Array, from: number, most: number): string {
  const limit = Math.min(bytes.length, from + most)
  let at = from
  while (at < limit && !isLineEnd(bytes[at])) at += 1
  if (bytes[at] === 0x0d && bytes[at + 1] === 0x0a) at += 1
  return latin1(bytes, from, at + 1 - from)
}

/** Two bytes as one number, so that what a line begins with is looked up without making a text of it. */
export function pairOf(first: number | undefined, second: number | undefined): number {
  return ((first ?? 0) << 8) | (second ?? 0)
}

/** True for the bytes that end a line: CR and LF. */
export function isLineEnd(byte: number | undefined): boolean {
  return byte === 0x0a || byte === 0x0d
}

/** Where the line at `from` ends: its CR or LF, or the end of the label. */
export function endOfLine(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && !isLineEnd(bytes[at])) at += 1
  return at
}

/** NUL counts as blank: some senders wake the printer with it. */
export function isBlank(byte: number | undefined): boolean {
  return byte === 0 || byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d)
}

/** A small letter as the large one; 0 beyond the end. */
export function upper(byte: number | undefined): number {
  if (byte === undefined) return 0
  return byte >= 0x61 && byte <= 0x7a ? byte - 0x20 : byte
}
