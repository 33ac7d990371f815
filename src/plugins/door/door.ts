import type { IncomingHttpHeaders } from 'node:http'
import type { Renderer } from '../../core/drawing/renderer.ts'
import type { Intake } from '../../core/intake/intake.ts'
import type { LabelRequest, RequestReceipt } from '../../core/intake/requests.ts'
import type { Printers } from '../../core/printers/registry.ts'
import type { Scheduler } from '../../core/queue/scheduler.ts'
import type { BudgetShare } from '../../core/request/body-budget.ts'
import type { PluginTables } from '../../core/spool/plugin-tables.ts'
import type { Spool } from '../../core/spool/spool.ts'
import type { Keys } from '../../http/access/keys.ts'
import type { Config, PluginSettings } from '../../settings/schema.ts'
import type { Sentences } from '../../words/say.ts'
import type { Plugin, RunningPlugin } from '../plugin.ts'

/**
 * A way in that speaks another product's protocol. Adding one = one folder whose `index.ts` exports one of these and is
 * light to load, its keys in its `settings.ts` (a port with the mark `ports`), its test, and one line in `../doors.ts`.
 * It is given a `DoorBox`; every label goes to the one intake.
 */
export interface Door<S = unknown, K = object>
  extends Pick<Plugin<RunningPlugin, K>, 'leadsBack' | 'goesRound'> {
  /** The name of the folder, and the `source` of its jobs. */
  readonly name: string
  /** The name that people use. */
  readonly title: string
  /** Its name in sentences, as the way that a label came; left out: the title. */
  readonly way?: string
  /** The key of the settings that switches it on. */
  readonly key: string
  /** Its keys of config.json. */
  readonly settings: PluginSettings<K>
  /** Its path of the HTTP port, e.g. `/printnode`: requests to it and below it are for the door; left out: none. */
  readonly path?: string
  /** Its tables in the spool's database. */
  readonly tables?: PluginTables
  /** The host name of the configuration under which nothing answers but the door, without its `path`. */
  host?(config: Config & K): string | undefined
  /** Lines that somebody types on the other side to print here; `settings` are those of `read`. */
  lines(settings: S, at: DoorAddress): readonly DoorLine[]
  /** Reads its settings from the configuration; undefined = switched off. Another value starts the door again. */
  read(config: Config & K): S | undefined
  /**
   * Opens it. Everything heavy lies in the folder's `serve.ts`, which is imported here (`test/loading.test.ts`). Once `signal` aborts it takes nothing more.
   * @throws PlatenError PORT_TAKEN and others; it is tried again after a while
   */
  start(settings: S, box: DoorBox, signal: AbortSignal): Promise<OpenDoor>
}

/** The address at which the other side finds the box. */
export interface DoorAddress {
  /** A name or an address, an IPv6 one in brackets. */
  readonly host: string
  readonly port: string
  /** '' = no https. */
  readonly securePort: string
}

/** A line that somebody types elsewhere. */
export interface DoorLine {
  /** The place where it is typed, with a colon. */
  readonly where: Sentences
  readonly line: string
}

/** A door that is open. */
export interface OpenDoor {
  /** The places where it is reached, for people and the log, e.g. `port 9100 (Bench 1)`. */
  readonly places: readonly string[]
  /** Resolves when it is closed and what was in hand is settled; rejects when it broke. */
  readonly closed: Promise<void>
  /** Answers requests to its paths of the HTTP port; left out = it has none. Errors become answers of its own shape. */
  readonly answer?: (request: DoorRequest) => Promise<Response>
}

/** A request that reached the HTTP port: under one of the box's own names, by no foreign page. */
export interface DoorRequest {
  readonly method: string
  /** Below the door's own, e.g. `/printers`; `/` for the door itself. */
  readonly path: string
  readonly query: URLSearchParams
  /** Undefined when it is not there. */
  header(name: string): string | undefined
  /**
   * The whole body.
   * @throws PlatenError BODY_*, SERVER_BUSY
   */
  body(): Promise<Uint8Array>
  /** The client whose share of the spool its labels take. */
  readonly network: string
  /** The share that its body holds until it is answered; undefined before it was read. */
  readonly share: () => BudgetShare | undefined
  /** Aborts when the client went away. */
  readonly signal: AbortSignal
}

/** The one intake, which counts what it is given: a door cannot forget to. */
interface DoorIntake extends Pick<Intake, 'forSource'> {
  /** `share`: what the request holds already; left out: its labels are counted here. */
  take(request: LabelRequest, share?: BudgetShare): Promise<RequestReceipt>
}

/** The parts of the box that a door is given. */
export interface DoorBox {
  readonly intake: DoorIntake
  /** Opens the share of the memory of all ways in that a request of this client holds until it is answered. */
  readonly hold: (owner: string) => BudgetShare
  readonly printers: Pick<Printers, 'list' | 'get' | 'resolve' | 'onChange'>
  readonly spool: Pick<Spool, 'history' | 'repeats' | 'line' | 'records' | 'health' | 'onChange'>
  readonly scheduler: Pick<Scheduler, 'cancel' | 'attend'>
  /** Draws what stands between commands; left out = such pictures are refused. */
  readonly renderer?: Pick<Renderer, 'render'>
  /** Read it each time: most keys change while the program runs. */
  readonly config: () => Config
  /** Names and version of this box. */
  readonly info: () => BoxInfo
  /** The key and certificate of the HTTPS port, PEM; undefined without HTTPS. */
  readonly certificates: () => { readonly key: string; readonly cert: string } | undefined
  /** The client that a connection counts for: whose share of connections and of the spool. */
  readonly ownerOf: (address: string | undefined) => string
  /** Judges who calls a door that browsers can reach, by the headers of the request: `named` = a page of `allowed_origins`. */
  readonly callerOf: (headers: IncomingHttpHeaders) => 'named' | 'foreign' | 'program'
  /** The API keys (`platen key`). */
  readonly keys: Pick<Keys, 'find' | 'used'>
  readonly log: {
    info(fields: object, event: string): void
    warn(fields: object, event: string): void
  }
  /** A fault of ours that disturbs nothing else. */
  readonly fault: (error: unknown) => void
}

/** Facts of the box that a door tells. */
export interface BoxInfo {
  readonly version: string
  readonly hostName: string
  /** As it listens: '' = on all addresses. */
  readonly host: string
  readonly ip: string
  readonly port: string
}
