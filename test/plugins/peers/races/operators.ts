import { hasEnded, isMoving, type Job, wasCut } from '../../../../src/core/job.ts'
import { zplLabel } from '../../../core/labels.ts'
import type { PairedBox } from './box.ts'
import type { Entry } from './ledger.ts'
import { PRINTERS, type Slot, type World } from './world.ts'

const LATE = [
  'JOB_STATE',
  'JOB_UNKNOWN',
  'PEER_UNSURE',
  'PEER_UNREACHABLE',
  'PEER_UNKNOWN',
  'SERVER_BUSY',
]
const WEEK_S = 7 * 86_400
const TRIES_MOST = 50

/** A request that may come again. */
interface Sent {
  readonly key: string
  readonly marks: readonly string[]
  readonly labels: readonly Uint8Array[]
  readonly printer: string
  readonly at: number
}

/** The people around the boxes: they send labels, look, press buttons, and do not wait for each other. */
export class Operators {
  readonly #world: World
  readonly #sent: (Sent & { readonly slot: Slot })[] = []
  #marks = 0

  constructor(world: World) {
    this.#world = world
  }

  print(): void {
    const world = this.#world
    const box = world.anyBox()
    if (box === undefined) return
    const marks = Array.from({ length: 1 + world.below(2) }, () => this.#mark())
    const labels = marks.map((mark) => zplLabel(mark, world.pick([0, 0, 3_000])))
    const printer = world.pick(PRINTERS) ?? 'P'
    const expireAfter = world.chance(0.1) ? 1 + world.below(300) : undefined
    const options = { printer, ...(expireAfter === undefined ? {} : { expireAfter }) }
    const isHeld = world.chance(0.1)
    for (const mark of marks) world.ledger.send(mark, `${box.name}-${printer}`)
    const isKeyed = world.chance(0.5) && expireAfter === undefined && !isHeld
    const words = `prints ${marks} at ${box.name}-${printer}`
    if (isKeyed) {
      this.#printKeyed(
        { key: `k${this.#marks}`, marks, labels, printer, at: world.clock.seconds },
        box,
      )
      return
    }
    world.act(words, [], box, async () => {
      await box.intake.takeTogether({ labels, options, isHeld, source: 'http' })
      if (!box.isOver) for (const mark of marks) world.ledger.taken(mark)
    })
  }

  #mark(): string {
    this.#marks += 1
    return `m${this.#marks}`
  }

  /** A caller that has no answer asks again, perhaps before the first has failed. */
  #printKeyed(sent: Sent, { name }: PairedBox): void {
    const world = this.#world
    const slot = world.slotOf({ name })
    this.#sent.push({ ...sent, slot })
    const words = `prints ${sent.marks} at ${name}-${sent.printer} as ${sent.key}`
    const ask = async (): Promise<void> => {
      for (let tries = 0; tries < TRIES_MOST && this.#isKnown(sent); tries += 1) {
        const { run, isDown } = slot
        const isTaken = !isDown && (await this.#take(run, sent).catch(() => false))
        if (isTaken && !run.isOver) {
          for (const mark of sent.marks) world.ledger.taken(mark)
          return
        }
        await world.turns(20)
      }
    }
    world.act(words, [], slot.run, ask)
    if (world.chance(0.3)) world.act(`${words} twice`, [], slot.run, ask)
  }

  /** After a week a key is a new one, and its repeat another request. */
  #isKnown({ at }: Sent): boolean {
    return this.#world.clock.seconds - at < WEEK_S
  }

  async #take(box: PairedBox, { key, labels, printer }: Sent): Promise<boolean> {
    const request = { labels, options: { printer }, source: 'http', idempotencyKey: key }
    const { jobs } = await box.intake.takeTogether(request)
    return jobs.length === labels.length
  }

  repeat(): void {
    const world = this.#world
    const sent = world.pick(this.#sent)
    if (sent === undefined || sent.slot.isDown) return
    const { run } = sent.slot
    const isOther = world.chance(0.2)
    if (!this.#isKnown(sent)) return
    const labels = isOther ? [...sent.labels, zplLabel('other')] : sent.labels
    const words = `repeats ${sent.key}${isOther ? ' with another label' : ''}`
    world.act(words, isOther ? ['IDEMPOTENCY_CONFLICT'] : [], run, async () => {
      const isTold = sent.marks.every((mark) => this.#at(sent.slot.name, mark) !== undefined)
      if (isOther && !isTold) return
      await this.#take(run, { ...sent, labels })
      if (isOther && !run.isOver) world.ledger.fault(`${sent.key} was taken with another label`)
    })
  }

  #at(box: string, mark: string): Entry | undefined {
    return this.#world.ledger.entries().find((one) => one.box === box && one.mark === mark)
  }

  cancel(): void {
    const found = this.#anyJob()
    if (found === undefined) return
    const { box, entry } = found
    const { id } = entry.job
    this.#world.ledger.wish(entry.mark, 'cancel')
    this.#world.act(`cancels ${entry.mark} at ${box.name}`, LATE, box, async () => {
      const job = box.spool.history.get(id)
      if (job === undefined) return
      if (isMoving(job)) await this.#takeBack(box, job, 'cancel', false)
      else await box.scheduler.cancel(id)
    })
  }

  /** Decides as a person does about a held label, or one that is on its way: "Print here", with or without "anyway". */
  decide(): void {
    const found = this.#anyJob(({ job }) => job.state === 'pending-held')
    if (found !== undefined) this.decideOn(found.box, found.entry, this.#world.chance(0.4))
  }

  decideOn(box: PairedBox, entry: Entry, anyway: boolean): void {
    const { ledger } = this.#world
    const { mark, job } = entry
    const words = `decides about ${mark} at ${box.name}${anyway ? ', anyway' : ''}`
    if (anyway) ledger.wish(mark, 'anyway')
    // What came by a backup is printed where it was restored.
    if (!isMoving(job)) ledger.wish(mark, 'release', `${box.name}-${job.printer}`)
    this.#world.act(words, LATE, box, async () => {
      const now = box.spool.history.get(job.id)
      if (now?.state !== 'pending-held') return
      if (isMoving(now)) await this.#takeBack(box, now, 'release', anyway)
      else if (wasCut(now)) await this.#tell(box, { ...entry, job: now })
      else await box.scheduler.release(now.id)
    })
  }

  /** Answers as a person who looks at all the printers and lists, and tells the truth. */
  async #tell(box: PairedBox, entry: Entry): Promise<void> {
    const { ledger } = this.#world
    const isOut = ledger.isOut(entry.mark) || ledger.findElsewhere(entry) !== undefined
    const isOnItsWay = ledger
      .entries()
      .some(({ mark, job }) => mark === entry.mark && isMoving(job))
    if (isOnItsWay) return
    ledger.say(`  says that ${entry.mark} ${isOut ? 'is' : 'is not'} out`)
    await box.scheduler.resolve(entry.job.id, isOut, entry.job.attempts)
  }

  async #takeBack(box: PairedBox, { id }: Job, wish: 'cancel' | 'release', anyway: boolean) {
    const patienceMs = this.#world.below(4)
    return await box.peers.handovers.takeBack(id, wish, { anyway, patienceMs })
  }

  /** Somebody who has looked at the other box settles what nobody else can. */
  settle(box: PairedBox, entry: Entry): void {
    const { ledger } = this.#world
    const isThere = ledger.findElsewhere(entry) !== undefined
    if (!isThere) {
      this.decideOn(box, entry, true)
      return
    }
    ledger.wish(entry.mark, 'cancel')
    this.#world.act(`finds ${entry.mark} of ${box.name} elsewhere`, LATE, box, () =>
      this.#takeBack(box, entry.job, 'cancel', false),
    )
  }

  moveAway(): void {
    const found = this.#anyJob()
    const there = this.#elsewhere(found?.box)
    if (found === undefined || there === undefined) return
    const { box, entry } = found
    const { slot, printer } = there
    this.#world.ledger.wish(entry.mark, 'move', `${slot.name}-${printer}`)
    const words = `moves ${entry.mark} from ${box.name} to ${slot.name}-${printer}`
    this.#world.act(words, LATE, box, () => box.peers.move(entry.job.id, slot.id, printer))
  }

  moveAllAway(): void {
    const box = this.#world.anyBox()
    const there = this.#elsewhere(box)
    const from = this.#world.pick(PRINTERS)
    if (box === undefined || there === undefined || from === undefined) return
    const { slot, printer } = there
    this.#world.ledger.mayAllGo(`${box.name}-${from}`, `${slot.name}-${printer}`)
    const words = `moves all of ${box.name}-${from} to ${slot.name}-${printer}`
    this.#world.act(words, LATE, box, () =>
      box.peers.moveWaiting(from, { box: slot.name, printer }),
    )
  }

  #elsewhere(box: PairedBox | undefined): { slot: Slot; printer: string } | undefined {
    const slot = this.#world.pick(this.#world.slots.filter(({ name }) => name !== box?.name))
    const printer = this.#world.pick(PRINTERS)
    return slot === undefined || printer === undefined ? undefined : { slot, printer }
  }

  /** "Other printer…" of the page. */
  moveHere(): void {
    const found = this.#anyJob()
    if (found === undefined) return
    const { box, entry } = found
    const printer = entry.job.printer === 'P' ? 'Q' : 'P'
    this.#world.ledger.wish(entry.mark, 'move', `${box.name}-${printer}`)
    this.#world.act(`moves ${entry.mark} to ${box.name}-${printer}`, LATE, box, () =>
      box.intake.reprint(entry.job.id, printer, { isMove: true }),
    )
  }

  reprint(): void {
    const found = this.#anyJob(({ job }) => hasEnded(job))
    if (found === undefined) return
    const { box, entry } = found
    this.#world.ledger.wantMore(entry.mark)
    this.#world.ledger.wish(entry.mark, 'move', `${box.name}-${entry.job.printer}`)
    this.#world.act(`prints ${entry.mark} again at ${box.name}`, LATE, box, () =>
      box.intake.reprint(entry.job.id),
    )
  }

  hold(): void {
    const found = this.#anyJob(({ job }) => job.state === 'pending')
    if (found === undefined) return
    const { box, entry } = found
    this.#world.act(`holds ${entry.mark} at ${box.name}`, LATE, box, () =>
      box.scheduler.hold(entry.job.id),
    )
  }

  #anyJob(
    isWanted: (entry: Entry) => boolean = () => true,
  ): { box: PairedBox; entry: Entry } | undefined {
    const entries = this.#world.ledger.entries().filter(isWanted).slice(-8)
    const entry = this.#world.pick(entries)
    const slot = entry && this.#world.slotOf({ name: entry.box })
    return entry === undefined || slot === undefined || slot.isDown
      ? undefined
      : { box: slot.run, entry }
  }
}
