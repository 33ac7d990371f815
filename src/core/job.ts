import { randomInt } from 'node:crypto'
import { type FormatToRender, isLanguage, type LabelFormat } from '#labels'
import { listAsked, type SentenceAction } from '../words/actions.ts'
import { PlatenError } from '../words/errors.ts'
import type { FailureCode } from '../words/failures.ts'
import { inEnglish, join, type Sentences, saidJson, say } from '../words/say.ts'
import type { PrintOptions } from './request/fields.ts'

export type { PrintOptions } from './request/fields.ts'

/** IPP job-state (RFC 8011, 5.3.7). */
export type JobState =
  | 'pending'
  | 'pending-held'
  | 'processing'
  | 'processing-stopped'
  | 'canceled'
  | 'aborted'
  | 'completed'

/** Makes counters for jobs by state. */
export const noneOfEach = (): Record<JobState, number> => ({
  pending: 0,
  'pending-held': 0,
  processing: 0,
  'processing-stopped': 0,
  canceled: 0,
  aborted: 0,
  completed: 0,
})

/** Certain knowledge of a job's paper. */
type Delivery = 'none' | 'sent' | 'confirmed' | 'unknown'

/** IPP job-state-reasons (RFC 8011, 5.3.8) that are used here, and our own, which begin with `platen-`. */
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
  | 'platen-moving'
  | 'platen-moved'

/**
 * The kind of a body: a label as it was sent, a document of our own that is drawn when it prints, or (`unknown`) a message of a source that
 * is not a label and is held so that a person sees it.
 */
export type JobFormat = LabelFormat | 'packlist' | 'test' | 'start' | 'unknown'

/** A label for one printer. */
export interface Job {
  /** Unique for the life of the box, in the order of acceptance. */
  readonly id: string
  /** Order of acceptance. */
  readonly seq: number
  /** `http`, `packlist`, `test`, `start`, or the type of a source. */
  readonly source: string
  readonly printer: string
  /** The user who printed it, according to their program; '' = unknown. Not a proof of anything. */
  readonly user: string
  /** The title for people: given with the label, else found in it; '' = none. Never in the log. */
  readonly title: string
  readonly format: JobFormat
  readonly options: PrintOptions
  readonly state: JobState
  readonly reasons: readonly JobReason[]
  readonly delivery: Delivery
  /** For a person; empty when there is nothing to say. */
  readonly message: Sentences
  /** The advice on what a person can do; empty when there is nothing to do. */
  readonly hint: Sentences
  /** Technical details of `message` for developers; '' = none. */
  readonly detail: string
  readonly code: FailureCode | ''
  /** Technical notes on the label as it was taken, for developers; '' = none. */
  readonly note: string
  /** Milliseconds since the epoch; 0 = not yet. */
  readonly createdAt: number
  readonly startedAt: number
  readonly endedAt: number
  /** Milliseconds since the epoch; 0 = never. */
  readonly expiresAt: number
  /** Bytes of the label as it was sent. */
  readonly labelBytes: number
  /** Bytes handed to the printer in the last attempt; a lower bound for an interrupted job. */
  readonly sentBytes: number
  readonly attempts: number
  /** The states so far, in the format of `readSteps` (types.ts). */
  readonly steps: string
  /** The job that this one reprints, or ''. */
  readonly reprintOf: string
  /** Warnings about the label from when it was taken; they stay until its end. */
  readonly warning: Sentences
  /** True while the label is kept, so that it can be printed again. */
  readonly hasLabel: boolean
  /** True while a picture of what was printed is kept. */
  readonly hasPreview: boolean
}

/** Replaces the options of a job that damage destroyed: its drawing is not known any more. */
export const LOST_OPTIONS: PrintOptions = {}

/** Returns the format when it has to be drawn; undefined for raw labels, which pass byte for byte. */
export function formatToRender(format: Exclude<JobFormat, 'unknown'>): FormatToRender | undefined {
  return isLanguage(format) ? undefined : format
}

/** Tells whether a job's options were lost by damage: drawn differently it could be another label, or all labels of a PDF. */
export function isUndrawable({ format, options }: Pick<Job, 'format' | 'options'>): boolean {
  return options === LOST_OPTIONS && format !== 'unknown' && formatToRender(format) !== undefined
}

/** States that a job never leaves. */
export const ENDED: ReadonlySet<JobState> = new Set(['canceled', 'aborted', 'completed'])

/** Tells whether the job will not change any more. */
export function hasEnded(job: Pick<Job, 'state'>): boolean {
  return ENDED.has(job.state)
}

/** True while something outside the queue decides about a label: until then it neither prints nor is canceled here. */
export function isMoving({ state, reasons }: Pick<Job, 'state' | 'reasons'>): boolean {
  return state === 'pending-held' && reasons.includes('platen-moving')
}

/** Tells whether a label was cut off while it printed and has not begun again. */
export function wasCut(job: Job): boolean {
  const waits = job.state === 'pending-held' || job.state === 'pending'
  return waits && job.reasons.includes('platen-interrupted')
}

/** Tells whether nothing is to be waited for: the job has ended, or only a person moves it on. */
export function isSettled(job: Pick<Job, 'state'>): boolean {
  return hasEnded(job) || job.state === 'pending-held'
}

/** Makes the refusal of a request that came too late: the label has moved on, or another request was faster. */
export function refusePast(job: Job): PlatenError {
  return new PlatenError('JOB_STATE', tellWhatBecame(job), { hint: tellWhatCanBeDone(job) })
}

/** The message for an id that was never issued, or whose label is no longer in the list. */
export const NO_LABEL = say('noSuchLabel')

/** Describes the state of a label in a sentence or two. */
export function tellWhatBecame(job: Job): Sentences {
  const { state, reasons, printer, message } = job
  if (isMoving(job)) return say('onItsWayAway')
  switch (state) {
    case 'pending':
      return say('waitsFor', { printer })
    case 'pending-held':
      return reasons.includes('platen-interrupted') ? say('waitsForWord') : say('isHeld')
    case 'processing':
    case 'processing-stopped':
      return say('printsNow', { printer })
    case 'completed':
      return reasons.includes('platen-resolved-by-person')
        ? say('saidOut', { printer })
        : say('isPrinted', { printer })
    case 'canceled':
      if (reasons.includes('job-canceled-after-timeout')) return message
      return join(say('isCanceled'), message)
    case 'aborted':
      return join(say('notPrinted', { printer }), message)
  }
}

function tellWhatCanBeDone(job: Job): Sentences {
  if (job.state === 'completed') return say('pressReprint')
  if (hasEnded(job)) return say('reprintIfWanted')
  if (job.state === 'pending-held') return say('decide')
  return say('nothingToDo')
}

/** An action that a person or a program can take on a job; docs/api.md has the call for each. */
export type JobAction = 'resolve' | 'release' | 'reprint' | 'move' | 'cancel' | SentenceAction

/** Lists the actions that a job allows now: by its state, and by its sentences. */
export function listActions(job: Job): readonly JobAction[] {
  return [...listMoves(job), ...listAsked(job.message, job.hint)]
}

function listMoves(job: Job): readonly JobAction[] {
  const { state, format, code, hasLabel } = job
  if (hasEnded(job)) {
    // A start label shows the PIN: a new one is printed for the printer instead.
    return hasLabel && format !== 'unknown' && format !== 'start' ? ['reprint'] : []
  }
  if (isMoving(job)) return ['release', 'cancel']
  if (wasCut(job)) return ['resolve', 'cancel']
  // A message that is not a label, or a label whose end is missing.
  const cannotPrint = format === 'unknown' || (state === 'pending-held' && code === 'LABEL_CUT')
  if (cannotPrint) return ['cancel']
  if (state === 'pending-held') return ['release', 'move', 'cancel']
  return state === 'pending' ? ['move', 'cancel'] : ['cancel']
}

/** `2026-11-21` in the time zone of the box. */
export function dayText(when: Date): string {
  return [when.getFullYear(), two(when.getMonth() + 1), two(when.getDate())].join('-')
}

/** `14:02` in the time zone of the box. */
export function clockText(when: Date): string {
  return `${two(when.getHours())}:${two(when.getMinutes())}`
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}

/** A job in the form of `GET /jobs/:id`, the event `job` and the result address. Times are ISO 8601 texts or null; sizes are bytes. */
export function jobJson(job: Job): Readonly<Record<string, unknown>> {
  const { texts } = saidJson(job.message, job.hint) // not spread below: V8 makes all that follows a spread one by one
  return {
    id: job.id,
    printer: job.printer,
    format: job.format,
    title: job.title,
    state: job.state,
    reasons: job.reasons.filter((reason) => reason !== 'none'),
    delivery: job.delivery,
    message: inEnglish(job.message),
    hint: inEnglish(job.hint),
    texts,
    actions: listActions(job),
    detail: [job.detail, job.note].filter(Boolean).join(' '),
    code: job.code,
    source: job.source,
    user: job.user,
    created: timeText(job.createdAt),
    started: timeText(job.startedAt),
    ended: timeText(job.endedAt),
    expires: timeText(job.expiresAt),
    bytes: job.labelBytes,
    sent_bytes: job.sentBytes,
    attempts: job.attempts,
    reprint_of: job.reprintOf,
    has_label: job.hasLabel,
    has_preview: job.hasPreview,
  }
}

/** Formats a time as ISO 8601; null for 0. */
export function timeText(ms: number): string | null {
  return ms > 0 ? new Date(ms).toISOString() : null
}

/** The properties of a job that a move changes; those left out stay unchanged. */
export type Change = Partial<
  Pick<
    Job,
    | 'state'
    | 'reasons'
    | 'delivery'
    | 'message'
    | 'hint'
    | 'detail'
    | 'code'
    | 'startedAt'
    | 'endedAt'
    | 'sentBytes'
    | 'attempts'
    | 'warning'
  >
>

/** All moves: from a state to the states that may follow. Waiting states may follow themselves with a new sentence. */
export const MOVES: Readonly<Record<JobState, readonly JobState[]>> = {
  pending: ['pending', 'pending-held', 'processing', 'completed', 'canceled', 'aborted'],
  'pending-held': ['pending', 'pending-held', 'completed', 'canceled'],
  processing: ['processing-stopped', 'completed', 'pending-held', 'pending', 'canceled'],
  'processing-stopped': [
    'processing-stopped',
    'processing',
    'completed',
    'pending-held',
    'pending',
    'canceled',
  ],
  canceled: [],
  aborted: [],
  completed: [],
}

/**
 * Checks a move against `MOVES`.
 * @throws PlatenError JOB_STATE
 */
export function checkMove(job: Job, change: Change): void {
  const to = change.state ?? job.state
  if (MOVES[job.state].includes(to)) return
  throw new PlatenError('JOB_STATE', `The label is ${job.state} and cannot become ${to}.`)
}

/** An explanation of a job for a person or a program: what happened, and what to do about it. */
export interface Explanation {
  readonly message: Sentences
  readonly hint: Sentences
  /** Technical words about `message`; left out = none. */
  readonly detail?: string
  readonly code: FailureCode | ''
}

// No 0, 1, i, l, o: an id may be read out over the phone.
const EPOCH_LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'
const ID = /^[a-z2-9]{4}-(\d{1,15})$/

/** Makes the four characters that all ids of one spool begin with, so that ids of a new spool never equal old ones. */
export function makeEpoch(): string {
  return Array.from({ length: 4 }, () => EPOCH_LETTERS[randomInt(EPOCH_LETTERS.length)]).join('')
}

/** Makes the id of the `seq`-th accepted job. */
export function makeId(epoch: string, seq: number): string {
  return `${epoch}-${seq}`
}

/** The number in an id, or undefined when it is not an id. */
export function seqOf(id: string): number | undefined {
  const found = ID.exec(id)?.[1]
  return found === undefined ? undefined : Number(found)
}
