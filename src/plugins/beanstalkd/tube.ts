import { PlatenError } from '../../words/errors.ts'
import { type BeanstalkdClient, type BeanstalkReply, readStats } from './client.ts'

/** A job of the server that is ours until it is deleted, buried, released, or its time (TTR) is over. Decision `beanstalkd-key`. */
export interface ReservedJob {
  readonly id: string
  /** Undefined when it was larger than the bound. */
  readonly body: Uint8Array | undefined
  readonly bytes: number
}

/** The server's statistics of a job. */
export interface JobStats {
  readonly priority: string
  /** Seconds for which it stays ours without a touch. */
  readonly ttr: number
  /** Number of times that it was reserved. */
  readonly reserves: number
  /** Earlier reserves with no release or bury after them: the connection broke, or the TTR ran out. */
  readonly lost: number
}

/** The server's statistics of a tube. */
export interface TubeStats {
  /** Jobs that are ready or delayed. */
  readonly waiting: number
  /** Jobs that were buried. */
  readonly buried: number
  /** Connections that take jobs from it. */
  readonly watching: number
}

/** The tube of connections that name none (beanstalkd, doc/protocol.txt). */
const USUAL = 'default'

/** A tube of a beanstalkd server. Every command may fail with SOURCE_UNREACHABLE or SOURCE_REFUSED. */
export class Tube {
  readonly #client: BeanstalkdClient
  readonly #name: string
  #hasReserved = false

  private constructor(client: BeanstalkdClient, name: string) {
    this.#client = client
    this.#name = name
  }

  /** Watches this tube and no other. */
  static async watch(client: BeanstalkdClient, name: string): Promise<Tube> {
    wanted(await client.command(`watch ${name}`), 'WATCHING')
    if (name !== USUAL) wanted(await client.command('ignore default'), 'WATCHING')
    return new Tube(client, name)
  }

  /** Reserves the next job; undefined when none came within the seconds. An abort closes the connection. */
  async reserve(seconds: number, signal: AbortSignal): Promise<ReservedJob | undefined> {
    const stop = (): void => this.#client.close()
    signal.throwIfAborted()
    signal.addEventListener('abort', stop, { once: true })
    this.#hasReserved = true
    try {
      const reply = await this.#client.command(`reserve-with-timeout ${seconds}`, seconds * 1000)
      // DEADLINE_SOON: a job of ours is about to be taken back; there is none that we know of.
      if (wanted(reply, 'RESERVED', 'TIMED_OUT', 'DEADLINE_SOON') !== 'RESERVED') return undefined
      const { numbers, body, bodyBytes } = reply
      return { id: numbers[0] ?? '', body, bytes: bodyBytes }
    } catch (error) {
      signal.throwIfAborted()
      throw error
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /** Deletes the job. False when it is no longer ours: its time was over. */
  async delete(id: string): Promise<boolean> {
    const reply = await this.#client.command(`delete ${id}`)
    return wanted(reply, 'DELETED', 'NOT_FOUND') === 'DELETED'
  }

  /** Restarts the job's time. False when it is no longer ours. */
  async touch(id: string): Promise<boolean> {
    const reply = await this.#client.command(`touch ${id}`)
    return wanted(reply, 'TOUCHED', 'NOT_FOUND') === 'TOUCHED'
  }

  /** Buries the job, where `kick` finds it. */
  async bury(id: string): Promise<void> {
    const { priority } = await this.stats(id)
    wanted(await this.#client.command(`bury ${id} ${priority}`), 'BURIED', 'NOT_FOUND')
  }

  /** Returns the job for the next client that reserves, at once or after this many seconds. */
  async release(id: string, delaySeconds = 0): Promise<void> {
    const { priority } = await this.stats(id)
    // BURIED: the server had no memory for it; then it is kept there.
    const reply = await this.#client.command(`release ${id} ${priority} ${delaySeconds}`)
    wanted(reply, 'RELEASED', 'BURIED', 'NOT_FOUND')
  }

  async stats(id: string): Promise<JobStats> {
    const reply = await this.#client.command(`stats-job ${id}`)
    wanted(reply, 'OK', 'NOT_FOUND')
    const stats = readStats(reply.body)
    const count = (name: string, usual: number): number => readCount(stats, name, usual)
    const reserves = count('reserves', 1)
    return {
      priority: stats.get('pri') ?? '0',
      ttr: count('ttr', 1),
      reserves,
      lost: Math.max(0, reserves - 1 - count('releases', 0) - count('buries', 0)),
    }
  }

  /** Counts jobs and connections of the tube; undefined when it does not exist. */
  async count(): Promise<TubeStats | undefined> {
    const stats = await Tube.count(this.#client, this.#name)
    if (stats === undefined || this.#name !== USUAL) return stats
    // Every connection watches it until it says otherwise, a sender's too: who has reserved takes jobs.
    const reply = await this.#client.command('stats')
    wanted(reply, 'OK')
    const { watching } = stats
    const workers = readCount(readStats(reply.body), 'current-workers', watching)
    return { ...stats, watching: Math.min(watching, workers + (this.#hasReserved ? 0 : 1)) }
  }

  /** Counts those of a tube that is not watched. */
  static async count(client: BeanstalkdClient, name: string): Promise<TubeStats | undefined> {
    const reply = await client.command(`stats-tube ${name}`)
    if (wanted(reply, 'OK', 'NOT_FOUND') === 'NOT_FOUND') return undefined
    const stats = readStats(reply.body)
    const number = (name: string): number => readCount(stats, name, 0)
    return {
      waiting: number('current-jobs-ready') + number('current-jobs-delayed'),
      buried: number('current-jobs-buried'),
      watching: number('current-watching'),
    }
  }
}

/** Reads a number; text that is not one is ignored: a timer of NaN milliseconds ends at once, again and again. */
function readCount(stats: ReadonlyMap<string, string>, name: string, usual: number): number {
  const text = stats.get(name) ?? ''
  return /^\d{1,10}$/.test(text) ? Number(text) : usual
}

/** @throws PlatenError SOURCE_REFUSED */
function wanted(reply: BeanstalkReply, ...words: readonly string[]): string {
  if (words.includes(reply.word)) return reply.word
  throw new PlatenError(
    'SOURCE_REFUSED',
    `The queue server answered ${reply.word}; wanted ${words.join(' or ')}.`,
  )
}
