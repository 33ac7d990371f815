import { Hono } from 'hono'
import { createAccess } from '../../../../src/http/access/access.ts'
import { createLimits } from '../../../../src/http/guard/body-limits.ts'
import { joinHooks } from '../../../../src/http/hooks.ts'
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

import { Box, type BoxSettings } from '../../../simulator/box.ts'

const BACK_OFF = { firstMs: 1, mostMs: 4 }
const NO_PASSWORD = { host: '', username: '', password: '', allowed_origins: [], open_bench: true }

/** The settings of a run of a box. */
export interface PairedBoxSettings extends BoxSettings {
  readonly name: string
  /** `peers.json`. */
  readonly file: KeptFile
  readonly call: (peer: string, call: PeerCall) => Promise<PeerAnswer>
}

/** A box that is paired with others, with what it tells them and does for them. */
export class PairedBox extends Box {
  readonly name: string
  readonly peers: Peers
  readonly backups: Backups
  readonly #app: Hono<HttpEnv>

  constructor(settings: PairedBoxSettings) {
    super(settings)
    this.name = settings.name
    this.peers = this.#openPeers(settings)
    this.backups = this.#openBackups(settings)
    this.#app = this.#openApp(settings)
  }

  #openPeers({ name, file, fault, call, clock }: PairedBoxSettings): Peers {
    return new Peers({
      file,
      spool: this.spool,
      printers: this.printers,
      signal: this.ended.signal,
      fault,
      now: clock.now,
      backOff: BACK_OFF,
      search: () => Promise.resolve([]),
      self: () => ({ name, securePort: '8443', pin: name }),
      wake: (printer) => this.scheduler.wake(printer),
      client: { call: (peer, said) => call(peer.id, said) },
    })
  }

  /** A second of the boxes' clock counts as a minute. */
  #openBackups({ fault, clock }: PairedBoxSettings): Backups {
    const { printers, spool, intake, peers } = this
    return new Backups({
      printers,
      spool,
      intake,
      fault,
      warn: () => undefined,
      peers: () => Promise.resolve(peers),
      now: () => clock.seconds * 60_000,
      signal: this.ended.signal,
    })
  }

  #openApp({ name, fault }: PairedBoxSettings): Hono<HttpEnv> {
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
      stopping: this.ended.signal,
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

  override start(): void {
    this.backups.start()
    this.peers.handovers.start()
    super.start()
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
}
