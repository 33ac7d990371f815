import { PlatenError } from '../errors.ts'
import type { JobState } from './job.ts'
import type { Sentence } from './moves.ts'

/** Held jobs, of all kinds, above which messages that cannot be read are no longer kept. */
export const HELD_MOST = 200

/**
 * A sender that sends junk all day must not fill the spool.
 * @throws PlatenError SPOOL_FULL
 */
export function checkHeldRoom(counts: Readonly<Record<JobState, number>>): void {
  const held = counts['pending-held']
  if (held < HELD_MOST) return
  throw new PlatenError(
    'SPOOL_FULL',
    `${held} labels are held for a person; no more messages that cannot be read are kept.`,
  )
}

/** Why a message of a source is held and not printed. */
export function explainUnreadable(source: string, error: PlatenError): Sentence {
  return {
    message: `A message of ${source} cannot be printed. ${error.message}`,
    hint: `${error.hint} Then cancel this one.`,
    code: error.code,
  }
}

/** Released or reprinted all the same: it still is no label. */
export function explainNoLabel(): Sentence {
  const { message, hint, code } = new PlatenError(
    'LABEL_UNKNOWN',
    'This message is no label and cannot be printed.',
  )
  return { message, hint: `${hint} Then cancel this one.`, code }
}
