import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../config/schema.ts'
import type { Intake } from '../jobs/intake/intake.ts'
import type { Scheduler } from '../jobs/queue/scheduler.ts'
import type { Spool } from '../jobs/spool/spool.ts'
import type { Printers } from '../printers/registry.ts'
import type { Keys } from '../shipping/keys.ts'

/**
 * A way in that speaks another product's protocol. Adding one = one folder whose `index.ts` exports one of these and is
 * light to load, its key in `config/schema.ts`, its test, one line in `./index.ts`, and where it has paths of the HTTP
 * port, its line in `http/doors.ts`. What it is given lies in `DoorBox`; every label goes to the one intake.
 */
export interface Door<S = unknown> {
  /** Of the folder, and the `source` of its jobs. */
  readonly name: string
  /** What of the configuration it works with; undefined = switched off. Another value starts the door anew. */
  settings(config: Config): S | undefined
  /**
   * Opens it. Everything heavy lies in the folder's `serve.ts`, which is imported here (`test/loading.test.ts`). Once `signal` aborts it takes nothing more.
   * @throws PlatenError PORT_TAKEN and others; it is tried again after a while
   */
  start(settings: S, box: DoorBox, signal: AbortSignal): Promise<OpenDoor>
}

/** A door that is open. */
export interface OpenDoor {
  /** Where it is reached, for people and the log, e.g. `port 9100 (Bench 1)`. */
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
  /** Whose share of the spool its labels take. */
  readonly network: string
  /** Aborts when the client went away. */
  readonly signal: AbortSignal
}

/** What a door is given of the box. */
export interface DoorBox {
  readonly intake: Pick<Intake, 'take' | 'forSource'>
  readonly printers: Pick<Printers, 'list' | 'get' | 'resolve' | 'onChange'>
  readonly spool: Pick<Spool, 'history' | 'line' | 'records' | 'health' | 'onChange'>
  readonly scheduler: Pick<Scheduler, 'cancel' | 'attend'>
  /** Read it each time: most keys change while the program runs. */
  readonly config: () => Config
  /** Names and version of this box. */
  readonly info: () => BoxInfo
  /** The key and certificate of the HTTPS port, PEM; undefined without HTTPS. */
  readonly certificates: () => { readonly key: string; readonly cert: string } | undefined
  /** The client that a connection counts for: whose share of connections and of the spool. */
  readonly ownerOf: (address: string | undefined) => string
  /** Who calls a door that browsers can reach, by the headers of the request: `named` = a page of `allowed_origins`. */
  readonly callerOf: (headers: IncomingHttpHeaders) => 'named' | 'foreign' | 'program'
  /** The API keys (`platen key`), loaded when asked for. */
  readonly keys: () => Promise<Pick<Keys, 'find' | 'used'>>
  readonly log: {
    info(fields: object, event: string): void
    warn(fields: object, event: string): void
  }
  /** A fault of ours that disturbs nothing else. */
  readonly fault: (error: unknown) => void
}

/** What a door tells of the box. */
export interface BoxInfo {
  readonly version: string
  readonly hostName: string
  /** As it listens: '' = on all addresses. */
  readonly host: string
  readonly ip: string
  readonly port: string
}
