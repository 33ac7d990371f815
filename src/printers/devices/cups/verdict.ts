import type { JobSighting } from './job.ts'

/** What a look at our job in CUPS means; `again` = CUPS began it more than once, or is about to. */
export type Verdict = 'follow' | 'taken' | 'again' | 'canceled' | 'aborted' | 'gone'

/**
 * Judges a job by how it is now and how it was at the look before. A job that was cut in the middle (queue stopped, backend
 * failed, cupsd restarted) goes back to waiting in CUPS and is printed from its beginning, which must not pass unseen.
 */
export function judgeJob(before: JobSighting | undefined, now: JobSighting): Verdict {
  const { phase } = now
  if (phase === 'gone' || phase === 'canceled' || phase === 'aborted') return phase
  const isBegun = now.startedAt !== undefined
  if (phase === 'waiting') return isBegun || before?.startedAt !== undefined ? 'again' : 'follow'
  if (!isSameRun(before, now)) return 'again'
  return phase === 'completed' ? 'taken' : 'follow'
}

function isSameRun(before: JobSighting | undefined, now: JobSighting): boolean {
  const isRestarted = before?.startedAt !== undefined && before.startedAt !== now.startedAt
  if (isRestarted) return false
  if (!now.isNewLine) return true
  // cupsd was restarted in between. Its clock counts whole seconds: a run that began in the second of the look before,
  // or later, may be the second one.
  if (before?.startedAt === undefined || now.startedAt === undefined) return false
  return (now.startedAt + 1) * 1_000 <= before.at
}

/** The sentence for a job that did not go well; undefined for those that did. */
export function explainVerdict(verdict: Verdict, queue: string): string | undefined {
  switch (verdict) {
    case 'again':
      return `CUPS was stopped or failed in the middle of the label on its queue ${queue}. The label was canceled there, so that it does not print twice.`
    case 'canceled':
      return `The label was canceled in CUPS, on its queue ${queue}.`
    case 'aborted':
      return `CUPS gave the label up on its queue ${queue}: its error log says why.`
    case 'gone':
      return `CUPS no longer knows the label on its queue ${queue}, so nobody can say what became of it (PreserveJobHistory in cupsd.conf must be on).`
    default:
      return undefined
  }
}
