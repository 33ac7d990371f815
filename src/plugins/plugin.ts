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
import type { AppParts, Hooks, HttpEnv, Refusals, ServerInfo } from '../http/parts.ts'
import type { Certificates } from '../http/tls/certificates.ts'
import type { Config, PluginSettings } from '../settings/schema.ts'
import type { AnnouncedService } from '../system/mdns.ts'

/**
 * A feature beside the core. The core does not know plugins by name. To add one, create a folder whose `index.ts` exports a
 * `Plugin` and is cheap to load, write its test, and add a line to `./index.ts`. Import heavy code only when the plugin is
 * switched on or first used (`test/loading.test.ts`). Errors of a plugin are logged, and printing goes on; only an error of
 * `ready` ends the program.
 * Decision `plugins-start-before-listening`.
 */
export interface Plugin<R extends RunningPlugin = RunningPlugin, S = object> {
  /** Folder name. */
  readonly name: string
  /** Display name. */
  readonly title: string
  /** Its keys in config.json, from the `settings.ts` of its folder. */
  readonly settings?: PluginSettings<S>
  /** Returns true if this configuration names a receiver of results: the spool then keeps them (`Outbox`). */
  keepsResults?(config: Config & S): boolean
  /** Its tables in the spool's database, for data that must be written in the same transaction as jobs. */
  readonly tables?: readonly PluginTables[]
  /** Starts the plugin before the server listens. */
  start(core: PluginCore<S>, signal: AbortSignal): R
  /**
   * Loads its HTTP routes, at the first request to the server. While that fails, the HTTP ports refuse all requests: without
   * its hooks a label of another print server could be taken twice. Other ways in go on.
   */
  routes?(): Promise<PluginRoutes<R>>
  /** Loads the description of its routes when `/openapi.json` is requested. */
  describe?(): Promise<PluginDescription>
  /** Returns its part of `GET /info`. */
  info?(): Promise<object>
  /**
   * Returns a name for sentences of the channel through which a label arrived, by the `source` of its job; undefined if it did
   * not come through this plugin. May be called before `start`.
   */
  nameWay?(source: string): string | undefined
  /** Returns true if a label sent to this device URI comes back to this print server. May be called before `start`. */
  leadsBack?(deviceUri: string, at: Whereabouts<S>): boolean
  /**
   * Returns true if a label sent to this device URI reaches a printer whose own URI leads back here (`leadsBack`), so that the
   * label may loop forever. May be called before `start`.
   */
  mayLoop?(deviceUri: string, at: Whereabouts<S>, leadsBack: (uri: string) => boolean): boolean
}

/** The names, ports and printers by which a device URI of this print server is recognized. */
export interface Whereabouts<S = object> {
  /** Returns the current names and addresses of this computer. */
  ownNames(): readonly string[]
  info(): Pick<ServerInfo, 'hostName' | 'names' | 'port' | 'securePort'>
  printers(): readonly KnownPrinter[]
  config(): Config & S
}

/** A started plugin. */
export interface RunningPlugin {
  /** Called once the server listens: its names and certificates are known from then on. */
  listening?(): void
  /** Returns additional host names of the plugin: the server's certificate contains them, and requests may use them. */
  furtherNames?(): readonly string[]
  /** Resolves when the plugin is ready. A rejection ends the program: the SD image must not run without its password. */
  ready?(): Promise<void>
  /** Returns its series for `/metrics`. */
  figures?(): readonly Series[]
  /** Loads the function that lists its mDNS services; not called if nothing is announced. */
  announcer?(): Promise<Announcer>
  /** Resolves when work in flight is done. */
  stop?(): Promise<void>
  /** Stops reporting on labels; called when all work in flight is done. */
  end?(): Promise<void>
}

/** Lists the current mDNS services of a plugin. */
export type Announcer = (at: ServiceAddress) => readonly AnnouncedService[]

/** Host and ports of announced services. */
export interface ServiceAddress {
  readonly port: number
  /** Undefined without HTTPS. */
  readonly securePort: number | undefined
  /** Host name, e.g. `bench-3.local`. */
  readonly host: string
}

/** Routes of a plugin; `running()` returns the started instance. */
export interface PluginRoutes<R> {
  /** @throws PlatenError PROGRAM_BROKEN, from `running()`, if the plugin was not started */
  create(http: AppParts, running: () => R): Hono<HttpEnv>
  readonly refusals?: Refusals
  /** Paths behind `access.keyed`. */
  readonly keyed?: KeyedPaths
  /**
   * Returns true if programs may POST to this path regardless of the Host header; its routes reject browser requests
   * (`access.program`).
   */
  takesAnyName?(path: string): boolean
  /** Creates routes that are tried before all others and pass on requests that are not theirs. */
  first?(http: AppParts, running: R): Hono<HttpEnv>
  /** Returns its hooks for calls of the core. */
  hooks?(running: () => R): Partial<Hooks>
}

/** Calls of a plugin, and the bounds of their content for docs/api.md. */
export interface PluginDescription extends DescribedCalls {
  readonly bounds?: BoundTable
}

/** Settings for a plugin: the keys of the core and its own. */
export interface PluginConfig<S> {
  readonly current: Config & S
  /** Calls `listener` after a change is saved; returns a function that unsubscribes. */
  onChange(listener: (config: Config & S, before: Config & S) => void): () => void
  /** Returns all settings as in the file, with secrets masked; `put` accepts them with changes. */
  masked(): Readonly<Record<string, unknown>>
  /**
   * Saves all settings.
   * @throws PlatenError CONFIG_INVALID, STATE_UNWRITABLE
   */
  put(value: unknown): Promise<object>
  /**
   * Returns the settings that would apply if `value` were saved.
   * @throws PlatenError CONFIG_INVALID
   */
  check(value: unknown): Config & S
}

/** Parts of the server that a plugin is given; `S` is the type of its own settings. */
export interface PluginCore<S = object> {
  readonly spool: Spool
  readonly intake: Intake
  readonly scheduler: Scheduler
  readonly printers: Printers
  readonly renderer: Renderer
  readonly settings: PluginConfig<S>
  readonly stateFolder: string
  /** Returns the part of `GET /info` about the server itself. */
  readonly info: () => ServerInfo
  /** Returns the current names and addresses of this computer. */
  readonly ownNames: () => readonly string[]
  /** Returns the key and certificate of the HTTPS port (PEM) and the fingerprint of their authority; undefined without HTTPS. */
  readonly certificates: () => Pick<Certificates, 'key' | 'cert' | 'fingerprint'> | undefined
  /** API keys (`platen key`). */
  readonly keys: Keys
  /** Memory budget for request bodies, shared by all ways in. */
  readonly bodies: BodyBudget
  /** True on the SD image. */
  readonly isAppliance: boolean
  /** Folder read by systemd units that run as root; undefined = none. */
  readonly runtimeFolder: string | undefined
  /** True if the server may use mDNS. */
  readonly announces: boolean
  /** Folder with credentials from the service manager; undefined = none. */
  readonly credentialsFolder: string | undefined
  readonly log: PluginLog
  /** Logs a non-fatal error. */
  readonly fault: (error: unknown) => void
}

/** Writes log lines: the fields, and a fixed short name of the event. */
interface PluginLog {
  info(fields: object, event: string): void
  warn(fields: object, event: string): void
  error(fields: object, event: string): void
}
