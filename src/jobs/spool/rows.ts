import type { SQLOutputValue } from 'node:sqlite'
import type { Delivery, Job, JobFormat, JobReason, JobState, PrintOptions } from '../job.ts'
import type { NewJob } from './types.ts'

/** A row as node:sqlite gives it. */
export type Row = Record<string, SQLOutputValue>

/** The columns of `job` that make a `Job`. */
export const JOB_COLUMNS =
  'seq, id, source, printer, format, options, state, reasons, delivery, message, hint, code, created_at, started_at, ' +
  'ended_at, expires_at, label_bytes, sent_bytes, attempts, reprint_of, has_label, has_preview, warning, detail'

/** A whole number out of a row; 0 when the column is absent or NULL. */
export function numberOf(row: Row | undefined, column: string): number {
  return Number(row?.[column] ?? 0)
}

/** Text out of a row; '' when the column is absent or NULL. */
export function textOf(row: Row | undefined, column: string): string {
  return String(row?.[column] ?? '')
}

/** Bytes out of a row, or undefined. */
export function bytesOf(row: Row | undefined, column: string): Uint8Array | undefined {
  const value = row?.[column]
  return value instanceof Uint8Array ? value : undefined
}

/** A row of `job` as the rest of the program knows it. */
export function toJob(row: Row): Job {
  return {
    id: textOf(row, 'id'),
    seq: numberOf(row, 'seq'),
    source: textOf(row, 'source'),
    printer: textOf(row, 'printer'),
    format: textOf(row, 'format') as JobFormat,
    options: JSON.parse(textOf(row, 'options')) as PrintOptions,
    state: textOf(row, 'state') as JobState,
    reasons: JSON.parse(textOf(row, 'reasons')) as JobReason[],
    delivery: textOf(row, 'delivery') as Delivery,
    message: textOf(row, 'message'),
    hint: textOf(row, 'hint'),
    code: textOf(row, 'code') as Job['code'],
    createdAt: numberOf(row, 'created_at'),
    startedAt: numberOf(row, 'started_at'),
    endedAt: numberOf(row, 'ended_at'),
    expiresAt: numberOf(row, 'expires_at'),
    labelBytes: numberOf(row, 'label_bytes'),
    sentBytes: numberOf(row, 'sent_bytes'),
    attempts: numberOf(row, 'attempts'),
    reprintOf: textOf(row, 'reprint_of'),
    warning: textOf(row, 'warning'),
    detail: textOf(row, 'detail'),
    hasLabel: numberOf(row, 'has_label') === 1,
    hasPreview: numberOf(row, 'has_preview') === 1,
  }
}

/** Parameters of the statement `addJob`; `now` is wall time, `run` run-time. */
export function newRow(
  job: NewJob,
  { sender, content }: { readonly sender: string; readonly content: number },
  now: number,
  run: number,
): Record<string, string | number> {
  const lifeMs = (job.options.expireAfter ?? 0) * 1000
  return {
    source: job.source,
    printer: job.printer,
    format: job.format,
    options: JSON.stringify(job.options),
    state: job.held === undefined ? 'pending' : 'pending-held',
    reasons: JSON.stringify(job.reasons ?? ['none']),
    message: job.held?.message ?? job.message ?? '',
    hint: job.held?.hint ?? '',
    code: job.held?.code ?? '',
    created_at: now,
    expires_at: lifeMs === 0 ? 0 : now + lifeMs,
    label_bytes: job.label.length,
    reprint_of: job.reprintOf ?? '',
    warning: job.warning ?? '',
    detail: job.held?.detail ?? '',
    hash: job.hash ?? '',
    expires_run: lifeMs === 0 ? 0 : run + lifeMs,
    sender,
    content,
  }
}

/** Parameters of the statement `update`; `totalBytes` undefined leaves that column alone. */
export function changedRow(
  job: Job,
  run: number,
  totalBytes: number | undefined,
): Record<string, string | number | null> {
  return {
    seq: job.seq,
    state: job.state,
    reasons: JSON.stringify(job.reasons),
    delivery: job.delivery,
    message: job.message,
    hint: job.hint,
    code: job.code,
    started_at: job.startedAt,
    ended_at: job.endedAt,
    ended_run: job.endedAt === 0 ? 0 : run,
    sent_bytes: job.sentBytes,
    attempts: job.attempts,
    total_bytes: totalBytes ?? null,
    has_preview: job.hasPreview ? 1 : 0,
    warning: job.warning,
    detail: job.detail,
  }
}
