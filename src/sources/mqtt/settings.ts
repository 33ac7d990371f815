import * as v from 'valibot'
import { isMistypedAddress } from '../../http-client.ts'
import { field, object, text } from '../../settings.ts'
import { BACK_OFF, type BackOff } from '../../wait.ts'
import { SETTLE_MS } from '../holding.ts'

const URL_WANTED = 'an address such as "mqtts://broker.example", without user and path'
const TOPIC =
  'a topic of 1 to 500 letters, such as "platen/bench-3/print"; + and # stand alone between slashes, # last'
// MQTT 5, 4.7.1: topic wildcards
const TOPIC_FILTER = /^(?=[^\p{Cc}]{1,500}$)(?:#|(?:\+|[^+#/]*)(?:\/(?:\+|[^+#/]*))*(?:\/#)?)$/u
const STATUS_TOPIC = 'a topic without + and #, or "none"'
const CLIENT_ID = 'a name of 1 to 120 letters, digits and signs'
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
      'Labels published there print here.',
    ),
    username: field(v.optional(text), 'Broker user', 'Goes with the broker password.'),
    password: field(v.optional(text), 'Broker password', 'Goes with the broker user.', {
      secret: true,
    }),
    client_id: field(
      v.optional(v.pipe(v.string(CLIENT_ID), v.regex(/^[^\p{Cc}]{1,120}$/u, CLIENT_ID))),
      'Client id',
      'Our name at the broker, another one for each queue and each box. Left out: made of the host name.',
    ),
    status_topic: field(
      v.optional(v.pipe(v.string(STATUS_TOPIC), v.regex(/^[^\p{Cc}+#]{1,500}$/u, STATUS_TOPIC))),
      'Status topic',
      'Tells whether this box is there. Left out: platen/CLIENT ID/status; "none": nowhere.',
    ),
    ca: field(v.optional(text), 'Certificate authority', `Whom TLS trusts. ${PEM}`, {
      lines: true,
    }),
    client_cert: field(
      v.optional(text),
      'Client certificate',
      `For brokers that ask for one. ${PEM}`,
      { lines: true },
    ),
    client_key: field(v.optional(text), 'Client key', `Goes with the certificate. ${PEM}`, {
      secret: true,
      lines: true,
    }),
  },
  object,
)

/** Broker, topic, credentials. */
export type MqttSettings = v.InferOutput<typeof settings>

/** How patient the source is. */
export interface MqttTiming {
  readonly connectMs: number
  /** For the answers of the broker. */
  readonly replyMs: number
  readonly keepAliveSeconds: number
  /** The broker keeps what comes for us so long after we have gone. */
  readonly sessionSeconds: number
  /** After a break the broker waits so long before it tells that we have gone. */
  readonly willSeconds: number
  /** Between two looks at what the status topic should say. */
  readonly statusMs: number
  /** After a stop, for labels that are on their way. */
  readonly settleMs: number
  /** For the last word on the status topic. */
  readonly goodbyeMs: number
  /** A connection that the broker closed sooner, without a word, may have been taken over by somebody of our name. */
  readonly quickMs: number
  /** After so long undisturbed nobody else has our name: longer than the pauses of another box. */
  readonly calmMs: number
  /** Between two tries while somebody else has our name. */
  readonly backOff: BackOff
}

/** The patience in use. */
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
