import type { IppGroup, IppMessage } from '../../ipp/message.ts'
import type { Intake } from '../../jobs/intake/intake.ts'
import type { Scheduler } from '../../jobs/queue/scheduler.ts'
import type { IppJobs } from './jobs.ts'
import type { LostAnswers } from './lost-answers.ts'
import type { SharedPrinter } from './printer.ts'
import type { Place } from './printer-attributes.ts'

/** What operations work with. */
export interface OperationParts {
  readonly jobs: IppJobs
  readonly lostAnswers: LostAnswers
  readonly intake: Pick<Intake, 'take'>
  readonly scheduler: Pick<Scheduler, 'cancel' | 'hold' | 'release'>
  /** Labels of a printer that have not ended. */
  readonly countWaiting: (printer: string) => number
  /** Prints a label that says which printer it is. */
  readonly identify: (printer: string, client: string) => void
  /** The most bytes of a document, unpacked. */
  readonly documentBytes: () => number
}

/** A request, and whom it reached. */
export interface Asked {
  readonly message: IppMessage
  readonly document: Uint8Array
  readonly shared: SharedPrinter
  readonly place: Place
  /** Who asks, as far as clients can be told apart. */
  readonly client: string
  /** Calls back when the connection ends before the answer is out. */
  readonly onLost: (lost: () => void) => void
}

/** Its status, and the groups behind the operation attributes. */
export interface Answer {
  readonly status: number
  readonly groups: readonly IppGroup[]
}

/** What one kind of request does. */
export type Operation = (parts: OperationParts, asked: Asked) => Answer | Promise<Answer>
