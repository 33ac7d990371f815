import { randomBytes } from 'node:crypto'
import { PlatenError } from '../errors.ts'
import {
  type Change,
  hasEnded,
  isMoving,
  type Job,
  NO_LABEL,
  refusePast,
  type Sentence,
} from '../jobs/job.ts'
import * as moving from '../jobs/moving.ts'
import type { Spool } from '../jobs/spool/spool.ts'
import { say } from '../sentences.ts'
import { BACK_OFF, type BackOff, waitFor } from '../wait.ts'
import { type PeerClient, PeerWork } from './client.ts'
import { type Outcome, offer, refuseUnsure, UNPAIRED, withdraw } from './offer.ts'
import { type Handover, HandoverRecords, type PeerStore } from './store.ts'

/** What a handover works with. */
export interface HandoverParts {
  readonly spool: Spool
  readonly store: PeerStore
  readonly client: Pick<PeerClient, 'call'>
  /** A label of this printer waits again. */
  readonly wake: (printer: string) => void
  readonly fault: (error: unknown) => void
  readonly signal: AbortSignal
  readonly now?: () => number
  readonly backOff?: BackOff
}

/** Where a label goes. */
export interface Goal {
  readonly peer: string
  /** What people call it. */
  readonly boxName: string
  readonly printer: string
  readonly ticket: string
  /** A rule sends it. */
  readonly because?: moving.Because | undefined
}

const MOST = 100 // labels on their way to one print server; one after the other
type Over = boolean // whether a step is

/**
 * Hands waiting labels over to other print servers, each to exactly one. What is to be done stands on disk before a byte
 * leaves. While it is not known whether the other side took a label, neither prints it by a guess: the other side is asked
 * again under the same idempotency key, or told to refuse that key permanently, whichever it answers first.
 */
export class Handovers {
  readonly #parts: HandoverParts & { readonly now: () => number }
  readonly #records: HandoverRecords
  readonly #open = new Map<string, Handover>()
  /** Nothing of these has left since they were written down. */
  readonly #fresh = new Set<string>()
  readonly #work: PeerWork
  readonly #waiting = new Map<string, (() => void)[]>()

  constructor(parts: HandoverParts) {
    this.#parts = { now: Date.now, ...parts }
    this.#records = new HandoverRecords(parts.spool.records)
    const { backOff = BACK_OFF, signal } = parts
    this.#work = new PeerWork({ backOff, signal, step: (peer) => this.#step(peer) })
  }

  /** Goes on with what the last run of the program left in the middle. */
  start(): void {
    for (const handover of this.#records.list()) {
      const job = this.#parts.spool.history.get(handover.job)
      const isOver = job === undefined || !isMoving(job)
      if (isOver && !handover.isDecided) this.#records.drop(handover.job)
      else this.#take(handover)
    }
  }

  /** How many are on their way there. */
  count(peer: string): number {
    return [...this.#open.values()].filter((one) => one.peer === peer).length
  }

  /**
   * Gives a waiting label away; resolves with its job when it is known where it is, or after `patienceMs` as it is then.
   * @throws PlatenError JOB_UNKNOWN, JOB_STATE, SPOOL_FULL, SPOOL_BROKEN, SERVER_BUSY; nothing has changed
   */
  async give(id: string, goal: Goal, patienceMs: number): Promise<Job> {
    const { spool, now } = this.#parts
    if (this.count(goal.peer) >= MOST)
      throw new PlatenError('SERVER_BUSY', say('waysFull', { most: MOST, name: goal.boxName }))
    const { boxName, ...to } = goal
    const where = `${goal.printer} on ${boxName}`
    const handover = await spool.commits.step(() => {
      const job = this.#job(id)
      const left = Math.ceil((job.expiresAt - now()) / 1_000)
      const made: Handover = {
        ...{ ...to, job: id, where },
        key: `${this.#parts.store.id}:${id}:${randomBytes(12).toString('base64url')}`,
        expireAfter: job.expiresAt > 0 ? Math.max(1, left) : 0,
        ...{ stage: 'asking', wish: '', isDecided: false, before: moving.remember(job) },
      }
      spool.move(id, (one) => moving.depart(one, where))
      this.#records.put(made)
      return made
    })
    this.#fresh.add(id)
    this.#take(handover)
    await this.#settled(id, patienceMs)
    return this.#job(id)
  }

  /**
   * A person wants a label that is on its way here after all, or not at all. Resolves when the other side has said that it
   * does not have it; or, for a cancel and with `anyway`, when it does not answer for so long.
   * @throws PlatenError JOB_UNKNOWN, JOB_STATE when it is there, PEER_UNREACHABLE, PEER_UNSURE
   */
  async takeBack(
    id: string,
    wish: 'release' | 'cancel',
    { anyway, patienceMs }: { readonly anyway: boolean; readonly patienceMs: number },
  ): Promise<Job> {
    if (!isMoving(this.#job(id))) throw refusePast(this.#job(id))
    const handover = this.#open.get(id)
    if (handover !== undefined) {
      const stage = handover.stage === 'unsure' ? 'unsure' : 'withdrawing'
      this.#note({ ...handover, stage, wish })
      this.#work.begin(handover.peer)
      if (stage === 'withdrawing') await this.#settled(id, patienceMs)
    }
    const job = this.#job(id)
    if (hasEnded(job) && job.reasons.includes('platen-moved')) throw refusePast(job)
    if (!isMoving(job)) return job
    if (wish === 'cancel' || anyway) return this.#decide(id, wish)
    throw refuseUnsure(this.#open.get(id))
  }

  /** A label whose handover is not known any more, as after damage of the spool, counts as one of an unknown place. */
  #decide(id: string, wish: 'release' | 'cancel'): Job {
    const { spool, now, wake } = this.#parts
    const handover = this.#open.get(id)
    const { where = 'another print server' } = handover ?? {}
    const decided = spool.move(id, (job) =>
      wish === 'cancel'
        ? moving.giveUp(job, now(), `${say('canceledHere')} ${say('mayBeThere', { where })}`)
        : moving.printHere(job, say('mayBeThereToo', { where })),
    )
    if (handover?.stage === 'unsure') this.#end(id)
    else if (handover !== undefined) this.#note({ ...handover, isDecided: true })
    if (wish === 'release') wake(decided.printer)
    return decided
  }

  #take(handover: Handover): void {
    this.#open.set(handover.job, handover)
    if (handover.stage !== 'unsure') this.#work.begin(handover.peer)
  }

  /** The next step of a peer's labels, in their order. */
  #step(peer: string): Promise<Over> | undefined {
    const next = [...this.#open.values()].find((one) => one.peer === peer && one.stage !== 'unsure')
    // What a person is done with does not hold up the others.
    if (next?.isDecided && this.#open.delete(next.job)) this.#open.set(next.job, next)
    return next && this.#tryStep(next)
  }

  async #tryStep(handover: Handover): Promise<Over> {
    try {
      const job = this.#parts.spool.history.get(handover.job)
      if (handover.isDecided) return await this.#withdraw(handover)
      if (job === undefined || !isMoving(job)) return this.#end(handover.job)
      const isLate = job.expiresAt > 0 && this.#parts.now() >= job.expiresAt
      if (handover.stage === 'withdrawing' || isLate) {
        if (isLate) this.#note({ ...handover, stage: 'withdrawing' })
        return await this.#withdraw(handover)
      }
      return await this.#ask(handover, job)
    } catch (error) {
      // A full or broken disk: nothing was written, and it is tried again.
      if (!this.#parts.signal.aborted) this.#parts.fault(error)
      return false
    }
  }

  async #ask(handover: Handover, job: Job): Promise<Over> {
    const { store, spool, client } = this.#parts
    const peer = store.get(handover.peer)
    const label = spool.history.label(job.id)
    if (peer === undefined || label === undefined) return this.#linger(handover, UNPAIRED)
    const isFresh = this.#fresh.delete(job.id)
    const outcome = await offer(client, peer, handover, { job, label })
    const now = this.#asItIs(handover)
    return now === undefined || now.isDecided || this.#judge(now, outcome, isFresh)
  }

  /** A person may have spoken while the other side was asked; undefined = the label was given away again, to anyone. */
  #asItIs(asked: Handover): Handover | undefined {
    const now = this.#open.get(asked.job) ?? asked
    return now.key === asked.key ? now : undefined
  }

  #judge(handover: Handover, outcome: Outcome, isFresh: boolean): Over {
    if (outcome.kind === 'taken') return this.#arrive(handover, outcome.jobs)
    const { kind, why } = outcome
    // Only what was offered once, and answered to the end or never sent, is surely not there.
    if (isFresh && kind !== 'lost') return this.#comeBack(handover, why)
    if (kind === 'unsure') return this.#beUnsure(handover, why)
    if (handover.stage !== 'asking') return true
    if (kind !== 'refused') return this.#linger(handover, why)
    this.#note({ ...handover, stage: 'withdrawing' })
    return true
  }

  async #withdraw(handover: Handover): Promise<Over> {
    const { store, client } = this.#parts
    const peer = store.get(handover.peer)
    if (peer === undefined)
      return handover.isDecided ? this.#end(handover.job) : this.#linger(handover, UNPAIRED)
    this.#fresh.delete(handover.job)
    const outcome = await withdraw(client, peer, handover)
    const now = this.#asItIs(handover)
    if (now === undefined) return true
    if (now.isDecided) return outcome.kind !== 'lost' && this.#end(now.job)
    if (outcome.kind === 'taken') return this.#arrive(now, outcome.jobs)
    if (outcome.kind === 'absent') return this.#comeBack(now, outcome.why)
    if (outcome.kind === 'unsure') return this.#beUnsure(now, outcome.why)
    return this.#linger(now, outcome.why)
  }

  #arrive(handover: Handover, jobs: readonly string[]): Over {
    const peer = this.#parts.store.get(handover.peer)
    const detail = jobs.length === 0 ? '' : `there: ${jobs.join(', ')} at https://${peer?.address}/`
    const told = { at: this.#parts.now(), detail, because: handover.because }
    return this.#move(handover, (job) => moving.arrive(job, handover.where, told))
  }

  #comeBack(handover: Handover, why: Sentence): Over {
    const { wish, before } = handover
    const over = this.#move(handover, (job) => {
      if (wish === 'cancel') return moving.giveUp(job, this.#parts.now(), '')
      return wish === 'release' ? moving.printHere(job, '') : moving.comeBack(job, before, why)
    })
    this.#parts.wake(this.#job(handover.job).printer)
    return over
  }

  #beUnsure(handover: Handover, why: Sentence): Over {
    this.#parts.spool.move(handover.job, (job) => moving.linger(job, why))
    this.#note({ ...handover, stage: 'unsure' })
    this.#tell(handover.job)
    return true
  }

  /** In this order: a record that is left over is dropped at the next start. */
  #move(handover: Handover, change: (job: Job) => Change): Over {
    this.#parts.spool.move(handover.job, change)
    return this.#end(handover.job)
  }

  #linger(handover: Handover, why: Sentence): Over {
    const job = this.#parts.spool.history.get(handover.job)
    if (job !== undefined && isMoving(job) && job.message !== why.message)
      this.#parts.spool.move(job.id, (one) => moving.linger(one, why))
    return false
  }

  #note(handover: Handover): void {
    this.#records.put(handover)
    this.#open.set(handover.job, handover)
  }

  #end(id: string): Over {
    this.#records.drop(id)
    this.#open.delete(id)
    this.#fresh.delete(id)
    this.#tell(id)
    return true
  }

  #tell(id: string): void {
    for (const end of this.#waiting.get(id) ?? []) end()
    this.#waiting.delete(id)
  }

  async #settled(id: string, patienceMs: number): Promise<void> {
    const handover = this.#open.get(id)
    if (handover === undefined || handover.stage === 'unsure') return
    let timer: NodeJS.Timeout | undefined
    await waitFor((end) => {
      timer = setTimeout(end, patienceMs).unref()
      this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), end])
    }, this.#parts.signal)
    clearTimeout(timer)
  }

  #job(id: string): Job {
    const job = this.#parts.spool.history.get(id)
    if (job === undefined) throw new PlatenError('JOB_UNKNOWN', NO_LABEL)
    return job
  }
}
