import type { Printers } from '../printers/registry.ts'
import type { InterruptPolicy } from './moves.ts'
import type { Renderer } from './renderer.ts'
import type { Spool } from './spool.ts'

/** Times of the scheduler, in milliseconds; all of them can be set for tests. */
export interface Timing {
  /** First wait after a printer could not be opened; doubles with each failure, less up to half of it by chance. */
  readonly retryFirstMs: number
  readonly retryMostMs: number
  /** A printer that takes no byte for so long is shown as stopped. */
  readonly stallMs: number
  readonly openMs: number
  readonly confirmMs: number
  /** Bytes handed to the device at a time. */
  readonly chunkBytes: number
}

/** The times in use. */
export const TIMING: Timing = {
  retryFirstMs: 1000,
  retryMostMs: 60_000,
  stallMs: 10_000,
  openMs: 30_000,
  confirmMs: 30_000,
  chunkBytes: 16_384,
}

/** What every queue works with. */
export interface QueueParts {
  readonly spool: Spool
  readonly printers: Pick<Printers, 'get' | 'open' | 'report'>
  readonly renderer: Pick<Renderer, 'render'>
  readonly policy: () => InterruptPolicy
  readonly now: () => number
  readonly timing: Timing
  /** Waits as long as the n-th failure in a row asks for. */
  readonly pause: (failures: number) => Promise<void>
  /** Milliseconds of that wait. */
  readonly backOff: (failures: number) => number
  /** Told of faults that disturb nothing else. */
  readonly fault: (error: unknown) => void
}
