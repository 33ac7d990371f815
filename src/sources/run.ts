import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { BACK_OFF } from './back-off.ts'
import { sources as known } from './index.ts'
import { type RunningParts, RunningSource, type SourceEntry } from './running-source.ts'
import type { Ack, Source } from './source.ts'
import type { SourceStatus } from './status.ts'

/** What the sources work with; what is optional has the values of the field. */
export type SourcesParts = Pick<RunningParts, 'openDoor' | 'messageBytes' | 'log'> &
  Partial<RunningParts>

/** An entry of `queues` in the configuration; the keys of its type stand beside these. */
export interface QueueEntry {
  readonly type: string
  readonly printer?: string | undefined
  readonly ack: Ack
}

/** The entries whose type this version can pull from, with their settings as the source wants them. */
export function readQueues(
  queues: readonly QueueEntry[],
  list: readonly Source[] = known,
): readonly SourceEntry[] {
  return queues.flatMap((queue) => {
    const source = list.find(({ type }) => type === queue.type)
    if (source === undefined) return []
    const settings = v.parse(source.settings, queue)
    return [{ source, settings, printer: queue.printer, ack: queue.ack }]
  })
}

/** All sources of this box: each runs by itself, and a changed configuration touches only those it changes. */
export class Sources {
  readonly #parts: RunningParts
  #running: readonly RunningSource[] = []
  /** Stopped ones that still settle what was under way. */
  readonly #leaving = new Set<RunningSource>()

  constructor(parts: SourcesParts) {
    this.#parts = { now: Date.now, random: Math.random, backOff: BACK_OFF, ...parts }
  }

  /** Stops what is no longer among `entries`, starts what is new, and leaves the rest alone. */
  configure(entries: readonly SourceEntry[]): void {
    const rest = [...this.#running]
    const kept = entries.map((entry) => {
      const at = rest.findIndex((running) => isDeepStrictEqual(running.entry, entry))
      return at < 0 ? undefined : rest.splice(at, 1)[0]
    })
    for (const running of rest) this.#leave(running)
    this.#running = entries.map((entry, index) => kept[index] ?? this.#start(entry))
  }

  /** How each source is doing, in the order of the configuration. */
  list(): readonly SourceStatus[] {
    return this.#running.map((running) => running.status)
  }

  /** Takes no more labels; resolves when what was under way is settled. */
  async stop(): Promise<void> {
    this.configure([])
    await Promise.all([...this.#leaving].map((running) => running.ended))
  }

  #start(entry: SourceEntry): RunningSource {
    // Two of a kind would disturb each other where the other side knows us by a name.
    const same = [...this.#leaving].filter(({ entry: { source } }) => source === entry.source)
    const left = Promise.all(same.map((running) => running.ended))
    return new RunningSource(entry, this.#parts, left)
  }

  #leave(running: RunningSource): void {
    this.#leaving.add(running)
    running.stop()
    void running.ended.then(() => this.#leaving.delete(running))
  }
}
