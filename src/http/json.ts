import type { Job } from '../jobs/job.ts'
import type { KnownPrinter } from '../printers/printer.ts'

/** A job as `GET /jobs/:id` and the event `job` show it. Times are ISO 8601 texts or null; sizes are bytes. */
export function jobJson(job: Job): Readonly<Record<string, unknown>> {
  return {
    id: job.id,
    printer: job.printer,
    format: job.format,
    state: job.state,
    reasons: job.reasons.filter((reason) => reason !== 'none'),
    delivery: job.delivery,
    message: job.message,
    hint: job.hint,
    code: job.code,
    source: job.source,
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

/** A printer as `GET /printers` and the event `printer` show it; `language` is null when it is not known. */
export function printerJson(printer: KnownPrinter): Readonly<Record<string, unknown>> {
  return {
    name: printer.name,
    default: printer.isDefault,
    uri: printer.uri,
    make_and_model: printer.makeAndModel,
    language: printer.language ?? null,
    dpi: printer.dpi,
    state: printer.status.state,
    state_reasons: printer.status.reasons,
    message: printer.status.message,
    hint: printer.status.hint,
  }
}

function timeText(ms: number): string | null {
  return ms > 0 ? new Date(ms).toISOString() : null
}
