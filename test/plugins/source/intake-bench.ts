import type { Test } from 'tap'
import { CrashGuard, NO_HAND, openMemory } from '../../../src/plugins/source/memory.ts'
import type { Source, SourceEvent, SourceIntake } from '../../../src/plugins/source/source.ts'
import { inEnglish, toSentences } from '../../../src/words/say.ts'
import { Bench, printer } from '../../core/bench.ts'

/** A guard that remembers as long as this process lives. */
export function makeGuard(): CrashGuard {
  return new CrashGuard({ hand: NO_HAND, memory: openMemory(), version: 'test' })
}

/** Makes such a guard as a part of a source's intake. */
export function makeIntakeGuard(): Pick<SourceIntake, 'guard'> {
  const guard = makeGuard()
  return { guard: (key, work) => guard.run(key, work) }
}

/** A source in this process, with a real spool behind it and a printer that is a file. */
export interface Pulled {
  readonly bench: Bench
  readonly events: readonly SourceEvent[]
  /** Reports of one kind that have a sentence. */
  readonly told: (kind: 'refused' | 'warning' | 'error') => readonly string[]
  /** Resolves with its result. */
  readonly ended: Promise<unknown>
  /** Stops the source; gives what it ended with. */
  readonly stop: () => Promise<unknown>
}

/** Runs the source until the test ends; `more` replaces parts of its intake. */
export function pull<S>(
  t: Test,
  source: Source<S>,
  settings: S,
  more: Partial<SourceIntake> = {},
): Pulled {
  const bench = new Bench(t, { printers: [printer('A', 'file:a')] })
  bench.scheduler.start()
  const events: SourceEvent[] = []
  const messages = bench.intake.forSource(source.type)
  const intake: SourceIntake = {
    ack: 'spooled',
    messageBytes: 60_000,
    memory: openMemory(),
    ...makeIntakeGuard(),
    ...messages,
    report: (event) => events.push(event),
    ...more,
  }
  const stopping = new AbortController()
  const ended = source.run(settings, intake, stopping.signal).catch((error: unknown) => error)
  const stop = (): Promise<unknown> => {
    stopping.abort()
    return ended
  }
  t.teardown(stop)
  const told = (kind: string): readonly string[] =>
    events.flatMap((event) =>
      event.kind === kind && 'message' in event ? [inEnglish(toSentences(event.message))] : [],
    )
  return { bench, events, told, ended, stop }
}

/** `ready` of an intake whose printer stays stopped: rejects with the signal's reason, also when it was aborted before. */
export function stayStopped(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = (): void => reject(signal.reason as Error)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  return promise
}
