import { hasEnded, type Job, wasCut } from '../../../src/core/job.ts'
import { Ledger } from '../../simulator/ledger.ts'

/** A transfer of a label to a printer. */
interface Attempt {
  readonly job: string
  readonly mark: string
  /** Places where its paper may come out. */
  readonly places: readonly string[]
  papers: number
  /** The printer took all of it, and lost it: its power was cut, or it was cleared. */
  isLost: boolean
  /** The reason why the label may print once more even if this one is on paper. */
  excuse: 'none' | 'insisted' | 'automatic'
  /** True when interrupted labels were to print again at some time since it began; the cut is reported later than it happens. */
  mayReprint: boolean
}

/** Requests of people for a job; only then may it happen. */
export type Wish = 'cancel' | 'printed' | 'again' | 'insist'

/** The ledger's questions to the world. */
export interface Witness {
  readonly placesOf: (printer: string) => readonly string[]
  readonly markOf: (id: string) => string
  readonly hasExpired: (job: Job) => boolean
  /** True when interrupted labels print again automatically. */
  readonly reprints: () => boolean
  readonly isPaused: (printer: string) => boolean
}

/** Everything that happened, from the spool's own events and from paper; it notes each promise that was broken. */
export class JobLedger extends Ledger {
  readonly jobs = new Map<string, Job>()
  readonly #witness: Witness
  readonly #marks = new Map<string, string>()
  readonly #attempts: Attempt[] = []
  readonly #wishes = new Map<string, Set<Wish>>()
  /** Up to which job somebody canceled all of a printer. */
  readonly #cleared = new Map<string, number>()
  /** Jobs that somebody decided about: they go back to their place in the line. */
  readonly #decided = new Set<string>()

  constructor(witness: Witness) {
    super()
    this.#witness = witness
  }

  /** Somebody asks for this; to be called before the program is told. */
  wish(id: string, wish: Wish): void {
    this.#wishes.set(id, (this.#wishes.get(id) ?? new Set()).add(wish))
  }

  /** Somebody cancels all that waits for a printer; those of a commit that nobody was told of yet are among them. */
  wishAll(printer: string, last: number): void {
    this.#cleared.set(printer, last)
  }

  /** From now on what is cut off prints again by itself. */
  allowReprints(): void {
    for (const attempt of this.#attempts) attempt.mayReprint = true
  }

  /** The spool committed a job or a move. */
  see(job: Job): void {
    const before = this.jobs.get(job.id)
    this.jobs.set(job.id, job)
    if (before === undefined) {
      this.#marks.set(job.id, this.#witness.markOf(job.id))
      this.say(`  ${this.#name(job)} is taken for ${job.printer}`)
      return
    }
    if (before.state === job.state && before.attempts === job.attempts && !wasCut(before)) return
    this.say(`  ${this.#name(job)} ${before.state} -> ${job.state} (${job.delivery})`)
    if (isConfirmed(job) && this.#of(job.id).at(-1)?.papers !== 1)
      this.fault(`${this.#name(job)} is confirmed and not on paper`)
    if (job.attempts > before.attempts) this.#begin(job)
    else this.#judgeMove(before, job)
  }

  /** A label came out of a printer. */
  seePaper(place: string, mark: string): void {
    this.say(`  ${mark} comes out of ${place}`)
    const of = this.#attempts.filter((attempt) => attempt.mark === mark)
    const here = of.filter(({ places }) => places.includes(place))
    const free = here.findLast(({ papers }) => papers === 0)
    if (free !== undefined) free.papers += 1
    else if (here.length > 0) this.fault(`${mark} came out of ${place} twice in one attempt`)
    else if (of.length > 0) this.fault(`${mark} came out of ${place}, another bench`)
    else this.fault(`${mark} came out of ${place} and never began`)
  }

  /** A printer took a label and will not print it. */
  seeLoss(place: string, mark: string): void {
    this.say(`  ${mark} is lost in ${place}`)
    const own = this.#attempts.filter((one) => one.mark === mark && one.places.includes(place))
    const lost = own.findLast(({ papers, isLost }) => papers === 0 && !isLost)
    if (lost !== undefined) lost.isLost = true
  }

  /** True when the label of this job is on paper, but for what somebody wanted again. */
  isOut(id: string): boolean {
    const own = this.#of(id)
    const since = own.findLastIndex(({ excuse }) => excuse === 'insisted') + 1
    return own.slice(since).some(({ papers }) => papers > 0)
  }

  /** Returns the places of the last transfer of this job, possible ones too. */
  placesOf(id: string): readonly string[] {
    return this.#of(id).at(-1)?.places ?? []
  }

  /**
   * Compares the content of a reopened spool, before anything moves in it. `isAhead`: a commit was on its way to the disk, and not reported
   * yet; it may be there.
   */
  compare(found: readonly Job[], isAhead: boolean): void {
    const [are, were] = [new Map(found.map((job) => [job.id, job])), this.jobs]
    if (isAhead) for (const job of found.toReversed()) this.#seeAhead(job)
    for (const job of were.values()) {
      const now = are.get(job.id)
      if (now === undefined) this.fault(`${this.#name(job)} is lost by a restart`)
      else if (now.state !== job.state || now.delivery !== job.delivery)
        this.fault(`${this.#name(job)} was ${job.state}, is ${now.state} after a restart`)
    }
    for (const job of found) if (!were.has(job.id)) this.fault(`${job.id} appeared in a restart`)
  }

  /** A spool may be ahead of what was told, never behind: an end that was told stays, and an attempt counts. */
  #seeAhead(job: Job): void {
    const told = this.jobs.get(job.id)
    const isBehind =
      told !== undefined &&
      (hasEnded(told) ? job.state !== told.state : job.attempts < told.attempts)
    if (isBehind) this.fault(`${this.#name(job)} was ${told.state}, is ${job.state} in a restart`)
    this.see(job)
  }

  /** The program has come to rest: nothing is in the middle. */
  seeStop(): void {
    for (const job of this.jobs.values())
      if (isPrinting(job)) this.fault(`${this.#name(job)} is ${job.state} after the stop`)
  }

  /** Judges the end, when everything has been printed and decided. */
  judge(): void {
    for (const job of this.jobs.values()) this.#judgeEnd(job)
  }

  #judgeEnd(job: Job): void {
    const own = this.#of(job.id)
    const last = own.at(-1)
    const name = this.#name(job)
    if (!hasEnded(job)) this.fault(`${name} is still ${job.state}: ${job.message}`)
    if (job.state === 'aborted') this.fault(`${name} was given up: ${job.message}`)
    const isTwice = own.slice(0, -1).some(({ papers, excuse }) => papers > 0 && excuse === 'none')
    if (isTwice) this.fault(`${name} printed again, and was on paper`)
    this.#judgePaper(job, last)
  }

  #judgePaper(job: Job, last: Attempt | undefined): void {
    const name = this.#name(job)
    const isPersonsWord = job.reasons.includes('platen-resolved-by-person')
    // "Sent" is no more than that: what the printer does with it afterwards nobody has promised.
    const mayBeLost = job.delivery === 'sent' && last?.isLost === true
    if (job.state === 'completed' && !isPersonsWord && last?.papers !== 1 && !mayBeLost)
      this.fault(`${name} is completed and not on paper`)
    if (job.state === 'completed' && isPersonsWord && !this.#hasWish(job.id, 'printed'))
      this.fault(`${name} was resolved by nobody`)
    const isExcused = last === undefined || last.excuse !== 'none'
    if (job.state === 'canceled' && job.delivery === 'none' && !isExcused && last.papers > 0)
      this.fault(`${name} is canceled, "nothing came out", and is on paper`)
  }

  #begin(job: Job): void {
    if (this.#witness.isPaused(job.printer))
      this.fault(`${this.#name(job)} begins at ${job.printer}, which is paused`)
    const own = this.#of(job.id)
    const last = own.at(-1)
    if (last !== undefined && last.papers > 0 && last.excuse === 'none')
      this.fault(`${this.#name(job)} begins again, and is on paper`)
    for (const other of this.jobs.values()) {
      if (other.printer === job.printer && other.id !== job.id && isPrinting(other))
        this.fault(`${this.#name(job)} begins beside ${this.#name(other)}`)
      const isBefore = other.printer === job.printer && other.seq < job.seq
      if (isBefore && other.state === 'pending' && !this.#decided.has(other.id))
        this.fault(`${this.#name(job)} overtakes ${this.#name(other)}`)
    }
    this.#attempts.push({
      job: job.id,
      mark: this.#mark(job.id),
      places: this.#witness.placesOf(job.printer),
      papers: 0,
      isLost: false,
      excuse: 'none',
      mayReprint: this.#witness.reprints(),
    })
  }

  #judgeMove(before: Job, job: Job): void {
    const last = this.#of(job.id).at(-1)
    const waits = job.state === 'pending'
    if (waits && before.state.startsWith('processing') && wasCut(job)) this.#excuse(job, last)
    const isDecided = waits && (before.state === 'pending-held' || (wasCut(before) && !wasCut(job)))
    if (isDecided) this.#judgeDecision(job, last)
    if (before.state === 'pending-held') this.#decided.add(job.id)
    const isCleared = job.seq <= (this.#cleared.get(job.printer) ?? 0)
    const isCanceled = job.state === 'canceled' && !isCleared && !this.#hasWish(job.id, 'cancel')
    if (isCanceled && !this.#witness.hasExpired(job))
      this.fault(`${this.#name(job)} was canceled by nobody: ${job.message}`)
  }

  #excuse(job: Job, last: Attempt | undefined): void {
    if (!this.#witness.reprints() && !last?.mayReprint)
      this.fault(`${this.#name(job)} was cut off and waits to print again`)
    if (last !== undefined) last.excuse = 'automatic'
  }

  #judgeDecision(job: Job, last: Attempt | undefined): void {
    this.#decided.add(job.id)
    const insists = this.#hasWish(job.id, 'insist')
    if (!insists && !this.#hasWish(job.id, 'again'))
      this.fault(`${this.#name(job)} was released by nobody`)
    if (insists && last !== undefined) last.excuse = 'insisted'
  }

  #of(id: string): readonly Attempt[] {
    return this.#attempts.filter(({ job }) => job === id)
  }

  #hasWish(id: string, wish: Wish): boolean {
    return this.#wishes.get(id)?.has(wish) ?? false
  }

  #mark(id: string): string {
    return this.#marks.get(id) ?? ''
  }

  #name({ id }: Job): string {
    return `${id} (${this.#mark(id)})`
  }
}

/** The printer itself said that it came out. */
function isConfirmed({ state, delivery, reasons }: Job): boolean {
  const isPersonsWord = reasons.includes('platen-resolved-by-person')
  return state === 'completed' && delivery === 'confirmed' && !isPersonsWord
}

function isPrinting({ state }: Job): boolean {
  return state.startsWith('processing')
}
