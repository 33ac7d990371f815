import { PlatenError } from '../errors.ts'
import { hasEnded, type Job } from './job.ts'

/** The refusal of a wish that came too late: a label is past it, or somebody else was quicker. */
export function refusePast(job: Job): PlatenError {
  return new PlatenError('JOB_STATE', tellWhatBecame(job), { hint: tellWhatCanBeDone(job) })
}

/** The sentence for an id that is not given, or whose label is no longer in the list. */
export const NO_LABEL = 'There is no such label here, or it is no longer in the list.'

/** Where a label is now, in one sentence or two. */
export function tellWhatBecame({ state, reasons, printer, message }: Job): string {
  switch (state) {
    case 'pending':
      return `The label waits for ${printer}.`
    case 'pending-held':
      return reasons.includes('platen-interrupted')
        ? 'The label waits for somebody to say whether it came out.'
        : 'The label is held until somebody decides about it.'
    case 'processing':
    case 'processing-stopped':
      return `The label is being printed on ${printer}.`
    case 'completed':
      return reasons.includes('platen-resolved-by-person')
        ? `Somebody said that the label came out on ${printer}.`
        : `The label has been printed on ${printer}.`
    case 'canceled':
      if (reasons.includes('job-canceled-after-timeout')) return message
      return `The label was canceled. ${message}`.trimEnd()
    case 'aborted':
      return `The label could not be printed on ${printer}. ${message}`.trimEnd()
  }
}

function tellWhatCanBeDone(job: Job): string {
  if (job.state === 'completed') return 'Press "Reprint" if you want another copy.'
  if (hasEnded(job)) return 'Press "Reprint" if it is still wanted.'
  if (job.state === 'pending-held') return 'Look at the label again, then decide.'
  return 'There is nothing to do.'
}
