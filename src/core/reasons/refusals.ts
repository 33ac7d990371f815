import { PlatenError } from '../../words/errors.ts'
import { type Sentences, say } from '../../words/say.ts'
import type { Job } from '../job.ts'

/** Refuses to print a label that was withdrawn. Decision `our-own-faults`. */
export function refuseWithdrawn(): PlatenError {
  return new PlatenError('JOB_STATE', say('labelVoid'), { hint: say('buyAnother') })
}

/** Refuses to print a label whose printer is not known. */
export function refuseUnknown(job: Job): PlatenError {
  return new PlatenError('PRINTER_UNKNOWN', explainUnknown(job), {
    hint: say(job.printer === '' ? 'chooseForIt' : 'printOrAdd'),
  })
}

/** Refuses to print a label whose end is missing. */
export function refuseCut({ hint }: Job): PlatenError {
  return new PlatenError('JOB_STATE', say('endMissing'), { hint })
}

/** Explains an unknown printer: a label that was taken had its printer then; one that was held for want of a printer never had. */
function explainUnknown(job: Job): Sentences {
  if (job.printer === '') return say('hasNoPrinter')
  const wasThere = !job.reasons.includes('resources-are-not-ready') || job.attempts > 0
  const name = JSON.stringify(job.printer)
  return say(wasThere ? 'itsPrinterGone' : 'itsPrinterUnknown', { name })
}
