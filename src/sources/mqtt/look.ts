import { randomUUID } from 'node:crypto'
import type { MqttSettings, MqttTiming } from '../mqtt.ts'
import { MqttConnection } from './connection.ts'

const LOOK = { receiveMost: 1, packetBytes: 65_536 } as const

/**
 * Whether the broker lets us in, in a sentence. Under a name of its own and without a subscription: the one that runs is
 * not disturbed, and no label is taken. @throws PlatenError SOURCE_UNREACHABLE, SOURCE_REFUSED
 */
export async function look(
  settings: MqttSettings,
  timing: MqttTiming,
  signal: AbortSignal,
): Promise<string> {
  const manners = {
    ...LOOK,
    clientId: `platen-look-${randomUUID().slice(0, 8)}`,
    isFleeting: true,
    onMessage: () => Promise.resolve(),
    onContact: () => undefined,
  }
  const connection = await MqttConnection.open(settings, timing, manners, signal)
  await connection.close()
  const { host, protocol } = new URL(settings.url)
  const safety = protocol === 'mqtts:' ? 'over TLS' : 'without TLS'
  return `Reached an MQTT 5 broker at ${host} ${safety}; labels published to ${settings.topic} will print here.`
}
