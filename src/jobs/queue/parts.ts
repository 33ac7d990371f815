import type { Printers } from '../../printers/registry.ts'
import type { StatusAsker } from '../../printers/status/asker.ts'
import type { Renderer } from '../drawing/renderer.ts'
import type { InterruptPolicy } from '../moves.ts'
import type { Spool } from '../spool/spool.ts'
import type { Underway } from './underway.ts'

/** Times of the scheduler, in milliseconds; all of them can be set for tests. */
export interface Timing {
  /** First wait after a printer could not be opened; doubles with each failure, less up to half of it by chance. */
  readonly retryFirstMs: number
  readonly retryMostMs: number
  /** A printer that takes no byte for so long is shown as stopped. */
  readonly stallMs: number
  readonly openMs: number
  readonly confirmMs: number
  /** Between two questions whether a label has come out. */
  readonly confirmAskMs: number
  /** Between two questions to a printer that said what keeps it from printing. */
  readonly blockedAskMs: number
  /** An answer older than this is asked for anew while somebody looks. */
  readonly attendMs: number
  /** Bytes handed at a time to devices that name no number of their own. */
  readonly chunkBytes: number
}

/** The times in use. */
export const TIMING: Timing = {
  retryFirstMs: 1000,
  retryMostMs: 60_000,
  stallMs: 10_000,
  openMs: 30_000,
  confirmMs: 30_000,
  confirmAskMs: 250,
  blockedAskMs: 3_000,
  attendMs: 60_000, // a page that stays open must not keep others off the printer's line
  chunkBytes: 16_384,
}

/** What every queue works with. */
export interface QueueParts {
  readonly spool: Spool
  readonly printers: Pick<Printers, 'get' | 'open' | 'report' | 'pausedHint' | 'at' | 'setPaused'>
  readonly renderer: Pick<Renderer, 'render' | 'pdfs'>
  readonly underway: Underway
  /** Left out = no printer is asked how it is. */
  readonly asker?: StatusAsker | undefined
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
