import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import type { Discovery } from '#printers'
import type { Events } from '../core/events.ts'
import type { Intake } from '../core/intake/intake.ts'
import type { MoveCount } from '../core/intake/new-jobs.ts'
import type { LabelRequest } from '../core/intake/requests.ts'
import type { Job } from '../core/job.ts'
import type { Metrics } from '../core/metrics.ts'
import type { Printers } from '../core/printers/registry.ts'
import type { Scheduler } from '../core/queue/scheduler.ts'
import type { RequestFields } from '../core/request/request-fields.ts'
import type { Spool } from '../core/spool/spool.ts'
import type { Config } from '../settings/schema.ts'
import type { ConfigStore } from '../settings/store.ts'
import type { RecentLine } from '../system/log.ts'
import type { PlatenError } from '../words/errors.ts'
import type { Sentences } from '../words/say.ts'
import type { Access } from './access/access.ts'
import type { Keys } from './access/keys.ts'
import type { Limits } from './guard/body-limits.ts'
import type { DescribedCalls } from './openapi/document.ts'

/** The settings, as their page uses them. */
interface ConfigPart
  extends Pick<ConfigStore, 'masked' | 'put' | 'check' | 'findOwners' | 'schema'> {
  readonly current: Pick<Config, 'printer' | 'printers'>
}

/** Lines for the log: fields first, then a fixed short word. */
interface LogPart {
  error(fields: object, event: string): void
  warn(fields: object, event: string): void
}

/** The part of `GET /info` that is about the server itself. */
export interface ServerInfo {
  readonly version: string
  /** The host as bound, not as configured, and the port, which may have been 0. */
  readonly host: string
  /** The name that people call this computer; for the test label. */
  readonly hostName: string
  readonly ip: string
  /** Under which the SD image is announced now, its own first: `printserver-1a2b.local`; else none. */
  readonly names: readonly string[]
  readonly port: string
  /** '' = no HTTPS. */
  readonly securePort: string
  /** Seconds since the start. */
  readonly uptime: number
}

/** All that the HTTP side is given; `src/app/` puts these together. */
export interface AppParts extends Hooks {
  readonly intake: Pick<
    Intake,
    | 'takeAlone'
    | 'takeTogether'
    | 'acceptDocument'
    | 'forSource'
    | 'reprint'
    | 'moveWaiting'
    | 'ended'
  >
  readonly spool: Pick<Spool, 'history' | 'health' | 'line' | 'filling' | 'overview' | 'entitle'>
  readonly scheduler: Pick<
    Scheduler,
    | 'attend'
    | 'isAlive'
    | 'cancel'
    | 'cancelWaiting'
    | 'hold'
    | 'pause'
    | 'resume'
    | 'release'
    | 'resolve'
    | 'transmit'
  >
  readonly printers: Pick<
    Printers,
    'list' | 'get' | 'resolve' | 'isAttached' | 'answers' | 'onChange'
  >
  readonly discovery: Pick<Discovery, 'search' | 'found' | 'dismiss' | 'welcome'>
  readonly events: Pick<Events, 'subscribe' | 'count' | 'since'>
  readonly metrics: Pick<Metrics, 'text'>
  readonly config: ConfigPart
  readonly access: Access
  /** The API keys (`platen key`). */
  readonly keys: Keys
  readonly log: LogPart
  /** The last lines of the log, oldest first. */
  readonly recentLog?: () => readonly RecentLine[]
  readonly info: () => ServerInfo
  /** The part that plugins add to `GET /info`. */
  readonly pluginInfo: () => Promise<object>
  /** The calls of plugins, for `GET /openapi.json`. */
  readonly describedCalls: () => Promise<readonly DescribedCalls[]>
  /** The folder `web/`, absolute. */
  readonly webFolder: string
  /** Ends the program after the label in hand; on the appliance systemd starts it again. */
  readonly shutdown: () => void
  /** A service manager starts the program again when it ends: the SD image, and every Debian package. */
  readonly isSupervised: boolean
  /** Aborts when the program ends: waits are cut short and event streams closed. */
  readonly stopping: AbortSignal
  readonly limits: Limits
  /** Milliseconds since the epoch, for the minute-fine parts of `/healthz`; tests turn it. */
  readonly now?: () => number
}

/** The hooks by which plugins serve calls of the core. */
export interface Hooks {
  /** Identifies the sender of a print request in a plugin's way; undefined = an ordinary client. */
  findSender(c: HttpContext): Promise<PrintSender | undefined>
  /** The place where labels go that leave this print server; undefined = nowhere. */
  readonly elsewhere: Elsewhere | undefined
}

/** The sender of a print request, and the rules for its labels. */
export type PrintSender = Pick<
  LabelRequest,
  'source' | 'user' | 'sender' | 'onChecked' | 'hasChosenPages' | 'refusesForeign' | 'outage'
>

/** Printers of other print servers, which are named by their ids. */
interface Elsewhere {
  /** @throws PlatenError PEER_*, PRINTER_UNKNOWN, JOB_STATE */
  move(id: string, box: string, printer: string): Promise<Job>
  /** All that waits for a printer; `where` = what people call the place. */
  moveWaiting(
    from: string,
    box: string,
    printer: string,
  ): Promise<MoveCount & { readonly message: Sentences; readonly where: string }>
  /**
   * A person wants a label that is on its way here after all, or not at all.
   * @throws PlatenError JOB_STATE when it is there, PEER_UNSURE
   */
  takeBack(id: string, wish: 'cancel' | 'release', anyway: boolean): Promise<Job>
}

/** Paths of a part of the program. */
export interface MountedRoutes {
  readonly app: Hono<HttpEnv>
  readonly refusals?: Refusals | undefined
  /** Comes before the paths of all others, and passes on what is not its own. */
  readonly first?: Hono<HttpEnv> | undefined
}

/** Refusals in a shape of their own. */
export interface Refusals {
  /** True for the paths whose clients want them. */
  owns(path: string): boolean
  answer(c: HttpContext, failure: PlatenError): Response
}

/** The values that handlers see of the server and leave for each other. */
export interface HttpEnv {
  /** Node's own request and answer; absent under `app.request()`. */
  Bindings: Partial<HttpBindings>
  Variables: {
    /** The fields of a print request while it can still be refused. */
    fields?: RequestFields | undefined
  }
}

/** The context of every handler here. */
export type HttpContext = Context<HttpEnv>
