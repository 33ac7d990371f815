import { createHash } from 'node:crypto'
import type { RequestReceipt } from '../../core/intake/requests.ts'
import { PlatenError } from '../../words/errors.ts'
import { join, type Sentences, say } from '../../words/say.ts'
import { FirstTime, isMessageFault, readPayload, tooLarge } from '../source/message.ts'
import {
  keepLease,
  type Lease,
  readyWhileLeased,
  readyWithin,
  type SourceIntake,
} from '../source/source.ts'
import { BeanstalkdClient, readStats } from './client.ts'
import type { BeanstalkdSettings, BeanstalkdTiming } from './settings.ts'
import { type ReservedJob, Tube } from './tube.ts'

const STRANGER_SECONDS_MOST = 60
const TOUCH_LEAST_MS = 250
const DAY_MS = 24 * 3600 * 1000
/** Time after which a tube that nobody else took from counts as this server's alone. Decision `shared-tubes`. */
const SEEN_MOST_MS = 30 * DAY_MS

/**
 * Pulls from one tube until the signal aborts.
 * @throws PlatenError SOURCE_*, SPOOL_*, STATE_*, PRINTER_*; the signal's reason
 */
export async function pull(
  settings: BeanstalkdSettings,
  timing: BeanstalkdTiming,
  intake: SourceIntake,
  signal: AbortSignal,
): Promise<void> {
  const { endpoint, tube: name } = settings
  const connection = { endpoint, bodyBytes: intake.messageBytes, ...timing }
  using client = await BeanstalkdClient.connect(connection, signal)
  const tube = await Tube.watch(client, name)
  const where = `${endpoint}/${name}`
  const since = await countingSince(client, where, intake)
  const { redelivered } = settings
  const puller = new TubePuller({ where, since, redelivered, tube, intake, timing })
  while (!signal.aborted) await puller.turn(signal)
}

/**
 * Finds the server process since which its numbers have continued; '' = the first. A process that began with nothing counts from 1 again,
 * and its jobs would pass for redeliveries of earlier ones with the same number. `id` differs for each process, and a process that has read
 * a log writes file 2 or later.
 */
async function countingSince(
  client: BeanstalkdClient,
  where: string,
  { memory }: SourceIntake,
): Promise<string> {
  const stats = readStats((await client.command('stats')).body)
  const process = stats.get('id')
  const name = `beanstalkd ${where} process`
  const [before, since = ''] = memory.recall(name)?.split(' ') ?? []
  if (process === undefined || process === before) return since
  const isNew = before !== undefined && Number(stats.get('binlog-current-index')) <= 1
  const next = isNew ? process : since
  memory.remember(name, `${process} ${next}`)
  return next
}

/** The parts of a `TubePuller`. */
interface PullerParts extends Pick<BeanstalkdSettings, 'redelivered'> {
  /** Server and tube, as named in sentences and keys. */
  readonly where: string
  /** See `countingSince`. */
  readonly since: string
  readonly tube: Tube
  readonly intake: SourceIntake
  readonly timing: BeanstalkdTiming
}

/** The work of one connection: one job at a time, so that jobs that this box cannot print wait for another one. */
class TubePuller {
  readonly #where: string
  readonly #since: string
  readonly #tube: Tube
  readonly #intake: SourceIntake
  readonly #timing: BeanstalkdTiming
  readonly #redelivered: BeanstalkdSettings['redelivered']
  readonly #others: OtherServers
  readonly #strangers = new FirstTime()
  #countedAt = Number.NEGATIVE_INFINITY

  constructor({ where, since, redelivered, tube, intake, timing }: PullerParts) {
    this.#where = where
    this.#since = since
    this.#tube = tube
    this.#intake = intake
    this.#timing = timing
    this.#redelivered = redelivered
    this.#others = new OtherServers(where, intake)
  }

  /** Waits until labels can be taken, then takes one. */
  async turn(signal: AbortSignal): Promise<void> {
    if (performance.now() - this.#countedAt >= this.#timing.countMs) await this.#count()
    // False after a while: the server is looked at now and then, so that the page shows the backlog.
    if (!(await readyWithin(this.#intake, this.#timing.countMs, signal))) return
    const job = await this.#tube.reserve(this.#timing.reserveSeconds, signal)
    this.#intake.report({ kind: 'contact' })
    if (job !== undefined) await this.#take(job, signal)
  }

  async #count(): Promise<void> {
    this.#countedAt = performance.now()
    const { waiting = 0, buried = 0, watching = 0 } = (await this.#tube.count()) ?? {}
    this.#others.note(watching)
    this.#intake.report({ kind: 'contact' })
    this.#intake.report({ kind: 'backlog', waiting, bad: buried })
  }

  async #take(job: ReservedJob, signal: AbortSignal): Promise<void> {
    if (!(await this.#canTake(job.id, signal))) {
      // The printer stopped while we waited for a job: another station may have a better one.
      await this.#tube.release(job.id)
      return
    }
    let named: string | undefined
    let isTaken = false
    try {
      const key = this.#keyOf(job)
      const found = await this.#intake.guard(key, async () => {
        const [isOurs, { lost }] = await Promise.all([
          this.#tube.touch(job.id),
          this.#tube.stats(job.id),
        ])
        // Waited with since it came, it may be somebody else's by now, who prints it.
        if (!isOurs) return undefined
        if (job.body === undefined) throw tooLarge(job.bytes, this.#intake.messageBytes)
        const message = readPayload(job.body, key)
        named = message.options.printer
        const mayBeOut = lost > 0 && (await this.#holdsRedelivered())
        const taken = await this.#intake.accept({ ...message, mayBeOut })
        isTaken = true
        return { message, taken }
      })
      if (found !== undefined && (await this.#acknowledge(job.id, found.taken, signal))) {
        // A key of the sender's own stays known.
        if (found.message.messageId === key) this.#intake.forget(key)
      }
    } catch (error) {
      if (isMessageFault(error, named)) return await this.#refuse(job.id, error)
      // Returned by the end of the connection, it would count as one that may be out.
      if (!isTaken) await this.#tube.release(job.id).catch(() => undefined)
      throw error
    }
  }

  async #refuse(id: string, error: PlatenError): Promise<void> {
    if (error.code === 'PRINTER_UNKNOWN') await this.#passOn(id, error)
    else await this.#bury(id, error)
  }

  /** Tells whether a job that another server may have printed is held for a person. */
  async #holdsRedelivered(): Promise<boolean> {
    if (this.#redelivered !== undefined) return this.#redelivered === 'hold'
    // Others may have come since we counted them.
    if (!this.#others.wereSeen) await this.#count()
    return this.#others.wereSeen
  }

  /**
   * Waits a short while for a stopped printer: released at every short stop, a good job would soon count as one that no station can print.
   */
  async #canTake(id: string, signal: AbortSignal): Promise<boolean> {
    if (this.#intake.isReady()) return true
    const { countMs } = this.#timing
    return await readyWhileLeased(this.#intake, countMs, await this.#leaseOf(id), signal)
  }

  /** Releases a job for another station, which may be switched off for a while; buries it after many tries. */
  async #passOn(id: string, error: PlatenError): Promise<void> {
    const { reserves } = await this.#tube.stats(id)
    if (reserves >= this.#timing.strangerReserves) {
      await this.#bury(id, error)
      return
    }
    const delaySeconds = Math.min(2 ** Math.min(reserves - 1, 16), STRANGER_SECONDS_MOST)
    await this.#tube.release(id, delaySeconds)
    if (this.#strangers.of(id)) this.#tell(id, 'was given back for another station', error)
  }

  async #bury(id: string, error: PlatenError): Promise<void> {
    await this.#tube.bury(id)
    this.#tell(id, 'was buried', error)
  }

  #tell(id: string, fate: string, error: PlatenError): void {
    const message = `Job ${id} of ${this.#where} ${fate}. ${error.whole}`
    this.#intake.report({ kind: 'refused', message })
  }

  /**
   * Makes the key of a job. It includes the content, because a server that has lost its log counts from 1 again; and jobs that were deleted
   * for good are forgotten, so that the same label may come again under the same number.
   */
  #keyOf({ id, body }: ReservedJob): string {
    const hash = createHash('sha256')
      .update(body ?? '')
      .digest('hex')
      .slice(0, 32)
    return `${this.#where}:${this.#since}${this.#since && '.'}${id}:${hash}`
  }

  /** Deletes the job, at once or when its labels are out. False when the server had taken it back by then. */
  async #acknowledge(id: string, taken: RequestReceipt, signal: AbortSignal): Promise<boolean> {
    const isOurs =
      this.#intake.ack === 'spooled' || (await this.#keepUntilOut(id, taken.ended, signal))
    if (isOurs && (await this.#tube.delete(id))) return true
    const message = say('tookBack', { where: this.#where })
    this.#intake.report({ kind: 'warning', message, detail: `Job ${id}: its TTR was over.` })
    return false
  }

  /** Keeps the job reserved until its labels are out. False when it was taken back. */
  async #keepUntilOut(id: string, ended: Promise<void>, signal: AbortSignal): Promise<boolean> {
    const { settleMs } = this.#timing
    return await keepLease(ended, { ...(await this.#leaseOf(id)), settleMs }, signal)
  }

  async #leaseOf(id: string): Promise<Pick<Lease, 'everyMs' | 'keep'>> {
    const { ttr } = await this.#tube.stats(id)
    const everyMs = Math.max(TOUCH_LEAST_MS, Math.min((ttr * 1000) / 3, this.#timing.countMs))
    const keep = async (): Promise<boolean> => {
      const isOurs = await this.#tube.touch(id)
      this.#intake.report({ kind: 'contact' })
      return isOurs
    }
    return { everyMs, keep }
  }
}

/** Knows whether others take from a tube too, even after a restart: a server that was killed is not there to be counted. */
export class OtherServers {
  readonly #name: string
  readonly #intake: Pick<SourceIntake, 'memory' | 'report'>
  readonly #now: () => number
  #seenAt: number

  /** `now`: milliseconds since the epoch. */
  constructor(
    where: string,
    intake: Pick<SourceIntake, 'memory' | 'report'>,
    now: () => number = Date.now,
  ) {
    this.#name = `beanstalkd ${where} shared`
    this.#intake = intake
    this.#now = now
    this.#seenAt = Number(intake.memory.recall(this.#name) ?? Number.NaN)
  }

  /** Notes the number of connections that take from the tube now; one of them is ours. */
  note(watching: number): void {
    const at = this.#now()
    if (watching < 2 || at - this.#seenAt < DAY_MS) return
    this.#seenAt = at
    try {
      this.#intake.memory.remember(this.#name, String(at))
    } catch (error) {
      if (!(error instanceof PlatenError)) throw error
      this.#intake.report({ kind: 'warning', message: error.wholeSaid })
    }
  }

  get wereSeen(): boolean {
    return this.#now() - this.#seenAt < SEEN_MOST_MS
  }
}

/**
 * Looks at the address for the page's button.
 * @throws PlatenError SOURCE_UNREACHABLE, SOURCE_REFUSED
 */
export async function testConnection(
  { endpoint, tube: name }: BeanstalkdSettings,
  timing: BeanstalkdTiming,
  signal: AbortSignal,
): Promise<Sentences> {
  const connection = { endpoint, bodyBytes: 65_536, ...timing }
  using client = await BeanstalkdClient.connect(connection, signal)
  const version = readStats((await client.command('stats')).body).get('version') ?? ''
  // Asked before the tube is watched, which would make it.
  const stats = await Tube.count(client, name)
  const { waiting, buried } = stats ?? { waiting: 0, buried: 0 }
  const reached = say('reachedTube', { version, where: endpoint, waiting, name })
  return buried === 0 ? reached : join(reached, say('buried', { bad: buried }))
}
