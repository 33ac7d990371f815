import { PlatenError } from '../../words/errors.ts'
import { NOTHING, quoteEnglish, type Sentences, say } from '../../words/say.ts'
import type { SpoolDatabase } from './database.ts'
import type { Clock } from './room.ts'
import type { Holder, Share, Shares } from './shares.ts'
import type { Loads, SpoolTally } from './tally.ts'

const CHECK_EVERY_MS = 1000

/** Tells whether the spool can still be written, and how much room it has. Decision `failed-flush`. */
export class Health {
  readonly #db: SpoolDatabase
  readonly #clock: Clock
  #checkedAt = Number.NEGATIVE_INFINITY

  constructor(db: SpoolDatabase, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** Bytes in use, the limit for them, and the free bytes of the partition. */
  usage(): { bytes: number; quotaBytes: number; freeBytes: number } {
    return {
      bytes: this.#db.usedBytes(),
      quotaBytes: this.#db.quotaBytes,
      freeBytes: this.#db.freeBytes(),
    }
  }

  /**
   * Proves that the disk still accepts writes: by a real one, unless one succeeded within the last second.
   * @throws PlatenError SPOOL_BROKEN
   */
  check(): void {
    if (this.#db.damage !== undefined) throw this.#db.damage
    if (this.#clock.uptimeMs() - this.#checkedAt < CHECK_EVERY_MS) return
    try {
      this.#db.write(() => this.#db.sql.setMeta.run('checked', String(this.#clock.now())))
      this.#checkedAt = this.#clock.uptimeMs()
    } catch (cause) {
      if (cause instanceof PlatenError && cause.code === 'SPOOL_BROKEN') throw cause
      throw new PlatenError('SPOOL_BROKEN', say('diskFull'), {
        cause,
      })
    }
  }

  /**
   * True when a read and a test write succeed. A full disk is not a reason to restart the program; a failed flush is one, and so is a
   * damaged page.
   */
  answers(): boolean {
    if (this.#db.isBroken || this.#db.damage !== undefined) return false
    this.#db.read(() => this.#db.sql.lastSeq.get())
    try {
      this.check()
    } catch (error) {
      return error instanceof PlatenError
    }
    return true
  }

  /** The load of waiting jobs, by holder. */
  loads(): Loads {
    return this.#db.tally.loads
  }

  /** Tells whether a request of `bytes` more would be accepted now and leave the waiting labels below `share` of the quota. */
  hasRoom(bytes: number, share = 1): boolean {
    // Labels of ended jobs make way, so only those that wait count.
    return (
      this.#db.tally.whole.bytes + bytes <= this.#db.limitBytes * share &&
      this.#db.freeBytes() >= this.#db.wantedFreeBytes(bytes)
    )
  }
}

/** Shares of use at which a person is told: `from` it is nearly full, below `until` it no longer is. */
const NEARLY_FULL = { from: 0.8, until: 0.7 } as const

/** A share that is nearly full, for people. */
export interface FullShare {
  readonly of: Holder['of']
  /** Name of the printer or the sender; '' for the whole spool. */
  readonly name: string
  readonly jobs: number
  readonly bytes: number
  /** Fraction in use, 0..1. */
  readonly part: number
  readonly message: Sentences
  readonly hint: Sentences
}

/** A change of a share to nearly full or back. */
export interface Crossing {
  readonly isHigh: boolean
  readonly filling: FullShare
}

/** The fraction of a share that is in use: 0..1. */
interface SharePart {
  readonly of: 'all' | 'printer'
  readonly name: string
  readonly part: number
}

/** Watches which shares are nearly full. */
export class FillWatch {
  readonly #shares: Shares
  readonly #tally: SpoolTally
  readonly #high = new Map<string, Holder>()
  readonly #listeners = new Set<(crossing: Crossing) => void>()

  constructor(shares: Shares, tally: SpoolTally) {
    this.#shares = shares
    this.#tally = tally
    this.look()
  }

  /** Calls back when a share becomes nearly full, and when it no longer is. Returns a function that unsubscribes. */
  onCrossing(listener: (crossing: Crossing) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Lists the shares that are nearly full now. */
  list(): readonly FullShare[] {
    return [...this.#high.values()].map((holder) => describe(this.#shares.of(holder), true))
  }

  /** Fractions in use of the whole spool and of each printer that labels wait for. */
  parts(): readonly SharePart[] {
    const printers = [...this.#tally.printers.keys()].map((name): SharePart => {
      return { of: 'printer', name, part: partOf(this.#shares.of({ of: 'printer', name })) }
    })
    return [{ of: 'all', name: '', part: partOf(this.#shares.of({ of: 'all' })) }, ...printers]
  }

  /**
   * Checks the holders whose load has changed since the last call; to be called after each commit. `tell` calls a listener. The first call,
   * at the start, has none: a share between the two limits may have been reported before, and its end must be reported too.
   */
  look(tell?: (listener: (crossing: Crossing) => void, crossing: Crossing) => void): void {
    const { printers, senders } = this.#tally.takeTouched()
    if (printers.length === 0) return // after the first of the labels of one commit
    const holders: readonly Holder[] = [
      { of: 'all' },
      ...printers.map((name) => ({ of: 'printer', name }) as const),
      // What the owner of the box brings back is held to no share.
      ...senders.filter((name) => name !== '').map((name) => ({ of: 'sender', name }) as const),
    ]
    const crossings = holders.flatMap((holder) => this.#lookAt(holder, tell === undefined) ?? [])
    for (const crossing of crossings)
      for (const listener of this.#listeners) tell?.(listener, crossing)
  }

  #lookAt(holder: Holder, isStart: boolean): Crossing | undefined {
    const share = this.#shares.of(holder)
    const key = `${holder.of} ${nameOf(holder)}`
    const wasHigh = this.#high.has(key)
    const isHigh = partOf(share) >= (wasHigh || isStart ? NEARLY_FULL.until : NEARLY_FULL.from)
    if (isHigh === wasHigh) return undefined
    if (isHigh) this.#high.set(key, holder)
    else this.#high.delete(key)
    return { isHigh, filling: describe(share, isHigh) }
  }
}

/** The fraction in use: of labels or of bytes, whichever is larger. */
function partOf({ load, most }: Share): number {
  return Math.max(load.jobs / most.jobs, load.bytes / most.bytes)
}

function nameOf(holder: Holder): string {
  return holder.of === 'all' ? '' : holder.name
}

function describe(share: Share, isHigh: boolean): FullShare {
  const { holder, load } = share
  const part = partOf(share)
  const values = { n: load.jobs, name: nameOf(holder), percent: Math.floor(part * 100) }
  const message = isHigh
    ? say(FILLS[holder.of], values)
    : quoteEnglish(`${nameOf(holder) || 'The print server'} has room again.`)
  const hint = isHigh ? HINTS[holder.of] : NOTHING
  return { of: holder.of, name: nameOf(holder), ...load, part, message, hint }
}

const FILLS = { all: 'allFills', printer: 'printerFills', sender: 'senderFills' } as const

const HINTS: Readonly<Record<Holder['of'], Sentences>> = {
  all: say('letAll'),
  printer: say('letPrinter'),
  sender: say('letSender'),
}
