import * as v from 'valibot'
import type { CommandPolicy } from '../jobs/intake/requests.ts'
import { createHeartbeat } from './heartbeat/index.ts'
import type { Facts } from './heartbeat/settings.ts'
import { sources as known } from './index.ts'
import type { SourceEntry } from './running-source.ts'
import type { Ack, Source } from './source.ts'

/** As much of an entry of `queues` as is needed; the keys of its type stand beside it. */
interface Queue {
  readonly type: string
}

/**
 * Queues that must not run, by their place, and why: the other side knows them by the name of one before them, so that
 * labels of one would come to the other.
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

/** An entry of `queues` in the configuration; the keys of its type stand beside these. */
export interface QueueEntry {
  readonly type: string
  readonly printer?: string | undefined
  readonly ack: Ack
  readonly printer_commands?: CommandPolicy | undefined
}

/** The keys of the configuration that sources are made from. */
export interface SourcesConfig {
  readonly queues?: readonly QueueEntry[] | undefined
  readonly heart_beat_url?: string | undefined
  /** Seconds. */
  readonly heart_beat_interval?: number | undefined
  readonly heart_beat_params?: unknown
  readonly heart_beat_printer_commands?: CommandPolicy | undefined
}

/** Makes the sources' entries out of the configuration. */
export class SourceReader {
  readonly #list: readonly Source[]
  readonly #heartbeat: Source

  constructor(facts: () => Facts, list: readonly Source[] = known) {
    this.#list = list
    this.#heartbeat = createHeartbeat(facts)
  }

  /** The queues in their order, then the heartbeat. */
  readAll(config: SourcesConfig): readonly SourceEntry[] {
    const queues = config.queues ?? []
    const clashes = findClashes(queues, this.#list)
    const entries = queues.map((queue, index) => {
      const entry = this.readQueue(queue)
      return entry && { ...entry, clash: clashes.get(index) }
    })
    return [...entries, this.readHeartbeat(config)].filter((entry) => entry !== undefined)
  }

  /** Undefined when this version cannot pull from such a queue. */
  readQueue(queue: QueueEntry): SourceEntry | undefined {
    const source = this.#list.find(({ type }) => type === queue.type)
    if (source === undefined) return undefined
    const settings = v.parse(source.settings, queue)
    const { printer, ack, printer_commands: commands } = queue
    return { source, settings, printer, ack, commands }
  }

  /** Undefined when no address is set: nothing is sent then. */
  readHeartbeat(config: SourcesConfig): SourceEntry | undefined {
    const { heart_beat_url: url, heart_beat_interval: seconds, heart_beat_params: params } = config
    if (url === undefined) return undefined
    return {
      source: this.#heartbeat,
      settings: v.parse(this.#heartbeat.settings, { url, seconds, params }),
      ack: 'spooled',
      commands: config.heart_beat_printer_commands,
    }
  }
}
