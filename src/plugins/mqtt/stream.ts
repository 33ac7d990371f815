import { readFileSync } from 'node:fs'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { explainNetwork } from '../../system/http-client.ts'
import { PlatenError } from '../../words/errors.ts'
import { say } from '../../words/say.ts'
import type { MqttSettings } from './settings.ts'

const PORTS: ReadonlyMap<string, number> = new Map(
  Object.entries({ 'mqtt:': 1883, 'mqtts:': 8883 }),
)
const KEEP_ALIVE_MS = 10_000

/**
 * Opens a connection to the broker, not connected yet.
 * @throws PlatenError SOURCE_REFUSED when a certificate cannot be read
 */
export function openStream(settings: MqttSettings): Socket {
  const { protocol, hostname, port } = new URL(settings.url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const where = {
    host,
    port: port === '' ? (PORTS.get(protocol) ?? 0) : Number(port),
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
  }
  if (protocol === 'mqtt:') return connect(where)
  const { ca, client_cert: cert, client_key: key } = settings
  return connectTls({
    ...where,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca: readPem('ca', ca) }),
    ...(cert === undefined ? {} : { cert: readPem('client_cert', cert) }),
    ...(key === undefined ? {} : { key: readPem('client_key', key) }),
  })
}

function readPem(name: string, value: string): string {
  if (value.includes('-----BEGIN')) return value
  try {
    return readFileSync(value, 'latin1')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no file'
    const message = `${name}: the file cannot be read (${code}); wanted the path of a PEM file, or its text.`
    throw new PlatenError('SOURCE_REFUSED', message, { cause })
  }
}

/** Ends a broker's connection as soon as it announces or sends more than it may; to be called before anything reads it. */
export function watchPackets(socket: Socket, bounds: PacketBounds): Socket {
  const reader = new PacketReader(bounds)
  socket.on('data', (chunk: Buffer) => {
    try {
      for (const packet of reader.read(chunk)) if (packet.length === 0) return
    } catch (error) {
      socket.destroy(error as Error)
    }
  })
  return socket
}

/** Bounds of what a broker may send. */
interface PacketBounds {
  /** The broker's name in sentences. */
  readonly where: string
  /** Bytes of a message, with what surrounds its payload. */
  readonly packetBytes: number
}

/** Most bytes of a message besides its payload, and of every packet that is not a message. */
export const PROPERTY_BYTES = 65_536

// What we ask brings one such packet each, a few a minute.
const ANSWERS_AT_ONCE = 100
const ANSWERS_A_SECOND = 10

const PUBLISH = 3 // MQTT 5.0, 2.1.2
const HEAD_MOST = 5 // a byte of kind and up to four of length (MQTT 5.0, 1.5.5)
const NOTHING = Buffer.alloc(0)

/**
 * Splits a broker's bytes into whole packets. A packet that is larger than we said, or more than we asked for, is detected by its first
 * bytes: the client's own parser holds whatever a broker announces, 268 MB (MQTT.js 5.16).
 */
export class PacketReader {
  readonly #bounds: PacketBounds
  /** The beginning of a packet whose size is unknown yet. */
  #head: Buffer = NOTHING
  #packet: Buffer | undefined
  #size = 0
  #filled = 0
  #answers = ANSWERS_AT_ONCE
  #countedAt = performance.now()

  constructor(bounds: PacketBounds) {
    this.#bounds = bounds
  }

  /**
   * Returns the packets that end within these bytes.
   * @throws PlatenError SOURCE_REFUSED; the connection is unusable then
   */
  *read(chunk: Buffer): Generator<Buffer> {
    let at = 0
    while (at < chunk.length) {
      if (this.#packet === undefined && !this.#begin(chunk, at)) return
      const whole = this.#cut(chunk, at)
      at += whole.taken
      if (whole.packet !== undefined) yield this.#pass(whole.packet)
    }
  }

  /** Begins the next packet. False while its size is unknown. */
  #begin(chunk: Buffer, at: number): boolean {
    const before = this.#head.length
    const head = Buffer.concat([this.#head, chunk.subarray(at, at + HEAD_MOST - before)])
    const size = readSize(head, this.#bounds.where)
    this.#head = size === undefined ? head : NOTHING
    if (size === undefined) return false
    this.#check(head[0] ?? 0, size)
    this.#size = size
    this.#filled = before
    const isWhole = before === 0 && at + size <= chunk.length
    // Only what comes of it becomes memory. In one piece: a packet that drips would take a block for each drop.
    this.#packet = isWhole ? NOTHING : Buffer.allocUnsafeSlow(size)
    head.copy(this.#packet, 0, 0, before)
    return true
  }

  /** Cuts the part of a chunk that belongs to the current packet; returns the packet once it is whole. */
  #cut(chunk: Buffer, at: number): { readonly taken: number; readonly packet?: Buffer } {
    const packet = this.#packet ?? NOTHING
    const taken = Math.min(this.#size - this.#filled, chunk.length - at)
    if (packet !== NOTHING) chunk.copy(packet, this.#filled, at, at + taken)
    this.#filled += taken
    if (this.#filled < this.#size) return { taken }
    this.#packet = undefined
    return { taken, packet: packet === NOTHING ? chunk.subarray(at, at + taken) : packet }
  }

  #check(first: number, size: number): void {
    const { where, packetBytes } = this.#bounds
    const isMessage = first >> 4 === PUBLISH
    const most = isMessage ? packetBytes : PROPERTY_BYTES
    if (size > most) {
      const what = isMessage ? 'a message' : 'an answer'
      const hint = isMessage ? ' (Largest request)' : ''
      throw refused(`${where} sends ${what} of ${size} bytes; wanted at most ${most}${hint}.`)
    }
    if (!isMessage) this.#countAnswer()
    // The second half of a message of QoS 2 is not a message and needs no question of ours.
    else if (qosOf(first) === 2) this.#answers += 1
  }

  #countAnswer(): void {
    const now = performance.now()
    const more = ((now - this.#countedAt) / 1000) * ANSWERS_A_SECOND
    this.#countedAt = now
    this.#answers = Math.min(ANSWERS_AT_ONCE, this.#answers + more) - 1
    if (this.#answers >= 0) return
    throw refused(`${this.#bounds.where} floods us with answers to questions that nobody asked.`)
  }

  #pass(packet: Buffer): Buffer {
    const beside = (packet[0] as number) >> 4 === PUBLISH ? sizeBesidePayload(packet) : 0
    if (beside <= PROPERTY_BYTES) return packet
    const { where } = this.#bounds
    throw refused(
      `${where} sends a message with ${beside} bytes besides its payload; wanted at most ${PROPERTY_BYTES}.`,
    )
  }
}

/** Reads the size of the whole packet; undefined while its length is incomplete. */
function readSize(head: Buffer, where: string): number | undefined {
  const length = readNumber(head, 1)
  if (length !== undefined) return length.end + length.value
  if (head.length < HEAD_MOST) return undefined
  throw refused(`${where} sends something else than MQTT.`)
}

/** Bytes of a message besides its payload: topic, number and properties, which follow their size (MQTT 5.0, 3.3.2). */
function sizeBesidePayload(packet: Buffer): number {
  const start = readNumber(packet, 1)?.end ?? 0
  const topic = start + 2 <= packet.length ? packet.readUInt16BE(start) : 0
  const at = start + 2 + topic + (qosOf(packet[0] ?? 0) > 0 ? 2 : 0)
  const properties = readNumber(packet, at)
  return properties === undefined ? 0 : properties.end + properties.value
}

/** Reads a number of one to four bytes with seven bits each (MQTT 5.0, 1.5.5), and its end. */
function readNumber(bytes: Buffer, from: number): { value: number; end: number } | undefined {
  let value = 0
  for (let digit = 0; digit < 4; digit += 1) {
    const byte = bytes[from + digit]
    if (byte === undefined) return undefined
    value += (byte & 0x7f) * 128 ** digit
    if (byte < 0x80) return { value, end: from + digit + 1 }
  }
  return undefined
}

function qosOf(first: number): number {
  return (first >> 1) & 3
}

function refused(message: string): PlatenError {
  return new PlatenError('SOURCE_REFUSED', message)
}

/** Reason codes of CONNACK and DISCONNECT (MQTT 5.0, 2.4; 1 and 4, 5 are those of MQTT 3.1.1). */
const REASONS: Readonly<Record<number, string>> = {
  133: 'refuses our client ID',
  138: 'has banned us',
  144: 'refuses a topic of ours',
  149: 'takes no message of this size',
  153: 'refuses a message of ours',
  154: 'keeps no retained messages, so status_topic must be "none"',
  158: 'knows no shared subscriptions',
}

/** Reason codes that owners of a broker meet. */
const PLAIN_REASONS: Readonly<Record<number, 'noMqtt5' | 'badLogin' | 'notLetIn' | 'sameClient'>> =
  {
    1: 'noMqtt5',
    132: 'noMqtt5',
    4: 'badLogin',
    134: 'badLogin',
    5: 'notLetIn',
    135: 'notLetIn',
    142: 'sameClient',
  }

/** Reasons that pass by themselves. */
const PASSING: Readonly<Record<number, string>> = {
  3: 'cannot serve us now',
  136: 'cannot serve us now',
  137: 'is busy',
  139: 'is shutting down',
  141: 'has heard nothing of us for a while',
  147: 'says that we take too many messages at once',
  151: 'says that our quota is used up',
  152: 'ended the connection',
}

/** Explains a failed connection to the broker in one sentence. */
export function explainMqtt(where: string, cause: unknown): PlatenError {
  if (cause instanceof PlatenError) return cause
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (typeof code === 'number') return explainReason(where, code, cause)
  if (cause instanceof Error && /timeout/i.test(cause.message)) {
    return new PlatenError('SOURCE_UNREACHABLE', say('silent', { printer: where }), { cause })
  }
  return explainNetwork(where, cause)
}

/** Explains the reason code of a CONNACK, SUBACK or DISCONNECT in one sentence. */
export function explainReason(where: string, code: number, cause?: unknown): PlatenError {
  const passing = PASSING[code]
  if (passing !== undefined) {
    const why = `It ${passing} (MQTT reason ${code}).`
    const more = { cause, detail: why }
    return new PlatenError('SOURCE_UNREACHABLE', say('cannotServe', { where }), more)
  }
  const detail = `MQTT reason ${code}.`
  const plain = PLAIN_REASONS[code]
  if (plain !== undefined) {
    return new PlatenError('SOURCE_REFUSED', say(plain, { where }), { cause, detail })
  }
  const words = REASONS[code] ?? 'refuses the connection'
  const more = { cause, detail: `It ${words} (MQTT reason ${code}).` }
  return new PlatenError('SOURCE_REFUSED', say('turnsAway', { where }), more)
}

/** Explains a failed subscription in one sentence; the client puts the broker's SUBACK into the error. */
export function explainTopic(where: string, topic: string, cause: Error): PlatenError {
  // The packet is undefined when the client gave up waiting for it.
  const packet = 'packet' in cause ? cause.packet : undefined
  const code = (packet as { granted?: readonly unknown[] } | undefined)?.granted?.[0]
  if (typeof code !== 'number') return explainMqtt(where, cause)
  const more = { cause, detail: `SUBACK: MQTT reason ${code}.` }
  return new PlatenError('SOURCE_REFUSED', say('noSubscribe', { where, topic }), more)
}

const NOT_ALLOWED = 135

/** Explains in one sentence why the broker did not take a message of ours. */
export function explainTell(where: string, topic: string, cause: Error): PlatenError {
  if (!('code' in cause) || cause.code !== NOT_ALLOWED) return explainMqtt(where, cause)
  const more = { cause, detail: `PUBACK: MQTT reason ${NOT_ALLOWED}.` }
  return new PlatenError('SOURCE_REFUSED', say('noPublish', { where, topic }), more)
}
