import type { Series } from '../core/figures.ts'
import type { PluginTables } from '../core/spool/plugin-tables.ts'
import type { KeyedPaths } from '../http/access/access.ts'
import { joinHooks } from '../http/hooks.ts'
import type { AppParts, Hooks, MountedRoutes } from '../http/parts.ts'
import type { Config } from '../settings/schema.ts'
import { PlatenError } from '../words/errors.ts'
import type {
  Announcer,
  Plugin,
  PluginCore,
  PluginDescription,
  RunningPlugin,
  Whereabouts,
} from './plugin.ts'

/** All plugins of this server: starts and stops them, and combines their answers. */
export class Plugins {
  readonly #list: readonly Plugin[]
  readonly #fault: (error: unknown) => void
  readonly #running = new Map<object, RunningPlugin>()

  /** `fault` logs the error of a plugin while the others go on. */
  constructor(list: readonly Plugin[], fault: (error: unknown) => void) {
    this.#list = list
    this.#fault = fault
  }

  /** Lists the tables of all plugins in the spool's database. */
  tables(): readonly PluginTables[] {
    return this.#list.flatMap(({ tables }) => tables ?? [])
  }

  /** Returns true if this configuration names a receiver of results. */
  keepsResults(config: Config): boolean {
    return this.#list.some((plugin) => plugin.keepsResults?.(config) === true)
  }

  /** Names the way a label came in, for use in sentences; a source that no plugin knows keeps its own name. */
  nameWay(source: string): string {
    for (const plugin of this.#list) {
      const name = plugin.nameWay?.(source)
      if (name !== undefined) return name
    }
    return source
  }

  /** Returns true if a label sent to this device URI comes back to this print server through a plugin. */
  leadsBack(deviceUri: string, at: Whereabouts): boolean {
    return this.#list.some((plugin) => plugin.leadsBack?.(deviceUri, at) === true)
  }

  /** Returns true if a label sent to this device URI may loop forever through a plugin. */
  mayLoop(deviceUri: string, at: Whereabouts): boolean {
    const leadsBack = (uri: string): boolean => this.leadsBack(uri, at)
    return this.#list.some((plugin) => plugin.mayLoop?.(deviceUri, at, leadsBack) === true)
  }

  /** Describes the routes of all plugins that have some. */
  async describe(): Promise<readonly PluginDescription[]> {
    const all = await Promise.all(this.#list.map((plugin) => plugin.describe?.()))
    return all.filter((description) => description !== undefined)
  }

  /** Collects the parts of all plugins for `GET /info`. */
  async collectInfo(): Promise<object> {
    const parts = await Promise.all(this.#list.map((plugin) => plugin.info?.()))
    return Object.assign({}, ...parts)
  }

  /** Starts all plugins; one that cannot start is logged and left out. */
  start(core: PluginCore, signal: AbortSignal): void {
    for (const plugin of this.#list) {
      try {
        this.#running.set(plugin, plugin.start(core, signal))
      } catch (err) {
        core.log.error({ err, plugin: plugin.name }, 'plugin not started')
      }
    }
  }

  /** Reports to all plugins that the server listens. */
  listening(): void {
    for (const running of this.#running.values()) {
      try {
        running.listening?.()
      } catch (error) {
        this.#fault(error)
      }
    }
  }

  /**
   * Resolves when all plugins are ready.
   * @throws the error of a plugin without which the server must not run
   */
  async ready(): Promise<void> {
    await Promise.all([...this.#running.values()].map((running) => running.ready?.()))
  }

  /**
   * Returns the started instance of a plugin.
   * @throws PlatenError PROGRAM_BROKEN if it was not started
   */
  running<R extends RunningPlugin, S>(plugin: Plugin<R, S>): R {
    const found = this.#running.get(plugin)
    if (found !== undefined) return found as R
    throw new PlatenError('PROGRAM_BROKEN', `${plugin.title} was not started; the log says why.`)
  }

  /** Lists the additional host names of all plugins; a plugin that fails has none. */
  furtherNames(): readonly string[] {
    return this.#ask((running) => running.furtherNames?.() ?? [])
  }

  /** Lists the series of all plugins for `/metrics`; a plugin that fails is left out. */
  figures(): readonly Series[] {
    return this.#ask((running) => running.figures?.() ?? [])
  }

  #ask<T>(read: (running: RunningPlugin) => readonly T[]): readonly T[] {
    return [...this.#running.values()].flatMap((running) => {
      try {
        return read(running)
      } catch (error) {
        this.#fault(error)
        return []
      }
    })
  }

  /** Loads the function that lists the mDNS services of all plugins; a plugin that fails is left out. */
  async loadAnnouncer(): Promise<Announcer> {
    const loaded = [...this.#running.values()].map(async (running) => {
      try {
        return await running.announcer?.()
      } catch (error) {
        this.#fault(error)
        return undefined
      }
    })
    const announcers = await Promise.all(loaded)
    return (at) =>
      announcers.flatMap((list) => {
        try {
          return list?.(at) ?? []
        } catch (error) {
          this.#fault(error)
          return []
        }
      })
  }

  /** Loads the routes of all plugins. */
  async loadRoutes(): Promise<LoadedRoutes> {
    const loaded = this.#list.map(async (plugin) => {
      const routes = await plugin.routes?.()
      return routes === undefined ? [] : { plugin, routes }
    })
    const all = (await Promise.all(loaded)).flat()
    return {
      hooks: joinHooks(
        all.map(({ plugin, routes }) => routes.hooks?.(() => this.running(plugin)) ?? {}),
      ),
      keyed: all.flatMap(({ routes }) => routes.keyed ?? []),
      takesAnyName: (path) => all.some(({ routes }) => routes.takesAnyName?.(path) === true),
      mount: (http) =>
        all.map(({ plugin, routes }) => {
          const started = this.#running.get(plugin)
          return {
            app: routes.create(http, () => this.running(plugin)),
            // A plugin that was not started must not stand before the others.
            first: started && routes.first?.(http, started),
            refusals: routes.refusals,
          }
        }),
    }
  }

  /** Resolves when the work in flight of all plugins is done. */
  async stop(): Promise<void> {
    await Promise.all([...this.#running.values()].map((one) => one.stop?.().catch(this.#fault)))
  }

  /** Makes all plugins stop reporting on labels. */
  async end(): Promise<void> {
    await Promise.all([...this.#running.values()].map((one) => one.end?.().catch(this.#fault)))
  }
}

/** Routes of all plugins, and their hooks for calls of the core. */
interface LoadedRoutes {
  readonly hooks: Hooks
  /** Paths behind `access.keyed`. */
  readonly keyed: readonly KeyedPaths[]
  /** Returns true if programs may POST to this path regardless of the Host header. */
  takesAnyName(path: string): boolean
  /** Creates the routes. */
  mount(http: AppParts): readonly MountedRoutes[]
}
