import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import type { IPublishPacket } from 'mqtt'
import * as v from 'valibot'
import { field, object, text, want } from '../../settings/field.ts'
import { isMistypedAddress } from '../../system/http-client.ts'
import { BACK_OFF, type BackOff } from '../../system/wait.ts'
import { SETTLE_MS } from '../source/source.ts'

const URL_WANTED = 'an address such as "mqtts://broker.example", without user and path'
const TOPIC =
  'a topic of 1 to 500 letters, such as "platen/bench-3/print"; + and # stand alone between slashes, # last'
// MQTT 5, 4.7.1: topic wildcards
const TOPIC_FILTER = /^(?=[^\p{Cc}]{1,500}$)(?:#|(?:\+|[^+#/]*)(?:\/(?:\+|[^+#/]*))*(?:\/#)?)$/u
const STATUS_TOPIC = 'a topic without + and #, or "none"'
const CLIENT_ID = want('a name of 1 to 120 letters, digits and signs', {
  key: 'wantName',
  values: { most: '120' },
})
const PEM = 'Path of a PEM file, or its text.'

const isHost = (host = ''): boolean => host !== '' && !isMistypedAddress(host)

/** The keys of an MQTT queue. */
export const settings = v.object(
  {
    url: field(
      v.pipe(
        v.string(URL_WANTED),
        v.check((address) => {
          const url = URL.parse(address)
          const isPlain = url?.username === '' && url.password === '' && /^\/?$/.test(url.pathname)
          return /^mqtts?:$/.test(url?.protocol ?? '') && isHost(url?.hostname) && isPlain
        }, URL_WANTED),
      ),
      'Broker',
      'mqtt:// or mqtts:// (TLS), host and perhaps port.',
      { unquoted: true },
    ),
    topic: field(
      v.pipe(v.string(TOPIC), v.regex(TOPIC_FILTER, TOPIC)),
      'Topic',
      'Labels published to this topic print here.',
    ),
    username: field(v.optional(text), 'Broker user', 'Belongs to the broker password.'),
    password: field(v.optional(text), 'Broker password', 'Belongs to the broker user.', {
      secret: true,
    }),
    client_id: field(
      v.optional(v.pipe(v.string(CLIENT_ID), v.regex(/^[^\p{Cc}]{1,120}$/u, CLIENT_ID))),
      'Client id',
      'Our name at the broker, which must be different for each queue and each print server. Left out: made from the host name.',
    ),
    status_topic: field(
      v.optional(v.pipe(v.string(STATUS_TOPIC), v.regex(/^[^\p{Cc}+#]{1,500}$/u, STATUS_TOPIC))),
      'Status topic',
      'Where this print server publishes whether it is online. Left out: platen/CLIENT ID/status; "none": nowhere.',
    ),
    ca: field(v.optional(text), 'Certificate authority', `The authority that TLS trusts. ${PEM}`, {
      lines: true,
    }),
    client_cert: field(
      v.optional(text),
      'Client certificate',
      `For brokers that ask for one. ${PEM}`,
      { lines: true },
    ),
    client_key: field(v.optional(text), 'Client key', `Belongs to the certificate. ${PEM}`, {
      secret: true,
      lines: true,
    }),
  },
  object,
)

/** Broker, topic, credentials. */
export type MqttSettings = v.InferOutput<typeof settings>

/** Time limits of the source. */
export interface MqttTiming {
  readonly connectMs: number
  /** Time for answers of the broker. */
  readonly replyMs: number
  readonly keepAliveSeconds: number
  /** Time for which the broker keeps messages for us after we have gone. */
  readonly sessionSeconds: number
  /** Time that the broker waits after a break before it publishes that we have gone. */
  readonly willSeconds: number
  /** Interval between two updates of the status topic. */
  readonly statusMs: number
  /** Time after a stop for labels that are on their way. */
  readonly settleMs: number
  /** Time for the last message on the status topic. */
  readonly goodbyeMs: number
  /** Age below which a connection that the broker closed without a reason may have been taken over by a client of our name. */
  readonly quickMs: number
  /** Undisturbed time after which no other client has our name: longer than the pauses of another box. */
  readonly calmMs: number
  /** Pauses between tries while another client has our name. */
  readonly backOff: BackOff
}

/** The limits in use. */
export const TIMING: MqttTiming = {
  connectMs: 10_000,
  replyMs: 10_000,
  keepAliveSeconds: 30,
  sessionSeconds: 7 * 86_400,
  willSeconds: 10,
  statusMs: 2_000,
  settleMs: SETTLE_MS,
  goodbyeMs: 2_000,
  quickMs: 5_000,
  calmMs: 90_000,
  backOff: BACK_OFF,
}

const MACHINE_ID = '/etc/machine-id'
// machine-id(5); where there is none, the host name must do

/** The settings that identify us at a broker. */
interface Identity {
  readonly url: string
  readonly topic: string
  readonly client_id?: string | undefined
}

/** Returns our client ID: that of the settings, or a generated one. */
export function clientIdOf({ client_id, url, topic }: Identity): string {
  return client_id ?? makeClientId(url, topic)
}

/**
 * Returns the session that a broker keeps for us: two sources with the same one would get each other's labels. Ports do not count: a broker
 * has another one for TLS, and keeps the same sessions behind both.
 */
export function sessionOf(identity: Identity): string {
  const host = new URL(identity.url).hostname.toLowerCase().replace(/\.$/, '')
  return `${host}/${clientIdOf(identity)}`
}

/**
 * Makes a client ID. It is always the same, because the broker keeps messages for us under it, and different for each box and each topic,
 * because a broker disconnects a client whose ID connects again. It does not depend on other queues or the printer: waiting messages would
 * be lost when those change.
 */
function makeClientId(url: string, topic: string): string {
  const host = hostname()
    .replace(/[^A-Za-z0-9-]/g, '-')
    .slice(0, 40)
  const hash = createHash('sha256').update([host, readMachineId(), url, topic].join('\n'))
  return `platen-${host}-${hash.digest('hex').slice(0, 8)}`
}

function readMachineId(): string {
  try {
    return readFileSync(MACHINE_ID, 'latin1').trim()
  } catch {
    return '' // no such file on this system
  }
}

const ID_MOST = 200

/** The key by which a repeated message is recognized. */
export interface MessageKey {
  readonly key: string
  /** True for the sender's own id; otherwise the key is valid only as long as the broker's session, which counts from 1 to 65,535. */
  readonly isSenders: boolean
}

/** The common beginning of a session's keys, which no key of a sender or another session shares: names have no line end. */
export const sessionKeys = (session: string): string => `${session}\n`

/**
 * Makes the key of a message. MQTT has no lasting ids: the sender may provide one as user property `id`. Without one, a repeat is
 * recognized by the packet's number in our session and its content.
 */
export function keyOf(packet: IPublishPacket, session: string): MessageKey {
  const property = packet.properties?.userProperties?.['id']
  const id = Array.isArray(property) ? property[0] : property
  if (id !== undefined && id !== '' && id.length <= ID_MOST) {
    return { key: `${packet.topic}:${id}`, isSenders: true }
  }
  const hash = createHash('sha256').update(packet.payload).digest('hex').slice(0, 32)
  return { key: `${sessionKeys(session)}${packet.messageId ?? 0}:${hash}`, isSenders: false }
}

/** Prefixes of shared and exclusive subscriptions: $share is MQTT 5.0, 4.8.2; the others are EMQX's own. */
const SHARE_PREFIX = /^\$(?:share\/[^/]+|queue|exclusive)\/(?=.)/

/** Returns the topics of a subscription, without the prefix of a shared one. */
export function dropSharePrefix(filter: string): string {
  return filter.replace(SHARE_PREFIX, '')
}

/** Tells whether messages of this topic come by a subscription to this filter (MQTT 5.0, 4.7). */
export function covers(filter: string, topic: string): boolean {
  return fits(filter, topic) || fits(dropSharePrefix(filter), topic)
}

function fits(filter: string, topic: string): boolean {
  // The broker's own topics are not for those who ask for everything (4.7.2).
  if (topic.startsWith('$') && /^[+#]/.test(filter)) return false
  const wanted = filter.split('/')
  const levels = topic.split('/')
  const hasRest = wanted.at(-1) === '#'
  if (hasRest) wanted.pop() // it stands for the level before it too
  if (hasRest ? levels.length < wanted.length : levels.length !== wanted.length) return false
  return wanted.every((level, index) => level === '+' || level === levels[index])
}
