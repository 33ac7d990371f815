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

/** How a label stood before it was handed over. */
export type Before = Pick<Job, 'state' | 'reasons' | 'message' | 'hint' | 'detail' | 'code'>

/** What is kept of it, to put it back. */
export function remember({ state, reasons, message, hint, detail, code }: Job): Before {
  return { state, reasons, message, hint, detail, code }
}

/**
 * A waiting label leaves for another print server: from here on it neither prints nor is canceled here until that one has
 * said whether it has it.
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

/** It stays on its way, and this is why. @throws PlatenError JOB_STATE */
export function linger(job: Job, sentence: Explanation): Change {
  return { ...holdMoving(job), ...sentence }
}

/** The other print server has it: that is its end here. @throws PlatenError JOB_STATE */
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

/** It is not there and never will be: it stands here as before, and a waiting one says why. @throws PlatenError JOB_STATE */
export function comeBack(job: Job, before: Before, why: Explanation): Change {
  holdMoving(job)
  return before.state === 'pending' ? { ...before, ...why } : before
}

/** A person wants it printed here. `why`: what is true if it is not known whether it is there. @throws PlatenError JOB_STATE */
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

/** A person wants it printed here although it may have come out elsewhere: no rule sends it there once more. */
export function isInsisted({ warning }: Job): boolean {
  return warning.some(({ key }) => key === 'mayBeThereToo')
}

/** A person does not want it any more. @throws PlatenError JOB_STATE */
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
