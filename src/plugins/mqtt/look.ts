import { randomUUID } from 'node:crypto'
import { PlatenError } from '../../words/errors.ts'
import { join, NOTHING, type Sentences, say } from '../../words/say.ts'
import { MqttConnection, type MqttManners } from './connection.ts'
import { dropManner, type MqttSettings, type MqttTiming } from './settings.ts'

const LOOK = { receiveMost: 1, packetBytes: 65_536 } as const

/**
 * Tells whether the broker lets us in and subscribe, in a sentence that says no more than was seen. Under a name of its own, so
 * the one that runs is not disturbed; of what is published meanwhile it gets a copy and throws it away, so no label is
 * taken: at QoS 0, without what is retained, and never as one of a group, which would be dealt labels of the others.
 * @throws PlatenError SOURCE_UNREACHABLE, SOURCE_REFUSED
 */
export async function look(
  settings: MqttSettings,
  timing: MqttTiming,
  signal: AbortSignal,
): Promise<Sentences> {
  const topic = dropManner(settings.topic)
  const connection = await MqttConnection.open(settings, timing, makeManners(), signal)
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

/** True when the broker lives: whether it lets us in or not. */
export async function answers(
  settings: MqttSettings,
  timing: MqttTiming,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await (await MqttConnection.open(settings, timing, makeManners(), signal)).close()
    return true
  } catch (error) {
    return error instanceof PlatenError && error.code === 'SOURCE_REFUSED'
  }
}

/** A name of our own, and nothing is left of us. */
function makeManners(): MqttManners {
  return {
    ...LOOK,
    clientId: `platen-look-${randomUUID().slice(0, 8)}`,
    isFleeting: true,
    onMessage: () => Promise.resolve(),
    onContact: () => undefined,
  }
}
