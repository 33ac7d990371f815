import { PlatenError } from '../../errors.ts'
import { FirstTime } from '../first-time.ts'
import { hold } from '../hold.ts'
import { keepBad } from '../keep-bad.ts'
import { isMessageFault } from '../message-fault.ts'
import { readyWithin } from '../ready-within.ts'
import type { Message, SourceIntake } from '../source.ts'
import type { SqsSettings, SqsTiming } from '../sqs.ts'
import { readBody } from './envelope.ts'
import { isDenied } from './explain.ts'
import { type SqsMessage, SqsQueue } from './queue.ts'

const BATCH = 10 // the most that SQS gives at once
const BAD_RECEIVES = 5 // then a bad message is kept here, where the queue has no place for it
const BAD_SECONDS_MOST = 900
const GIVE_BACK_SECONDS = 1 // so that it does not come straight back to us

/** Pulls from one queue until the signal aborts. @throws PlatenError SOURCE_*, SPOOL_*, PRINTER_*; the signal's reason */
export async function pull(
  settings: SqsSettings,
  timing: SqsTiming,
  intake: SourceIntake,
  signal: AbortSignal,
): Promise<void> {
  using queue = new SqsQueue(settings, timing)
  const puller = new Puller(queue, intake, timing)
  while (!signal.aborted) await puller.turn(signal)
}

/** The work on one queue: a batch at a time, or one message at a time where it is acknowledged when printed. */
class Puller {
  readonly #queue: SqsQueue
  readonly #intake: SourceIntake
  readonly #timing: SqsTiming
  readonly #told = new FirstTime()
  #countedAt = Number.NEGATIVE_INFINITY
  #hasDeadLetters = false
  /** Why the queue could not be looked at; '' = it could. */
  #denial = ''
  #toldDenial = ''

  constructor(queue: SqsQueue, intake: SourceIntake, timing: SqsTiming) {
    this.#queue = queue
    this.#intake = intake
    this.#timing = timing
  }

  /** Waits until labels can be taken, then takes what there is. */
  async turn(signal: AbortSignal): Promise<void> {
    await this.#count(signal)
    if (!(await readyWithin(this.#intake, this.#timing.countMs, signal))) return
    const most = this.#intake.ack === 'printed' ? 1 : BATCH
    const messages = await this.#queue.receive(most, signal)
    this.#intake.report({ kind: 'contact' })
    this.#tellDenial()
    if (messages.length === 0) return
    // The printer may have stopped while we waited: another station may have a better one. Asked once for the whole
    // batch: every return counts towards the queue's own limit of deliveries.
    if (!this.#intake.isReady()) await this.#giveBack(messages)
    else await this.#take(messages, signal)
  }

  /** A queue may be pulled from without the right to look at it. */
  async #count(signal: AbortSignal): Promise<void> {
    const now = performance.now()
    if (now - this.#countedAt < this.#timing.countMs) return
    this.#countedAt = now
    try {
      const { waiting, hasDeadLetters } = await this.#queue.look(signal)
      this.#hasDeadLetters = hasDeadLetters
      this.#denial = ''
      this.#intake.report({ kind: 'contact' })
      this.#intake.report({ kind: 'backlog', waiting })
    } catch (error) {
      if (!isDenied(error)) throw error
      this.#denial = error.message
    }
  }

  /** Once, and only when messages can be taken all the same: else it is the error that ends the pull. */
  #tellDenial(): void {
    if (this.#denial !== '' && this.#denial !== this.#toldDenial) {
      this.#intake.report({ kind: 'warning', message: this.#denial })
    }
    this.#toldDenial = this.#denial
  }

  async #take(messages: readonly SqsMessage[], signal: AbortSignal): Promise<void> {
    const done: SqsMessage[] = []
    for (const [index, message] of messages.entries()) {
      try {
        if (await this.#print(message, signal)) done.push(message)
      } catch (error) {
        await this.#delete(done)
        await this.#giveBack(messages.slice(index))
        throw error
      }
    }
    await this.#delete(done)
  }

  /** True when the queue can delete the message. @throws PlatenError when this box cannot take it now */
  async #print(message: SqsMessage, signal: AbortSignal): Promise<boolean> {
    let read: Message | undefined
    try {
      const { where } = this.#queue
      const { ended } = await this.#intake.look(`${where}:${message.id}`, async () => {
        read = readBody(this.#bodyOf(message), where, message.id)
        return await this.#intake.accept(read)
      })
      return this.#intake.ack === 'spooled' || (await this.#hold(message, ended, signal))
    } catch (error) {
      if (!isMessageFault(error, read?.options.printer)) throw error
      return await this.#refuse(message, error, read)
    }
  }

  #bodyOf({ body }: SqsMessage): string {
    const bytes = Buffer.byteLength(body)
    const most = this.#intake.messageBytes
    if (bytes <= most) return body
    const message = `The message has ${bytes} bytes; wanted at most ${most} (max_body_mb).`
    throw new PlatenError('BODY_TOO_LARGE', message)
  }

  async #hold(message: SqsMessage, ended: Promise<void>, signal: AbortSignal): Promise<boolean> {
    const { holdSeconds, settleMs } = this.#timing
    const keep = async (): Promise<boolean> => {
      const isOurs = await this.#queue.hide(message, holdSeconds)
      this.#intake.report({ kind: 'contact' })
      return isOurs
    }
    const holding = { everyMs: (holdSeconds * 1000) / 3, settleMs, keep }
    if ((await keep()) && (await hold(ended, holding, signal))) return true
    this.#warn([message.id])
    return false
  }

  /**
   * Leaves a bad message to the queue, which gives it again after a while and at last moves it to its dead letters; one
   * that has none would give it for ever, so it is kept here. True when the queue can delete it.
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

  /** False when too many bad messages are kept already. */
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

  /** Once for each message, however often it comes. */
  #tell(id: string, error: PlatenError, fate: string): void {
    if (!this.#told.of(id)) return
    const message = `Message ${id} of ${this.#queue.where} ${fate}. ${error.message}`
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
    const message = `Message ${ids.join(', ')} of ${this.#queue.where} was taken back by the queue before it was acknowledged (visibility time-out): another station may print it too.`
    this.#intake.report({ kind: 'warning', message })
  }
}
