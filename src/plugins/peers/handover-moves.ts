import {
  type Change,
  type Explanation,
  isMoving,
  type Job,
  refusePast,
  wasCut,
} from '../../core/job.ts'
import { hold, MOVED, type Outage, tellMoved } from '../../core/moves.ts'
import { join, NOTHING, type Sentences, say } from '../../words/say.ts'

/** The state of a label before it was handed over. */
export type Before = Pick<Job, 'state' | 'reasons' | 'message' | 'hint' | 'detail' | 'code'>

/** Returns what is kept of a label to restore it. */
export function remember({ state, reasons, message, hint, detail, code }: Job): Before {
  return { state, reasons, message, hint, detail, code }
}

/**
 * Begins the handover of a waiting label to another print server: from here on it neither prints nor is canceled here until the other one
 * has said whether it has it.
 * @throws PlatenError JOB_STATE when it does not wait
 */
export function depart(job: Job, where: string): Change {
  const waits = job.state === 'pending' || job.state === 'pending-held'
  if (!waits || isMoving(job) || wasCut(job)) throw refusePast(job)
  return hold(job, 'platen-moving', onItsWay(where))
}

function onItsWay(where: string): Explanation {
  return { message: say('goesTo', { where }), hint: say('waitAMoment'), code: '' }
}

/**
 * Keeps a label on its way, and says why.
 * @throws PlatenError JOB_STATE
 */
export function linger(job: Job, sentence: Explanation): Change {
  return { ...holdMoving(job), ...sentence }
}

/**
 * Ends a label that the other print server has.
 * @throws PlatenError JOB_STATE
 */
export function arrive(
  job: Job,
  where: string,
  told: { at: number; detail: string; outage: Outage | undefined },
): Change {
  holdMoving(job)
  return {
    state: 'canceled',
    reasons: MOVED,
    endedAt: told.at,
    message: tellMoved(where, told.outage),
    hint: NOTHING,
    detail: told.detail,
    code: '',
  }
}

/**
 * Restores a label that is not there and never will be; a waiting one says why.
 * @throws PlatenError JOB_STATE
 */
export function comeBack(job: Job, before: Before, why: Explanation): Change {
  holdMoving(job)
  return before.state === 'pending' ? { ...before, ...why } : before
}

/**
 * Prints a label here because a person wants it. `why`: the warning if it is not known whether it is there.
 * @throws PlatenError JOB_STATE
 */
export function printHere(job: Job, why: Sentences): Change {
  holdMoving(job)
  const warning = join(why, job.warning)
  return {
    state: 'pending',
    reasons: ['none'],
    message: warning,
    hint: NOTHING,
    code: '',
    detail: '',
    warning,
  }
}

/** Tells whether a person insisted on printing here although the label may have come out elsewhere: no rule sends it there again. */
export function isInsisted({ warning }: Job): boolean {
  return warning.some(({ key }) => key === 'mayBeThereToo')
}

/**
 * Cancels a label that a person does not want any more.
 * @throws PlatenError JOB_STATE
 */
export function giveUp(job: Job, at: number, why: Sentences): Change {
  holdMoving(job)
  return {
    state: 'canceled',
    reasons: ['job-canceled-by-user'],
    delivery: why.length === 0 ? 'none' : 'unknown',
    endedAt: at,
    message: why,
    hint: NOTHING,
    code: '',
  }
}

function holdMoving(job: Job): Pick<Change, 'state' | 'reasons'> {
  if (!isMoving(job)) throw refusePast(job)
  return { state: job.state, reasons: job.reasons }
}
