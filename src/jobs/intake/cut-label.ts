import { PlatenError } from '../../errors.ts'
import { scanLabel } from '../../languages/index.ts'
import type { Cut } from '../../languages/language.ts'
import type { Job, JobFormat } from '../job.ts'
import type { Sentence } from '../moves.ts'

/**
 * Why a raw label must never reach a printer: it ends inside a picture, font, form or file, for whose rest the printer
 * would take the labels after it. Undefined when there is no cut.
 */
export function explainCut(cut: Cut | undefined): Sentence | undefined {
  if (cut === undefined) return undefined
  const { message, hint, code } = new PlatenError(
    'LABEL_CUT',
    'The end of this label is missing: it stops in the middle of a picture or a file. It was not printed, because the printer would take the next labels for the missing part.',
  )
  const detail = `The data of ${cut.command} at byte ${cut.offset} are fewer than it says.`
  return { message, hint, detail, code }
}

/** The same of a label's bytes. */
export function findCutLabel(format: JobFormat, label: Uint8Array): Sentence | undefined {
  return explainCut(scanLabel(label, format).cut)
}

/** True of a label that is held because its end is missing: it can only be canceled. */
export function isCutLabel({ state, code }: Pick<Job, 'state' | 'code'>): boolean {
  return state === 'pending-held' && code === 'LABEL_CUT'
}
