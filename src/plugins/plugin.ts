import type { Hono } from 'hono'
import type { Renderer } from '../core/drawing/renderer.ts'
import type { Series } from '../core/figures.ts'
import type { Intake } from '../core/intake/intake.ts'
import type { Printers } from '../core/printers/registry.ts'
import type { KnownPrinter } from '../core/printers/status.ts'
import type { Scheduler } from '../core/queue/scheduler.ts'
import type { BodyBudget } from '../core/request/body-budget.ts'
import type { PluginTables } from '../core/spool/plugin-tables.ts'
import type { Spool } from '../core/spool/spool.ts'
import type { KeyedPaths } from '../http/access/access.ts'
import type { Keys } from '../http/access/keys.ts'
import type { BoundTable } from '../http/bounds.ts'
import type { DescribedCalls } from '../http/openapi/document.ts'
import type {
  AppParts,
  Hooks,
  HttpEnv,
  MountedRoutes,
  Refusals,
  ServerInfo,
} from '../http/parts.ts'
import type { Certificates } from '../http/tls/certificates.ts'
import type { Config, PluginSettings } from '../settings/schema.ts'
import type { AnnouncedService } from '../system/mdns.ts'
import { PlatenError } from '../words/errors.ts'

/**
 * A feature beside the core, which knows none by its name. Adding one = one folder whose `index.ts` exports one of these and is
 * light to load, its test, and one line in `./index.ts`. Everything heavy is imported when the plugin is switched on or first asked
 * for (`test/loading.test.ts`); what it throws is logged, and printing goes on; only what `ready` throws ends
 * the program.
 * Decision `plugins-start-before-listening`.
 */
export interface Plugin<R extends RunningPlugin = RunningPlugin, S = object> {
  /** The name of its folder. */
  readonly name: string
  /** The name for people. */
  readonly title: string
  /** Its keys of config.json, from the `settings.ts` of its folder; `start` reads them. */
  readonly settings?: PluginSettings<S>
  /** Tells whether these settings name a receiver of results: the spool then keeps them (`Outbox`). */
  keepsResults?(config: Config & S): boolean
  /** Its tables in the spool's database, for data that must be written in one transaction with jobs. */
  readonly tables?: readonly PluginTables[]
  /** Starts it before the server listens; its work is loaded later. */
  start(core: PluginCore<S>, signal: AbortSignal): R
  /** Loads its paths of the HTTP port, with the first request. */
  routes?(): Promise<PluginRoutes<R>>
  /** Loads the description of these paths when `/openapi.json` is requested. */
  describe?(): Promise<PluginDescription>
  /** Its part of `GET /info`. */
  info?(): Promise<object>
  /** Names the way of a label in sentences, by the `source` of its job, where the way is its own. Also asked before the plugin is started. */
  nameWay?(source: string): string | undefined
  /** Tells whether a label for this device URI comes back to this print server. Also asked before the plugin is started. */
  leadsBack?(deviceUri: string, at: Whereabouts<S>): boolean
  /**
   * Tells whether a label for this device URI comes to a printer whose own URI leads back here, as `leadsBack` says: it may go
   * round without end. Also asked before the plugin is started.
   */
  goesRound?(deviceUri: string, at: Whereabouts<S>, leadsBack: (uri: string) => boolean): boolean
}

/** The names of this print server in device URIs. */
export interface Whereabouts<S = object> {
  /** Names and addresses of this computer. */
  ownNames(): readonly string[]
  info(): Pick<ServerInfo, 'hostName' | 'names' | 'port' | 'securePort'>
  printers(): readonly KnownPrinter[]
  config(): Config & S
}

/** A started plugin. */
export interface RunningPlugin {
  /** Called when the server listens: its names and certificates are known. */
  listening?(): void
  /** Names of this server by which the plugin is reached, beside its own: its certificate has them, and requests may use them. */
  furtherNames?(): readonly string[]
  /** Resolves when the server may say that it is ready. It rejects to end the program: a box must not run without its password. */
  ready?(): Promise<void>
  /** Its series for `/metrics`. */
  figures?(): readonly Series[]
  /** Loads the list of its services for mDNS; not called if nothing is announced. */
  announcer?(): Promise<Announcer>
  /** Resolves when its work in hand is settled. */
  stop?(): Promise<void>
  /** Ends what still reported on labels; called when the work of all plugins is settled. */
  end?(): Promise<void>
}

/** Lists the present services of a plugin. */
export type Announcer = (at: ServiceAddress) => readonly AnnouncedService[]

/** The host and ports of announced services. */
export interface ServiceAddress {
  readonly port: number
  /** Undefined without HTTPS. */
  readonly securePort: number | undefined
  /** `bench-3.local` */
  readonly host: string
}

/** The paths of a plugin. `running` returns it once it is started. */
export interface PluginRoutes<R> {
  /** @throws PlatenError PROGRAM_BROKEN by `running` if the plugin is missing */
  create(http: AppParts, running: () => R): Hono<HttpEnv>
  readonly refusals?: Refusals
  /** Its paths that are behind `access.keyed`. */
  readonly keyed?: KeyedPaths
  /** Tells whether programs may POST to a path under any name of this computer; its routes refuse pages: `access.program`. */
  takesAnyName?(path: string): boolean
  /** Creates routes that come before all others, and pass on what is not theirs. */
  first?(http: AppParts, running: R): Hono<HttpEnv>
  /** Its hooks for calls of the core. */
  hooks?(running: () => R): Partial<Hooks>
}

/** The calls of a plugin, and the bounds of their content, for docs/api.md. */
export interface PluginDescription extends DescribedCalls {
  readonly bounds?: BoundTable
}

/** The settings for a plugin: the keys of the core, and its own. */
export interface PluginConfig<S> {
  readonly current: Config & S
  /** Calls `listener` after a change was saved; returns a function that unsubscribes. */
  onChange(listener: (config: Config & S, before: Config & S) => void): () => void
  /** The whole settings as they would stand in the file, secrets masked; `put` takes them with changes. */
  masked(): Readonly<Record<string, unknown>>
  /** @throws PlatenError CONFIG_INVALID, STATE_UNWRITABLE */
  put(value: unknown): Promise<object>
  /**
   * Returns the settings that would run if this were saved.
   * @throws PlatenError CONFIG_INVALID
   */
  check(value: unknown): Config & S
}

/** The parts of the server for a plugin; `S` are the values of its own settings. */
export interface PluginCore<S = object> {
  readonly spool: Spool
  readonly intake: Intake
  readonly scheduler: Scheduler
  readonly printers: Printers
  readonly renderer: Renderer
  readonly settings: PluginConfig<S>
  readonly stateFolder: string
  /** The part of `GET /info` that is about the server itself. */
  readonly info: () => ServerInfo
  /** The names and addresses that this computer has now. */
  readonly ownNames: () => readonly string[]
  /** The key and certificate of the HTTPS port, PEM, and the fingerprint of its authority; undefined without HTTPS. */
  readonly certificates: () => Pick<Certificates, 'key' | 'cert' | 'fingerprint'> | undefined
  /** The API keys (`platen key`). */
  readonly keys: Keys
  /** The budget for the bodies of all ways in together. */
  readonly bodies: BodyBudget
  /** True on the SD image. */
  readonly isAppliance: boolean
  /** Folder that root's units read; undefined = none. */
  readonly runtimeFolder: string | undefined
  /** True if it may use mDNS. */
  readonly announces: boolean
  /** Folder in which a service manager puts credentials; undefined = none. */
  readonly credentialsFolder: string | undefined
  readonly log: PluginLog
  /** Logs a fault that disturbs nothing else. */
  readonly fault: (error: unknown) => void
}

/** Lines for the log: fields first, then a fixed short word. */
interface PluginLog {
  info(fields: object, event: string): void
  warn(fields: object, event: string): void
  error(fields: object, event: string): void
}

/** The started plugins of this server. */
export class Plugins {
  readonly #list: readonly Plugin[]
  readonly #running = new Map<object, RunningPlugin>()

  constructor(list: readonly Plugin[]) {
    this.#list = list
  }

  /** Starts all; one that cannot start is logged and left out. */
  start(core: PluginCore, signal: AbortSignal): void {
    for (const plugin of this.#list) {
      try {
        this.#running.set(plugin, plugin.start(core, signal))
      } catch (err) {
        core.log.error({ err, plugin: plugin.name }, 'plugin not started')
      }
    }
  }

  /** Tells all that the server listens. */
  listening(fault: (error: unknown) => void): void {
    for (const running of this.#running.values()) {
      try {
        running.listening?.()
      } catch (error) {
        fault(error)
      }
    }
  }

  /**
   * Resolves when all are ready.
   * @throws what one needs that must not run without it
   */
  async ready(): Promise<void> {
    await Promise.all([...this.#running.values()].map((running) => running.ready?.()))
  }

  /** @throws PlatenError PROGRAM_BROKEN when it is missing */
  running<R extends RunningPlugin, S>(plugin: Plugin<R, S>): R {
    const found = this.#running.get(plugin)
    if (found !== undefined) return found as R
    throw new PlatenError('PROGRAM_BROKEN', `${plugin.title} was not started; the log says why.`)
  }

  /** Lists further names of this server; a plugin whose names cannot be read has none. */
  furtherNames(fault: (error: unknown) => void): readonly string[] {
    return this.#ask((running) => running.furtherNames?.() ?? [], fault)
  }

  /** Lists the series for `/metrics`; a plugin whose figures cannot be read is left out. */
  figures(fault: (error: unknown) => void): readonly Series[] {
    return this.#ask((running) => running.figures?.() ?? [], fault)
  }

  #ask<T>(
    read: (running: RunningPlugin) => readonly T[],
    fault: (error: unknown) => void,
  ): readonly T[] {
    return [...this.#running.values()].flatMap((running) => {
      try {
        return read(running)
      } catch (error) {
        fault(error)
        return []
      }
    })
  }

  /** Loads the services of all for mDNS; a plugin that cannot list them is left out. */
  async loadAnnouncer(fault: (error: unknown) => void): Promise<Announcer> {
    const loaded = [...this.#running.values()].map(async (running) => {
      try {
        return await running.announcer?.()
      } catch (error) {
        fault(error)
        return undefined
      }
    })
    const announcers = await Promise.all(loaded)
    return (at) =>
      announcers.flatMap((list) => {
        try {
          return list?.(at) ?? []
        } catch (error) {
          fault(error)
          return []
        }
      })
  }

  /** Loads their paths of the HTTP port. */
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
            // Of one that was not started nothing stands before the others.
            first: started && routes.first?.(http, started),
            refusals: routes.refusals,
          }
        }),
    }
  }

  /** Resolves when the work in hand of all is settled. */
  async stop(fault: (error: unknown) => void): Promise<void> {
    await Promise.all([...this.#running.values()].map((one) => one.stop?.().catch(fault)))
  }

  /** Ends what reported on the last labels. */
  async end(fault: (error: unknown) => void): Promise<void> {
    await Promise.all([...this.#running.values()].map((one) => one.end?.().catch(fault)))
  }
}

/** The paths of all plugins, and their hooks for calls of the core. */
export interface LoadedRoutes {
  readonly hooks: Hooks
  /** Paths that show an API key. */
  readonly keyed: readonly KeyedPaths[]
  /** Tells whether programs reach a path under any name of this computer. */
  takesAnyName(path: string): boolean
  mount(http: AppParts): readonly MountedRoutes[]
}

/** Joins hooks: the first that identifies a sender, and the first that moves labels elsewhere. */
export function joinHooks(all: readonly Partial<Hooks>[]): Hooks {
  return {
    async findSender(c) {
      for (const hooks of all) {
        const sender = await hooks.findSender?.(c)
        if (sender !== undefined) return sender
      }
      return undefined
    },
    elsewhere: all.find(({ elsewhere }) => elsewhere !== undefined)?.elsewhere,
  }
}

/** Names the way that a label came, for sentences, by the `source` of its job; one that no plugin knows keeps its own name. */
export function nameWay(list: readonly Plugin[], source: string): string {
  const names = list.flatMap((plugin) => plugin.nameWay?.(source) ?? [])
  return names[0] ?? source
}

/** Tells whether a label for this device URI comes back to this print server through a plugin. */
export function leadsBack(list: readonly Plugin[], deviceUri: string, at: Whereabouts): boolean {
  return list.some((plugin) => plugin.leadsBack?.(deviceUri, at) === true)
}

/** Tells whether a label for this device URI may go round through a plugin without end. */
export function goesRound(list: readonly Plugin[], deviceUri: string, at: Whereabouts): boolean {
  const isBack = (uri: string): boolean => leadsBack(list, uri, at)
  return list.some((plugin) => plugin.goesRound?.(deviceUri, at, isBack) === true)
}

/** Describes the paths of all plugins that have some. */
export async function describeAll(list: readonly Plugin[]): Promise<readonly PluginDescription[]> {
  return (await Promise.all(list.map(async (plugin) => (await plugin.describe?.()) ?? []))).flat()
}

/** Collects the parts of all plugins for `GET /info`. */
export async function tellAll(list: readonly Plugin[]): Promise<readonly object[]> {
  return await Promise.all(list.map(async (plugin) => (await plugin.info?.()) ?? {}))
}

/** Lists the tables of these plugins in the spool's database. */
export function listTables(list: readonly Plugin[]): readonly PluginTables[] {
  return list.flatMap(({ tables }) => tables ?? [])
}

/** A part that is loaded on first use; after a failure the next use tries again. */
export class LoadedLate<T> {
  readonly #load: () => Promise<T>
  #part: Promise<T> | undefined

  constructor(load: () => Promise<T>) {
    this.#load = load
  }

  /** @throws what loading throws: a full disk, too many open files */
  async open(): Promise<T> {
    this.#part ??= this.#load()
    const part = this.#part
    try {
      return await part
    } catch (error) {
      if (this.#part === part) this.#part = undefined
      throw error
    }
  }

  /** Returns the part if it was asked for; undefined otherwise. */
  async opened(): Promise<T | undefined> {
    return await this.#part?.catch(() => undefined)
  }
}
