import { setTimeout as sleep } from 'node:timers/promises'
import * as v from 'valibot'
import type { MessageIntake } from '../../core/intake/message-intake.ts'
import type { CommandPolicy } from '../../core/intake/requests.ts'
import { choice, field } from '../../settings/field.ts'
import type { Sentences } from '../../words/say.ts'

/**
 * A way in besides HTTP that pulls labels. To add one, write a file with a `Source`, its test, and a line in `../sources.ts`. Decision
 * `acknowledge-after-commit`.
 */
export interface Source<Settings = unknown> {
  /** The `type` of an entry in `queues`, e.g. `sqs`. */
  readonly type: string
  /** Its name in sentences; left out: its type. */
  readonly title?: string
  /** The keys of the entry: the check, the settings page and docs/config.md are derived from them. */
  readonly settings: v.GenericSchema<unknown, Settings> & { readonly entries: v.ObjectEntries }
  /** Describes the place that it pulls from in a few words, for the page, the log and the metrics; never a secret. */
  describe(settings: Settings): string
  /** Seconds that may pass between two contacts while all is well; 60 when left out. */
  quietSeconds?(settings: Settings): number
  /**
   * The name by which the other side knows us, together with the other side's own: of two sources with the same name only the first one
   * runs, because they would get each other's labels. `key` is the setting that makes them different.
   */
  readonly identity?: { readonly key: string; read(settings: Settings): string }
  /**
   * Runs until `signal` aborts; what it throws is reported, and it is restarted after a while. Acknowledge a message after `accept`
   * resolved, never before.
   */
  run(settings: Settings, intake: SourceIntake, signal: AbortSignal): Promise<void>
  /**
   * Tests the other side for the page's button, and describes it in one sentence.
   * @throws PlatenError SOURCE_UNREACHABLE, SOURCE_REFUSED
   */
  test(settings: Settings, signal: AbortSignal): Promise<Sentences>
}

/** A source that keys of its own switch on, not an entry of `queues`: the heartbeat. */
export interface KeyedSource<Settings = unknown, K = object> extends Source<Settings> {
  /** Reads its settings, not checked yet, from the configuration; undefined = switched off. */
  read(config: K): KeyedEntry | undefined
}

/** The configuration of a keyed source. */
interface KeyedEntry {
  readonly settings: unknown
  /** The treatment of commands that change the printer itself; undefined = as the server does. */
  readonly commands: CommandPolicy | undefined
}

/** The time at which a message is acknowledged: once its labels are safe in the spool, or once they are out (or held for a person). */
export type Ack = 'spooled' | 'printed'

/** The intake of messages for a source, with what all sources share. */
export interface SourceIntake extends MessageIntake {
  readonly ack: Ack
  /** Bytes of the largest message that may be read (`max_body_mb`); larger ones are bad messages. */
  readonly messageBytes: number
  /**
   * Runs `work`, which reads a message and takes its labels, and leaves a note for the next start: a message that was in hand during two
   * crashes of the program is not read again. `key` is the same each time that it comes.
   * @throws PlatenError LABEL_CRASHED, STATE_UNWRITABLE; what the work throws
   */
  guard<T>(key: string, work: () => Promise<T>): Promise<T>
  /** Notes of the source for its next start. */
  readonly memory: SourceMemory
  /** Reports contact, errors and backlog, for the page, the log and the metrics. */
  report(event: SourceEvent): void
}

/** Short notes of the sources, by name; they survive a power cut. A name begins with the type of its source. */
export interface SourceMemory {
  recall(name: string): string | undefined
  /** @throws PlatenError STATE_UNWRITABLE; the note is as before */
  remember(name: string, text: string): void
}

/** An event between a source and its other side. A message that is a plain string is in English only. */
export type SourceEvent =
  /** The other side answered. */
  | { readonly kind: 'contact' }
  /** It did not, or refused. One sentence, and technical details. */
  | { readonly kind: 'error'; readonly message: Sentences | string; readonly detail?: string }
  /** A message cannot be printed and was put where people find it. */
  | { readonly kind: 'refused'; readonly message: Sentences | string }
  /** A warning for a person; nothing is lost. */
  | { readonly kind: 'warning'; readonly message: Sentences | string; readonly detail?: string }
  /** Messages that wait on the other side, and bad ones that it keeps (buried, dead letters). */
  | { readonly kind: 'backlog'; readonly waiting: number; readonly bad?: number }

/**
 * Makes `run` and `test` of a source whose code is loaded only if such a queue is configured; `times` are its limits, which tests shorten.
 */
export function loadWhenUsed<Settings, Times>(
  times: Times,
  load: {
    pull(): Promise<{
      pull(
        settings: Settings,
        times: Times,
        intake: SourceIntake,
        signal: AbortSignal,
      ): Promise<void>
    }>
    test(): Promise<{
      testConnection(settings: Settings, times: Times, signal: AbortSignal): Promise<Sentences>
    }>
  },
): Pick<Source<Settings>, 'run' | 'test'> {
  return {
    run: async (settings, intake, signal) =>
      await (await load.pull()).pull(settings, times, intake, signal),
    test: async (settings, signal) =>
      await (await load.test()).testConnection(settings, times, signal),
  }
}

/** Makes the setting of a queue that several print servers may share; `what`: a label that comes again; `usual`: the default. */
export const redelivered = (what: string, usual: string) =>
  field(
    v.optional(choice(['print', 'hold'])),
    'Delivered before',
    `Another server may already have printed ${what}. With hold it waits here until a person decides; use this for several servers on one queue. Left out: ${usual}. Labels that this server itself accepted never print twice.`,
  )

/** Milliseconds that labels in the printer get to come out after a source was stopped. */
export const SETTLE_MS = 10_000

/**
 * Resolves when the labels are out, or `graceMs` after the signal's abort. For `ack: printed`: labels that are not out by then are
 * acknowledged all the same, because they are safe in the spool and print here; given back, another station would print them a second time.
 */
export async function settle(
  ended: Promise<void>,
  graceMs: number,
  signal: AbortSignal,
): Promise<void> {
  const late = Promise.withResolvers<void>()
  let timer: NodeJS.Timeout | undefined
  const stop = (): void => {
    timer = setTimeout(late.resolve, graceMs)
  }
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  try {
    await Promise.race([ended, late.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

/** The terms for keeping a message from others while its labels come out. */
export interface Lease {
  /** Milliseconds between two calls of `keep`. */
  readonly everyMs: number
  /** Milliseconds that labels get after a stop. */
  readonly settleMs: number
  /** Restarts the message's time; false when it is no longer ours. */
  readonly keep: () => Promise<boolean>
}

/** Keeps a message ours until its labels are out (`ended`). False when the other side had taken it back before. */
export async function keepLease(
  ended: Promise<void>,
  { everyMs, settleMs, keep }: Lease,
  signal: AbortSignal,
): Promise<boolean> {
  let isOut = false
  const out = settle(ended, settleMs, signal).then(() => {
    isOut = true
  })
  while (!isOut) {
    const ticking = new AbortController()
    const tick = sleep(everyMs, undefined, { signal: ticking.signal }).catch(() => undefined)
    await Promise.race([out, tick])
    ticking.abort()
    if (!isOut && !(await keep())) return false
  }
  return true
}

/**
 * Waits until labels can be taken. False after `ms` of waiting, so that a source can check its other side now and then.
 * @throws the signal's reason
 */
export async function readyWithin(
  intake: Pick<SourceIntake, 'ready' | 'isReady'>,
  ms: number,
  signal: AbortSignal,
): Promise<boolean> {
  if (intake.isReady()) return true
  const look = AbortSignal.timeout(ms)
  try {
    await intake.ready(AbortSignal.any([signal, look]))
    return true
  } catch (error) {
    signal.throwIfAborted()
    if (look.aborted) return false
    throw error
  }
}

/**
 * Keeps messages ours that came when the printer had just stopped, until labels can be taken, or for `ms`. Given back at every short stop
 * of a printer they would be used up, because a queue counts its deliveries. False when the time is over, the source is stopped, or none is
 * ours any more.
 */
export async function readyWhileLeased(
  intake: Pick<SourceIntake, 'ready' | 'isReady'>,
  ms: number,
  lease: Omit<Lease, 'settleMs'>,
  signal: AbortSignal,
): Promise<boolean> {
  if (intake.isReady()) return true
  const end = AbortSignal.any([signal, AbortSignal.timeout(ms)])
  // That it was not ready in time is not a failure.
  const ready = intake.ready(end).catch((error: unknown) => {
    if (!end.aborted) throw error
  })
  if (!(await lease.keep())) return false
  return (await keepLease(ready, { ...lease, settleMs: 0 }, signal)) && intake.isReady()
}
