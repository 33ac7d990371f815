import type { Message } from '../../core/intake/requests.ts'
import { backOffMs, pause } from '../../system/wait.ts'
import { PlatenError } from '../../words/errors.ts'
import { isSame, join, NOTHING, type Sentences, say } from '../../words/say.ts'
import { FirstTime, isMessageFault, keepBad, tooLarge } from '../source/message.ts'
import {
  keepLease,
  type Lease,
  readyWhileLeased,
  readyWithin,
  type SourceIntake,
} from '../source/source.ts'
import { isDenied } from './answers.ts'
import { Batch, readBody, type SqsMessage, SqsQueue, USUAL_RECEIVES } from './queue.ts'
import type { SqsSettings, SqsTiming } from './settings.ts'

const BATCH = 10 // the most that SQS gives at once
const BAD_RECEIVES = 5 // then a bad message is kept here, where the queue has no place for it
const BAD_SECONDS_MOST = 900
const GIVE_BACK_SECONDS = 1 // so that it does not come straight back to us

/**
 * Pulls from one queue until the signal aborts.
 * @throws PlatenError SOURCE_*, SPOOL_*, PRINTER_*; the signal's reason
 */
export async function pull(
  settings: SqsSettings,
  timing: SqsTiming,
  intake: SourceIntake,
  signal: AbortSignal,
): Promise<void> {
  using queue = new SqsQueue(settings, timing)
  const puller = new QueuePuller(queue, intake, {
    ...timing,
    holdsRedelivered: settings.redelivered === 'hold',
  })
  while (!signal.aborted) await puller.turn(signal)
}

/** `holdsRedelivered`: true when redelivered messages are held for a person. */
type PullerTiming = SqsTiming & { readonly holdsRedelivered: boolean }

/** Works on one queue: a batch at a time, or one message at a time if messages are acknowledged when printed. */
class QueuePuller {
  readonly #queue: SqsQueue
  readonly #intake: SourceIntake
  readonly #timing: PullerTiming
  readonly #told = new FirstTime()
  #countedAt = Number.NEGATIVE_INFINITY
  /** Deliveries after which the queue gives a message up; infinite = never. */
  #receivesMost = USUAL_RECEIVES
  #hasDeadLetters = false
  /** Seconds for which a received message is ours. */
  #visibilitySeconds: number
  /** The reason why the queue could not be counted; empty = it could. */
  #denial: Sentences = NOTHING
  #toldDenial: Sentences = NOTHING

  constructor(queue: SqsQueue, intake: SourceIntake, timing: PullerTiming) {
    this.#queue = queue
    this.#intake = intake
    this.#timing = timing
    this.#visibilitySeconds = timing.leaseSeconds
  }

  /** Waits until labels can be taken, then takes what there is. */
  async turn(signal: AbortSignal): Promise<void> {
    await this.#count(signal)
    if (!(await readyWithin(this.#intake, this.#timing.countMs, signal))) return
    const most = this.#intake.ack === 'printed' ? 1 : BATCH
    const messages = await this.#queue.receive(most, this.#visibilitySeconds, signal)
    this.#intake.report({ kind: 'contact' })
    this.#tellDenial()
    if (messages.length === 0) return
    const batch = new Batch(this.#queue, messages, this.#visibilitySeconds)
    if (await this.#canTake(batch, signal)) await this.#take(batch, signal)
    else await this.#giveBack(batch.rest)
  }

  /**
   * Tells whether the printer can still take the batch: it may have stopped while we waited for messages. They wait here for a while before
   * they go back, where another station may have a better printer: every return counts towards the queue's own limit of deliveries. If one
   * is close to it, all are taken, in their order: on our disk they are safe.
   */
  async #canTake(batch: Batch, signal: AbortSignal): Promise<boolean> {
    if (batch.rest.some((message) => this.#isLast(message))) return true
    const { leaseSeconds } = this.#timing
    return await readyWhileLeased(this.#intake, leaseSeconds * 1000, this.#leaseOf(batch), signal)
  }

  #leaseOf(batch: Batch): Pick<Lease, 'everyMs' | 'keep'> {
    const { leaseSeconds } = this.#timing
    const keep = async (): Promise<boolean> => {
      await batch.renew(leaseSeconds)
      return batch.rest.length > 0
    }
    return { everyMs: (leaseSeconds * 1000) / 3, keep }
  }

  /** Tells whether the queue gives the message up after one more delivery, or at once: a kill of ours in between must not cause that. */
  #isLast({ receives }: SqsMessage): boolean {
    return receives + 1 >= this.#receivesMost
  }

  /** Counts the waiting messages; a queue may be pulled from without the right to do so. */
  async #count(signal: AbortSignal): Promise<void> {
    const now = performance.now()
    if (now - this.#countedAt < this.#timing.countMs) return
    this.#countedAt = now
    try {
      const { waiting, receivesMost, visibilitySeconds } = await this.#queue.readAttributes(signal)
      this.#hasDeadLetters = receivesMost !== undefined
      this.#receivesMost = receivesMost ?? Number.POSITIVE_INFINITY
      // A queue of 0 seconds gives everything away again at once.
      this.#visibilitySeconds = visibilitySeconds || this.#timing.leaseSeconds
      this.#denial = NOTHING
      this.#intake.report({ kind: 'contact' })
      this.#intake.report({ kind: 'backlog', waiting })
    } catch (error) {
      if (!isDenied(error)) throw error
      this.#denial = error.wholeSaid
    }
  }

  /** Reports the denial once, and only when messages can be taken all the same: otherwise it is the error that ends the pull. */
  #tellDenial(): void {
    if (this.#denial.length > 0 && !isSame(this.#denial, this.#toldDenial)) {
      this.#intake.report({ kind: 'warning', message: this.#denial })
    }
    this.#toldDenial = this.#denial
  }

  async #take(batch: Batch, signal: AbortSignal): Promise<void> {
    const done: SqsMessage[] = []
    try {
      for (;;) {
        if (batch.isOld) {
          await this.#delete(done.splice(0))
          await batch.renew(this.#visibilitySeconds)
        }
        const [message] = batch.rest
        if (message === undefined) break
        if (await this.#insist(message, batch, signal)) done.push(message)
        batch.drop(message)
      }
    } catch (error) {
      await this.#delete(done)
      await this.#giveBack(batch.rest)
      throw error
    }
    await this.#delete(done)
  }

  /** Prints a message like `#print`, but tries one that the queue would give up again until the box can take it. */
  async #insist(message: SqsMessage, batch: Batch, signal: AbortSignal): Promise<boolean> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.#print(message, signal)
      } catch (error) {
        if (!this.#isLast(message) || !isOfBox(error)) throw error
        this.#intake.report({ kind: 'error', message: error.said, detail: error.detail })
      }
      const again = pause(backOffMs(failures, Math.random()), signal)
      await keepLease(again, { ...this.#leaseOf(batch), settleMs: 0 }, signal)
      signal.throwIfAborted()
      if (!batch.rest.includes(message)) return false
    }
  }

  /**
   * Prints a message. True when the queue can delete it.
   * @throws PlatenError when this box cannot take it now
   */
  async #print(message: SqsMessage, signal: AbortSignal): Promise<boolean> {
    let read: Message | undefined
    try {
      const { where } = this.#queue
      const { ended } = await this.#intake.guard(`${where}:${message.id}`, async () => {
        const { messageBytes: most } = this.#intake
        const bytes = Buffer.byteLength(message.body)
        if (bytes > most) throw tooLarge(bytes, most)
        read = readBody(message.body, where, message.id)
        const mayBeOut = this.#timing.holdsRedelivered && message.receives > 1
        return await this.#intake.accept({ ...read, mayBeOut })
      })
      // Killed while it waits for the printer, a message comes once more; the last time it must not be waited with.
      const isDone = this.#intake.ack === 'spooled' || this.#isLast(message)
      return isDone || (await this.#keepUntilOut(message, ended, signal))
    } catch (error) {
      if (!isMessageFault(error, read?.options.printer)) throw error
      return await this.#refuse(message, error, read)
    }
  }

  async #keepUntilOut(
    message: SqsMessage,
    ended: Promise<void>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { leaseSeconds, settleMs } = this.#timing
    const keep = async (): Promise<boolean> => {
      const isOurs = await this.#queue.hide(message, leaseSeconds)
      this.#intake.report({ kind: 'contact' })
      return isOurs
    }
    const lease = { everyMs: (leaseSeconds * 1000) / 3, settleMs, keep }
    if ((await keep()) && (await keepLease(ended, lease, signal))) return true
    this.#warn([message.id])
    return false
  }

  /**
   * Leaves a bad message to the queue, which delivers it again after a while and finally moves it to its dead letters; a queue without dead
   * letters would deliver it forever, so it is kept here. True when the queue can delete it.
   */
  async #refuse(
    message: SqsMessage,
    error: PlatenError,
    read: Message | undefined,
  ): Promise<boolean> {
    const isKept =
      !this.#hasDeadLetters &&
      message.receives >= BAD_RECEIVES &&
      (await this.#keep(message, error, read))
    if (isKept) return true
    this.#tell(message.id, error, 'comes again later')
    const seconds = this.#timing.badSeconds * 2 ** Math.min(message.receives - 1, 16)
    await this.#queue.hide(message, Math.min(Math.ceil(seconds), BAD_SECONDS_MOST))
    return false
  }

  /** Keeps a bad message here. False when too many are kept already. */
  async #keep(
    { id, body }: SqsMessage,
    error: PlatenError,
    read: Message | undefined,
  ): Promise<boolean> {
    const messageId = `${this.#queue.where}:${id}`
    try {
      await keepBad(this.#intake, read, { bytes: Buffer.from(body), error, messageId })
    } catch (full) {
      if (!(full instanceof PlatenError) || full.code !== 'SPOOL_FULL') throw full
      return false
    }
    this.#tell(id, error, 'is kept here')
    return true
  }

  /** Reports a refused message once, however often it comes. */
  #tell(id: string, error: PlatenError, fate: string): void {
    if (!this.#told.of(id)) return
    const message = `Message ${id} of ${this.#queue.where} ${fate}. ${error.whole}`
    this.#intake.report({ kind: 'refused', message })
  }

  async #delete(messages: readonly SqsMessage[]): Promise<void> {
    const late = await this.#queue.delete(messages)
    if (late.length > 0) this.#warn(late)
  }

  async #giveBack(messages: readonly SqsMessage[]): Promise<void> {
    for (const message of messages) await this.#queue.hide(message, GIVE_BACK_SECONDS)
  }

  #warn(ids: readonly string[]): void {
    const message = say('tookBack', { where: this.#queue.where })
    const detail = `Message ${ids.join(', ')}: its visibility time-out was over.`
    this.#intake.report({ kind: 'warning', message, detail })
  }
}

/** True when the box cannot take labels now, for reasons unrelated to the queue. */
function isOfBox(error: unknown): error is PlatenError {
  return error instanceof PlatenError && !error.code.startsWith('SOURCE_')
}

/**
 * Describes the queue at the address in a sentence; takes no message.
 * @throws PlatenError SOURCE_UNREACHABLE, SOURCE_REFUSED
 */
export async function testConnection(
  settings: SqsSettings,
  timing: SqsTiming,
  signal: AbortSignal,
): Promise<Sentences> {
  using queue = new SqsQueue(settings, timing)
  const { waiting, receivesMost } = await queue.readAttributes(signal)
  const bad = say(receivesMost === undefined ? 'noDeadLetters' : 'hasDeadLetters')
  return join(say('reachedQueue', { where: queue.where, waiting }), bad)
}
