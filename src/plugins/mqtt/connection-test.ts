import { randomUUID } from 'node:crypto'
import { PlatenError } from '../../words/errors.ts'
import { join, NOTHING, type Sentences, say } from '../../words/say.ts'
import { MqttConnection, type MqttConnectOptions } from './connection.ts'
import { dropSharePrefix, type MqttSettings, type MqttTiming } from './settings.ts'

const TEST = { receiveMost: 1, packetBytes: 65_536 } as const

/**
 * Tests whether the broker lets us connect and subscribe, and reports only what was seen. It uses a client ID of its own, so the running
 * connection is not disturbed; of messages published meanwhile it gets a copy and discards it, so no label is taken: at QoS 0, without
 * retained messages, and never as a member of a group, which would be dealt labels of the others.
 * @throws PlatenError SOURCE_UNREACHABLE, SOURCE_REFUSED
 */
export async function testConnection(
  settings: MqttSettings,
  timing: MqttTiming,
  signal: AbortSignal,
): Promise<Sentences> {
  const topic = dropSharePrefix(settings.topic)
  const connection = await MqttConnection.open(settings, timing, makeTestOptions(), signal)
  try {
    await connection.subscribe(topic, signal, 0)
  } finally {
    await connection.close()
  }
  const { host, protocol } = new URL(settings.url)
  const safety = say(protocol === 'mqtts:' ? 'overTls' : 'withoutTls')
  const group = topic === settings.topic ? NOTHING : say('outsideGroup')
  const reached = say('reachedMqtt', { where: host, topic })
  return join(reached, safety, group, say('publishOne'))
}

/** True when the broker is alive, whether it accepts us or not. */
export async function answers(
  settings: MqttSettings,
  timing: MqttTiming,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await (await MqttConnection.open(settings, timing, makeTestOptions(), signal)).close()
    return true
  } catch (error) {
    return error instanceof PlatenError && error.code === 'SOURCE_REFUSED'
  }
}

/** Makes the options of a test: a client ID of its own, and nothing is left behind. */
function makeTestOptions(): MqttConnectOptions {
  return {
    ...TEST,
    clientId: `platen-look-${randomUUID().slice(0, 8)}`,
    isFleeting: true,
    onMessage: () => Promise.resolve(),
    onContact: () => undefined,
  }
}
