import type { IPublishPacket } from 'mqtt'
import type { Message, RequestReceipt } from '../../core/intake/requests.ts'
import { backOffMs, pause, waitFor } from '../../system/wait.ts'
import { PlatenError } from '../../words/errors.ts'
import type { Sentences } from '../../words/say.ts'
import { isMessageFault, keepBad, readPayload, tooLarge } from '../source/message.ts'
import { type SourceIntake, settle } from '../source/source.ts'
import { MqttConnection, type MqttEnd } from './connection.ts'
import { answers } from './connection-test.ts'
import {
  Contest,
  GONE,
  isPresence,
  keepTelling,
  STOPPED,
  type Subscription,
  subscribeAnew,
} from './session.ts'
import {
  clientIdOf,
  covers,
  keyOf,
  type MessageKey,
  type MqttSettings,
  type MqttTiming,
  sessionKeys,
  sessionOf,
} from './settings.ts'
import { PROPERTY_BYTES } from './stream.ts'

const IN_HAND = { messages: 10, bytes: 32 * 2 ** 20 } as const // whichever is less

/**
 * Takes labels from one topic until the signal aborts.
 * @throws PlatenError SOURCE_*, SPOOL_*, PRINTER_*; the signal's reason
 */
export async function pull(
  settings: MqttSettings,
  timing: MqttTiming,
  intake: SourceIntake,
  signal: AbortSignal,
): Promise<void> {
  const contest = new Contest(new URL(settings.url).host, timing)
  for (;;) {
    try {
      await pullOnce(settings, timing, contest, intake, signal)
    } catch (error) {
      const isAlive = (): Promise<boolean> => answers(settings, timing, signal)
      const message = signal.aborted ? undefined : await explainEnd(contest, error, isAlive)
      if (message === undefined) throw error
      const detail = `Our client ID is ${JSON.stringify(clientIdOf(settings))}.`
      intake.report({ kind: 'error', message, detail })
    }
    await pause(backOffMs(contest.rounds, Math.random(), timing.backOff), signal)
    signal.throwIfAborted()
  }
}

/** Explains the end of a connection that another client with our name caused, or perhaps caused; undefined for all other ends. */
async function explainEnd(
  contest: Contest,
  error: unknown,
  isAlive: () => Promise<boolean>,
): Promise<Sentences | undefined> {
  const message = contest.judge(error)
  const isWrong = message !== undefined && contest.isGuess && !(await isAlive())
  return isWrong ? undefined : message
}

/** Takes labels over one connection. */
async function pullOnce(
  settings: MqttSettings,
  timing: MqttTiming,
  contest: Contest,
  intake: SourceIntake,
  signal: AbortSignal,
): Promise<never> {
  const { topic } = settings
  const clientId = clientIdOf(settings)
  const place = { session: sessionOf(settings), topic }
  const puller = new TopicPuller(place, intake, timing.settleMs)
  // No wildcards in a topic that is published to (MQTT 5.0, 3.3.2.1).
  const status = settings.status_topic ?? `platen/${clientId.replace(/[+#]/g, '-')}/status`
  const hasStatus = status !== 'none'
  let isIn = false
  const onContact = (): void => {
    if (isIn && contest.isCalm()) intake.report({ kind: 'contact' })
  }
  const options = {
    clientId,
    receiveMost: countInHand(intake),
    packetBytes: intake.messageBytes + PROPERTY_BYTES,
    onMessage: (packet: IPublishPacket) => puller.receive(packet),
    onContact,
    onEnd: (how: MqttEnd) => contest.end(how),
    ...(hasStatus ? { will: { topic: status, payload: GONE } } : {}),
  }
  contest.begin()
  const connection = await MqttConnection.open(settings, timing, options, signal)
  contest.open(connection.hasSession)
  // Numbers start over in a new session: what it redelivers is not a label of the old one.
  if (!connection.hasSession) intake.forget(sessionKeys(place.session))
  const ending = new AbortController()
  const either = AbortSignal.any([signal, connection.lost, ending.signal])
  // A broker that refuses a topic of ours was not reached.
  const enter = (): void => {
    isIn = true
    onContact()
  }
  const tell = async (payload: string): Promise<void> => {
    await connection.tell(status, payload, either)
    enter()
  }
  let telling: Promise<void> | undefined
  try {
    await subscribeAnew(connection, place, intake, either)
    if (hasStatus) telling = keepTelling(intake, tell, timing.statusMs, either)
    else enter()
    return await Promise.race([puller.work(connection, signal), failing(telling)])
  } finally {
    ending.abort()
    await telling?.catch(() => undefined) // what it failed with has ended the work
    if (hasStatus && !connection.lost.aborted) {
      await connection
        .tell(status, STOPPED, AbortSignal.timeout(timing.goodbyeMs))
        .catch(() => undefined) // then the will says it
    }
    await connection.close()
  }
}

/** Most messages to hold without an acknowledgment: their bytes together are bounded. */
function countInHand({ ack, messageBytes }: SourceIntake): number {
  if (ack === 'printed') return 1
  return Math.max(2, Math.min(IN_HAND.messages, Math.floor(IN_HAND.bytes / messageBytes)))
}

/** Rejects when the promise does; never resolves. */
async function failing(promise: Promise<void> | undefined): Promise<never> {
  await promise
  return await new Promise<never>(() => undefined)
}

/** Works on one connection: one message after the other, in their order. */
class TopicPuller {
  readonly #place: Subscription
  readonly #intake: SourceIntake
  readonly #settleMs: number
  readonly #inbox = new MessageInbox<IPublishPacket>()

  constructor(place: Subscription, intake: SourceIntake, settleMs: number) {
    this.#place = place
    this.#intake = intake
    this.#settleMs = settleMs
  }

  /** Takes a packet as it comes. Never throws. */
  async receive(packet: IPublishPacket): Promise<void> {
    // The broker sends no more than a few that wait for an acknowledgement, but any number of those that need none.
    // We ask for 0 and 1; only somebody else under our name can have asked for 2, which the client acknowledges itself.
    if (packet.qos === 1) this.#inbox.put(packet)
    else if (!isPresence(bytesOf(packet))) await this.#rescue(packet)
  }

  /** @throws PlatenError; the signal's reason */
  async work(connection: MqttConnection, signal: AbortSignal): Promise<never> {
    const either = AbortSignal.any([signal, connection.lost])
    for (;;) {
      const packet = await this.#inbox.take(either)
      if (!isPresence(bytesOf(packet))) {
        await this.#intake.ready(either)
        const taken = await this.#print(packet)
        if (this.#intake.ack === 'printed' && taken !== undefined) {
          await this.#await(taken, connection.lost, signal)
        }
      }
      connection.acknowledge(packet)
      signal.throwIfAborted()
    }
  }

  /** Takes a message now, whatever the printer does: the broker has forgotten it already. */
  async #rescue(packet: IPublishPacket): Promise<void> {
    try {
      await this.#print(packet)
    } catch (error) {
      const why = error instanceof PlatenError ? error.whole : 'The print server failed.'
      const message = `A message of ${packet.topic} is lost, as its sender published it with QoS ${packet.qos}. ${why}`
      this.#intake.report({ kind: 'warning', message })
    }
  }

  /**
   * Takes the labels of a message. Undefined when it was bad and is kept as such.
   * @throws PlatenError when this box cannot take it now
   */
  async #print(packet: IPublishPacket): Promise<RequestReceipt | undefined> {
    const known = keyOf(packet, this.#place.session)
    let read: Message | undefined
    try {
      return await this.#intake.guard(known.key, async () => {
        const bytes = bytesOf(packet)
        const { messageBytes: most } = this.#intake
        if (bytes.length > most) throw tooLarge(bytes.length, most)
        read = readPayload(bytes, known.key)
        if (!covers(this.#place.topic, packet.topic)) {
          // The queue that it is for may get it too, and prints it then: this one counts by itself. By a number of our
          // session it is known to us alone, perhaps as printed before our topic was changed.
          const messageId = isOurs(read, known) ? known.key : this.#heldKey(read.messageId ?? '')
          read = { ...read, messageId }
          throw misdirected(packet.topic, this.#place.topic)
        }
        return await this.#accept(read, known, packet.dup)
      })
    } catch (error) {
      if (!isMessageFault(error, read?.options.printer)) throw error
      if (!packet.dup && !known.isSenders) {
        this.#intake.forget(known.key) // as in `#accept`
      }
      await keepBad(this.#intake, read, { bytes: bytesOf(packet), error, messageId: known.key })
      const message = `A message of ${packet.topic} is kept here. ${error.whole}`
      this.#intake.report({ kind: 'refused', message })
      return undefined
    }
  }

  #heldKey(key: string): string {
    return `${this.#place.session} held ${key}`
  }

  /**
   * Accepts a message. Without an id of the sender, the broker decides: a message that it does not call a repeat is none, even if packet
   * numbers have wrapped around and the label equals an earlier one.
   */
  async #accept(message: Message, known: MessageKey, isRepeat: boolean): Promise<RequestReceipt> {
    const taken = await this.#intake.accept(message)
    if (!taken.repeated || isRepeat || !isOurs(message, known)) return taken
    this.#intake.forget(known.key)
    return await this.#intake.accept(message)
  }

  /**
   * Waits until the labels are out.
   * @throws PlatenError when the connection is lost before
   */
  async #await(taken: RequestReceipt, lost: AbortSignal, signal: AbortSignal): Promise<void> {
    const { promise, reject } = Promise.withResolvers<never>()
    const stop = (): void => reject(lost.reason)
    lost.addEventListener('abort', stop, { once: true })
    if (lost.aborted) stop()
    try {
      await Promise.race([settle(taken.ended, this.#settleMs, signal), promise])
    } finally {
      lost.removeEventListener('abort', stop)
    }
  }
}

/** Tells whether the sender gave the message no id. */
function isOurs(message: Message, known: MessageKey): boolean {
  return message.messageId === known.key && !known.isSenders
}

/**
 * Makes the failure for a message of another topic. A broker sends what was subscribed to under our name, by another client with our client
 * ID or by us before the topic was changed. Acknowledged, the message would be gone, and unacknowledged it would block others, so it is
 * kept here, and a person sees where it belongs.
 */
function misdirected(topic: string, own: string): PlatenError {
  const message = `It came for topic ${JSON.stringify(topic)}, and this queue prints topic ${JSON.stringify(own)}.`
  return new PlatenError('LABEL_MISDIRECTED', message)
}

function bytesOf({ payload }: IPublishPacket): Uint8Array {
  return typeof payload === 'string' ? Buffer.from(payload) : payload
}

/** Messages that are received but not accepted yet; their sender keeps it small. */
class MessageInbox<T> {
  readonly #items: T[] = []
  #wake: () => void = () => undefined

  put(item: T): void {
    this.#items.push(item)
    this.#wake()
  }

  /**
   * Takes the oldest item, as soon as there is one.
   * @throws the signal's reason
   */
  async take(signal: AbortSignal): Promise<T> {
    for (;;) {
      signal.throwIfAborted()
      const item = this.#items.shift()
      if (item !== undefined) return item
      await waitFor((wake) => {
        this.#wake = wake
      }, signal)
    }
  }
}
