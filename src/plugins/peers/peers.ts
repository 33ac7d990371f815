import { networkInterfaces } from 'node:os'
import { isForeign, type MoveRule } from '../../core/intake/new-jobs.ts'
import { isUndrawable, type Job, NO_LABEL } from '../../core/job.ts'
import type { Outage } from '../../core/moves.ts'
import type { Printers } from '../../core/printers/registry.ts'
import { walkWaiting } from '../../core/spool/line.ts'
import type { Spool } from '../../core/spool/spool.ts'
import { type BackOff, TimeLimit, untilAborted } from '../../system/wait.ts'
import { PlatenError, quoteShort } from '../../words/errors.ts'
import { inEnglish, NOTHING, type Sentences, saidJson, say } from '../../words/say.ts'
import { type FoundPlace, makeAddress, PeerClient } from './client.ts'

export type { FoundPlace } from './client.ts'

import {
  checkSendable,
  type Goal,
  isSendable,
  look,
  type PeerPrinter,
  type PeerReport,
  PRINTERS_MOST,
  refuseLanguage,
  silent,
} from './goals.ts'
import { Handovers } from './handover.ts'
import { Pairing, readAddress, type Self } from './pairing.ts'
import { type KeptFile, type Peer, PeerStore, refuseUnknown } from './store.ts'
import { holdsTicket, issueTicket } from './tickets.ts'

/** The parts of peers. */
export interface PeersParts {
  readonly file: KeptFile
  readonly spool: Spool
  readonly printers: Pick<Printers, 'list'>
  readonly self: () => Self
  readonly wake: (printer: string) => void
  readonly fault: (error: unknown) => void
  readonly signal: AbortSignal
  /** Finds print servers of this kind that the network announces now. */
  readonly search: (signal: AbortSignal) => Promise<readonly FoundPlace[]>
  readonly now?: () => number
  readonly backOff?: BackOff
  readonly listMs?: number
  /** Replaces the calls by HTTPS, for tests. */
  readonly client?: Pick<PeerClient, 'call'>
}

/** A paired print server, as it last reported. */
export interface PeerView {
  readonly id: string
  readonly name: string
  readonly address: string
  readonly paired: string
  /** The reason why it cannot be used now; empty = it answered. */
  readonly message: Sentences
  readonly hint: Sentences
  readonly detail: string
  /** Milliseconds since the epoch; 0 = not since the start. */
  readonly contactAt: number
  readonly printers: readonly PeerPrinter[]
  /** Labels on their way there. */
  readonly moving: number
}

/** Time after which a list does not wait for a print server: the question may be queued behind a label that is stuck. */
const LIST_MS = 10_000
/** Time for which the caller that moves a label waits for the outcome; after it the move continues in the background. */
const PATIENCE_MS = 15_000
/** Most labels, and the time, of one request to move. */
const AT_ONCE = { labels: 500, ms: 20_000 } as const

/** The other print servers of this network that the owner has paired with this one. No leader, nothing shared: each asks. */
export class Peers {
  readonly pairing: Pairing
  readonly handovers: Handovers
  readonly #parts: PeersParts
  readonly #store: PeerStore
  readonly #client: Pick<PeerClient, 'call'>
  readonly #seen = new Map<string, PeerReport>()

  constructor(parts: PeersParts) {
    const { spool, self, wake, fault, signal, search } = parts
    this.#parts = parts
    this.#store = new PeerStore(parts.file)
    this.#client = parts.client ?? new PeerClient({ store: this.#store, search, signal })
    this.pairing = new Pairing({ store: this.#store, self, fault })
    this.handovers = new Handovers({
      spool,
      wake,
      fault,
      signal,
      store: this.#store,
      client: this.#client,
      ...(parts.now && { now: parts.now }),
      ...(parts.backOff && { backOff: parts.backOff }),
    })
  }

  // What the owner and the page do here.

  /** Lists the paired print servers, each asked now, for at most `LIST_MS`. */
  async list(): Promise<readonly PeerView[]> {
    await Promise.all(this.#store.list().map((peer) => this.#lookInTime(peer)))
    return this.#store.list().map((peer) => this.#view(peer))
  }

  /** @throws PlatenError as `Pairing.join` */
  async pair(address: string, code: string): Promise<PeerView> {
    const peer = await this.pairing.join(readAddress(address), code, this.#parts.signal)
    await this.#look(peer)
    return this.#view(this.#store.get(peer.id) ?? peer)
  }

  /** @throws PlatenError PEER_UNKNOWN, STATE_UNWRITABLE */
  unpair(id: string): void {
    this.#store.remove(id)
    this.#seen.delete(id)
  }

  /** Finds print servers that the network announces, without this one; an address is `host:port`. */
  async find(): Promise<readonly { name: string; address: string; paired: boolean }[]> {
    const own = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
    const { securePort } = this.#parts.self()
    const found = await this.#parts.search(this.#parts.signal)
    const others = found.filter(
      ({ address, port }) => port !== securePort || !own.some((one) => one.address === address),
    )
    const known = new Set(this.#store.list().map(({ address }) => address))
    return others.map(({ name, address, port }) => {
      const place = makeAddress(address, port)
      return { name, address: place, paired: known.has(place) }
    })
  }

  /**
   * Finds a paired print server by its name for people, or its identity.
   * @throws PlatenError PEER_UNKNOWN
   */
  resolve(box: string): Peer {
    const peer = this.#store.get(box) ?? this.#store.list().find(({ name }) => name === box)
    if (peer !== undefined) return peer
    throw new PlatenError('PEER_UNKNOWN', say('noBox', { name: quoteShort(box) }))
  }

  /**
   * Moves a waiting label to a printer of another print server. Afterwards the job is `canceled` when the label is there, waits as before
   * with a sentence when it was refused, and is still on its way (`platen-moving`) while that is unknown.
   * @throws PlatenError JOB_UNKNOWN, JOB_STATE, PEER_*, PRINTER_UNKNOWN, PRINTER_LANGUAGE; nothing has changed
   */
  async move(id: string, box: string, printer: string): Promise<Job> {
    const peer = this.resolve(box)
    const job = this.#parts.spool.history.get(id)
    if (job === undefined) throw new PlatenError('JOB_UNKNOWN', NO_LABEL)
    checkSendable(job)
    const { goal, there } = await this.#findGoal(peer, printer)
    if (isForeign(job, there)) throw refuseLanguage(job, there, peer)
    return await this.handovers.give(id, goal, PATIENCE_MS)
  }

  /**
   * Moves the labels that wait for a printer, in their order; ends with the first one that does not get there. A rule moves some, and none
   * to a printer that cannot print now.
   * @throws PlatenError PEER_*, PRINTER_UNKNOWN, PRINTER_STOPPED
   */
  async moveWaiting(
    from: string,
    { box, printer }: { readonly box: string; readonly printer: string },
    { only = () => true, outage }: MoveRule = {},
  ): Promise<{ readonly moved: number; readonly foreign: number; readonly message: Sentences }> {
    const { spool } = this.#parts
    const { goal, there } = await this.#findGoal(this.resolve(box), printer, outage)
    const endAt = performance.now() + AT_ONCE.ms
    const may = (job: Job): boolean => job.state === 'pending' && only(job)
    const give = async (job: Job | undefined): Promise<Job | 'foreign' | undefined> => {
      if (job === undefined || !may(job) || isUndrawable(job)) return undefined
      if (!isSendable(job) || isForeign(job, there)) return 'foreign'
      return await this.#tryGive(job.id, goal, may)
    }
    let [moved, foreign] = [0, 0]
    for await (const [id = ''] of walkWaiting(spool, from, ['pending'], 1)) {
      const after = await give(spool.history.get(id))
      if (after === undefined) continue // it began to print, or somebody was quicker
      if (after === 'foreign') foreign += 1
      else if (after.state === 'canceled') moved += 1
      else return { moved, foreign, message: after.message }
      if (moved >= AT_ONCE.labels || performance.now() > endAt) break
    }
    return { moved, foreign, message: NOTHING }
  }

  /**
   * Checks that a paired print server has such a printer.
   * @throws PlatenError PEER_*, PRINTER_UNKNOWN
   */
  async checkGoal(box: string, printer: string): Promise<void> {
    await this.#findGoal(this.resolve(box), printer)
  }

  async #tryGive(id: string, goal: Goal, may: (job: Job) => boolean): Promise<Job | undefined> {
    try {
      return await this.handovers.give(id, goal, PATIENCE_MS, may)
    } catch (error) {
      if (error instanceof PlatenError && error.code === 'JOB_STATE') return undefined
      throw error
    }
  }

  // What other print servers ask.

  /**
   * Identifies the caller by its header.
   * @throws PlatenError PEER_UNKNOWN
   */
  caller(shown: string): Peer {
    const peer = this.#store.find(shown)
    if (peer === undefined) throw refuseUnknown()
    return peer
  }

  /** Describes the printers of this print server to a paired one. */
  describe(): Readonly<Record<string, unknown>> {
    const { printers, spool, self } = this.#parts
    const list = printers
      .list()
      .slice(0, PRINTERS_MOST)
      .map((printer) => ({
        name: printer.name,
        language: printer.language ?? null,
        state: printer.status.state,
        message: inEnglish(printer.status.message),
        ...saidJson(printer.status.message, NOTHING),
        waiting: spool.line.countUnfinished(printer.name),
      }))
    return {
      id: this.#store.id,
      name: self().name,
      ticket: issueTicket(spool.repeats),
      printers: list,
    }
  }

  /** @throws PlatenError PEER_UNSURE when a request of that time may be forgotten */
  checkTicket(ticket: string): void {
    if (holdsTicket(this.#parts.spool.repeats, ticket)) return
    throw new PlatenError('PEER_UNSURE', say('tooLongAgo'))
  }

  /**
   * Withdraws a peer's key. Returns the jobs that it made; undefined = none, and from now on it makes none.
   * @throws PlatenError PEER_UNSURE, SPOOL_FULL, SPOOL_BROKEN
   */
  withdraw(key: string, ticket: string): readonly Job[] | undefined {
    const { repeats } = this.#parts.spool
    if (!repeats.isDecided(key)) this.checkTicket(ticket)
    return repeats.refuse(key)
  }

  async #findGoal(peer: Peer, printer: string, outage?: Outage) {
    const { error, printers, ticket } = await this.#look(peer)
    if (error !== undefined) throw error
    const there = printers.find(({ name }) => name === printer)
    if (there === undefined) {
      throw new PlatenError(
        'PRINTER_UNKNOWN',
        say('noPrinterThere', { name: peer.name, printer: quoteShort(printer) }),
      )
    }
    if (outage !== undefined && there.state === 'stopped')
      throw new PlatenError('PRINTER_STOPPED', there.message)
    return { there, goal: { peer: peer.id, boxName: peer.name, printer, ticket, because: outage } }
  }

  async #look(peer: Peer): Promise<PeerReport> {
    const before = this.#seen.get(peer.id)
    const seen = await look(this.#client, peer, before)
    this.#seen.set(peer.id, seen)
    return seen
  }

  async #lookInTime(peer: Peer): Promise<void> {
    const { listMs = LIST_MS } = this.#parts
    using limit = new TimeLimit(listMs)
    if (await untilAborted(this.#look(peer), limit.signal)) return
    const message = say('lateAnswer', { where: peer.name, seconds: Math.ceil(listMs / 1000) })
    const error = new PlatenError('PEER_UNREACHABLE', message)
    this.#seen.set(peer.id, silent(this.#seen.get(peer.id), error))
  }

  #view(peer: Peer): PeerView {
    const { id, name, address, paired } = peer
    const { at = 0, printers = [], error } = this.#seen.get(id) ?? {}
    const { said: message = NOTHING, todo: hint = NOTHING, detail = '' } = error ?? {}
    const moving = this.handovers.count(id)
    return { id, name, address, paired, message, hint, detail, contactAt: at, printers, moving }
  }
}
