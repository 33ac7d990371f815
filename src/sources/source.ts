import type { GenericSchema } from 'valibot'
import type { PrintOptions } from '../jobs/job.ts'

/**
 * Where labels come from besides HTTP. Adding one = one file with one of these, its test, one line in `./index.ts`.
 */
export interface Source<Settings = unknown> {
  /** The `type` of an entry in `queues`, e.g. `sqs`. */
  readonly type: string
  /** A valibot schema of the entry: the check, the settings page and docs/config.md follow from it. */
  readonly settings: GenericSchema<unknown, Settings>
  /** Runs until `signal` aborts. Acknowledge a message after `accept` resolved, never before. */
  run(settings: Settings, intake: SourceIntake, signal: AbortSignal): Promise<void>
  /** For the page's button: one sentence that says what was reached. */
  test(settings: Settings, signal: AbortSignal): Promise<string>
}

/** One message of a source: its labels are taken together or not at all. */
export interface Message {
  /** Label bytes, base64 already undone. */
  readonly labels: readonly Uint8Array[]
  readonly options: PrintOptions
  /** The source's own id; one seen before makes no second job. */
  readonly messageId?: string
}

/** What a source is given. */
export interface SourceIntake {
  /**
   * Resolves once the jobs are safe in the spool, with their ids and a promise of their ends.
   * @throws PlatenError with the code of the refusal; nothing of the message was taken
   */
  accept(
    message: Message,
  ): Promise<{ readonly jobs: readonly string[]; readonly ended: Promise<void> }>
  /** Resolves while the target printer and the spool can take labels. */
  ready(signal: AbortSignal): Promise<void>
  /** Last contact and last error, for the page and the metrics. */
  report(event: SourceEvent): void
}

/** What happened between a source and its other side. */
export type SourceEvent =
  | { readonly kind: 'contact' }
  | { readonly kind: 'error'; readonly message: string }
