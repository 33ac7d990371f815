import type { GenericSchema } from 'valibot'
import type { PlatenError } from '../errors.ts'
import type { PrintOptions } from '../jobs/job.ts'

/**
 * Where labels come from besides HTTP. Adding one = one file with one of these, its test, one line in `./index.ts`.
 */
export interface Source<Settings = unknown> {
  /** The `type` of an entry in `queues`, e.g. `sqs`. */
  readonly type: string
  /** A valibot schema of the entry: the check, the settings page and docs/config.md follow from it. */
  readonly settings: GenericSchema<unknown, Settings>
  /** What it pulls from, in a few words for the page, the log and the metrics; never a secret. */
  describe(settings: Settings): string
  /** Seconds that may go by between two contacts while all is well; 60 when left out. */
  quietSeconds?(settings: Settings): number
  /**
   * The name by which the other side knows us, with that of the other side, where two of one name would get each other's
   * labels: only the first of them runs. `key` is the setting that makes a difference.
   */
  readonly identity?: { readonly key: string; read(settings: Settings): string }
  /**
   * Runs until `signal` aborts; what it throws is reported, and it is started again after a while. Acknowledge a
   * message after `accept` resolved, never before.
   */
  run(settings: Settings, intake: SourceIntake, signal: AbortSignal): Promise<void>
  /**
   * For the page's button: one sentence that says what was reached.
   * @throws PlatenError SOURCE_UNREACHABLE, SOURCE_REFUSED
   */
  test(settings: Settings, signal: AbortSignal): Promise<string>
}

/** One message of a source: its labels are taken together or not at all. */
export interface Message {
  /** Label bytes, base64 already undone. */
  readonly labels: readonly Uint8Array[]
  readonly options: PrintOptions
  /** 1 when left out: so many jobs a label. */
  readonly copies?: number
  /** The source's own id, or the sender's; one seen within 7 days makes no second job. */
  readonly messageId?: string
  /** Called when all labels were looked at, before they are written. */
  readonly onChecked?: () => void
}

/** A message that cannot be printed and whose other side has no place for it. */
export interface BadMessage {
  /** As it came. */
  readonly bytes: Uint8Array
  /** Why. */
  readonly error: PlatenError
  readonly messageId?: string
}

/** What was taken; it is on disk. */
export interface Taken {
  /** Ids of the jobs. */
  readonly jobs: readonly string[]
  /** True when the message had come before: these are its jobs of then. */
  readonly repeated: boolean
  /**
   * Resolves when all of them have ended or are held for a person, which may be never: what is held lies safely on disk
   * and on the page, and the labels behind it must not wait until somebody looks.
   */
  readonly ended: Promise<void>
}

/** When a message is acknowledged: once its labels are safe in the spool, or once they are out (or held for a person). */
export type Ack = 'spooled' | 'printed'

/** What a source is given. */
export interface SourceIntake {
  readonly ack: Ack
  /** Bytes of the largest message that may be read (`max_body_mb`); larger ones are bad messages. */
  readonly messageBytes: number
  /**
   * Reads a message and takes its labels, by `work`, with a note for the next start: one that was in hand when the program
   * crashed, twice, is not looked at again. `key` is the same each time that it comes.
   * @throws PlatenError LABEL_CRASHED, STATE_UNWRITABLE; what the work throws
   */
  look<T>(key: string, work: () => Promise<T>): Promise<T>
  /**
   * Resolves once the jobs are safe in the spool, with their ids and a promise of their ends. Ask `isMessageFault`
   * whether a refusal is the message's fault or the box's: the former is set aside, the latter tried again later.
   * @throws PlatenError with the code of the refusal; nothing of the message was taken
   */
  accept(message: Message): Promise<Taken>
  /**
   * Keeps a bad message as a held job that says why, for sources that have no place of their own for such.
   * @throws PlatenError SPOOL_FULL, SPOOL_BROKEN; it was not kept
   */
  setAside(message: BadMessage): Promise<void>
  /**
   * Keeps the labels of a good message that found no printer as held jobs, for sources whose other side does not send
   * them again; `error` says why. An id that comes again makes no second job.
   * @throws PlatenError LABEL_*, FIELD_INVALID, SPOOL_FULL, SPOOL_BROKEN; it was not kept
   */
  park(message: Message, error: PlatenError): Promise<Taken>
  /** The other side has deleted the messages whose ids begin so for good, and may give the ids to others. */
  forget(idPrefix: string): void
  /** Resolves while the target printer can print and the spool is below its mark. */
  ready(signal: AbortSignal): Promise<void>
  /** The same, now: a message that came at the end of a long poll may find the printer stopped. */
  isReady(): boolean
  /** Why labels cannot be taken now, one sentence; '' = they can. */
  blockage(): string
  /** True when labels of so many bytes would find room now, whatever the printers do. */
  hasRoom(bytes: number): boolean
  /** What the source wrote down for its next start. */
  readonly memory: SourceMemory
  /** Last contact, last error and backlog, for the page, the log and the metrics. */
  report(event: SourceEvent): void
}

/** Short notes of the sources, by name; they survive a power cut. A name begins with the type of its source. */
export interface SourceMemory {
  recall(name: string): string | undefined
  /** @throws PlatenError STATE_UNWRITABLE; the note is as before */
  remember(name: string, text: string): void
}

/** What happened between a source and its other side. */
export type SourceEvent =
  /** The other side answered. */
  | { readonly kind: 'contact' }
  /** It did not, or said no. One sentence. */
  | { readonly kind: 'error'; readonly message: string }
  /** A message cannot be printed and was put where people find it. */
  | { readonly kind: 'refused'; readonly message: string }
  /** Something that a person should know, though nothing is lost. */
  | { readonly kind: 'warning'; readonly message: string }
  /** Messages that wait on the other side, and bad ones that it keeps (buried, dead letters). */
  | { readonly kind: 'backlog'; readonly waiting: number; readonly bad?: number }
