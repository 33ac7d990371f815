import { join } from 'node:path'
import type { PluginSettings } from '../../settings/schema.ts'
import { keepFile, openHandFile } from '../../settings/write.ts'
import { version } from '../../system/process.ts'
import type { Plugin, PluginCore } from '../plugin.ts'
import { collectSources } from './figures.ts'
import { openMemory } from './memory.ts'
import type { RunningSources } from './routes.ts'
import { Sources, type SourcesConfig } from './run.ts'
import { queueSettings } from './settings.ts'
import type { KeyedSource, Source } from './source.ts'

/** The heartbeat, with its keys. */
interface Heartbeat<K> {
  readonly type: string
  readonly title: string
  readonly entries: PluginSettings<K>['entries']
  open(core: Pick<PluginCore, 'info' | 'printers'>): KeyedSource<unknown, K>
}

/** Ways in besides HTTP, as one plugin; a saved configuration changes them at once. */
export function sourcePlugin<K extends object>(
  list: readonly Source[],
  heartbeat: Heartbeat<K>,
): Plugin<RunningSources, SourcesConfig> {
  const queues = queueSettings(list)
  return {
    name: 'source',
    title: 'Sources of labels',
    settings: { ...queues, entries: { ...heartbeat.entries, ...queues.entries } },
    nameWay: (source) => [heartbeat, ...list].find(({ type }) => type === source)?.title,
    start(core) {
      const { settings, intake, stateFolder, log } = core
      const sources = new Sources({
        list,
        heartbeat: heartbeat.open(core),
        memory: openMemory(keepFile(join(stateFolder, 'sources.json'))),
        version,
        hand: openHandFile(join(stateFolder, 'in-hand')),
        openIntake: (type, printer, commands) => intake.forSource(type, printer, commands),
        messageBytes: () => settings.current.max_body_mb * 2 ** 20,
        log,
      })
      settings.onChange((config) => sources.configure(config))
      return {
        sources,
        check: (value) => settings.check(value),
        figures: () => collectSources(sources.list()),
        listening: () => sources.configure(settings.current),
        stop: () => sources.stop(),
      }
    },
    routes: async () => (await import('./routes.ts')).sourceRoutes,
    describe: async () => ({ calls: (await import('./routes.ts')).sourceCalls, schemas: {} }),
  }
}
