import type { Job } from './job.ts'

/** A job as `GET /jobs/:id`, the event `job` and the result address show it. Times are ISO 8601 texts or null; sizes are bytes. */
export function jobJson(job: Job): Readonly<Record<string, unknown>> {
  return {
    id: job.id,
    printer: job.printer,
    format: job.format,
    title: job.title,
    state: job.state,
    reasons: job.reasons.filter((reason) => reason !== 'none'),
    delivery: job.delivery,
    message: job.message,
    hint: job.hint,
    detail: [job.detail, job.note].filter(Boolean).join(' '),
    code: job.code,
    source: job.source,
    user: job.user,
    created: timeText(job.createdAt),
    started: timeText(job.startedAt),
    ended: timeText(job.endedAt),
    expires: timeText(job.expiresAt),
    bytes: job.labelBytes,
    sent_bytes: job.sentBytes,
    attempts: job.attempts,
    reprint_of: job.reprintOf,
    has_label: job.hasLabel,
    has_preview: job.hasPreview,
  }
}

function timeText(ms: number): string | null {
  return ms > 0 ? new Date(ms).toISOString() : null
}
