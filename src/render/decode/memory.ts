// glibc takes blocks above 32 MB (DEFAULT_MMAP_THRESHOLD_MAX) from the kernel one by one and gives them back at once; once
// a smaller one was freed, the next of its size comes out of a heap that keeps it.
const FROM_KERNEL_BYTES = 33 * 2 ** 20
const LARGE_BYTES = 2 ** 20

/**
 * Zeroed memory for a plane. A large one is set aside larger than it is, so that the kernel has it back once it is freed;
 * what is never touched costs nothing.
 */
export function makeMemory(bytes: number): ArrayBuffer {
  return new ArrayBuffer(bytes < LARGE_BYTES ? bytes : Math.max(bytes, FROM_KERNEL_BYTES))
}

/** The most bytes of rows that are held because they come out of order (interlaced pictures). */
export const HELD_BYTES_MAX = 17 * 2 ** 20

/** Rows from `top` up to `bottom`. */
export interface Band {
  readonly top: number
  readonly bottom: number
}

/** The bands, each within `HELD_BYTES_MAX`, in which a picture is held whose rows come out of order: one, of most. */
export function splitBands(width: number, height: number): readonly Band[] {
  const rows = Math.max(1, Math.floor(HELD_BYTES_MAX / width))
  return Array.from({ length: Math.ceil(height / rows) }, (_, n) => ({
    top: n * rows,
    bottom: Math.min(height, (n + 1) * rows),
  }))
}

/** What a picture takes that is held so. */
export function heldBytes(width: number, height: number): number {
  return Math.min(width * height, Math.max(width, HELD_BYTES_MAX))
}
