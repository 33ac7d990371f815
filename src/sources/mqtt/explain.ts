import { PlatenError } from '../../errors.ts'
import { explainNetwork } from '../../http-client.ts'

/** Reason codes of CONNACK and DISCONNECT (MQTT 5.0, 2.4; 1 and 4, 5 are those of MQTT 3.1.1). */
const REASONS: Readonly<Record<number, string>> = {
  1: 'speaks no MQTT 5',
  4: 'refuses the user name or the password',
  5: 'does not let us in',
  132: 'speaks no MQTT 5',
  133: 'refuses our client_id',
  134: 'refuses the user name or the password',
  135: 'does not let us in',
  138: 'has banned us',
  142: 'ended the connection: somebody else uses our client_id',
  144: 'refuses a topic of ours',
  149: 'takes no message of this size',
  153: 'refuses a message of ours',
  154: 'keeps no retained messages, so status_topic must be "none"',
  158: 'knows no shared subscriptions',
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

/** A failed connection to the broker as one sentence. */
export function explainMqtt(where: string, cause: unknown): PlatenError {
  if (cause instanceof PlatenError) return cause
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (typeof code === 'number') return explainReason(where, code, cause)
  if (cause instanceof Error && /timeout/i.test(cause.message)) {
    return new PlatenError('SOURCE_UNREACHABLE', `${where} does not answer.`, { cause })
  }
  return explainNetwork(where, cause)
}

/** The reason code of a CONNACK, SUBACK or DISCONNECT as one sentence. */
export function explainReason(where: string, code: number, cause?: unknown): PlatenError {
  const passing = PASSING[code]
  if (passing !== undefined) {
    return new PlatenError('SOURCE_UNREACHABLE', `${where} ${passing}.`, { cause })
  }
  const words = REASONS[code] ?? `refuses (MQTT reason ${code})`
  return new PlatenError('SOURCE_REFUSED', `${where} ${words}.`, { cause })
}

/** A subscription that failed as one sentence; the client puts the broker's SUBACK into the error. */
export function explainTopic(where: string, topic: string, cause: Error): PlatenError {
  // The packet is undefined when the client gave up waiting for it.
  const packet = 'packet' in cause ? cause.packet : undefined
  const code = (packet as { granted?: readonly unknown[] } | undefined)?.granted?.[0]
  if (typeof code !== 'number') return explainMqtt(where, cause)
  const message = `${where} does not let us subscribe to ${topic} (MQTT reason ${code}).`
  return new PlatenError('SOURCE_REFUSED', message, { cause })
}

const NOT_ALLOWED = 135

/** A message of ours that the broker did not take, as one sentence. */
export function explainTell(where: string, topic: string, cause: Error): PlatenError {
  if (!('code' in cause) || cause.code !== NOT_ALLOWED) return explainMqtt(where, cause)
  const message = `${where} does not let us publish to ${topic} (MQTT reason ${NOT_ALLOWED}).`
  return new PlatenError('SOURCE_REFUSED', message, { cause })
}
