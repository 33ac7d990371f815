import { createHash } from 'node:crypto'
import type { IppGroup, IppMessage } from '#printers'
import type { Intake } from '../../core/intake/intake.ts'
import type { Scheduler } from '../../core/queue/scheduler.ts'
import { type IppJob, type IppJobs, type IppWish, packTemplate } from './jobs.ts'
import type { SharedPrinter } from './printer.ts'
import type { IppEndpoint } from './printer-attributes.ts'

/** The parts that operations share. */
export interface OperationParts {
  readonly jobs: IppJobs
  readonly lostAnswers: LostAnswers
  readonly intake: Pick<Intake, 'takeTogether' | 'forSource'>
  readonly scheduler: Pick<Scheduler, 'cancel' | 'hold' | 'release'>
  /** Counts the labels of a printer that have not ended. */
  readonly countWaiting: (printer: string) => number
  /** Prints a label that says which printer it is. */
  readonly identify: (printer: string, client: string) => void
  /** Returns the most bytes of a document, unpacked. */
  readonly documentBytes: () => number
  /** Called with bugs of ours, for the log. */
  readonly fault: (error: unknown) => void
}

/** A request, and the printer that it reached. */
export interface IppOperation {
  readonly message: IppMessage
  readonly document: Uint8Array
  readonly shared: SharedPrinter
  readonly place: IppEndpoint
  /** The client that asks, as far as clients can be told apart. */
  readonly client: string
  /** Takes a callback for the case that the connection ends before the answer is out. */
  readonly onLost: (lost: () => void) => void
}

/** The status of an answer, and the groups behind its operation attributes. */
export interface IppAnswer {
  readonly status: number
  readonly groups: readonly IppGroup[]
}

/** The function that answers one kind of request. */
export type Operation = (
  parts: OperationParts,
  asked: IppOperation,
) => IppAnswer | Promise<IppAnswer>

const KEPT_MS = 10 * 60_000
const KEPT_MOST = 100

/**
 * Jobs whose sender never heard that their document was taken: IPP has no key for it, so the sender sends it again. The same document from
 * the same sender within ten minutes is answered with that job, once. Only such a sender: one that heard the answer and prints the same
 * again wants it twice.
 */
export class LostAnswers {
  readonly #now: () => number
  readonly #jobs = new Map<string, { readonly taking: Promise<IppJob>; readonly at: number }>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Adds a job whose connection ended before the answer was on its way, or before its document was taken. */
  add(key: string, taking: Promise<IppJob>): void {
    const [oldest] = this.#jobs.keys()
    if (oldest !== undefined && this.#jobs.size >= KEPT_MOST) this.#jobs.delete(oldest)
    this.#jobs.set(key, { taking, at: this.#now() })
  }

  /** Returns the job whose answer was lost, once its document is known to be taken, and forgets it. */
  async take(key: string): Promise<number | undefined> {
    const lost = this.#jobs.get(key)
    this.#jobs.delete(key)
    if (lost === undefined || this.#now() - lost.at >= KEPT_MS) return undefined
    return await lost.taking.then(
      ({ id }) => id,
      () => undefined, // refused: it may be taken now
    )
  }
}

/** Returns a key that differs for any other job or document. */
export function keyOfPrint(
  { printer, name, user, client, template }: IppWish,
  document: Uint8Array,
): string {
  const hash = createHash('sha256').update(JSON.stringify([printer, name, user, client]))
  return hash.update(packTemplate(template)).update(document).digest('base64url')
}
