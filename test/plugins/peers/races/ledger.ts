import { hasEnded, isMoving, type Job } from '../../../../src/core/job.ts'
import { isInsisted } from '../../../../src/plugins/peers/handover-moves.ts'
import { type MarkedLabel, PaperLedger } from '../../../simulator/ledger.ts'

/** A label of somebody, wherever it is. */
interface Label extends MarkedLabel {
  /** Places where it may come out: its own printer, and where people and rules may have sent it. */
  readonly places: Set<string>
  /** Further copies that people have asked for. */
  extra: number
  /** Its sender was told that it was taken. */
  isTaken: boolean
  readonly wishes: Set<Wish>
}

/** Requests of people for a label; only then may it happen. */
export type Wish = 'cancel' | 'move' | 'anyway' | 'release'

/** A job at one of the boxes. */
export interface Entry {
  readonly box: string
  readonly job: Job
  readonly mark: string
}

/** Everything that happened at all boxes, from their spools' own events and from paper; it notes each promise that was broken. */
export class PeerLedger extends PaperLedger<Label> {
  readonly #jobs = new Map<string, Entry>()
  readonly #backupOf: (place: string) => string | undefined
  /** All that waits at the one place may have gone to the other. */
  readonly #roads: (readonly [from: string, to: string])[] = []

  constructor(backupOf: (place: string) => string | undefined) {
    super()
    this.#backupOf = backupOf
  }

  /** A label is about to be sent to a printer. */
  send(mark: string, place: string): void {
    const fresh = { papers: 0, extra: 0, isTaken: false }
    this.labels.set(mark, { mark, places: new Set([place]), wishes: new Set(), ...fresh })
  }

  taken(mark: string): void {
    const label = this.labels.get(mark)
    if (label !== undefined) label.isTaken = true
  }

  /** Somebody asks for this; to be called before the program is told. */
  wish(mark: string, wish: Wish, place?: string): void {
    const label = this.labels.get(mark)
    label?.wishes.add(wish)
    if (place !== undefined) label?.places.add(place)
  }

  mayAllGo(from: string, to: string): void {
    this.#roads.push([from, to])
  }

  /** Somebody wants one more of it. */
  wantMore(mark: string): void {
    const label = this.labels.get(mark)
    if (label !== undefined) label.extra += 1
  }

  entries(): readonly Entry[] {
    return [...this.#jobs.values()]
  }

  isOut(mark: string): boolean {
    return (this.labels.get(mark)?.papers ?? 0) > 0
  }

  /** Another job of this label than that one, which is or was to print. */
  findElsewhere({ mark, box, job }: Entry): Entry | undefined {
    return this.#of(mark).find(
      (other) => isLive(other.job) && (other.box !== box || other.job.id !== job.id),
    )
  }

  /** A spool committed a job or a move. */
  see(box: string, job: Job, seen: string): void {
    const key = `${box}:${job.id}`
    const before = this.#jobs.get(key)
    const mark = before?.mark ?? seen
    this.#jobs.set(key, { box, job, mark })
    const was = before?.job
    const isNews = was?.state !== job.state || isMoving(was) !== isMoving(job)
    if (!isNews) return
    const how = isMoving(job) ? 'on its way' : job.state
    this.say(`  ${mark} at ${box} as ${job.id} for ${job.printer}: ${how} (${job.reasons})`)
    const label = this.labels.get(mark)
    if (label === undefined) this.fault(`${job.id} at ${box} is not one of our labels: ${mark}`)
    else this.#judgeMove(label, box, was, job)
  }

  protected override judgePaper(label: Label, place: string): void {
    const { mark, papers, extra } = label
    if (papers > 1 + extra) this.fault(`${mark} came out ${papers} times`)
    if (!this.#placesOf(label).has(place)) this.fault(`${mark} came out of ${place}, another bench`)
  }

  /** Compares the content of a reopened spool, before anything moves in it. It may be ahead of what was reported, never behind. */
  compare(box: string, found: readonly Job[], markOf: (id: string) => string): void {
    const are = new Map(found.map((job) => [job.id, job]))
    for (const { job, mark } of this.entries().filter((one) => one.box === box)) {
      const now = are.get(job.id)
      // What has ended may be gone after a week.
      const isAsTold = hasEnded(job) ? (now?.state ?? job.state) === job.state : now !== undefined
      if (!isAsTold) this.fault(`${mark} at ${box} was ${job.state}, is ${now?.state} in a restart`)
    }
    for (const job of found.toReversed()) this.see(box, job, markOf(job.id))
  }

  /** Judges the end, when everything has been printed and decided. */
  judge(): void {
    for (const label of this.labels.values()) this.#judgeEnd(label)
  }

  #judgeMove(label: Label, box: string, was: Job | undefined, job: Job): void {
    const { mark, wishes } = label
    const isHeldBack = was?.reasons.includes('job-hold-until-specified') && !wishes.has('release')
    if (isHeldBack && isMoving(job) && !wishes.has('move'))
      this.fault(`${mark} left ${box} although somebody held it`)
    if (was && isMoving(was) && !isInsisted(was) && isInsisted(job)) {
      label.extra += 1
      if (!wishes.has('anyway')) this.fault(`${mark} prints at ${box} anyway, which nobody wanted`)
    }
    const isOver = job.reasons.includes('platen-moved') || job.code === 'JOB_EXPIRED'
    if (job.state === 'canceled' && !isOver && !wishes.has('cancel'))
      this.fault(`${mark} was canceled by nobody: ${job.message}`)
    if (job.state === 'aborted') this.fault(`${mark} was given up: ${job.message}`)
    const live = this.#of(mark).filter((one) => isLive(one.job))
    if (live.length <= 1 + label.extra) return
    const where = live.map((one) => `${one.box} (${one.job.state})`).join(' and ')
    this.fault(`${mark} is at ${where}`)
  }

  #judgeEnd(label: Label): void {
    const { mark, papers, isTaken } = label
    const all = this.#of(mark)
    const jobs = all.map(({ job }) => job)
    for (const { box, job } of all)
      if (!hasEnded(job))
        this.fault(`${mark} at ${box} is still ${job.state}: ${job.message} (${job.reasons})`)
    if (isTaken && jobs.length === 0) this.fault(`${mark} was taken and is nowhere`)
    const printed = jobs.filter(({ state, reasons }) => {
      return state === 'completed' && !reasons.includes('platen-resolved-by-person')
    })
    if (papers < printed.length) this.fault(`${mark} is completed and not on paper`)
    const isGivenUp = jobs.some(({ state, reasons }) => {
      return state === 'canceled' && !reasons.includes('platen-moved')
    })
    if (jobs.length > 0 && papers === 0 && !isGivenUp) this.fault(`${mark} has vanished`)
  }

  #placesOf({ places }: Label): ReadonlySet<string> {
    const all = new Set(places)
    // What is added on the way is looked at too.
    for (const place of all) {
      const backup = this.#backupOf(place)
      if (backup !== undefined) all.add(backup)
      for (const [from, to] of this.#roads) if (from === place) all.add(to)
    }
    return all
  }

  #of(mark: string): readonly Entry[] {
    return this.entries().filter((one) => one.mark === mark)
  }
}

/** It prints, or printed, or would if nobody did anything about it. */
function isLive(job: Job): boolean {
  const { state, reasons } = job
  if (isMoving(job) || state === 'canceled' || state === 'aborted') return false
  return !reasons.includes('platen-restored') && !reasons.includes('platen-resolved-by-person')
}
