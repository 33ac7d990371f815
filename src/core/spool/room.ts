import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs'
import { uptime } from 'node:os'
import { join } from 'node:path'

const MB = 2 ** 20

/** Upper limit of the default quota; on smaller partitions it is a quarter (reliability: the spool must not fill the disk). */
const QUOTA_MOST_BYTES = 256 * MB

/** Free space on the partition below which new labels are refused; a tenth of it on small partitions. */
const MIN_FREE_BYTES = 64 * MB

/** Size of the file that is deleted so that jobs can still end on a full disk. */
export const BALLAST_BYTES = 8 * MB

/** Reads the size of the partition and its free bytes, as an ordinary user may use them. */
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

/** Reserved space: a file of real bytes that can be dropped when even "this job has ended" finds no room. */
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

/**
 * The clocks that jobs need. Ages and expiry come from `uptimeMs`, which no user, NTP or dead clock battery can change; `now` is for
 * display only.
 */
export interface Clock {
  /** Wall time, milliseconds since the epoch; may jump. */
  now(): number
  /** Milliseconds since this machine booted, sleep included; never goes back within a boot. */
  uptimeMs(): number
  /** Differs with every boot; '' where the system does not provide it. */
  readonly bootId: string
}

/** Run-time at its last mark on disk. */
export interface RunMark {
  readonly runMs: number
  readonly uptimeMs: number
  readonly bootId: string
}

const BOOT_ID = '/proc/sys/kernel/random/boot_id' // Linux only, man 4 random

function readBootId(): string {
  try {
    return readFileSync(BOOT_ID, 'latin1').trim()
  } catch {
    return '' // no Linux: run-time is then counted while the program runs, which the mark below handles
  }
}

/** Interval at which the system's count is read: it is a file, and reading it in a flood took longer than writing a label. */
const UPTIME_READ_MS = 100

/** Makes a clock of milliseconds since the boot: the system's count, continued between two readings by a monotonic clock. */
function makeUptime(): () => number {
  let [readAt, readMs, lastMs] = [Number.NEGATIVE_INFINITY, 0, 0]
  return () => {
    const now = performance.now()
    if (now - readAt >= UPTIME_READ_MS) [readAt, readMs] = [now, uptime() * 1000]
    // The count has hundredths of a second only: it must not go back to them.
    lastMs = Math.max(lastMs, Math.round(readMs + now - readAt))
    return lastMs
  }
}

/** The clocks of this machine. */
export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    uptimeMs: makeUptime(),
    bootId: readBootId(),
  }
}

/**
 * The difference between run-time and `clock.uptimeMs()`. Run-time is the time that the box was on, added up over boots. In the boot of the
 * mark it is exact; after another boot the time since that boot began counts; where boots cannot be told apart, only the time that the
 * program runs. Time switched off never counts: without a trusted clock it is unknown.
 */
function runTimeOffset(mark: RunMark | undefined, clock: Clock): number {
  const uptimeMs = clock.uptimeMs()
  if (mark === undefined) return 1 - uptimeMs // begins at 1, so that 0 can mean "never"
  if (clock.bootId === '') return mark.runMs - uptimeMs
  if (clock.bootId === mark.bootId) return mark.runMs - mark.uptimeMs
  return mark.runMs
}

/** Run-time of this box: milliseconds that it was on, added up; `runTimeOffset` says what counts. */
export class RunTime {
  readonly #clock: Clock
  readonly #offset: number

  constructor(mark: RunMark | undefined, clock: Clock) {
    this.#clock = clock
    this.#offset = runTimeOffset(mark, clock)
  }

  /** Run-time now. */
  now(): number {
    return this.#offset + this.#clock.uptimeMs()
  }

  /** The mark to write down now and then, so that the next start goes on from here. */
  mark(): RunMark {
    const uptimeMs = this.#clock.uptimeMs()
    return { runMs: this.#offset + uptimeMs, uptimeMs, bootId: this.#clock.bootId }
  }
}
