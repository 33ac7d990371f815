/**
 * Gives the memory of an array back at once; nobody may touch it afterwards. Left to V8, tens of megabytes of rows and
 * planes lie about until it looks for garbage, which a box of 512 MB cannot spare.
 * Decision `memory-of-pictures`.
 */
export function freeMemory({ buffer }: { readonly buffer: ArrayBufferLike }): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}

/** Frees an array that may be a part of what others hold too (Node's pool of small buffers): then it is left alone. */
export function freeIfWhole(bytes: Uint8Array): void {
  if (bytes.byteLength === bytes.buffer.byteLength) freeMemory(bytes)
}
