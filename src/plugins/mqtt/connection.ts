import type { IClientOptions, IPublishPacket } from 'mqtt'
// The whole package would bring WebSockets and SOCKS too.
import client from 'mqtt/lib/client'
import { PlatenError } from '../../words/errors.ts'
import { say } from '../../words/say.ts'
import type { MqttSettings, MqttTiming } from './settings.ts'
import {
  explainMqtt,
  explainReason,
  explainTell,
  explainTopic,
  openStream,
  watchPackets,
} from './stream.ts'

type MqttLibraryClient = InstanceType<typeof client.default>

/** The options of our connection, most of them those of CONNECT. */
export interface MqttConnectOptions {
  readonly clientId: string
  /** True to leave nothing behind at the broker: for a test only. */
  readonly isFleeting?: boolean
  /** Most messages without our acknowledgment; the broker then waits. */
  readonly receiveMost: number
  /** Most bytes of a packet; the broker silently drops larger ones. */
  readonly packetBytes: number
  /** The last will, which the broker publishes when our connection breaks. */
  readonly will?: { readonly topic: string; readonly payload: string }
  /** Resolves when the next packet may be read. */
  readonly onMessage: (packet: IPublishPacket) => Promise<void>
  readonly onContact: () => void
  /** Called when the connection ended, but not by `close`. */
  readonly onEnd?: (how: MqttEnd) => void
}

/** The end of a connection: with a reason, by another client with our name, or cut off without a reason. */
export type MqttEnd = 'said' | 'taken over' | 'cut off'

/** Most bytes that a message takes here besides its payload. */
const BESIDE_BYTES = 2_048
const TAKEN_OVER = 142 // MQTT 5.0, 3.14.2.1
const REFUSED = 0x80 // reason codes from here on are failures (MQTT 5.0, 2.4)
const PUBACK = 0x40 // MQTT 5.0, 3.4: with nothing but the packet's number it means success

/** A connection to an MQTT 5 broker; unusable after any error. */
export class MqttConnection {
  /** Aborts with a PlatenError when the connection has ended. */
  readonly lost: AbortSignal
  readonly #where: string
  readonly #timing: MqttTiming
  readonly #client: MqttLibraryClient
  readonly #losing = new AbortController()
  readonly #onEnd: MqttConnectOptions['onEnd']
  #isClosing = false
  #hasSession = false
  /** Bytes of the messages that wait for our acknowledgment. */
  #inHand = 0

  private constructor(settings: MqttSettings, timing: MqttTiming, options: MqttConnectOptions) {
    this.#where = new URL(settings.url).host
    this.#timing = timing
    this.#onEnd = options.onEnd
    this.lost = this.#losing.signal
    // Made before the client takes over, which would throw in its own constructor.
    const bounds = { where: this.#where, packetBytes: options.packetBytes }
    const stream = watchPackets(openStream(settings), bounds)
    this.#client = new client.default(() => stream, makeOptions(settings, timing, options))
    this.#client.on('error', (error) => {
      this.#lose(explainMqtt(this.#where, error), isReset(error) ? 'cut off' : 'said')
    })
    this.#client.on('disconnect', ({ reasonCode = 0 }) => {
      const end = reasonCode === TAKEN_OVER ? 'taken over' : 'said'
      this.#lose(explainReason(this.#where, reasonCode), end)
    })
    this.#client.on('close', () => this.#lose(closed(this.#where), 'cut off'))
    this.#client.on('packetreceive', options.onContact)
    // The client would acknowledge at the end of this call, and read nothing meanwhile, not even the answers to its
    // pings (MQTT.js 2026). An error there means "not now" and lets it read on; `acknowledge` sends what is needed.
    this.#client.handleMessage = (packet, done) => {
      if (packet.qos === 1 && !this.#countIn(packet, options)) return
      const read = options.onMessage(packet)
      if (packet.qos === 1) {
        // At once: what stands behind it may be the broker's last word.
        void read.then(() => done(new Error('acknowledged later')))
        return
      }
      // Then everybody else has a turn: a message that needs no acknowledgement is followed by any number of others.
      void read.then(() => setImmediate(done))
    }
  }

  /** @throws PlatenError SOURCE_UNREACHABLE, SOURCE_REFUSED; the signal's reason */
  static async open(
    settings: MqttSettings,
    timing: MqttTiming,
    options: MqttConnectOptions,
    signal: AbortSignal,
  ): Promise<MqttConnection> {
    signal.throwIfAborted()
    if (settings.password !== undefined && settings.username === undefined) {
      // The client would never send its first packet.
      throw new PlatenError('SOURCE_REFUSED', 'The broker password needs a broker user beside it.')
    }
    const connection = new MqttConnection(settings, timing, options)
    const connected = new Promise<void>((resolve) => {
      connection.#client.once('connect', ({ sessionPresent }) => {
        connection.#hasSession = sessionPresent
        resolve()
      })
    })
    try {
      await connection.#orLost(connected, signal)
      return connection
    } catch (error) {
      connection.#client.end(true)
      throw error
    }
  }

  /** True when the broker has kept our earlier subscriptions, and messages for us. */
  get hasSession(): boolean {
    return this.#hasSession
  }

  /** Subscribes to messages of this topic, those that were kept for us first; retained ones do not come. */
  async subscribe(topic: string, signal: AbortSignal, qos: 0 | 1 = 1): Promise<void> {
    // Retained labels would print at every connection: retain handling 2 (MQTT 5.0, 3.8.3.1).
    await this.#ask((done) => {
      this.#client.subscribe(topic, { qos, rh: 2 }, (error) =>
        done(error === null ? undefined : explainTopic(this.#where, topic, error)),
      )
    }, signal)
  }

  /** Unsubscribes from this topic; messages that wait for us already still come. Returns the reason for a refusal, in a sentence. */
  async unsubscribe(topic: string, signal: AbortSignal): Promise<string | undefined> {
    let code = 0
    await this.#ask((done) => {
      this.#client.unsubscribe(topic, (error, packet) => {
        const [granted] = (packet as { granted?: readonly unknown[] } | undefined)?.granted ?? []
        code = typeof granted === 'number' ? granted : 0
        done(error)
      })
    }, signal)
    if (code < REFUSED) return undefined
    return `${this.#where} goes on sending messages of ${topic}, though nothing here prints that topic any more (MQTT reason ${code}). They are held when they come.`
  }

  /** Publishes a retained message. */
  async tell(topic: string, payload: string, signal: AbortSignal): Promise<void> {
    await this.#ask((done) => {
      this.#client.publish(topic, payload, { qos: 1, retain: true }, (error) =>
        done(error && explainTell(this.#where, topic, error)),
      )
    }, signal)
  }

  /** Acknowledges a message: it is ours now. */
  acknowledge({ messageId = 0, payload }: IPublishPacket): void {
    this.#inHand -= weigh(payload)
    if (this.lost.aborted) return // it comes again at the next connection
    this.#client.stream.write(Buffer.of(PUBACK, 2, messageId >> 8, messageId & 0xff))
  }

  /** Disconnects; what the broker keeps for us stays. */
  async close(): Promise<void> {
    this.#isClosing = true
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(() => this.#client.end(true, {}, () => resolve()), 1_000)
    if (this.lost.aborted) this.#client.end(true, {}, () => resolve())
    else this.#client.end(false, {}, () => resolve())
    await promise
    clearTimeout(timer)
  }

  /** Counts a message in. False when the broker exceeds the number that we gave it by far; the connection is lost then. */
  #countIn({ payload }: IPublishPacket, { receiveMost, packetBytes }: MqttConnectOptions): boolean {
    this.#inHand += weigh(payload)
    // By what they weigh and not by their number: mosquitto 2.0 sends at once what it queued for a session with another number
    // (500 messages, measured), and what was under way before a break beside as many new ones.
    if (this.#inHand <= 2 * receiveMost * packetBytes) return true
    const message = `${this.#where} sends more messages than the ${receiveMost} that we take at once.`
    this.#client.stream.destroy(new PlatenError('SOURCE_REFUSED', message))
    return false
  }

  #lose(failure: PlatenError, end: MqttEnd): void {
    if (this.lost.aborted) return
    if (!this.#isClosing) this.#onEnd?.(end)
    this.#losing.abort(failure)
  }

  /** Calls a function of the client that answers once the broker has. */
  async #ask(call: (done: (error?: Error) => void) => void, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    call((error) => {
      if (error) reject(explainMqtt(this.#where, error))
      else resolve()
    })
    const late = AbortSignal.timeout(this.#timing.replyMs)
    try {
      await this.#orLost(promise, AbortSignal.any([signal, late]))
    } catch (error) {
      if (late.aborted && !signal.aborted && !this.lost.aborted) throw silent(this.#where)
      throw error
    }
  }

  /** @throws what the promise rejects with; the reason of the loss, or of the signal */
  async #orLost<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
    const either = AbortSignal.any([this.lost, signal])
    const { promise: ended, reject } = Promise.withResolvers<never>()
    const stop = (): void => reject(either.reason)
    either.addEventListener('abort', stop, { once: true })
    if (either.aborted) stop()
    try {
      return await Promise.race([promise, ended])
    } finally {
      either.removeEventListener('abort', stop)
      promise.catch(() => undefined)
    }
  }
}

function makeOptions(
  { username, password }: MqttSettings,
  timing: MqttTiming,
  { clientId, isFleeting = false, receiveMost, packetBytes, will }: MqttConnectOptions,
): IClientOptions {
  return {
    protocolVersion: 5,
    clientId,
    clean: isFleeting,
    keepalive: timing.keepAliveSeconds,
    connectTimeout: timing.connectMs,
    reconnectPeriod: 0, // every connection is a new one: nothing of an old one is sent on it
    resubscribe: false,
    timerVariant: 'native',
    writeCache: false, // it would hold a buffer for each of 65,536 numbers: 6 MB
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    properties: {
      sessionExpiryInterval: isFleeting ? 0 : timing.sessionSeconds,
      receiveMaximum: receiveMost,
      maximumPacketSize: packetBytes,
    },
    ...(will === undefined
      ? {}
      : {
          will: {
            topic: will.topic,
            payload: Buffer.from(will.payload),
            qos: 1,
            retain: true,
            properties: { willDelayInterval: timing.willSeconds },
          },
        }),
  }
}

function weigh(payload: IPublishPacket['payload']): number {
  return payload.length + BESIDE_BYTES
}

function isReset(error: Error): boolean {
  return 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}

function closed(where: string): PlatenError {
  return new PlatenError('SOURCE_UNREACHABLE', say('hungUp', { where }))
}

function silent(where: string): PlatenError {
  return new PlatenError('SOURCE_UNREACHABLE', say('silent', { printer: where }))
}
