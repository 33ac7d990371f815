import type { FailureCode } from '../errors.ts'
import type { Format } from '../render/detect.ts'
import type { PrintOptions } from '../request/fields.ts'

export type { PrintOptions } from '../request/fields.ts'

/** IPP job-state (RFC 8011, 5.3.7), less `completed`'s printer-internal twins. */
export type JobState =
  | 'pending'
  | 'pending-held'
  | 'processing'
  | 'processing-stopped'
  | 'canceled'
  | 'aborted'
  | 'completed'

/** What is honestly known of a job's paper. */
export type Delivery = 'none' | 'sent' | 'confirmed' | 'unknown'

/** IPP job-state-reasons (RFC 8011, 5.3.8) that we use, and our own, which begin with `platen-`. */
export type JobReason =
  | 'none'
  | 'job-printing'
  | 'printer-stopped'
  | 'job-completed-successfully'
  | 'job-completed-with-warnings'
  | 'job-canceled-by-user'
  | 'job-canceled-after-timeout'
  | 'job-hold-until-specified'
  | 'document-format-error'
  | 'aborted-by-system'
  | 'resources-are-not-ready'
  | 'platen-interrupted'
  | 'platen-restored'
  | 'platen-resolved-by-person'
  | 'platen-crashed-twice'
  | 'platen-language-mismatch'
  | 'platen-printer-command'
  | 'platen-duplicate'

/**
 * What a body is: a label as it was sent, a document of our own that is drawn when it prints, or (`unknown`) a message
 * of a source that is not a label and is held so that a person sees it.
 */
export type JobFormat = Format | 'packlist' | 'test' | 'start' | 'unknown'

/** One label for one printer. */
export interface Job {
  /** Unique for the life of the box, in the order of acceptance. */
  readonly id: string
  /** Order of acceptance. */
  readonly seq: number
  /** `http`, `packlist`, `test`, `start`, or the type of a source. */
  readonly source: string
  readonly printer: string
  /** Who printed it, as their program says; '' = nobody said. No proof of anything. */
  readonly user: string
  /** What a person calls the label: given with it, else found on it; '' = nothing. Never in the log. */
  readonly title: string
  readonly format: JobFormat
  readonly options: PrintOptions
  readonly state: JobState
  readonly reasons: readonly JobReason[]
  readonly delivery: Delivery
  /** One sentence for a person; empty when there is nothing to say. */
  readonly message: string
  /** What a person can do; empty when there is nothing to do. */
  readonly hint: string
  /** What a developer wants to know about `message`, in technical words; '' = nothing. */
  readonly detail: string
  readonly code: FailureCode | ''
  /** What developers may want to know about the label as it was taken; '' = nothing. */
  readonly note: string
  /** Milliseconds since the epoch; 0 = not yet. */
  readonly createdAt: number
  readonly startedAt: number
  readonly endedAt: number
  /** Milliseconds since the epoch; 0 = never. */
  readonly expiresAt: number
  /** Bytes of the label as it was sent. */
  readonly labelBytes: number
  /** Bytes handed to the printer in the last attempt; of an interrupted job a lower bound. */
  readonly sentBytes: number
  readonly attempts: number
  /** Its states so far, as `readSteps` reads them (steps.ts). */
  readonly steps: string
  /** The job this one repeats, or ''. */
  readonly reprintOf: string
  /** What was odd about the label when it was taken; stays until its end. '' = nothing. */
  readonly warning: string
  /** The label is still kept, so it can be printed again. */
  readonly hasLabel: boolean
  /** A picture of what was printed is kept. */
  readonly hasPreview: boolean
}

/** States that a job never leaves. */
export const ENDED: ReadonlySet<JobState> = new Set(['canceled', 'aborted', 'completed'])

/** True when the job will not change any more. */
export function hasEnded(job: Pick<Job, 'state'>): boolean {
  return ENDED.has(job.state)
}

/** Nothing is to be waited for: the job has ended, or only a person moves it on. */
export function isSettled(job: Pick<Job, 'state'>): boolean {
  return hasEnded(job) || job.state === 'pending-held'
}
