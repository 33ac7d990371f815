import { JOB_STATES } from './protocol.ts'
import { DIALOG_KEYS } from './tables.ts'

/** The ends of a job that its labels do not tell: it has none, or one of them has left the list. */
export const ENDS = ['aborted', 'canceled'] as const

/** The stage of a job before it had labels, or the end of labels that have left the list. */
export type Stage = 'incoming' | 'taken' | (typeof ENDS)[number]

/**
 * The trigger by which a label that leaves the list hands its end state to its job, which would otherwise be reported as completed. It is a
 * TEMP trigger, as the spool's own tables need not know of it; a moved label is with another printer.
 */
export const KEEP_END = `CREATE TEMP TRIGGER IF NOT EXISTS ipp_label_gone BEFORE DELETE ON main.job
  WHEN OLD.source = 'ipp' AND (OLD.state = 'aborted' OR OLD.state = 'canceled' AND instr(OLD.reasons, 'platen-moved') = 0) BEGIN
  UPDATE ipp_job SET stage = OLD.state, message = OLD.message WHERE stage <> 'aborted' AND uuid = (
    SELECT substr(key, 10, 36) FROM idem WHERE ${DIALOG_KEYS} AND first_seq + jobs > OLD.seq
    AND first_seq = (SELECT max(first_seq) FROM idem WHERE ${DIALOG_KEYS} AND first_seq <= OLD.seq));
END`

export function sayStage(stage: Exclude<Stage, 'taken'>): {
  readonly state: number
  readonly reasons: readonly string[]
} {
  if (stage === 'incoming') return { state: JOB_STATES['pending-held'], reasons: ['job-incoming'] }
  return stage === 'canceled'
    ? { state: JOB_STATES.canceled, reasons: ['job-canceled-by-user'] }
    : { state: JOB_STATES.aborted, reasons: ['aborted-by-system'] }
}
