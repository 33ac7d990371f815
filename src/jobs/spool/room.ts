import { closeSync, existsSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const MB = 2 ** 20

/** Upper end of the default quota; below it a quarter of the partition (reliability: the spool must not fill the disk). */
export const QUOTA_MOST_BYTES = 256 * MB

/** Free space on the partition below which new labels are refused; on small partitions a tenth of them. */
export const MIN_FREE_BYTES = 64 * MB

/** Size of the file that is given up so that jobs can still end on a full disk. */
export const BALLAST_BYTES = 8 * MB

/** Size of the partition and its free bytes, as an ordinary user may use them. */
export function readDisk(folder: string): { bytes: number; freeBytes: number } {
  const found = statfsSync(folder)
  return { bytes: found.blocks * found.bsize, freeBytes: found.bavail * found.bsize }
}

/** The smaller of 256 MB and a quarter of the partition. */
export function defaultQuota(folder: string): number {
  return Math.min(QUOTA_MOST_BYTES, Math.floor(readDisk(folder).bytes / 4))
}

/** The smaller of 64 MB and a tenth of the partition. */
export function defaultMinFree(folder: string): number {
  return Math.min(MIN_FREE_BYTES, Math.floor(readDisk(folder).bytes / 10))
}

const CHUNK_BYTES = 64 * 1024

/** Space kept in hand: a file of real bytes that can be dropped when even "this job has ended" finds no room. */
export class Ballast {
  readonly #file: string
  readonly #bytes: number

  constructor(folder: string, bytes: number) {
    this.#file = join(folder, '.ballast') // a name that no virtual printer's folder can have
    this.#bytes = bytes
  }

  /** Gives the space back to the file system. False when there was none. */
  drop(): boolean {
    if (!existsSync(this.#file)) return false
    rmSync(this.#file, { force: true })
    return true
  }

  /** Makes the file again when it is missing or short and `freeBytes` leaves room for it. */
  restore(freeBytes: number, minFreeBytes: number): void {
    if (this.#bytes === 0 || freeBytes < this.#bytes + minFreeBytes) return
    if (existsSync(this.#file) && statSync(this.#file).size >= this.#bytes) return
    const file = openSync(this.#file, 'w', 0o600)
    try {
      // Written, not truncated: a hole in the file would keep no space.
      const chunk = new Uint8Array(CHUNK_BYTES).fill(0x55)
      for (let at = 0; at < this.#bytes; at += chunk.length) {
        writeSync(file, chunk, 0, Math.min(chunk.length, this.#bytes - at))
      }
    } finally {
      closeSync(file)
    }
  }
}
