import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'

/**
 * The clocks the jobs need. Ages and expiry come from `uptimeMs`, which no user, NTP or dead clock battery
 * can turn; `now` is for display only.
 */
export interface Clock {
  /** Wall time, milliseconds since the epoch; may jump. */
  now(): number
  /** Milliseconds since this machine booted, sleep included; never goes back within a boot. */
  uptimeMs(): number
  /** Differs with every boot; '' where the system does not tell. */
  readonly bootId: string
}

/** Where run-time stood when it was last written down. */
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

/** The clocks of this machine. */
export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    uptimeMs: () => Math.round(uptime() * 1000),
    bootId: readBootId(),
  }
}

/**
 * What to add to `clock.uptimeMs()` to get run-time: time that the box was on, added up over boots. In the boot of
 * the mark it is exact; after another boot the time since that boot began counts; where boots cannot be told apart
 * only the time that the program runs. Time switched off never counts: without a trusted clock it is unknown.
 */
export function runTimeOffset(mark: RunMark | undefined, clock: Clock): number {
  const uptimeMs = clock.uptimeMs()
  if (mark === undefined) return 1 - uptimeMs // begins at 1, so that 0 can mean "never"
  if (clock.bootId === '') return mark.runMs - uptimeMs
  if (clock.bootId === mark.bootId) return mark.runMs - mark.uptimeMs
  return mark.runMs
}

/** Run-time of this box: milliseconds that it was on, added up; see `runTimeOffset` for what counts. */
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

  /** To be written down now and then, so that the next start goes on from here. */
  mark(): RunMark {
    const uptimeMs = this.#clock.uptimeMs()
    return { runMs: this.#offset + uptimeMs, uptimeMs, bootId: this.#clock.bootId }
  }
}
