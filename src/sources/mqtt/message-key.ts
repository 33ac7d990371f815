import { createHash } from 'node:crypto'
import type { IPublishPacket } from 'mqtt'

const ID_MOST = 200

/** By what a message is known when it comes again. */
export interface MessageKey {
  readonly key: string
  /** The sender's own id; else the key holds only as long as the broker's session, which counts from 1 to 65,535. */
  readonly isSenders: boolean
}

/**
 * MQTT gives messages no lasting id: the sender may give one as user property `id`. Without one, a repeat is known by the
 * packet's number in our session and its content.
 */
export function keyOf(packet: IPublishPacket, session: string): MessageKey {
  const property = packet.properties?.userProperties?.['id']
  const id = Array.isArray(property) ? property[0] : property
  if (id !== undefined && id !== '' && id.length <= ID_MOST) {
    return { key: `${packet.topic}:${id}`, isSenders: true }
  }
  const hash = createHash('sha256').update(packet.payload).digest('hex').slice(0, 32)
  return { key: `${session}:${packet.messageId ?? 0}:${hash}`, isSenders: false }
}
