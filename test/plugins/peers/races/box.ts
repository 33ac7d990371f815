import { cpSync } from 'node:fs'
import { Hono } from 'hono'
import type { Printer } from '#printers'
import { Renderer } from '../../../../src/core/drawing/renderer.ts'
import { Intake } from '../../../../src/core/intake/intake.ts'
import type { Job } from '../../../../src/core/job.ts'
import { Printers } from '../../../../src/core/printers/registry.ts'
import { Scheduler } from '../../../../src/core/queue/scheduler.ts'
import { Spool } from '../../../../src/core/spool/spool.ts'
import { createAccess } from '../../../../src/http/access/access.ts'
import { createLimits } from '../../../../src/http/guard/body-limits.ts'
import type { AppParts, HttpEnv } from '../../../../src/http/parts.ts'
import { createPrintRoutes } from '../../../../src/http/print.ts'
import { refusalJson, toFailure } from '../../../../src/http/server-faults.ts'
import { Backups } from '../../../../src/plugins/peers/backup.ts'
import {
  PEER_HEADER,
  type PeerAnswer,
  type PeerCall,
} from '../../../../src/plugins/peers/client.ts'
import { Peers } from '../../../../src/plugins/peers/peers.ts'
import { peerRoutes } from '../../../../src/plugins/peers/routes.ts'
import type { KeptFile } from '../../../../src/plugins/peers/store.ts'
import { joinHooks } from '../../../../src/plugins/plugin.ts'
import type { Device } from '../../../../src/printers/device.ts'
import { WORKER } from '../../../core/bench.ts'
import { PDF_FILES } from '../../../core/pdf-files.ts'
import { pluginTables } from '../../tables.ts'

/** No history waits for a clock longer than it must. */
const TIMING = { retryFirstMs: 1, retryMostMs: 4, spaceMs: 0, stallMs: 60_000, openMs: 60_000 }
const BACK_OFF = { firstMs: 1, mostMs: 4 }
const NO_PASSWORD = { host: '', username: '', password: '', allowed_origins: [], open_bench: true }

/** What a run of a box is started with. */
export interface BoxSettings {
  readonly name: string
  readonly folder: string
  readonly printers: readonly Printer[]
  readonly device: Device
  /** `peers.json`. */
  readonly file: KeptFile
  /** Seconds since the history began. */
  readonly seconds: () => number
  readonly random: () => number
  readonly call: (peer: string, call: PeerCall) => Promise<PeerAnswer>
  readonly onChange: (job: Job) => void
  readonly fault: (error: unknown) => void
}

/** One run of the program of one box, with what it tells other boxes and does for them. */
export class Box {
  readonly name: string
  readonly folder: string
  readonly spool: Spool
  readonly printers: Printers
  readonly scheduler: Scheduler
  readonly intake: Intake
  readonly peers: Peers
  readonly backups: Backups
  /** Nothing of it counts any more. */
  isOver = false
  /** It begins nothing new. */
  get isEnding(): boolean {
    return this.#ended.signal.aborted
  }

  readonly #ended = new AbortController()
  readonly #renderer = new Renderer({ pdf: PDF_FILES, worker: WORKER })
  readonly #app: Hono<HttpEnv>

  constructor(settings: BoxSettings) {
    const { name, folder, random, seconds, fault } = settings
    this.name = name
    this.folder = folder
    const uptimeMs = () => 1_000_000 + seconds() * 1_000
    const now = () => 1_700_000_000_000 + seconds() * 1_000
    const clock = { now, uptimeMs, bootId: 'one' }
    this.spool = new Spool({
      folder,
      tables: pluginTables,
      minFreeBytes: 0,
      ballastBytes: 0,
      ...clock,
    })
    this.spool.onChange(settings.onChange)
    this.printers = new Printers({
      printers: settings.printers,
      defaultName: 'P',
      devices: [settings.device],
    })
    this.scheduler = new Scheduler({
      spool: this.spool,
      printers: this.printers,
      renderer: this.#renderer,
      timing: TIMING,
      housekeepMs: 20,
      random,
      fault,
      now,
    })
    this.intake = new Intake({
      pdfs: this.#renderer.pdfs,
      spool: this.spool,
      printers: this.printers,
      scheduler: this.scheduler,
      now,
    })
    this.peers = this.#openPeers(settings, now)
    this.backups = this.#openBackups(settings)
    this.#app = this.#openApp(settings)
  }

  #openPeers({ name, file, fault, call }: BoxSettings, now: () => number): Peers {
    return new Peers({
      file,
      spool: this.spool,
      printers: this.printers,
      signal: this.#ended.signal,
      fault,
      now,
      backOff: BACK_OFF,
      search: () => Promise.resolve([]),
      self: () => ({ name, securePort: '8443', pin: name }),
      wake: (printer) => this.scheduler.wake(printer),
      client: { call: (peer, said) => call(peer.id, said) },
    })
  }

  /** A second of the boxes' clock counts as a minute. */
  #openBackups({ fault, seconds }: BoxSettings): Backups {
    const { printers, spool, intake, peers } = this
    return new Backups({
      printers,
      spool,
      intake,
      fault,
      warn: () => undefined,
      peers: () => Promise.resolve(peers),
      now: () => seconds() * 60_000,
      signal: this.#ended.signal,
    })
  }

  #openApp({ name, fault }: BoxSettings): Hono<HttpEnv> {
    const { intake, spool, scheduler, printers, peers } = this
    const running = {
      open: () => Promise.resolve(peers),
      self: () => ({ name, securePort: '8443', pin: name }),
    }
    const parts = {
      intake,
      spool,
      scheduler,
      printers,
      access: createAccess({ config: () => NO_PASSWORD, ownNames: () => [], now: () => 0 }),
      limits: createLimits(() => 16),
      log: { error: fault, warn: () => undefined },
      ...joinHooks([peerRoutes.hooks?.(() => running) ?? {}]),
      stopping: this.#ended.signal,
    } as Partial<AppParts> as AppParts
    const app = new Hono<HttpEnv>()
    app.route('/', createPrintRoutes(parts))
    app.route(
      '/',
      peerRoutes.create(parts, () => running),
    )
    app.onError((error, c) => {
      const failure = toFailure(error)
      return c.json(refusalJson(failure), failure.status)
    })
    return app
  }

  start(): void {
    this.scheduler.start()
    this.backups.start()
    this.peers.handovers.start()
    for (const { name } of this.printers.list()) this.scheduler.wake(name)
  }

  /** A request of another box, as it comes by HTTPS. */
  async answer(
    { method, path, headers = {}, body }: PeerCall,
    shown: string,
  ): Promise<{ readonly status: number; readonly json: Readonly<Record<string, unknown>> }> {
    const incoming = { socket: { encrypted: true, remoteAddress: '192.0.2.7' } }
    const res = await this.#app.request(
      path,
      {
        method,
        headers: { ...headers, [PEER_HEADER]: shown, host: 'localhost' },
        ...(body !== undefined && { body: Buffer.from(body) }),
      },
      { incoming },
    )
    return { status: res.status, json: (await res.json()) as Readonly<Record<string, unknown>> }
  }

  /** Ends as the program does. */
  async stop(): Promise<void> {
    this.#ended.abort()
    await this.scheduler.stop(20)
    await this.#close()
  }

  /** Ends as with kill -9: a copy of what is on disk now goes to `folder`, and nothing more of this run counts. */
  async kill(folder: string): Promise<void> {
    this.isOver = true
    cpSync(this.folder, folder, { recursive: true })
    this.#ended.abort()
    await this.scheduler.stop(0)
    await this.#close()
  }

  async #close(): Promise<void> {
    this.isOver = true
    this.intake.close()
    this.spool.close()
    await this.#renderer.close()
  }
}
