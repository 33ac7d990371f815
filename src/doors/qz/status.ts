import type { Job } from '../../jobs/job.ts'
import type { KnownPrinter, PrinterReason } from '../../printers/printer.ts'

/** QZ Tray's words and codes for a printer (NativePrinterStatus, winspool.h PRINTER_STATUS_*). */
const REASONS: Readonly<Partial<Record<PrinterReason, readonly [string, number]>>> = {
  offline: ['OFFLINE', 0x80],
  'media-empty': ['PAPER_OUT', 0x10],
  'media-jam': ['PAPER_JAM', 0x8],
  'cover-open': ['DOOR_OPEN', 0x400000],
  'marker-supply-empty': ['NO_TONER', 0x40000],
  paused: ['PAUSED', 0x1],
  other: ['ERROR', 0x2],
}

/** ... and for a job (NativeJobStatus). */
const JOB_STATES = {
  pending: ['SPOOLING', 0x8],
  'pending-held': ['PAUSED', 0x1],
  processing: ['PRINTING', 0x10],
  'processing-stopped': ['USER_INTERVENTION', 0x400],
  canceled: ['CANCELED', 0x100000],
  aborted: ['ABORTED', 0x200000],
  completed: ['COMPLETE', 0x1000],
} as const satisfies Record<Job['state'], readonly [string, number]>

/** One event for each trouble of a printer, or one that says it is well. */
export function printerEvents({ name, status }: KnownPrinter): readonly string[] {
  const found = status.reasons.flatMap((reason) => {
    const words = REASONS[reason]
    return words === undefined ? [] : [words]
  })
  const usual: readonly [string, number] =
    status.state === 'processing' ? ['PRINTING', 0x400] : ['OK', 0]
  return (found.length === 0 ? [usual] : found).map(([text, code]) =>
    streamEvent({
      ...{ printerName: name, eventType: 'PRINTER', statusText: text, status: text, code },
      severity: found.length === 0 ? 'INFO' : 'WARN',
      message: status.message,
    }),
  )
}

/** What became of a job. */
export function jobEvent({ id, printer, title, state, message }: Job): string {
  const [text, code] = JOB_STATES[state]
  return streamEvent({
    ...{ printerName: printer, eventType: 'JOB', statusText: text, status: text, code },
    severity: state === 'aborted' || state === 'pending-held' ? 'WARN' : 'INFO',
    ...{ jobId: id, jobName: title, message },
  })
}

/** The event is JSON in JSON (qz-tray.js, `onmessage`). */
function streamEvent(event: object): string {
  return JSON.stringify({ type: 'PRINTER', event: JSON.stringify(event) })
}
