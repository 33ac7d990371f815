import type { KnownPrinter } from '../printers/printer.ts'
import type { Printers } from '../printers/registry.ts'
import type { PrintOptions } from './job.ts'
import type { Accepted, LabelRequest } from './requests.ts'
import type { Spool } from './spool.ts'

/** Above so many waiting jobs, or this share of the quota, sources leave their labels where they are. */
export const SOURCE_LIMITS = { waitingJobs: 50, quotaShare: 0.7 } as const

/** The largest message of a source that is sure to find room when `ready` has said so. */
const ROOM_BYTES = 2 ** 20

const LOOK_AGAIN_MS = 5000 // free space on the disk tells nobody when it changes

/** One message of a source, as `Message` of the sources' contract. */
interface SourceMessage {
  readonly labels: readonly Uint8Array[]
  readonly options: PrintOptions
  readonly messageId?: string
}

/** What happened between a source and its other side, as `SourceEvent` of the sources' contract. */
type SourceEvent =
  | { readonly kind: 'contact' }
  | { readonly kind: 'error'; readonly message: string }

/** How a source is doing. */
export interface SourceReport {
  readonly type: string
  /** Milliseconds since the epoch; 0 = never. */
  readonly contactAt: number
  readonly errorAt: number
  /** The last error; '' = none since the last contact. */
  readonly error: string
}

/** What a source is given; the shape of `SourceIntake` in the sources' contract. */
export interface SourceDoor {
  accept(
    message: SourceMessage,
  ): Promise<{ readonly jobs: readonly string[]; readonly ended: Promise<void> }>
  ready(signal: AbortSignal): Promise<void>
  report(event: SourceEvent): void
}

/** What the doors work with. */
export interface SourceDoorParts {
  readonly spool: Pick<Spool, 'counts' | 'hasRoom' | 'onChange'>
  readonly printers: Pick<Printers, 'resolve' | 'onChange'>
  readonly accept: (request: LabelRequest, key: string | undefined) => Accepted
  readonly now?: () => number
}

/** The intake as the sources see it: one door a source, and what each of them last told. */
export class SourceDoors {
  readonly #parts: SourceDoorParts
  readonly #reports = new Map<string, SourceReport>()

  constructor(parts: SourceDoorParts) {
    this.#parts = parts
  }

  /** A door for a source of this type; `printer` takes the labels that name none. */
  make(type: string, printer: string | undefined): SourceDoor {
    return {
      // Async so that a refusal is a rejection, as the contract has it.
      accept: async (message) => {
        const named = message.options.printer ?? printer
        const options = { ...message.options, ...(named === undefined ? {} : { printer: named }) }
        const key = message.messageId === undefined ? undefined : `${type}:${message.messageId}`
        const request = { labels: message.labels, options, source: type }
        const taken = await Promise.resolve(this.#parts.accept(request, key))
        return {
          jobs: taken.jobs.map((job) => job.id),
          get ended() {
            return taken.ended
          },
        }
      },
      ready: (signal) => this.#ready(printer, signal),
      report: (event) => this.#report(type, event),
    }
  }

  /** In the order of their first report. */
  reports(): readonly SourceReport[] {
    return [...this.#reports.values()]
  }

  #report(type: string, event: SourceEvent): void {
    const at = (this.#parts.now ?? Date.now)()
    const before = this.#reports.get(type) ?? { type, contactAt: 0, errorAt: 0, error: '' }
    this.#reports.set(
      type,
      event.kind === 'contact'
        ? { ...before, contactAt: at, error: '' }
        : { ...before, errorAt: at, error: event.message },
    )
  }

  async #ready(printer: string | undefined, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    while (!this.#isReady(printer)) await this.#change(signal)
  }

  #isReady(printer: string | undefined): boolean {
    const target = this.#target(printer)
    if (target === undefined || target.status.state === 'stopped') return false
    return (
      this.#parts.spool.counts().pending < SOURCE_LIMITS.waitingJobs &&
      this.#parts.spool.hasRoom(ROOM_BYTES, SOURCE_LIMITS.quotaShare)
    )
  }

  /** No printer at all, or an unknown one, is not ready; the source finds out at `accept` what is wrong. */
  #target(printer: string | undefined): KnownPrinter | undefined {
    try {
      return this.#parts.printers.resolve(printer)
    } catch {
      return undefined // nothing to log: the state is on the page, and changes with the configuration
    }
  }

  /** Until a job, a printer or perhaps the disk has changed. @throws the signal's reason */
  async #change(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const stop = (): void => reject(signal.reason)
    const timer = setTimeout(resolve, LOOK_AGAIN_MS).unref()
    const ends = [
      this.#parts.spool.onChange(() => resolve()),
      this.#parts.printers.onChange(() => resolve()),
    ]
    signal.addEventListener('abort', stop, { once: true })
    try {
      await promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      for (const end of ends) end()
    }
  }
}
