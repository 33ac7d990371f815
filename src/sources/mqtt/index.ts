import type { Source } from '../source.ts'
import { sessionOf } from './session.ts'
import { type MqttSettings, type MqttTiming, settings, TIMING } from './settings.ts'

/** Takes labels from a topic of an MQTT 5 broker, and tells there that this box lives; `timing` is for tests. */
export function createMqtt(timing: Partial<MqttTiming> = {}) {
  const times = { ...TIMING, ...timing }
  return {
    type: 'mqtt',
    settings,
    describe: ({ url, topic }) => `${new URL(url).host}, topic ${topic}`,
    identity: { key: 'client_id', read: (settings) => sessionOf(settings) },
    // Loaded only where such a queue is configured.
    async run(settings, intake, signal) {
      const { pull } = await import('./pull.ts')
      await pull(settings, times, intake, signal)
    },
    async test(settings, signal) {
      const { look } = await import('./look.ts')
      return await look(settings, times, signal)
    },
  } as const satisfies Source<MqttSettings>
}
