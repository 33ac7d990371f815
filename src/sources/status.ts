import type { Ack, SourceEvent } from './source.ts'

/** `starting`: no contact yet; `waiting`: its printer or the spool cannot take labels; `failing`: the last try failed. */
export type SourceState = 'starting' | 'running' | 'waiting' | 'failing'

/** How a source of this box is doing. */
export interface SourceStatus {
  readonly type: string
  /** What it pulls from, e.g. `queue.example:11300, tube labels`. */
  readonly where: string
  /** Where labels go that name no printer; '' = the default printer. */
  readonly printer: string
  readonly ack: Ack
  readonly state: SourceState
  /** Why it is waiting or failing; '' otherwise. */
  readonly message: string
  /** Milliseconds since the epoch; 0 = never. */
  readonly contactAt: number
  /** Seconds that may go by between two contacts while all is well. */
  readonly quietSeconds: number
  readonly errorAt: number
  /** The last error; it stays when all is well again. */
  readonly error: string
  readonly refusedAt: number
  /** Why the last message that cannot be printed was set aside. */
  readonly refusal: string
  readonly warningAt: number
  /** The last thing that a person should know, though nothing was lost. */
  readonly warning: string
  /** Messages since the start whose labels were taken, and that were set aside. */
  readonly taken: number
  readonly refused: number
  /** Messages that wait on the other side, and bad ones it keeps; undefined = not known. */
  readonly waiting: number | undefined
  readonly bad: number | undefined
}

/** What is written down of a source between two looks at it. */
export type SourceRecord = Omit<
  SourceStatus,
  'type' | 'where' | 'printer' | 'ack' | 'state' | 'message' | 'quietSeconds'
> & {
  /** The error since the last contact, or ''. */
  readonly failure: string
}

/** Nothing has happened yet. */
export const NEW_RECORD: SourceRecord = {
  contactAt: 0,
  errorAt: 0,
  error: '',
  failure: '',
  refusedAt: 0,
  refusal: '',
  warningAt: 0,
  warning: '',
  taken: 0,
  refused: 0,
  waiting: undefined,
  bad: undefined,
}

/** The record after an event. */
export function note(record: SourceRecord, event: SourceEvent, at: number): SourceRecord {
  switch (event.kind) {
    case 'contact':
      return { ...record, contactAt: at, failure: '' }
    case 'error':
      return { ...record, errorAt: at, error: event.message, failure: event.message }
    case 'refused':
      return {
        ...record,
        refusedAt: at,
        refusal: event.message,
        refused: record.refused + 1,
      }
    case 'warning':
      return { ...record, warningAt: at, warning: event.message }
    case 'backlog':
      return { ...record, waiting: event.waiting, bad: event.bad }
  }
}
