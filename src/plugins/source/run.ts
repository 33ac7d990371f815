import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import type { CommandPolicy } from '../../core/intake/requests.ts'
import { BACK_OFF, pause } from '../../system/wait.ts'
import { PlatenError } from '../../words/errors.ts'
import { type Sentences, say } from '../../words/say.ts'
import { CrashGuard, type HandNote, NO_HAND, openMemory } from './memory.ts'
import {
  type RunningParts,
  RunningSource,
  type SourceEntry,
  type SourceStatus,
} from './running-source.ts'
import type { Ack, KeyedSource, Source } from './source.ts'

type RequiredPart = 'openIntake' | 'messageBytes' | 'log'

/** The parts of the sources; optional ones have usual values. */
export interface SourcesParts
  extends Pick<RunningParts, RequiredPart>,
    Partial<Omit<RunningParts, RequiredPart | 'guard'>> {
  /** The note about the message in hand; left out: none. */
  readonly hand?: HandNote
  /** Version of this program: another one may be able to read a message that ended it. */
  readonly version?: string
  /** The types of queues. */
  readonly list: readonly Source[]
  /** Sends heartbeats and prints the labels of the replies. */
  readonly heartbeat: KeyedSource
}

const TEST_MS = 15_000
const STOP_MOST_MS = 15_000 // above the 10 s that labels in hand get

/** All sources of this box: each runs independently, and a changed configuration restarts only the changed ones. */
export class Sources {
  readonly #parts: RunningParts
  readonly #reader: SourceReader
  readonly #guard: CrashGuard
  #running: readonly RunningSource[] = []
  /** Stopped sources that still settle their work in hand. */
  readonly #leaving = new Set<RunningSource>()
  #isStopped = false

  constructor(all: SourcesParts) {
    const { heartbeat, list, hand = NO_HAND, version = '', memory = openMemory(), ...parts } = all
    this.#reader = new SourceReader(heartbeat, list)
    this.#guard = new CrashGuard({
      hand,
      memory,
      version,
      fault: (err) => parts.log.warn({ err }, 'source fault'),
    })
    const usual = { now: Date.now, random: Math.random, backOff: BACK_OFF }
    this.#parts = { ...usual, ...parts, memory, guard: this.#guard }
  }

  /** Stops sources that are no longer configured, starts new ones, and leaves the rest alone. */
  configure(config: SourcesConfig): void {
    // Settings that are saved, or a start that comes to its end, while the program stops.
    if (this.#isStopped) return
    const entries = this.#reader.readAll(config)
    const rest = [...this.#running]
    const kept = entries.map((entry) => {
      const at = rest.findIndex((running) => isDeepStrictEqual(running.entry, entry))
      return at < 0 ? undefined : rest.splice(at, 1)[0]
    })
    for (const running of rest) this.#leave(running)
    this.#running = entries.map((entry, index) => kept[index] ?? this.#start(entry))
  }

  /** Lists the state of each source, in the order of the configuration. */
  list(): readonly SourceStatus[] {
    return this.#running.map((running) => running.status)
  }

  /**
   * Tests a queue of this configuration, or the heartbeat's address, and describes it in one sentence. Takes no label.
   * @throws PlatenError SOURCE_UNREACHABLE, SOURCE_REFUSED, FIELD_INVALID
   */
  async test(
    config: SourcesConfig,
    which: number | 'heartbeat',
    signal: AbortSignal,
  ): Promise<Sentences> {
    const queue = which === 'heartbeat' ? undefined : config.queues?.[which]
    const entry =
      which === 'heartbeat'
        ? this.#reader.readHeartbeat(config)
        : queue && this.#reader.readQueue(queue)
    if (entry === undefined) {
      const what = queue === undefined ? 'there is none' : `a ${queue.type} queue`
      throw new PlatenError(
        'FIELD_INVALID',
        `queue: got ${what}, wanted one that this version can pull from.`,
      )
    }
    const late = AbortSignal.timeout(TEST_MS)
    try {
      return await entry.source.test(entry.settings, AbortSignal.any([signal, late]))
    } catch (error) {
      if (!late.aborted) throw error
      const where = entry.source.describe(entry.settings)
      const message = say('lateAnswer', { where, seconds: TEST_MS / 1000 })
      throw new PlatenError('SOURCE_UNREACHABLE', message, { cause: error })
    }
  }

  /** Takes no more labels; resolves when the work in hand is settled, or after 15 s at the latest. */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const running of this.#running) this.#leave(running)
    this.#running = []
    const late = new AbortController()
    const ended = Promise.all([...this.#leaving].map((running) => running.ended))
    await Promise.race([ended, pause(STOP_MOST_MS, late.signal)])
    late.abort()
    this.#guard.end()
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

/** The common part of an entry of `queues`; the keys of its type are beside it. */
interface Queue {
  readonly type: string
}

/**
 * Finds queues that must not run, by position, with the reason: the other side knows them by the name of an earlier one, so that labels of
 * one would come to the other.
 */
export function findClashes(
  queues: readonly Queue[],
  sources: readonly Source[],
): ReadonlyMap<number, string> {
  const clashes = new Map<number, string>()
  const known = new Map<string, string>()
  for (const [index, queue] of queues.entries()) {
    const source = sources.find(({ type }) => type === queue.type)
    if (source?.identity === undefined) continue
    const settings = v.parse(source.settings, queue)
    const name = `${source.type} ${source.identity.read(settings)}`
    const place = `queue ${index + 1} (${source.describe(settings)})`
    const first = known.get(name)
    if (first === undefined) known.set(name, place)
    else clashes.set(index, explain(place, first, source.identity.key))
  }
  return clashes
}

function explain(place: string, first: string, key: string): string {
  const whose = place.replace('q', 'Q')
  return `${whose} does not run: at the other side it has the same name as ${first}, and labels of one would come to the other. Give it a ${key} of its own.`
}

/** An entry of `queues` in the configuration; the keys of its type are beside these. */
interface QueueEntry {
  readonly type: string
  readonly printer?: string | undefined
  readonly ack: Ack
  readonly printer_commands?: CommandPolicy | undefined
}

/** The keys of the configuration that sources are made from, beside those of the heartbeat. */
export interface SourcesConfig {
  readonly queues?: readonly QueueEntry[] | undefined
}

/** Reads the sources' entries from the configuration. */
export class SourceReader {
  readonly #list: readonly Source[]
  readonly #heartbeat: KeyedSource

  constructor(heartbeat: KeyedSource, list: readonly Source[]) {
    this.#list = list
    this.#heartbeat = heartbeat
  }

  /** Reads the queues in their order, then the heartbeat. */
  readAll(config: SourcesConfig): readonly SourceEntry[] {
    const queues = config.queues ?? []
    const clashes = findClashes(queues, this.#list)
    const entries = queues.map((queue, index) => {
      const entry = this.readQueue(queue)
      return entry && { ...entry, clash: clashes.get(index) }
    })
    return [...entries, this.readHeartbeat(config)].filter((entry) => entry !== undefined)
  }

  /** Reads a queue; undefined when this version does not know its type. */
  readQueue(queue: QueueEntry): SourceEntry | undefined {
    const source = this.#list.find(({ type }) => type === queue.type)
    if (source === undefined) return undefined
    const settings = v.parse(source.settings, queue)
    const { printer, ack, printer_commands: commands } = queue
    return { source, settings, printer, ack, commands }
  }

  /** Reads the heartbeat; undefined when it is switched off. */
  readHeartbeat(config: SourcesConfig): SourceEntry | undefined {
    const source = this.#heartbeat
    const found = source.read(config)
    if (found === undefined) return undefined
    const settings = v.parse(source.settings, found.settings)
    return { source, settings, ack: 'spooled', commands: found.commands }
  }
}
