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
 * A way in that speaks another product's protocol. To add one: a folder whose `index.ts` exports a `Door` and is light to
 * load, its keys in its `settings.ts` (a port with the mark `ports`), its test, and one line in `../doors.ts`.
 * A door is given a `DoorBox`; every label goes to the one intake.
 */
export interface Door<S = unknown, K = object>
  extends Pick<Plugin<RunningPlugin, K>, 'leadsBack' | 'mayLoop'> {
  /** The name of the folder, and the `source` of its jobs. */
  readonly name: string
  /** The name that people use. */
  readonly title: string
  /** The name used in sentences about the way a label came; left out: the title. */
  readonly way?: string
  /** The key of the settings that switches it on. */
  readonly key: string
  /** The door's keys of config.json. */
  readonly settings: PluginSettings<K>
  /** The path on the HTTP port, e.g. `/printnode`: the door gets requests to it and below it; left out: none. */
  readonly path?: string
  /** The door's tables in the spool's database. */
  readonly tables?: PluginTables
  /** Returns the host name of the configuration under which only the door answers, without its `path`. */
  host?(config: Config & K): string | undefined
  /** Returns the lines to type on the other side in order to print here; `settings` is the result of `read`. */
  lines(settings: S, at: DoorAddress): readonly DoorLine[]
  /** Reads the door's settings from the configuration; undefined = switched off. Another value starts the door again. */
  read(config: Config & K): S | undefined
  /**
   * Opens the door. The heavy code is in the folder's `serve.ts`, which is imported here (`test/loading.test.ts`).
   * Once `signal` aborts, the door takes nothing more.
   * @throws PlatenError PORT_TAKEN and others; opening is tried again after a while
   */
  start(settings: S, box: DoorBox, signal: AbortSignal): Promise<OpenDoor>
}

/** The address at which the other side finds the box. */
export interface DoorAddress {
  /** A name or an address, an IPv6 one in brackets. */
  readonly host: string
  readonly port: string
  /** The port of HTTPS; '' = no HTTPS. */
  readonly securePort: string
}

/** A line that somebody types into another program. */
export interface DoorLine {
  /** The place where the line is typed, with a colon. */
  readonly where: Sentences
  readonly line: string
}

/** A door that is open. */
export interface OpenDoor {
  /** The places where it is reached, for people and the log, e.g. `port 9100 (Bench 1)`. */
  readonly places: readonly string[]
  /** Resolves when the door is closed and the work in hand is settled; rejects when the door broke. */
  readonly closed: Promise<void>
  /** Answers requests to the door's paths on the HTTP port; left out = it has none. Errors become answers in its own shape. */
  readonly answer?: (request: DoorRequest) => Promise<Response>
}

/** A request that reached the HTTP port under one of the box's own names and not from a foreign page. */
export interface DoorRequest {
  readonly method: string
  /** The path below the door's own, e.g. `/printers`; `/` for the door itself. */
  readonly path: string
  readonly query: URLSearchParams
  /** Returns the header; undefined = not sent. */
  header(name: string): string | undefined
  /**
   * Reads the whole body.
   * @throws PlatenError BODY_*, SERVER_BUSY
   */
  body(): Promise<Uint8Array>
  /** The client that its labels count for in the spool. */
  readonly network: string
  /** Returns the share of memory that the body holds until the request is answered; undefined before the body was read. */
  readonly share: () => BudgetShare | undefined
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal
}

/** The one intake, wrapped so that it counts the bytes it is given; a door cannot forget to. */
interface DoorIntake extends Pick<Intake, 'forSource'> {
  /** Takes a request; `share` = what the request already holds; left out: its labels are counted here. */
  take(request: LabelRequest, share?: BudgetShare): Promise<RequestReceipt>
}

/** The parts of the box that a door is given. */
export interface DoorBox {
  readonly intake: DoorIntake
  /** Opens a share of the memory common to all ways in; a request of this client holds it until it is answered. */
  readonly hold: (owner: string) => BudgetShare
  readonly printers: Pick<Printers, 'list' | 'get' | 'resolve' | 'onChange'>
  readonly spool: Pick<Spool, 'history' | 'repeats' | 'line' | 'records' | 'health' | 'onChange'>
  readonly scheduler: Pick<Scheduler, 'cancel' | 'attend'>
  /** Draws the pictures between commands; left out = such pictures are refused. */
  readonly renderer?: Pick<Renderer, 'render'>
  /** Returns the configuration. Read it each time: most keys change while the program runs. */
  readonly config: () => Config
  /** Returns the names and the version of this box. */
  readonly info: () => BoxInfo
  /** Returns the key and certificate of the HTTPS port, PEM; undefined without HTTPS. */
  readonly certificates: () => { readonly key: string; readonly cert: string } | undefined
  /** Names the client that a connection counts for, in the number of connections and in the spool. */
  readonly ownerOf: (address: string | undefined) => string
  /** Judges by the headers of a request who calls a door that browsers can reach: `named` = a page of `allowed_origins`. */
  readonly callerOf: (headers: IncomingHttpHeaders) => 'named' | 'foreign' | 'program'
  /** The API keys (`platen key`). */
  readonly keys: Pick<Keys, 'find' | 'used'>
  readonly log: {
    info(fields: object, event: string): void
    warn(fields: object, event: string): void
  }
  /** Reports a bug in our own code that disturbs nothing else. */
  readonly fault: (error: unknown) => void
}

/** Facts of the box that a door reports. */
export interface BoxInfo {
  readonly version: string
  readonly hostName: string
  /** The address on which the box listens: '' = all addresses. */
  readonly host: string
  readonly ip: string
  readonly port: string
}
