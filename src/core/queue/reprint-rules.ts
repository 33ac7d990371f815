import { PlatenError } from '../../words/errors.ts'
import { say } from '../../words/sentences.ts'
import { isUndrawable } from '../drawing/payload.ts'
import { isCutLabel } from '../intake/hold-reasons.ts'
import {
  type Change,
  hasEnded,
  isMoving,
  type Job,
  type PrintOptions,
  refusePast,
  tellWhatBecame,
} from '../job.ts'
import * as moves from '../moves.ts'
import { type Because, MOVED, tellMoved } from '../moving.ts'
import { type HalfLabel, walkWaiting } from '../spool/line.ts'
import type { Repeat } from '../spool/types.ts'
import type { QueueParts } from './parts.ts'

/** What a request to print a label again says besides its printer. */
export interface Wish {
  /** The label waits and shall go elsewhere: one that has begun or ended is not copied. */
  readonly isMove?: boolean
  /** The newest job with this label that the caller knows, a reprint or the job itself: each can have one reprint. */
  readonly after?: string
  /** A rule moves it. */
  readonly because?: Because | undefined
}

/**
 * Holds who may be printed again: a label that has ended, or one that waits and shall print on another printer.
 * @throws PlatenError JOB_STATE, JOB_LABEL_GONE, PRINTER_UNKNOWN
 */
export function checkReprint(job: Job, printer: string | undefined, { isMove }: Wish): void {
  const fail = (message: string, hint?: string): PlatenError =>
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
  if (isCutLabel(job)) throw explainRefusal(job)
  if (moves.wasCut(job)) {
    throw fail(say('cutOff'), say('firstSay'))
  }
  const waits = job.state === 'pending' || job.state === 'pending-held'
  if (waits && printer !== undefined && printer !== job.printer) return
  throw isMove && !waits ? refuseMove(job) : refusePast(job)
}

/** One that never had a printer must not come out at the default one, which may be another bench. */
function checkEnded(job: Job, printer: string | undefined, isMove: boolean | undefined): void {
  if (isMove) throw refuseMove(job)
  if (!(printer || job.printer)) throw refuseUnknown(job)
}

function refuseMove(job: Job): PlatenError {
  const isOut = job.state === 'completed' || !hasEnded(job)
  return new PlatenError('JOB_STATE', `${say('tooLateToMove')} ${tellWhatBecame(job)}`, {
    hint: say(isOut ? 'anotherCopy' : 'copyIfWanted'),
  })
}

/** Of a label whose shipment was given back. */
export function refuseVoid(): PlatenError {
  return new PlatenError('JOB_STATE', say('labelVoid'), { hint: say('buyAnother') })
}

/** The request that may be made once after the job `after`; the second is another person's, or a double click. */
export function reprintOnce(id: string, after: string): Repeat {
  return { key: `reprint:${id}:${after}`, fingerprint: id }
}

/** The answer to the second person who presses *Reprint*. */
export function refuseSecond(made: Job | undefined): PlatenError {
  const message =
    made === undefined ? say('reprinted') : say('reprintedOn', { printer: made.printer })
  return new PlatenError('JOB_STATE', message, { hint: say('pressOnceMore') })
}

/**
 * The end of a waiting job whose label goes to the printer `to`.
 * @throws PlatenError JOB_STATE when it waits no longer
 */
export function giveAway(job: Job, to: string, at: number, because?: Because): Change {
  checkReprint(job, to, { isMove: true })
  return { ...moves.cancel(job, at), reasons: MOVED, message: tellMoved(to, because) }
}

/**
 * Refuses to release what cannot print: a message that is not a label, a label whose end is missing, or one whose printer
 * is not known.
 * @throws PlatenError JOB_STATE, PRINTER_UNKNOWN
 */
export function checkRelease(job: Job, isPrinterKnown: boolean): void {
  if (job.format === 'unknown') {
    throw new PlatenError('JOB_STATE', say('nothingToPrint'), {
      hint: say('cancelAndTell'),
    })
  }
  if (isCutLabel(job)) throw explainRefusal(job)
  if (!isPrinterKnown) throw refuseUnknown(job)
}

function refuseUnknown(job: Job): PlatenError {
  return new PlatenError('PRINTER_UNKNOWN', explainUnknown(job), {
    hint: say(job.printer === '' ? 'chooseForIt' : 'printOrAdd'),
  })
}

function explainRefusal({ hint }: Job): PlatenError {
  return new PlatenError('JOB_STATE', say('endMissing'), {
    hint,
  })
}

/** A label that was taken had its printer then; one that was held for want of a printer never had. */
function explainUnknown(job: Job): string {
  if (job.printer === '') return say('hasNoPrinter')
  const wasThere = !job.reasons.includes('resources-are-not-ready') || job.attempts > 0
  const name = JSON.stringify(job.printer)
  return say(wasThere ? 'itsPrinterGone' : 'itsPrinterUnknown', { name })
}

/**
 * Cancels all that waits for a printer, held labels too, in slices between which others get their turn. A label that
 * has begun to print, and those that come in meanwhile, are left alone. `lookedAfter` hears of labels that had been cut.
 */
export async function cancelWaiting(
  { spool, now }: Pick<QueueParts, 'spool' | 'now'>,
  printer: string,
  lookedAfter: (job: Job) => void,
  last?: number,
): Promise<number> {
  let canceled = 0
  const states = ['pending', 'pending-held'] as const
  for await (const ids of walkWaiting(spool, printer, states, undefined, last)) {
    // One whose printer is just being opened is among them: it cannot begin any more.
    const cut = new Set(spool.halfLabels.list().map(({ job }) => job))
    // Somebody may have canceled or released one since it was listed.
    const still = ids.filter((id) => waits(spool.history.get(id)))
    const gone = spool.moveAll(still, (job) => moves.cancel(job, now()))
    for (const job of gone) if (cut.has(job.id)) lookedAfter(job)
    canceled += gone.length
  }
  return canceled
}

/**
 * Cancels what could not print in time, but for jobs in hand, which are past their wait: their queues look at their time
 * themselves. Returns what printers have left of labels that were cut off: a person is asked with the next label.
 */
export function expireWaiting(
  { spool, now }: Pick<QueueParts, 'spool' | 'now'>,
  most: number,
  isInHand: (job: Job) => boolean,
): readonly HalfLabel[] {
  const over = spool.line.expired(most).filter((job) => !isInHand(job))
  const gone = new Set(over.map(({ id }) => id))
  spool.moveAll([...gone], (job) => moves.expire(job, now()))
  return spool.halfLabels.list().filter(({ job }) => gone.has(job))
}

function waits(job: Job | undefined): boolean {
  if (job === undefined || isMoving(job)) return false
  return job.state === 'pending' || job.state === 'pending-held'
}

/** Its options now: of an ended job the time is over; one that moves takes along what is left of it. */
export function optionsNow(
  { state, options }: Pick<Job, 'state' | 'options'>,
  msLeft: number | undefined,
): PrintOptions {
  const { expireAfter, ...lasting } = options
  if (msLeft === undefined || hasEnded({ state })) return lasting
  return { ...lasting, expireAfter: Math.max(1, Math.round(msLeft / 1000)) }
}
