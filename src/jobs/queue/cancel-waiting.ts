import type { Job } from '../job.ts'
import * as moves from '../moves.ts'
import { walkWaiting } from '../spool/line.ts'
import type { QueueParts } from './parts.ts'

/**
 * Cancels all that waits for a printer, held labels too, in slices between which others get their turn. A label that
 * has begun to print, and those that come in meanwhile, are left alone. `lookedAfter` hears of labels that had been cut.
 */
export async function cancelWaiting(
  { spool, now }: Pick<QueueParts, 'spool' | 'now'>,
  printer: string,
  lookedAfter: (job: Job) => void,
): Promise<number> {
  let canceled = 0
  for await (const ids of walkWaiting(spool, printer, ['pending', 'pending-held'])) {
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

function waits(job: Job | undefined): boolean {
  return job?.state === 'pending' || job?.state === 'pending-held'
}
