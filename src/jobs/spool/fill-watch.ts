import type { Holder, Share, Shares } from './shares.ts'

/** From this part of a share on a person is told; below the other one that it is over. */
export const NEARLY_FULL = { from: 0.8, until: 0.7 } as const

/** A share that is nearly full, for people. */
export interface Filling {
  readonly of: Holder['of']
  /** Of the printer or the sender; '' for the whole. */
  readonly name: string
  readonly jobs: number
  readonly bytes: number
  /** How much of it is in use, 0..1. */
  readonly part: number
  readonly message: string
  readonly hint: string
}

/** A share that has crossed the line. */
export interface Crossing {
  readonly isHigh: boolean
  readonly filling: Filling
}

/** Knows which shares are nearly full. */
export class FillWatch {
  readonly #shares: Shares
  readonly #high = new Map<string, Holder>()

  constructor(shares: Shares) {
    this.#shares = shares
  }

  /** Looks at these holders; gives those that have crossed the line since the last look. */
  look(holders: Iterable<Holder>): readonly Crossing[] {
    return [...holders].flatMap((holder) => this.#lookAt(holder) ?? [])
  }

  /** What is nearly full now. */
  list(): readonly Filling[] {
    return [...this.#high.values()].map((holder) => describe(this.#shares.of(holder), true))
  }

  #lookAt(holder: Holder): Crossing | undefined {
    const share = this.#shares.of(holder)
    const key = `${holder.of} ${nameOf(holder)}`
    const wasHigh = this.#high.has(key)
    const isHigh = partOf(share) >= (wasHigh ? NEARLY_FULL.until : NEARLY_FULL.from)
    if (isHigh === wasHigh) return undefined
    if (isHigh) this.#high.set(key, holder)
    else this.#high.delete(key)
    return { isHigh, filling: describe(share, isHigh) }
  }
}

/** How much of a share is in use: by labels or by bytes, whichever is more. */
export function partOf({ load, most }: Share): number {
  return Math.max(load.jobs / most.jobs, load.bytes / most.bytes)
}

function nameOf(holder: Holder): string {
  return holder.of === 'all' ? '' : holder.name
}

function describe(share: Share, isHigh: boolean): Filling {
  const { holder, load } = share
  const part = partOf(share)
  const labels = load.jobs === 1 ? '1 label waits' : `${load.jobs} labels wait`
  const whose = { all: '', printer: ` for ${nameOf(holder)}`, sender: ` from ${nameOf(holder)}` }
  const room = holder.of === 'all' ? 'the print server' : 'its share of the print server'
  const full = isHigh ? `is ${Math.floor(part * 100)} % full` : 'has room again'
  const message = `${labels}${whose[holder.of]}: ${room} ${full}.`
  const hint = isHigh ? HINTS[holder.of] : ''
  return { of: holder.of, name: nameOf(holder), ...load, part, message, hint }
}

const HINTS: Readonly<Record<Holder['of'], string>> = {
  all: 'Let them print. If they are not wanted, press "Cancel all" on the card of their printer under Printers.',
  printer:
    'See to this printer. If they are not wanted, press "Cancel all" on its card under Printers.',
  sender:
    'Look at what sends so many. If they are not wanted, press "Cancel all" on the card of their printer under Printers.',
}
