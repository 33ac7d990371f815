/**
 * Gives the memory of an array back at once; nobody may touch it afterwards. Left to V8, tens of megabytes of rows and
 * planes lie about until it looks for garbage, which a box of 512 MB cannot spare.
 */
export function freeMemory({ buffer }: { readonly buffer: ArrayBufferLike }): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
