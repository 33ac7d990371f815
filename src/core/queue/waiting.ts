import { PlatenError } from '../../words/errors.ts'
import { say } from '../../words/say.ts'
import { isMoving, type Job } from '../job.ts'
import * as moves from '../moves.ts'
import { isCutLabel } from '../reasons/held-label.ts'
import { refuseCut, refuseUnknown } from '../reasons/refusals.ts'
import { type HalfLabel, walkWaiting } from '../spool/line.ts'
import type { QueueParts } from './parts.ts'

/**
 * Refuses to release a job that cannot print: a message that is not a label, a label whose end is missing, or one whose printer is not
 * known.
 * @throws PlatenError JOB_STATE, PRINTER_UNKNOWN
 */
export function checkRelease(job: Job, isPrinterKnown: boolean): void {
  if (job.format === 'unknown') {
    throw new PlatenError('JOB_STATE', say('nothingToPrint'), {
      hint: say('cancelAndTell'),
    })
  }
  if (isCutLabel(job)) throw refuseCut(job)
  if (!isPrinterKnown) throw refuseUnknown(job)
}

/**
 * Cancels everything that waits for a printer, held labels too, in slices between which others get their turn. A label that has begun to
 * print, and labels that arrive meanwhile, are left alone. `lookedAfter` is called with labels that had been cut.
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
 * Cancels jobs that could not print in time, except those in hand, whose queues check the time themselves. Returns the half labels in
 * printers: a person is asked about them with the next label.
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
