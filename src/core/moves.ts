import { PlatenError } from '../words/errors.ts'
import { join, NOTHING, type Sentences, say } from '../words/say.ts'
import {
  type Change,
  type Explanation,
  hasEnded,
  isMoving,
  type Job,
  type JobReason,
  refusePast,
  wasCut,
} from './job.ts'

const QUIET: Explanation = { message: NOTHING, hint: NOTHING, code: '' }

/** The sentences of a job with nothing to say but the warnings of its label. */
function quiet(job: Job): Explanation {
  return { ...QUIET, message: job.warning }
}

const LASTING: readonly JobReason[] = ['platen-language-mismatch', 'platen-printer-command']

/** The reasons that stay with a job until its end. */
function lasting(job: Job): readonly JobReason[] {
  return job.reasons.filter((reason) => LASTING.includes(reason))
}

function reasons(job: Job, ...first: readonly JobReason[]): readonly JobReason[] {
  return [...first, ...lasting(job)]
}

/**
 * Begins an attempt, before the first byte leaves. `warning` is a message for a label that prints anyway.
 * @throws PlatenError JOB_STATE when it does not wait
 */
export function begin(job: Job, at: number, warning: Sentences): Change {
  if (job.state !== 'pending') {
    throw new PlatenError('JOB_STATE', `The label is ${job.state}; only a pending one can begin.`)
  }
  const mismatch: readonly JobReason[] = warning.length === 0 ? [] : ['platen-language-mismatch']
  const others = lasting(job).filter((reason) => reason !== 'platen-language-mismatch')
  return {
    state: 'processing',
    reasons: ['job-printing', ...mismatch, ...others],
    delivery: wasCut(job) ? 'unknown' : 'none',
    startedAt: at,
    sentBytes: 0,
    attempts: job.attempts + 1,
    ...QUIET,
    message: join(warning, job.warning),
  }
}

/** @throws PlatenError JOB_STATE when the job has not begun: what follows applies only to a transfer */
function checkBegun(job: Job): void {
  if (job.state === 'processing' || job.state === 'processing-stopped') return
  throw new PlatenError('JOB_STATE', `The label is ${job.state}; wanted one that prints.`)
}

/** Stops a job whose printer takes no data. */
export function stall(job: Job, sentence: Explanation): Change {
  checkBegun(job)
  return { state: 'processing-stopped', reasons: reasons(job, 'printer-stopped'), ...sentence }
}

/** Continues a job whose printer takes data again. */
export function flow(job: Job): Change {
  checkBegun(job)
  return { state: 'processing', reasons: reasons(job, 'job-printing'), ...quiet(job) }
}

/** The result of an attempt that reached its last byte. */
export interface AttemptOutcome {
  readonly at: number
  readonly sentBytes: number
  /** False when it is unknown whether the printer took every byte; left out = it did. */
  readonly isTaken?: boolean
  /** True when the printer itself said that the label came out. */
  readonly confirmed: boolean
  /** Sentences from rendering and the language warning. */
  readonly notes: readonly Sentences[]
}

const UNTOLD = say('notShown')

/** Completes a job whose every byte was accepted. */
export function complete(job: Job, outcome: AttemptOutcome): Change {
  checkBegun(job)
  const taken = outcome.isTaken === false ? 'unknown' : 'sent'
  const delivery = outcome.confirmed ? 'confirmed' : taken
  const message = join(delivery === 'unknown' ? UNTOLD : NOTHING, ...outcome.notes, job.warning)
  return {
    state: 'completed',
    reasons:
      message.length === 0
        ? reasons(job, 'job-completed-successfully')
        : reasons(job, 'job-completed-with-warnings'),
    delivery,
    endedAt: outcome.at,
    sentBytes: outcome.sentBytes,
    ...QUIET,
    message,
  }
}

/** The setting `on_interrupt`: wait for a person, or print again automatically. */
export type InterruptPolicy = 'hold' | 'reprint'

const TWICE = say('cutAndAgain')

/** Names the labels that the printer had taken before and may not have printed yet: clearing it wipes them too. */
function nameBefore(before: readonly string[]): Pick<Explanation, 'message' | 'detail'> {
  if (before.length === 0) return { message: NOTHING, detail: '' }
  return {
    message: say('beforeMissing', { n: before.length }),
    detail: `sent before it and not confirmed: ${before.slice(-20).join(', ')}`,
  }
}

/** Interrupts a transfer that was cut after bytes may have left: what came out is unknown. */
export function interrupt(
  job: Job,
  sentBytes: number,
  policy: InterruptPolicy,
  before: readonly string[] = [],
): Change {
  checkBegun(job)
  const others = nameBefore(before)
  const share = {
    delivery: 'unknown',
    sentBytes,
    reasons: reasons(job, 'platen-interrupted'),
    code: 'PRINTER_LOST',
    detail: others.detail ?? '',
  } as const
  if (policy === 'reprint') {
    return {
      ...share,
      state: 'pending',
      message: join(say('cutOff'), say('printedOnceMore'), others.message),
      hint: say('throwOneAway'),
      warning: job.warning.some(({ key }) => key === 'cutAndAgain')
        ? job.warning
        : join(job.warning, TWICE),
    }
  }
  return {
    ...share,
    state: 'pending-held',
    message: join(say('cutOff'), say('mayBeOut'), others.message),
    hint: say('lookAtPrinter'),
  }
}

/** Holds a label that was canceled while it printed, on a printer that has no command to clear half a label. */
export function stopMidway(job: Job, sentBytes: number, before: readonly string[] = []): Change {
  return {
    ...interrupt(job, sentBytes, 'hold', before),
    message: join(say('stoppedMidway'), say('partMayBeOut'), nameBefore(before).message),
    hint: say('restartStopped'),
  }
}

/** Makes the job wait for its printer and be tried again: no byte left the box. An earlier interruption stays on record. */
export function postpone(sentence: Explanation): (job: Job) => Change {
  return (job) => ({
    state: 'pending',
    reasons:
      job.delivery === 'unknown' // which outlasts the beginning of another try
        ? reasons(job, 'printer-stopped', 'platen-interrupted')
        : reasons(job, 'printer-stopped'),
    ...(job.state === 'pending' ? {} : { sentBytes: 0 }),
    ...sentence,
  })
}

/** Sets a job aside until a person decides. */
export function hold(job: Job, reason: JobReason, sentence: Explanation): Change {
  return { state: 'pending-held', reasons: reasons(job, reason), ...sentence }
}

/** The message of a label that is held on request. */
export const HELD_AT_WISH: Explanation = {
  message: say('heldAtWish'),
  hint: say('releaseIt'),
  code: '',
}

/**
 * Holds a job at a person's request, before it begins (IPP Hold-Job).
 * @throws PlatenError JOB_STATE when it does not wait to be printed, or waits to be printed once more
 */
export function suspend(job: Job): Change {
  if (job.state !== 'pending' || wasCut(job)) throw refusePast(job)
  return hold(job, 'job-hold-until-specified', HELD_AT_WISH)
}

/** The outage that makes a rule move a label to another printer: its own could not print for this long. */
export interface Outage {
  readonly printer: string
  readonly minutes: number
}

/** The end of a job whose label now belongs to another job: no person is needed for it. */
export const MOVED = ['job-canceled-by-user', 'platen-moved'] as const

/** Tells that a label has moved; without an outage, at a person's request. */
export function tellMoved(to: string, outage: Outage | undefined): Sentences {
  return outage === undefined ? say('movedTo', { printer: to }) : tellOutage(outage, to)
}

/** Tells that a backup printer took a label. */
export function tellOutage({ printer, minutes }: Outage, to: string): Sentences {
  return say('backupTook', { printer, n: minutes, to })
}

/** Gives a job up for good. */
export function abort(job: Job, reason: JobReason, at: number, sentence: Explanation): Change {
  return { state: 'aborted', reasons: reasons(job, reason), endedAt: at, ...sentence }
}

/**
 * Cancels a job for a person. `sentBytes` is given when the job was cut in mid-transfer.
 * @throws PlatenError JOB_STATE when the job has ended
 */
export function cancel(
  job: Job,
  at: number,
  sentBytes?: number,
  before: readonly string[] = [],
): Change {
  if (hasEnded(job) || isMoving(job)) throw refusePast(job)
  const ended = {
    state: 'canceled',
    reasons: reasons(job, 'job-canceled-by-user'),
    endedAt: at,
  } as const
  if (sentBytes === undefined) return { ...ended, ...QUIET }
  checkBegun(job)
  return {
    ...ended,
    delivery: 'unknown',
    sentBytes,
    ...nameBefore(before),
    message: join(say('canceledMidway'), nameBefore(before).message),
    hint: say('lookForPart'),
    code: '',
  }
}

/**
 * Cancels a job whose label was withdrawn (`TableSpec`): a parcel with it would not be paid for.
 * @throws PlatenError JOB_STATE when the job has ended
 */
export function withdraw(job: Job, at: number): Change {
  return {
    ...cancel(job, at),
    message: join(say('labelVoid'), wasCut(job) ? say('mayBeOut') : NOTHING),
    hint: say('buyAnother'),
  }
}

/** Expires a job that is too late to print; one that was cut off and waited to be printed once more may be out all the same. */
export function expire(job: Job, at: number): Change {
  return {
    state: 'canceled',
    reasons: reasons(job, 'job-canceled-after-timeout'),
    endedAt: at,
    message: join(say('tooLate'), wasCut(job) ? say('mayBeOut') : NOTHING),
    hint: say('sendAgain'),
    code: 'JOB_EXPIRED',
  }
}

/**
 * Puts a held job back in its place in the queue; it prints from its first byte.
 * @throws PlatenError JOB_STATE when it is not held
 */
export function release(job: Job): Change {
  if (job.state !== 'pending-held' || isMoving(job)) throw refusePast(job)
  return again(job)
}

function again(job: Job): Change {
  return {
    state: 'pending',
    reasons: reasons(job, 'none'),
    delivery: 'none',
    sentBytes: 0,
    ...quiet(job),
  }
}

/**
 * Applies a person's decision about an interrupted label, held or (under `on_interrupt: reprint`) about to print again: it came out, or it
 * prints again.
 * @throws PlatenError JOB_STATE when the job was not interrupted
 */
export function resolve(job: Job, printed: boolean, at: number): Change {
  if (!wasCut(job)) throw refusePast(job)
  if (!printed) return again(job)
  return {
    state: 'completed',
    reasons: reasons(job, 'platen-resolved-by-person'),
    delivery: 'confirmed',
    endedAt: at,
    ...quiet(job),
  }
}
