import { setTimeout as sleep } from 'node:timers/promises'
import * as v from 'valibot'
import type { MessageIntake } from '../../core/intake/message-intake.ts'
import { choice, field } from '../../settings/field.ts'
import type { Sentences } from '../../words/say.ts'

/**
 * Where labels come from besides HTTP. Adding one = one file with one of these, its test, one line in `../sources.ts`.
 * Decision `acknowledge-after-commit`.
 */
export interface Source<Settings = unknown> {
  /** The `type` of an entry in `queues`, e.g. `sqs`. */
  readonly type: string
  /** What sentences call it; left out: its type. */
  readonly title?: string
  /** A valibot schema of the entry: the check, the settings page and docs/config.md follow from it. */
  readonly settings: v.GenericSchema<unknown, Settings>
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
  test(settings: Settings, signal: AbortSignal): Promise<Sentences>
}

/** When a message is acknowledged: once its labels are safe in the spool, or once they are out (or held for a person). */
export type Ack = 'spooled' | 'printed'

/** What a source is given: the intake of messages, and what the sources have in common. */
export interface SourceIntake extends MessageIntake {
  readonly ack: Ack
  /** Bytes of the largest message that may be read (`max_body_mb`); larger ones are bad messages. */
  readonly messageBytes: number
  /**
   * Reads a message and takes its labels, by `work`, with a note for the next start: one that was in hand when the program
   * crashed, twice, is not looked at again. `key` is the same each time that it comes.
   * @throws PlatenError LABEL_CRASHED, STATE_UNWRITABLE; what the work throws
   */
  look<T>(key: string, work: () => Promise<T>): Promise<T>
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

/** What happened between a source and its other side. A message that is a plain text is in English only. */
export type SourceEvent =
  /** The other side answered. */
  | { readonly kind: 'contact' }
  /** It did not, or said no. One sentence, and what only developers understand of it. */
  | { readonly kind: 'error'; readonly message: Sentences | string; readonly detail?: string }
  /** A message cannot be printed and was put where people find it. */
  | { readonly kind: 'refused'; readonly message: Sentences | string }
  /** Something that a person should know, though nothing is lost. */
  | { readonly kind: 'warning'; readonly message: Sentences | string; readonly detail?: string }
  /** Messages that wait on the other side, and bad ones that it keeps (buried, dead letters). */
  | { readonly kind: 'backlog'; readonly waiting: number; readonly bad?: number }

/**
 * `run` and `test` of a source whose code is loaded only where such a queue is configured; `times` are its limits and
 * patience, which tests shorten.
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
    look(): Promise<{
      look(settings: Settings, times: Times, signal: AbortSignal): Promise<Sentences>
    }>
  },
): Pick<Source<Settings>, 'run' | 'test'> {
  return {
    run: async (settings, intake, signal) =>
      await (await load.pull()).pull(settings, times, intake, signal),
    test: async (settings, signal) => await (await load.look()).look(settings, times, signal),
  }
}

/** The key of a queue that several print servers may share; `what`: a label that comes again; `usual`: left out. */
export const redelivered = (what: string, usual: string) =>
  field(
    v.optional(choice(['print', 'hold'])),
    'Delivered before',
    `Another server may already have printed ${what}. With hold it waits here until a person decides; use this for several servers on one queue. Left out: ${usual}. Labels that this server itself accepted never print twice.`,
  )

/** Milliseconds that labels in the printer get to come out after a source was told to stop. */
export const SETTLE_MS = 10_000

/**
 * Resolves when the labels are out, or so long after the signal's abort. For `ack: printed`: what is not out by then is
 * acknowledged all the same, since it is safe in the spool and prints here; given back, another station would print it
 * a second time.
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

/** How a message is kept from others while its labels come out. */
export interface Holding {
  /** Milliseconds between two calls of `keep`. */
  readonly everyMs: number
  /** Milliseconds that labels get after a stop. */
  readonly settleMs: number
  /** Begins the message's time again; false when it is not ours any more. */
  readonly keep: () => Promise<boolean>
}

/** Keeps a message ours until its labels are out (`ended`). False when the other side had taken it back before. */
export async function hold(
  ended: Promise<void>,
  { everyMs, settleMs, keep }: Holding,
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
 * Waits until labels can be taken. False after `ms` of waiting, so that a source can look at its other side now and then.
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
 * For messages that came when the printer had just stopped: keeps them ours until labels can be taken, or for `ms`. Given
 * back at every short stop of a printer they would be used up, since a queue counts how often it gave them away. False when
 * the time is over, the source is stopped, or none is ours any more.
 */
export async function readyInHand(
  intake: Pick<SourceIntake, 'ready' | 'isReady'>,
  ms: number,
  holding: Omit<Holding, 'settleMs'>,
  signal: AbortSignal,
): Promise<boolean> {
  if (intake.isReady()) return true
  const end = AbortSignal.any([signal, AbortSignal.timeout(ms)])
  // That it was not ready in time is not a failure.
  const ready = intake.ready(end).catch((error: unknown) => {
    if (!end.aborted) throw error
  })
  if (!(await holding.keep())) return false
  return (await hold(ready, { ...holding, settleMs: 0 }, signal)) && intake.isReady()
}
