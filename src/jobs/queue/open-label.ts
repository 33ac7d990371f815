import { findLanguage } from '../../languages/index.ts'
import type { JobFormat } from '../job.ts'

/**
 * One sentence for a raw label that begins and does not end, else ''. The printer keeps it until an end comes, which is
 * that of the next label.
 */
export function warnOfOpenLabel(format: JobFormat, label: Uint8Array): string {
  const ending = findLanguage(format)?.ending
  if (ending?.isMissing(label) !== true) return ''
  return `The label has no ${ending.command} at its end: the printer waits for the rest, and may print it together with the next label.`
}
