import { setImmediate as turn } from 'node:timers/promises'
import { hasEnded, type Job, wasCut } from '../../../src/core/job.ts'
import type { PaperPrinter } from '../../simulator/printer.ts'
import { zplLabel } from '../labels.ts'
import type { World } from './world.ts'

const NO_PRINTER = ['PRINTER_UNKNOWN', 'PRINTER_NONE', 'PRINTER_AMBIGUOUS']
const SIZES = [0, 0, 0, 0, 5_000, 40_000]

/** A request that may come again. */
interface Sent {
  readonly key: string
  readonly labels: readonly Uint8Array[]
  readonly printer: string
  ids: readonly string[]
}

/** The people around a box: they send labels, look, press buttons, and do not wait for each other. */
export class Operators {
  readonly #world: World
  readonly #sent: Sent[] = []
  /** Labels about which somebody has just said something. */
  readonly #looking = new Set<string>()
  /** Labels that stood on somebody's page as held. */
  readonly #seenHeld: string[] = []
  /** Observations at a printer, with the attempt that the page reported on. */
  readonly #seenCut: { id: string; isOut: boolean; attempts: number }[] = []
  #marks = 0

  constructor(world: World) {
    this.#world = world
  }

  print(): void {
    const { below, chance } = bound(this.#world)
    const labels = Array.from({ length: 1 + below(3) }, () => this.#label())
    const copies = chance(0.15) ? 2 : 1
    const printer = this.#world.pick(['A', 'B', 'C']) ?? 'A'
    const expireAfter = chance(0.1) ? 1 + below(30) : undefined
    const options = { printer, ...(expireAfter === undefined ? {} : { expireAfter }) }
    const isKeyed = chance(0.4) && copies === 1 && expireAfter === undefined
    const sent: Sent = { key: `k${this.#marks}`, labels, printer, ids: [] }
    const isHeld = !isKeyed && chance(0.2)
    const how = `${isKeyed ? ` as ${sent.key}` : ''}${isHeld ? ', held' : ''}`
    const words = `prints ${labels.length} x ${copies} to ${printer}${how}`
    this.#world.act(words, NO_PRINTER, async () => {
      const { box } = this.#world
      const key = isKeyed ? { idempotencyKey: sent.key } : {}
      const request = { labels, options, copies, source: 'http', isHeld, ...key }
      const { jobs } = await box.intake.takeTogether(request)
      if (this.#world.box !== box) return // who is killed answers nobody
      if (jobs.length !== labels.length * copies)
        this.#world.ledger.fault(`${jobs.length} of ${labels.length * copies} labels were taken`)
      sent.ids = jobs.map(({ id }) => id)
      if (isKeyed) this.#sent.push(sent)
    })
  }

  /** Whoever has no answer asks again with the same key. */
  repeat(): void {
    const sent = this.#world.pick(this.#sent)
    if (sent === undefined) return
    const isOther = this.#world.chance(0.2)
    const labels = isOther ? [...sent.labels, zplLabel('other')] : sent.labels
    const allowed = isOther ? ['IDEMPOTENCY_CONFLICT'] : []
    this.#world.act(
      `repeats ${sent.key}${isOther ? ' with another label' : ''}`,
      allowed,
      async () => {
        const options = { printer: sent.printer }
        const request = { labels, options, source: 'http', idempotencyKey: sent.key }
        const { box } = this.#world
        const { jobs, repeated } = await box.intake.takeTogether(request)
        if (this.#world.box !== box) return
        if (isOther || !repeated || jobs.map(({ id }) => id).join() !== sent.ids.join())
          this.#world.ledger.fault(`the repeat of ${sent.key} was taken as new`)
      },
    )
  }

  cancel(): void {
    const job = this.#anyJob()
    if (job === undefined) return
    const { ledger } = this.#world
    ledger.wish(job.id, 'cancel')
    if (wasCut(job)) this.#attend(this.#world.benchOf(job.printer))
    this.#world.act(`cancels ${job.id}`, ['JOB_STATE'], async () => {
      const { box } = this.#world
      const after = await box.scheduler.cancel(job.id)
      if (this.#world.box !== box) return
      // A printer that has no command for that needs somebody to get it out of half a label.
      const mayBeHeld = (this.#world.language === 'epl' || this.#world.mixes) && wasCut(after)
      if (after.state !== 'canceled' && !mayBeHeld)
        ledger.fault(`${job.id} was canceled and is ${after.state}`)
    })
  }

  cancelAll(): void {
    const printer = this.#world.pick(this.#world.printers) ?? 'A'
    this.#attend(this.#world.benchOf(printer))
    this.#world.ledger.wishAll(printer, this.#world.box.spool.history.lastSeq())
    this.#world.act(`cancels all of ${printer}`, [], () =>
      this.#world.box.scheduler.cancelWaiting(printer),
    )
  }

  /** "Other printer…" of the page. */
  move(): void {
    const [job, printer] = [this.#anyJob(), this.#world.pick(this.#world.printers)]
    if (job === undefined || printer === undefined) return
    const other = this.#world.mixes ? ['PRINTER_LANGUAGE'] : []
    const allowed = ['JOB_STATE', ...NO_PRINTER, ...other]
    this.#world.ledger.wish(job.id, 'cancel')
    this.#world.act(`moves ${job.id} to ${printer}`, allowed, async () => {
      const made = await this.#world.box.intake.reprint(job.id, printer, { isMove: true })
      const before = this.#world.box.spool.history.get(job.id)
      if (before?.state !== 'canceled' || before.delivery !== 'none')
        this.#world.ledger.fault(`${job.id} moved as ${made.id} and is ${before?.state}`)
    })
  }

  /** "Move waiting labels" of the page. */
  moveAll(): void {
    const [from, to] = [this.#world.pick(['A', 'B', 'C']), this.#world.pick(this.#world.printers)]
    if (from === undefined || to === undefined || from === to) return
    const { ledger, box } = this.#world
    const only = ({ id }: Job): boolean => {
      ledger.wish(id, 'cancel')
      return true
    }
    this.#world.act(`moves all of ${from} to ${to}`, NO_PRINTER, () =>
      box.intake.moveWaiting(from, to, { only }),
    )
  }

  reprint(): void {
    const job = this.#anyJob()
    if (job === undefined || !hasEnded(job)) return
    const allowed = ['JOB_STATE', ...NO_PRINTER]
    const isTwice = this.#world.chance(0.3)
    let made = 0
    const press = (): void =>
      this.#world.act(`prints ${job.id} again`, allowed, async () => {
        await this.#world.box.intake.reprint(job.id, undefined, isTwice ? { after: job.id } : {})
        made += 1
        if (made > 1) this.#world.ledger.fault(`two presses of Reprint made two of ${job.id}`)
      })
    press()
    if (isTwice) press()
  }

  release(): void {
    const job = this.#heldJob()
    if (job === undefined || wasCut(job)) return
    this.#seenHeld.push(job.id)
    this.#release(job.id, 'again')
  }

  /** Somebody else, whose page is old, releases it too. */
  releaseLate(): void {
    const id = this.#world.pick(this.#seenHeld)
    // Of a label that was cut off meanwhile it is the wish to have it again in any case.
    if (id !== undefined) this.#release(id, 'insist')
  }

  #release(id: string, wish: 'again' | 'insist'): void {
    this.#world.ledger.wish(id, wish)
    this.#world.act(`releases ${id}`, ['JOB_STATE', 'PRINTER_UNKNOWN'], () =>
      this.#world.box.scheduler.release(id),
    )
  }

  /** Hold-Job of a print dialog. */
  hold(): void {
    const job = this.#anyJob()
    if (job === undefined) return
    this.#world.act(`holds ${job.id}`, ['JOB_STATE'], () => this.#world.box.scheduler.hold(job.id))
  }

  pause(): void {
    const name = this.#world.pick(['A', 'B', 'C']) ?? 'A'
    this.#world.pause(name, !this.#world.paused.has(name))
  }

  /** Sends a command, which must not get into a label. */
  calibrate(): void {
    const name = this.#world.pick(this.#world.printers) ?? 'A'
    const refusals = ['UNKNOWN', 'OFFLINE', 'BUSY', 'LOST', 'STOPPED'].map(
      (why) => `PRINTER_${why}`,
    )
    this.#world.act(`calibrates ${name}`, refusals, () =>
      this.#world.box.scheduler.transmit(name, Buffer.from('\n')),
    )
  }

  /** Somebody else has looked at the same printer, and answers from an old page. */
  answerLate(): void {
    const seen = this.#world.pick(this.#seenCut)
    if (seen === undefined) return
    const { id, isOut, attempts } = seen
    const { ledger, box } = this.#world
    const job = ledger.jobs.get(id)
    if (job === undefined || hasEnded(job)) return
    this.#attend(this.#world.benchOf(job.printer))
    ledger.wish(id, isOut ? 'printed' : 'again')
    const words = `says late of ${id}, ${attempts}, that it ${isOut ? 'came' : 'did not come'} out`
    this.#world.act(words, ['JOB_STATE', 'PRINTER_UNKNOWN'], async () => {
      const after =
        isOut || this.#world.chance(0.5)
          ? await box.scheduler.resolve(id, isOut, attempts)
          : await box.scheduler.release(id, attempts)
      if (after.attempts !== attempts) ledger.fault(`the old word on ${id} counted`)
    })
  }

  /** Somebody presses a button at a held label, having looked or not. */
  decide(): void {
    const job = this.#heldJob()
    if (job === undefined || !wasCut(job)) return
    if (this.#world.chance(0.2)) this.#insist(job)
    else this.#world.act(`looks for ${job.id}`, ['JOB_STATE'], () => this.look(job))
  }

  /** Looks at the printer when it has come to rest, then tells the truth. True when something was said. */
  async look({ id }: Job): Promise<void> {
    const world = this.#world
    const { box } = world
    const now = world.ledger.jobs.get(id)
    const bench = world.benchOf(now?.printer ?? '')
    if (now === undefined || bench === undefined || !wasCut(now) || this.#looking.has(id)) return
    // A printer that was given another address meanwhile is where it was before.
    const places = [bench.uri, ...world.ledger.placesOf(id)]
    const benches = world.benches.filter(({ uri }) => places.includes(uri))
    if (!(await comeToRest(benches)) || world.box !== box) return
    const job = world.ledger.jobs.get(id)
    if (job === undefined || !wasCut(job)) return
    const isOut = world.ledger.isOut(id)
    this.#attend(bench)
    world.ledger.wish(id, isOut ? 'printed' : 'again')
    world.ledger.say(`  says that ${id} ${isOut ? 'came out' : 'did not come out'}`)
    this.#looking.add(id)
    this.#seenCut.push({ id, isOut, attempts: job.attempts })
    try {
      await box.scheduler.resolve(id, isOut, job.attempts)
    } finally {
      this.#looking.delete(id)
    }
  }

  #insist(job: Job): void {
    const { ledger } = this.#world
    const bench = this.#world.benchOf(job.printer)
    if (bench === undefined) return
    this.#attend(bench)
    ledger.wish(job.id, 'insist')
    this.#world.act(`wants ${job.id} again in any case`, ['JOB_STATE', 'PRINTER_UNKNOWN'], () =>
      this.#world.chance(0.5)
        ? this.#world.box.scheduler.resolve(job.id, false)
        : this.#world.box.scheduler.release(job.id),
    )
  }

  /** A printer without a command for that gets out of half a label by its switch. */
  #attend(bench: PaperPrinter | undefined): void {
    if (this.#world.language !== 'epl' && !this.#world.mixes) return
    bench?.off()
    bench?.on()
  }

  #anyJob(): Job | undefined {
    return this.#world.pick([...this.#world.ledger.jobs.values()].slice(-8))
  }

  #heldJob(): Job | undefined {
    const jobs = [...this.#world.ledger.jobs.values()]
    return this.#world.pick(jobs.filter((job) => job.state === 'pending-held' || wasCut(job)))
  }

  #label(): Uint8Array {
    this.#marks += 1
    const bytes = this.#world.pick(SIZES) ?? 0
    if (this.#world.language === 'zpl') return zplLabel(`m${this.#marks}`, bytes)
    return Buffer.from(`N\n;m${this.#marks}\n;${' '.repeat(bytes)}\nP1\n`)
  }
}

/** False when one is not to be waited for: it reads nothing, keeps labels, or somebody prints on it. */
async function comeToRest(benches: readonly PaperPrinter[]): Promise<boolean> {
  for (let turns = 0; turns < 5; turns += 1) {
    await turn()
    if (!benches.every((bench) => bench.isReading && bench.isAlone && bench.isDone)) return false
  }
  return true
}

function bound(world: World): Pick<World, 'below' | 'chance'> {
  return { below: (limit) => world.below(limit), chance: (part) => world.chance(part) }
}
