import { PlatenError } from '../errors.ts'
import { detectFormat } from '../render/detect.ts'
import type { JobState } from './job.ts'
import type { Sentence } from './moves.ts'
import type { LabelRequest } from './requests.ts'
import type { NewJob } from './spool/types.ts'

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

/**
 * Jobs for labels that found no printer, held from the beginning.
 * @throws PlatenError LABEL_EMPTY, LABEL_UNKNOWN, LABEL_REFUSED
 */
export function makeParked(
  { labels, options, copies = 1, source }: LabelRequest,
  error: PlatenError,
): readonly NewJob[] {
  return labels.flatMap((label) => {
    const job: NewJob = {
      ...{ source, printer: options.printer ?? '', format: detectFormat(label), options, label },
      reasons: ['resources-are-not-ready'],
      held: explainNoPrinter(source, error),
    }
    return Array.from({ length: copies }, () => job)
  })
}

function explainNoPrinter(source: string, error: PlatenError): Sentence {
  return {
    message: `A label of ${source} found no printer. ${error.message}`,
    hint: `${error.hint} Then cancel this label and print it again on the printer that it is for.`,
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
