import { PlatenError } from '../../errors.ts'
import type { Cost } from './contents.ts'
import type { Load, Tally } from './tally.ts'
import type { ShareLimits } from './types.ts'

/** A printer that is off, or a sender that never stops, must leave room for the others. */
export const SHARES: ShareLimits = {
  jobs: 100_000,
  printerJobs: 50_000,
  senderJobs: 50_000,
  part: 1 / 2,
}

/** Who has a share. */
export type Holder =
  | { readonly of: 'all' }
  | { readonly of: 'printer' | 'sender'; readonly name: string }

/** How much of a share is in use. */
export interface Share {
  readonly holder: Holder
  readonly load: Load
  readonly most: Load
}

/** The shares of one spool. */
export class Shares {
  readonly #tally: Tally
  readonly #limits: ShareLimits
  readonly #bytes: number

  /** `bytes`: what may wait in the whole. */
  constructor(tally: Tally, bytes: number, limits: Partial<ShareLimits> = {}) {
    this.#tally = tally
    this.#bytes = bytes
    this.#limits = { ...SHARES, ...limits }
  }

  /** The share of one holder now. */
  of(holder: Holder): Share {
    const { jobs, printerJobs, senderJobs, part } = this.#limits
    if (holder.of === 'all') {
      return { holder, load: this.#tally.whole, most: { jobs, bytes: this.#bytes } }
    }
    const isPrinter = holder.of === 'printer'
    const loads = isPrinter ? this.#tally.printers : this.#tally.senders
    return {
      holder,
      load: loads.get(holder.name) ?? { jobs: 0, bytes: 0 },
      most: { jobs: isPrinter ? printerJobs : senderJobs, bytes: this.#bytes * part },
    }
  }

  /**
   * Refuses what would not leave the others their room. What the owner of the box does (no sender) is held to the whole
   * alone. `relief`: what ends in the same transaction.
   * @throws PlatenError SPOOL_FULL
   */
  check(costs: readonly Cost[], relief?: Cost): void {
    for (const { printer, sender, ...more } of costs) {
      refuseAbove(this.of({ of: 'all' }), more, relief)
      if (sender === '') continue
      const same = (key: 'printer' | 'sender', name: string) =>
        relief?.[key] === name ? relief : undefined
      refuseAbove(this.of({ of: 'printer', name: printer }), more, same('printer', printer))
      refuseAbove(this.of({ of: 'sender', name: sender }), more, same('sender', sender))
    }
  }
}

/** A holder of nothing may always send one request: the quota of a small disk must not shut out a large label. */
function refuseAbove(share: Share, more: Load, relief: Load = { jobs: 0, bytes: 0 }): void {
  const { load, most } = share
  const jobs = load.jobs - relief.jobs + more.jobs
  const bytes = load.bytes - relief.bytes + more.bytes
  const isFirst = load.jobs - relief.jobs === 0 && share.holder.of !== 'all'
  if (jobs <= most.jobs && (bytes <= most.bytes || isFirst || share.holder.of === 'all')) return
  const hint = hintOf(share.holder)
  throw new PlatenError(
    'SPOOL_FULL',
    `${describe(share)}; ${count(more.jobs)} more would be too many.`,
    {
      hint,
    },
  )
}

/** Whose labels wait, how many, and how many may. */
export function describe({ holder, load, most }: Share): string {
  const seen = `${count(load.jobs)} (${megabytes(load.bytes)})`
  const wanted = `of at most ${most.jobs} (${megabytes(most.bytes)})`
  if (holder.of === 'all') return `${seen} wait in the print server, ${wanted}`
  const whose = holder.of === 'printer' ? `wait for ${holder.name}` : `from ${holder.name} wait`
  return `${seen} ${whose}, ${wanted}`
}

/** What a person does about it. */
export function hintOf(holder: Holder): string {
  if (holder.of === 'printer') {
    return 'See to this printer, or cancel its labels with "Cancel all" on its card under Printers; then send the label again.'
  }
  return holder.of === 'sender'
    ? 'Look at what this sender sends. Let its labels print, or cancel them; then send the label again.'
    : 'Let waiting labels print, or cancel them with "Cancel all" on the card of a printer; then send the label again.'
}

function count(jobs: number): string {
  return jobs === 1 ? '1 label' : `${jobs} labels`
}

/** For people: MB with two digits. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`
}
