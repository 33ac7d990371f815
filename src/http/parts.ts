import type { Config } from '../config/schema.ts'
import type { ConfigStore } from '../config/store.ts'
import type { Job, JobState, PrintOptions } from '../jobs/job.ts'
import type { KnownPrinter } from '../printers/printer.ts'
import type { Access } from './access.ts'
import type { Bounds } from './bounds.ts'

/** The door for labels, as HTTP uses it; made in src/jobs. */
export interface IntakePart {
  accept(request: {
    readonly labels: readonly Uint8Array[]
    readonly options: PrintOptions
    readonly source: string
    readonly copies?: number
    readonly idempotencyKey?: string
  }): { readonly jobs: readonly Job[]; readonly repeated: boolean }
  acceptDocument(request: {
    readonly format: 'packlist' | 'test'
    readonly body: Uint8Array
    readonly options: PrintOptions
    readonly source: string
    readonly idempotencyKey?: string
  }): { readonly jobs: readonly Job[]; readonly repeated: boolean }
  reprint(id: string, printer?: string): Job
  ended(ids: readonly string[], signal: AbortSignal): Promise<readonly Job[]>
}

/** The jobs on disk, as HTTP reads them. */
export interface SpoolPart {
  get(id: string): Job | undefined
  list(page: { readonly before?: string; readonly limit: number }): readonly Job[]
  label(id: string): Uint8Array | undefined
  preview(id: string): Uint8Array | undefined
  counts(): Readonly<Record<JobState, number>>
  check(): void
}

/** A person's word on a job. */
export interface SchedulerPart {
  isAlive(): boolean
  cancel(id: string): Promise<Job>
  release(id: string): Promise<Job>
  resolve(id: string, printed: boolean): Promise<Job>
}

/** The printers this box knows. */
export interface PrintersPart {
  list(): readonly KnownPrinter[]
  get(name: string): KnownPrinter | undefined
  resolve(name: string | undefined): KnownPrinter
}

/** What `GET /events` follows. */
export type PartEvent =
  | { readonly type: 'job'; readonly job: Job }
  | { readonly type: 'printer'; readonly printer: KnownPrinter }

/** The settings, as their page uses them; `current` for the bounds that they change. */
export interface ConfigPart extends Pick<ConfigStore, 'masked' | 'put'> {
  readonly current: Pick<Config, 'max_body_mb'>
}

/** Lines for the log: fields first, then a fixed short word. */
export interface LogPart {
  error(fields: object, event: string): void
  warn(fields: object, event: string): void
}

/** What `GET /info` says of the server itself. */
export interface ServerInfo {
  readonly version: string
  /** As it listens, not as configured: the port may have been 0. */
  readonly host: string
  readonly ip: string
  readonly port: string
  /** '' = no HTTPS. */
  readonly securePort: string
  /** Seconds since the start. */
  readonly uptime: number
}

/** All that the HTTP side is given; only main.ts puts these together. */
export interface AppParts {
  readonly intake: IntakePart
  readonly spool: SpoolPart
  readonly scheduler: SchedulerPart
  readonly printers: PrintersPart
  readonly events: { subscribe(listener: (event: PartEvent) => void): () => void }
  readonly metrics: { text(): Promise<string> }
  readonly config: ConfigPart
  readonly access: Access
  readonly log: LogPart
  readonly info: () => ServerInfo
  /** The folder `web/`, absolute. */
  readonly webFolder: string
  /** Ends the program after the label in hand; on the appliance systemd starts it again. */
  readonly shutdown: () => void
  readonly isAppliance: boolean
  /** Aborts when the program ends: waits are cut short and event streams closed. */
  readonly stopping: AbortSignal
  /** For tests; all that is not named is as shipped. */
  readonly bounds?: Partial<Bounds>
  /** Milliseconds since the epoch, for the minute-fine parts of `/healthz`; tests turn it. */
  readonly now?: () => number
}
