import { setTimeout as sleep } from 'node:timers/promises'
import { hasEnded, type Job, wasCut } from '../../../src/core/job.ts'
import { BODY_BUDGET, BodyBudget } from '../../../src/core/request/body-budget.ts'
import { ownerOfSocket } from '../../../src/http/access/addresses.ts'
import { countBodies } from '../../../src/plugins/door/box.ts'
import type { DoorBox } from '../../../src/plugins/door/door.ts'
import type { Config } from '../../../src/settings/schema.ts'
import { makePrinter } from '../../core/printers/make-printer.ts'
import { Box, Folders } from '../../simulator/box.ts'
import { Clock, passTurns, settle } from '../../simulator/clock.ts'
import { Dice, type Story } from '../../simulator/history.ts'
import { type MarkedLabel, PaperLedger } from '../../simulator/ledger.ts'
import { type Chance, Operator, weigh } from '../../simulator/operator.ts'
import type { PaperPrinter } from '../../simulator/printer.ts'

export const PRINTERS: readonly string[] = ['A', 'B']
const CLIENT_MS = 30_000
/** After so long the next thing happens, if nobody waits for this one to the end. */
const WORK_MS = 20

/** A label that is sent to one of the printers. */
export interface DoorLabel extends MarkedLabel {
  readonly printer: string
  /** It was sent to its end once, at least. */
  wasWhole: boolean
}

class DoorLedger<Label extends DoorLabel> extends PaperLedger<Label> {
  protected override judgePaper({ mark, printer, wasWhole }: Label, place: string): void {
    if (printer !== place) this.fault(`${mark} for ${printer} came out of ${place}`)
    if (!wasWhole) this.fault(`${mark} was never whole, and printed`)
  }
}

/** A box with two printers, and programs that print on them by the protocols of other products. */
export abstract class DoorWorld<Label extends DoorLabel> extends Dice {
  readonly ledger = new DoorLedger<Label>()
  protected readonly clock = new Clock()
  protected readonly folders: Folders
  protected box!: Box
  readonly #operator = new Operator(this.ledger)
  readonly #benches: readonly PaperPrinter[]
  readonly #printers = new Set(PRINTERS)
  /** Percentage of writes that find no room on the disk. */
  #fullness = 0

  constructor(folder: string, benches: readonly PaperPrinter[], seed: number) {
    super(seed)
    this.folders = new Folders(folder)
    this.#benches = benches
    for (const [n, bench] of benches.entries())
      bench.renew({
        onPaper: (mark) => this.ledger.seePaper(PRINTERS[n] ?? '', mark),
        onSpoiled: (text) => this.ledger.fault(`spoiled: ${text.slice(0, 80)}`),
      })
  }

  /** Opens the doors of a run whose box is `this.box`. */
  protected abstract openDoors(fault: (error: unknown) => void): Promise<void> | void
  /** Closes them. */
  protected abstract closeDoors(): Promise<void> | void
  protected abstract listActions(): readonly Chance[]
  protected abstract countSteps(): number
  /** Somebody who heard nothing of a label may try once more. */
  protected abstract tryLast(label: Label): Promise<void>
  /** Finds the label of a job. */
  protected abstract labelOf(job: Job): Label | undefined
  /** Nobody wants it printed: it was refused. */
  protected abstract isRefused(job: Job): boolean
  protected abstract judge(): Promise<void> | void

  protected get labels(): readonly Label[] {
    return [...this.ledger.labels.values()]
  }

  protected get jobs(): readonly Job[] {
    return this.box.spool.history.list({ limit: 200 })
  }

  async play(seed: number): Promise<Story> {
    await this.open(this.folders.next())
    const actions = weigh([
      ...this.listActions(),
      [2, () => this.#changeManners()],
      [2, () => this.#fillDisk()],
      [1, () => this.#changePrinters()],
    ])
    for (let steps = this.countSteps(); steps > 0; steps -= 1) {
      const work = Promise.resolve(this.pick(actions)?.())
      this.#operator.begin(work)
      if (this.chance(0.3)) await Promise.race([work, sleep(WORK_MS)])
      else await passTurns(this.below(12))
    }
    await this.#end()
    await this.judge()
    await this.closeDoors()
    await this.box.stop(0)
    await this.box.close()
    for (const bench of this.#benches) bench.release()
    this.folders.remove()
    return this.ledger.tell(seed)
  }

  /** Starts a run of the program. */
  protected async open(folder: string): Promise<void> {
    const fault = (error: unknown): void => {
      if (!box.isOver && !/disk is full/.test(String(error)))
        this.ledger.fault(`a fault: ${error instanceof Error ? error.stack : error}`)
    }
    const box: Box = new Box({
      folder,
      printers: this.#entries(),
      defaultName: 'A',
      clock: this.clock,
      random: this.random,
      isFull: () => this.#fullness > 0 && this.below(100) < this.#fullness,
      keepsLine: true,
      fault,
      onChange: ({ id, title, state, reasons, code }) => {
        if (!box.isOver) this.ledger.say(`  ${id} of ${title} is ${state} (${reasons}) ${code}`)
      },
    })
    this.#fullness = 0
    this.box = box
    await this.openDoors(fault)
    box.start()
  }

  #changeManners(): void {
    const bench = this.pick(this.#benches)
    const manners = this.pick([{}, { isStalled: true }, { bytesPerTurn: 1 + this.below(900) }])
    this.ledger.say(`${bench?.uri} behaves ${JSON.stringify(manners)}`)
    if (manners !== undefined) bench?.behave(manners)
  }

  #fillDisk(): void {
    this.#fullness = this.chance(0.5) ? 0 : this.below(100)
    this.ledger.say(`the disk refuses ${this.#fullness} %`)
  }

  #changePrinters(): void {
    const one = this.pick(PRINTERS) ?? 'A'
    if (this.#printers.has(one)) this.#printers.delete(one)
    else this.#printers.add(one)
    this.ledger.say(`printers: ${[...this.#printers]}`)
    this.box.configure(this.#entries(), 'A')
  }

  #entries() {
    return [...this.#printers].map((name) => {
      const bench = this.#benches[PRINTERS.indexOf(name)]
      return makePrinter(name, { uri: bench?.uri ?? '' })
    })
  }

  /** Everything works again, those who heard nothing try once more, and somebody looks after every label. */
  async #end(): Promise<void> {
    this.#mend()
    const late = sleep(CLIENT_MS, 'late', { ref: false })
    if ((await Promise.race([this.#operator.answered(), late])) === 'late')
      this.ledger.fault('a client waits forever')
    this.#mend() // what was under way may have filled the disk, or taken a printer out
    for (const label of this.labels) await this.tryLast(label)
    await settle(this.ledger, async () => {
      const open = this.jobs.filter((job) => !hasEnded(job))
      for (const job of open) await this.#lookAfter(job)
      return open.length === 0 && this.#areAlone()
    })
    for (const job of this.jobs)
      if (!hasEnded(job))
        this.ledger.fault(`${job.id} of ${job.title} has not ended: ${job.state} ${job.code}`)
  }

  #mend(): void {
    this.#fullness = 0
    for (const bench of this.#benches) bench.behave({})
    for (const name of PRINTERS) this.#printers.add(name)
    this.box.configure(this.#entries(), 'A')
  }

  #areAlone(): boolean {
    return this.#benches.every((bench) => bench.isAlone)
  }

  /** Looks at the printer and tells the truth, or lets a label go on. */
  async #lookAfter(job: Job): Promise<void> {
    const { scheduler } = this.box
    try {
      if (wasCut(job)) {
        if (this.#areAlone()) await scheduler.resolve(job.id, this.#isOut(job), job.attempts)
      } else if (job.state !== 'pending-held') return
      else if (this.isRefused(job)) await scheduler.cancel(job.id)
      else await scheduler.release(job.id)
    } catch (error) {
      this.ledger.say(`  ${error}`)
    }
  }

  #isOut(job: Job): boolean {
    const label = this.labelOf(job)
    const isDone = (one: Job): boolean => one.state === 'completed' && this.labelOf(one) === label
    const isOut = (label?.papers ?? 0) > this.jobs.filter(isDone).length
    this.ledger.say(`  says that ${job.id} ${isOut ? 'came out' : 'did not come out'}`)
    return isOut
  }
}

/** Makes the part of a box that a door gets. */
export function makeDoorBox(box: Box, config: Config, fault: (error: unknown) => void): DoorBox {
  return {
    ...countBodies(box.intake, new BodyBudget(BODY_BUDGET)),
    printers: box.printers,
    spool: box.spool,
    scheduler: box.scheduler,
    config: () => config,
    info: () => ({ version: '1', hostName: 'box', host: '', ip: '10.0.0.5', port: '80' }),
    certificates: () => undefined,
    ownerOf: ownerOfSocket,
    callerOf: () => 'program',
    keys: { find: () => undefined, used: () => undefined },
    log: { info: () => undefined, warn: () => undefined },
    fault,
  }
}
