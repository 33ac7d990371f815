import { NOTHING } from '../words/say.ts'
import { hasEnded, type Job } from './job.ts'
import type { KnownPrinter } from './printers/status.ts'
import type { Crossing, FullShare } from './spool/health.ts'

/** A change of a job or a printer; carries the new state whole. */
export type PlatenEvent =
  | { readonly type: 'job'; readonly job: Job }
  | { readonly type: 'printer'; readonly printer: KnownPrinter }
  /** A change of a share of the spool to nearly full or back; `fillings` are all nearly full shares. */
  | ({ readonly type: 'spool'; readonly fillings: readonly FullShare[] } & Crossing)

/** The subject of an event, for a client that was away: it gets the current state. */
export type EventSubject = `job ${string}` | `printer ${string}` | 'spool'

/** Traces that are kept: an hour with a label every second, or some seconds of a flood. */
const TRACES_MOST = 4_096

/** Passes events on to all subscribers: the page, the metrics and the log. */
export class Events {
  readonly #listeners = new Set<(event: PlatenEvent) => void>()
  readonly #onFault: (error: unknown) => void
  /** Oldest first; the last one is that of event `#count`. */
  #traces: EventSubject[] = []
  #count = 0

  /** `onFault` is called with what a listener threw, so that no listener can stop a label or the others. */
  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault
  }

  /** The number of the last event since the start. */
  get count(): number {
    return this.#count
  }

  /** Lists the subjects of the events after this one, each once; undefined = they are no longer known, or never were. */
  since(count: number): readonly EventSubject[] | undefined {
    const missed = this.#count - count
    if (missed < 0 || missed > this.#traces.length) return undefined
    return [...new Set(missed === 0 ? [] : this.#traces.slice(-missed))]
  }

  emit(event: PlatenEvent): void {
    this.#count += 1
    this.#traces.push(traceOf(event))
    if (this.#traces.length >= 2 * TRACES_MOST) this.#traces = this.#traces.slice(-TRACES_MOST)
    for (const listener of this.#listeners) {
      try {
        listener(event)
      } catch (error) {
        this.#onFault(error)
      }
    }
  }

  /** Calls `listener` for every event from now on; returns a function that unsubscribes. */
  subscribe(listener: (event: PlatenEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

function traceOf(event: PlatenEvent): EventSubject {
  if (event.type === 'job') return `job ${event.job.id}`
  return event.type === 'printer' ? `printer ${event.printer.name}` : 'spool'
}

/** The two levels that are used here. */
export interface LogSink {
  info(fields: object, event: string): void
  warn(fields: object, event: string): void
}

/** Logs one line for each job that ended or needs a person, and for each change of a printer; never a label's bytes. */
export function logEvent(log: LogSink, event: PlatenEvent): void {
  if (event.type === 'printer') logPrinter(log, event.printer)
  else if (event.type === 'spool') logFilling(log, event)
  else logJob(log, event.job)
}

/** Logs a share once when it is nearly full, and once when it no longer is. */
export function logFilling(log: LogSink, { isHigh, filling }: Crossing): void {
  const { of, name, jobs, bytes, message, hint } = filling
  if (isHigh) log.warn({ of, name, jobs, bytes, message, hint }, 'spool is filling')
  else log.info({ of, name, jobs, bytes, message }, 'spool has room again')
}

function logJob(log: LogSink, job: Job): void {
  const { id, printer, format, delivery, reasons, labelBytes, sentBytes } = job
  const fields = { job: id, printer, format, delivery, reasons, bytes: labelBytes, sent: sentBytes }
  // The sentence of a duplicate has the label's name in it.
  const message = job.code === 'JOB_DUPLICATE' ? NOTHING : job.message
  const detail = job.detail === '' ? {} : { detail: job.detail }
  const why = { ...fields, message, ...detail, hint: job.hint }
  if (job.state === 'completed') log.info({ ...fields, ms: job.endedAt - job.createdAt }, 'printed')
  else if (hasEnded(job)) log.warn(why, job.state)
  else if (job.state === 'pending-held') log.warn(why, 'held')
}

function logPrinter(log: LogSink, { name, status }: KnownPrinter): void {
  const { state, reasons, message, hint, detail = '' } = status
  const why = { printer: name, reasons, message, hint, ...(detail !== '' && { detail }) }
  if (state === 'stopped') log.warn(why, 'printer stopped')
}
