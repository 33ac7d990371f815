import { loadWhenUsed, type Source } from '../source/source.ts'
import { type MqttSettings, type MqttTiming, sessionOf, settings, TIMING } from './settings.ts'

/** Takes labels from a topic of an MQTT 5 broker, and publishes there that this box is alive; `timing` is for tests. */
export function createMqtt(timing: Partial<MqttTiming> = {}) {
  const times = { ...TIMING, ...timing }
  return {
    type: 'mqtt',
    title: 'MQTT',
    settings,
    describe: ({ url, topic }) => `${new URL(url).host}, topic ${topic}`,
    identity: { key: 'client_id', read: (settings) => sessionOf(settings) },
    ...loadWhenUsed<MqttSettings, MqttTiming>(times, {
      pull: () => import('./pull.ts'),
      test: () => import('./connection-test.ts'),
    }),
  } as const satisfies Source<MqttSettings>
}
