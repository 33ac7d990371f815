import { randomBytes } from 'node:crypto'
import { pageOf } from '../../core/drawing/picture-pages.ts'
import {
  type Change,
  type Explanation,
  hasEnded,
  isMoving,
  type Job,
  refusePast,
} from '../../core/job.ts'
import type { Spool } from '../../core/spool/spool.ts'
import { BACK_OFF, type BackOff, NewsWaiters } from '../../system/wait.ts'
import { PlatenError } from '../../words/errors.ts'
import { isSame, join, NOTHING, say } from '../../words/say.ts'
import { type PeerClient, PeerWork } from './client.ts'
import type { Goal } from './goals.ts'
import * as moves from './handover-moves.ts'
import { type OfferOutcome, offer, refuseUnsure, tellUnsure, UNPAIRED, withdraw } from './offer.ts'
import { type Handover, OpenHandovers, type PeerStore } from './store.ts'

/** The parts of handovers. Decision `handover-ticket`. */
export interface HandoverParts {
  readonly spool: Spool
  readonly store: PeerStore
  readonly client: Pick<PeerClient, 'call'>
  /** Called when a label of this printer waits again. */
  readonly wake: (printer: string) => void
  readonly fault: (error: unknown) => void
  readonly signal: AbortSignal
  readonly now?: () => number
  readonly backOff?: BackOff
}

const MOST = 100 // labels on their way to one print server; one after the other
type Over = boolean // whether a step is

/**
 * Hands waiting labels over to other print servers, each to exactly one. The next step is on disk before a byte leaves. While it is unknown
 * whether the other side took a label, neither side prints it by a guess: the other side is asked again under the same idempotency key, or
 * told to refuse that key permanently, whichever it answers first. A handover is a row in the table `meta`; the words on the arrows are the
 * outcomes of `offer` and `withdraw`:
 *
 *   none --give--> asking                            offers the label, again after a pause while barred or lost
 *   asking --taken--> over                           the job ends here as moved
 *   asking --refused, barred, unsure; first offer--> over      it is certainly not there: the label waits as before
 *   asking --refused later, expired, taken back--> withdrawing asks the other side to refuse the key, again while lost
 *   withdrawing --taken--> over                      the job ends here as moved
 *   withdrawing --absent--> over                     the label waits as before, prints or is canceled, as a person wished
 *   asking, withdrawing --unsure--> unsure           also with a key of an earlier identity of ours; waits for a person
 *   unsure --a person decides--> over                the label prints here or is canceled
 *   asking, withdrawing --a person decides--> decided --any answer--> over   the other side is only told
 */
export class Handovers {
  readonly #parts: HandoverParts & { readonly now: () => number }
  readonly #open: OpenHandovers
  /** Keys of handovers of which nothing has left since they were written down. */
  readonly #fresh = new Set<string>()
  readonly #work: PeerWork
  readonly #news: NewsWaiters

  constructor(parts: HandoverParts) {
    this.#parts = { now: Date.now, ...parts }
    this.#open = new OpenHandovers(parts.spool)
    const { backOff = BACK_OFF, signal } = parts
    this.#news = new NewsWaiters(signal)
    this.#work = new PeerWork({ backOff, signal, step: (peer) => this.#step(peer) })
  }

  /** Resumes handovers that the last run of the program left unfinished. */
  start(): void {
    for (const handover of this.#open.load()) {
      const job = this.#parts.spool.history.get(handover.job)
      if (handover.isDecided || (job && isMoving(job))) this.#begin(handover)
      else this.#open.end(handover)
    }
  }

  /** Counts the labels on their way there. */
  count(peer: string): number {
    return this.#open.of(peer).length
  }

  /**
   * Hands a waiting label over; resolves with its job when its fate is known, or with its state after `patienceMs`. `may`: called again
   * when the label leaves, because it may have been held, or a rule changed, since it was chosen.
   * @throws PlatenError JOB_UNKNOWN, JOB_STATE, SPOOL_FULL, SPOOL_BROKEN, SERVER_BUSY; nothing has changed
   */
  async give(
    id: string,
    goal: Goal,
    patienceMs: number,
    may: (job: Job) => boolean = () => true,
  ): Promise<Job> {
    const { spool } = this.#parts
    if (this.count(goal.peer) >= MOST)
      throw new PlatenError('SERVER_BUSY', say('waysFull', { most: MOST, name: goal.boxName }))
    const { boxName, ...to } = goal
    const where = `${goal.printer} on ${boxName}`
    const handover = await spool.commits.step(() => {
      const job = spool.history.known(id)
      if (!may(job)) throw refusePast(job)
      const msLeft = spool.history.msLeft(id)
      const made: Handover = {
        ...to,
        job: id,
        where,
        key: `${this.#parts.store.id}:${id}:${randomBytes(12).toString('base64url')}`,
        expireAfter: msLeft === undefined ? 0 : Math.max(1, Math.ceil(msLeft / 1_000)),
        stage: 'asking',
        wish: '',
        isDecided: false,
        before: moves.remember(job),
      }
      spool.move(id, (one) => moves.depart(one, where))
      this.#open.put(made)
      spool.afterCommit(() => this.#fresh.add(made.key))
      return made
    })
    this.#begin(handover)
    await this.#settled(id, patienceMs)
    return spool.history.known(id)
  }

  /**
   * Takes back a label on its way, to print it here or to cancel it, at a person's request. Resolves when the other side has said that it
   * does not have it; or, for a cancel and with `anyway`, when it does not answer for `patienceMs`.
   * @throws PlatenError JOB_UNKNOWN, JOB_STATE when it is there, PEER_UNREACHABLE, PEER_UNSURE
   */
  async takeBack(
    id: string,
    wish: 'release' | 'cancel',
    { anyway, patienceMs }: { readonly anyway: boolean; readonly patienceMs: number },
  ): Promise<Job> {
    const { history } = this.#parts.spool
    if (!isMoving(history.known(id))) throw refusePast(history.known(id))
    const handover = this.#open.get(id)
    if (handover !== undefined && this.#open.isCurrent(handover)) {
      const stage = handover.stage === 'unsure' ? 'unsure' : 'withdrawing'
      this.#open.put({ ...handover, stage, wish })
      this.#begin({ ...handover, stage })
      await this.#settled(id, patienceMs)
    }
    const job = history.known(id)
    if (hasEnded(job) && job.reasons.includes('platen-moved')) throw refusePast(job)
    if (!isMoving(job)) return job
    if (wish === 'cancel' || anyway) return this.#decide(id, wish)
    throw refuseUnsure(this.#open.get(id))
  }

  /**
   * Decides a handover without the other side. A label whose handover is no longer known, as after damage of the spool, counts as one with
   * an unknown place.
   */
  async #decide(id: string, wish: 'release' | 'cancel'): Promise<Job> {
    const { spool, now, wake } = this.#parts
    const decided = await spool.commits.step(() => {
      const handover = this.#open.get(id)
      const { where = 'another print server' } = handover ?? {}
      if (handover !== undefined) this.#open.end(handover)
      if (handover && handover.stage !== 'unsure') this.#open.put({ ...handover, isDecided: true })
      return spool.move(id, (job) =>
        wish === 'cancel'
          ? moves.giveUp(job, now(), join(say('canceledHere'), say('mayBeThere', { where })))
          : moves.printHere(job, say('mayBeThereToo', { where })),
      )
    })
    if (wish === 'release') wake(decided.printer)
    return decided
  }

  #begin({ peer, stage }: Handover): void {
    if (stage !== 'unsure') this.#work.begin(peer)
  }

  /** Takes the next step of a peer's labels, in their order. */
  #step(peer: string): Promise<Over> | undefined {
    const next = this.#open.next(peer)
    return next && this.#tryStep(next)
  }

  async #tryStep(handover: Handover): Promise<Over> {
    try {
      if (!this.#open.isCurrent(handover)) return false // a commit is on its way
      return await this.#advance(handover)
    } catch (error) {
      // A full or broken disk: nothing was written, and it is tried again.
      if (!this.#parts.signal.aborted) this.#parts.fault(error)
      return false
    }
  }

  async #advance(handover: Handover): Promise<Over> {
    if (handover.isDecided) return await this.#withdraw(handover)
    const job = this.#parts.spool.history.get(handover.job)
    if (job === undefined || !isMoving(job)) return this.#end(handover)
    if (!this.#isOurs(handover)) return await this.#beUnsure(handover, tellUnsure(handover))
    const isLate = (this.#parts.spool.history.msLeft(job.id) ?? 1) <= 0
    if (isLate) this.#open.put({ ...handover, stage: 'withdrawing' })
    return isLate || handover.stage === 'withdrawing'
      ? await this.#withdraw(handover)
      : await this.#ask(handover, job)
  }

  async #ask(handover: Handover, job: Job): Promise<Over> {
    const { store, spool, client } = this.#parts
    const peer = store.get(handover.peer)
    const kept = spool.history.label(job.id)
    // The other print server, of whichever version, prints all that it finds.
    const label = kept && pageOf(kept, job)
    if (peer === undefined || label === undefined) return this.#linger(handover, UNPAIRED)
    const isFresh = this.#fresh.delete(handover.key)
    const outcome = await offer(client, peer, handover, { job, label })
    const now = this.#asItIs(handover)
    return now === undefined || now.isDecided || (await this.#judge(now, outcome, isFresh))
  }

  /** Returns the handover as it is now: a person may have decided while the other side was asked. Undefined = it is over. */
  #asItIs(asked: Handover): Handover | undefined {
    const now = this.#open.now(asked)
    return now && this.#open.isCurrent(now) ? now : undefined
  }

  /**
   * Tells whether a handover has a key of ours. Under another identity, as after `peers.json` was lost, the other side would take it twice.
   */
  #isOurs({ key }: Handover): boolean {
    return key.startsWith(`${this.#parts.store.id}:`)
  }

  #judge(handover: Handover, outcome: OfferOutcome, isFresh: boolean): Promise<Over> | Over {
    if (outcome.kind === 'taken') return this.#arrive(handover, outcome.jobs)
    const { kind, why } = outcome
    // Only what was offered once, and answered to the end or never sent, is surely not there.
    if (isFresh && kind !== 'lost') return this.#comeBack(handover, why)
    if (kind === 'unsure') return this.#beUnsure(handover, why)
    if (handover.stage !== 'asking') return true
    if (kind !== 'refused') return this.#linger(handover, why)
    this.#open.put({ ...handover, stage: 'withdrawing' })
    return true
  }

  async #withdraw(handover: Handover): Promise<Over> {
    const { store, client } = this.#parts
    const peer = store.get(handover.peer)
    if (peer === undefined)
      return handover.isDecided ? this.#end(handover) : this.#linger(handover, UNPAIRED)
    this.#fresh.delete(handover.key)
    const outcome = await withdraw(client, peer, handover)
    const now = this.#asItIs(handover)
    if (now === undefined) return true
    if (now.isDecided) return outcome.kind !== 'lost' && this.#end(now)
    if (outcome.kind === 'taken') return await this.#arrive(now, outcome.jobs)
    if (outcome.kind === 'absent') return await this.#comeBack(now, outcome.why)
    if (outcome.kind === 'unsure') return await this.#beUnsure(now, outcome.why)
    return this.#linger(now, outcome.why)
  }

  #arrive(handover: Handover, jobs: readonly string[]): Promise<Over> {
    const peer = this.#parts.store.get(handover.peer)
    const detail = jobs.length === 0 ? '' : `there: ${jobs.join(', ')} at https://${peer?.address}/`
    const told = { at: this.#parts.now(), detail, outage: handover.because }
    return this.#move(handover, (job) => moves.arrive(job, handover.where, told))
  }

  async #comeBack(handover: Handover, why: Explanation): Promise<Over> {
    const over = await this.#move(handover, (job) => {
      // A person may have spoken while this waited for its commit.
      const { wish, before } = this.#open.now(handover) ?? handover
      if (wish === 'cancel') return moves.giveUp(job, this.#parts.now(), NOTHING)
      return wish === 'release' ? moves.printHere(job, NOTHING) : moves.comeBack(job, before, why)
    })
    this.#parts.wake(this.#parts.spool.history.known(handover.job).printer)
    return over
  }

  async #beUnsure(handover: Handover, why: Explanation): Promise<Over> {
    const { spool } = this.#parts
    await spool.commits.step(() => {
      if (!this.#open.isCurrent(handover)) return
      spool.move(handover.job, (job) => moves.linger(job, why))
      this.#open.put({ ...(this.#open.now(handover) ?? handover), stage: 'unsure' })
    })
    this.#news.tell(handover.job)
    return true
  }

  /** Moves the job and ends its handover in one commit: otherwise a label that waits again could be handed over twice. */
  async #move(handover: Handover, change: (job: Job) => Change): Promise<Over> {
    const { spool } = this.#parts
    await spool.commits.step(() => {
      if (!this.#open.isCurrent(handover)) return
      spool.move(handover.job, change)
      this.#open.end(handover)
    })
    this.#fresh.delete(handover.key)
    this.#news.tell(handover.job)
    return true
  }

  #linger(handover: Handover, why: Explanation): Over {
    const job = this.#parts.spool.history.get(handover.job)
    if (job !== undefined && isMoving(job) && !isSame(job.message, why.message))
      this.#parts.spool.move(job.id, (one) => moves.linger(one, why))
    return false
  }

  #end(handover: Handover): Over {
    this.#open.end(handover)
    this.#fresh.delete(handover.key)
    this.#news.tell(handover.job)
    return true
  }

  async #settled(id: string, patienceMs: number): Promise<void> {
    const { stage = 'unsure' } = this.#open.get(id) ?? {}
    if (stage !== 'unsure') await this.#news.of(id, patienceMs)
  }
}
