import { PlatenError } from '../../words/errors.ts'
import { join, type Sentences, say } from '../../words/say.ts'
import {
  type Change,
  hasEnded,
  isMoving,
  isUndrawable,
  type Job,
  type PrintOptions,
  refusePast,
  tellWhatBecame,
  wasCut,
} from '../job.ts'
import { cancel, MOVED, type Outage, tellMoved } from '../moves.ts'
import { isCutLabel } from '../reasons/held-label.ts'
import { refuseCut, refuseUnknown } from '../reasons/refusals.ts'
import type { Repeat } from '../spool/types.ts'

/** The parameters of a request to print a label again, besides its printer. */
export interface Wish {
  /** True when the label waits and is to go elsewhere: one that has begun or ended is not copied. */
  readonly isMove?: boolean
  /** The newest job with this label that the caller knows, a reprint or the job itself: each can have one reprint. */
  readonly after?: string
  /** The outage for which a rule moves it. */
  readonly outage?: Outage | undefined
}

/**
 * Checks that a label may be printed again: one that has ended, or one that waits and is to print on another printer.
 * @throws PlatenError JOB_STATE, JOB_LABEL_GONE, PRINTER_UNKNOWN
 */
export function checkReprint(job: Job, printer: string | undefined, { isMove }: Wish): void {
  const fail = (message: Sentences, hint?: Sentences): PlatenError =>
    new PlatenError('JOB_STATE', message, hint === undefined ? {} : { hint })
  if (job.format === 'unknown') {
    throw fail(say('nothingToPrint'))
  }
  if (isUndrawable(job)) throw new PlatenError('JOB_LABEL_GONE', say('labelGone'))
  if (hasEnded(job)) {
    checkEnded(job, printer, isMove)
    return
  }
  if (isMoving(job)) throw refusePast(job)
  if (isCutLabel(job)) throw refuseCut(job)
  if (wasCut(job)) {
    throw fail(say('cutOff'), say('firstSay'))
  }
  const waits = job.state === 'pending' || job.state === 'pending-held'
  if (waits && printer !== undefined && printer !== job.printer) return
  throw isMove && !waits ? refuseMove(job) : refusePast(job)
}

/** Checks an ended label. One that never had a printer must not come out at the default one, which may be at another bench. */
function checkEnded(job: Job, printer: string | undefined, isMove: boolean | undefined): void {
  if (isMove) throw refuseMove(job)
  if (!(printer || job.printer)) throw refuseUnknown(job)
}

function refuseMove(job: Job): PlatenError {
  const isOut = job.state === 'completed' || !hasEnded(job)
  return new PlatenError('JOB_STATE', join(say('tooLateToMove'), tellWhatBecame(job)), {
    hint: say(isOut ? 'anotherCopy' : 'copyIfWanted'),
  })
}

/** Makes the key of a request that may be made once after the job `after`; a second one is another person's, or a double click. */
export function reprintOnce(id: string, after: string): Repeat {
  return { key: `reprint:${id}:${after}`, fingerprint: id }
}

/** Makes the answer to the second person who presses *Reprint*. */
export function refuseSecond(made: Job | undefined): PlatenError {
  const message =
    made === undefined ? say('reprinted') : say('reprintedOn', { printer: made.printer })
  return new PlatenError('JOB_STATE', message, { hint: say('pressOnceMore') })
}

/**
 * Ends a waiting job whose label goes to the printer `to`.
 * @throws PlatenError JOB_STATE when it no longer waits
 */
export function giveAway(job: Job, to: string, at: number, outage?: Outage): Change {
  checkReprint(job, to, { isMove: true })
  return { ...cancel(job, at), reasons: MOVED, message: tellMoved(to, outage) }
}

/** Returns the options of a copy: an ended job has no expiry any more; one that moves takes along the time that is left. */
export function optionsNow(
  { state, options }: Pick<Job, 'state' | 'options'>,
  msLeft: number | undefined,
): PrintOptions {
  const { expireAfter, ...lasting } = options
  if (msLeft === undefined || hasEnded({ state })) return lasting
  return { ...lasting, expireAfter: Math.max(1, Math.round(msLeft / 1000)) }
}
