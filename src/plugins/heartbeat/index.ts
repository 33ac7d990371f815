import type { PluginCore } from '../plugin.ts'
import type { KeyedSource } from '../source/source.ts'
import {
  entries,
  type HeartbeatFacts,
  type HeartbeatKeys,
  type HeartbeatLimits,
  type HeartbeatSettings,
  LIMITS,
  settings,
  tellPrinters,
} from './settings.ts'

/** Reports to the receiver that this box is alive, and prints the labels of its replies; `limits` is for tests. */
export function createHeartbeat(
  facts: () => HeartbeatFacts,
  limits: Partial<HeartbeatLimits> = {},
) {
  const all = { ...LIMITS, ...limits }
  return {
    type: 'heartbeat',
    settings,
    read(config) {
      const { heart_beat_url: url, heart_beat_interval: seconds } = config
      if (url === undefined) return undefined
      const { heart_beat_params: params, heart_beat_printer_commands: commands } = config
      return { settings: { url, seconds, params }, commands }
    },
    // The path and the query may hold a secret.
    describe: ({ url }) => new URL(url).host,
    quietSeconds: ({ seconds }) => Math.round(seconds * (1 + all.jitter) + all.exchangeMs / 1000),
    // Loaded only where a heartbeat is configured.
    async run(settings, intake, signal) {
      const { beat } = await import('./pull.ts')
      await beat(settings, { facts, ...all }, intake, signal)
    },
    async test(settings, signal) {
      const { knock } = await import('./pull.ts')
      return await knock(settings.url, all, signal)
    },
  } as const satisfies KeyedSource<HeartbeatSettings, HeartbeatKeys>
}

/** The heartbeat of this server. */
export const heartbeat = {
  type: 'heartbeat',
  title: 'the heartbeat',
  entries,
  open: ({
    info,
    printers,
  }: Pick<PluginCore, 'info' | 'printers'>): KeyedSource<unknown, HeartbeatKeys> =>
    createHeartbeat(() => ({ ...info(), ...tellPrinters(printers.list()) })),
}
