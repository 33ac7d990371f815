import type { Printer } from '#printers'
import type { Job } from '../../../src/core/job.ts'
import type { InterruptPolicy } from '../../../src/core/moves.ts'
import { Folders } from '../../simulator/box.ts'
import { readMark } from '../../simulator/client.ts'
import { Clock } from '../../simulator/clock.ts'
import { Dice } from '../../simulator/history.ts'
import { isFullDisk, Operator } from '../../simulator/operator.ts'
import type { PaperLanguage, PaperListener, PaperPrinter } from '../../simulator/printer.ts'
import { makePrinter } from '../printers/make-printer.ts'
import { RuledBox } from './box.ts'
import { JobLedger } from './ledger.ts'

const BENCHES = 3
/** The backup of each printer, if there are rules: a circle. */
const BACKUPS: Readonly<Record<string, string>> = { A: 'B', B: 'A', C: 'A', D: 'C' }

/** A box, its printers and what is known of them in one history. */
export class World extends Dice {
  readonly ledger: JobLedger
  readonly benches: readonly PaperPrinter[]
  readonly language: PaperLanguage
  readonly operator: Operator
  readonly clock = new Clock()
  box: RuledBox
  policy: InterruptPolicy = 'hold'
  readonly hasRules: boolean
  /** Bench numbers by the printers of the settings. */
  readonly settings = new Map<string, number>()
  /** Languages in the settings, where they are not the usual one. */
  readonly languages = new Map<string, string | undefined>()
  /** Entries of a ZPL printer may say that it is another one. */
  readonly mixes: boolean
  /** Its printers answer questions, and print what they took one label after the other. */
  readonly answers: boolean
  /** Nobody else prints on them between two of our labels, as on a cable. */
  readonly keepsLine: boolean
  /** Paused printers: none of their labels begins, across restarts too. */
  readonly paused = new Set<string>()
  /** Percentage of writes that find no room on the disk. */
  fullness = 0
  /** The disk was full in this run of the program: its end may not have been written. */
  wasFull = false
  readonly #folders: Folders
  /** Places of each printer's labels, now and when the commit began that is on its way to the disk. */
  readonly #places = new Map<string, readonly string[]>()

  constructor(folder: string, benches: readonly PaperPrinter[], seed: number) {
    super(seed)
    this.#folders = new Folders(folder)
    this.benches = benches.slice(0, this.chance(0.3) ? 2 : BENCHES)
    this.language = this.chance(0.25) ? 'epl' : 'zpl'
    this.hasRules = this.chance(0.5)
    this.mixes = this.language === 'zpl' && this.chance(0.3)
    this.answers = this.language === 'zpl' && !this.mixes && this.chance(0.6)
    this.keepsLine = this.chance(0.3)
    this.ledger = new JobLedger({
      placesOf: (printer) => this.#places.get(printer) ?? [],
      markOf: (id) => readMark(this.box.spool.history.label(id)),
      hasExpired: ({ expiresAt }) => expiresAt > 0,
      reprints: () => this.policy === 'reprint',
      isPaused: (printer) => this.paused.has(printer),
    })
    this.operator = new Operator(this.ledger)
    this.#preparePrinters()
    this.box = this.#open(this.#folders.next())
    this.box.start()
  }

  get printers(): readonly string[] {
    return [...this.settings.keys()]
  }

  /** The bench where the labels of this printer come out. */
  benchOf(printer: string): PaperPrinter | undefined {
    return this.benches[this.settings.get(printer) ?? -1]
  }

  /** Somebody does something, and goes on without waiting for the answer. Only these refusals are in order. */
  act(words: string, allowed: readonly string[], action: () => unknown): void {
    const { box } = this
    this.operator.act(words, allowed, () => this.box !== box, action)
  }

  /** Takes the settings over, after they were changed in `settings`. */
  configure(): void {
    this.box.configure(this.#entries(), 'A')
  }

  /** On disk when it returns: what began before has been told by then. */
  pause(printer: string, isPaused: boolean): void {
    this.ledger.say(`${printer} is ${isPaused ? 'paused' : 'to go on'}`)
    if (!isPaused) this.paused.delete(printer)
    if (isPaused) this.box.scheduler.pause(printer)
    else this.box.scheduler.resume(printer)
    if (isPaused) this.paused.add(printer)
  }

  /** Ends the run in order and starts the next one. */
  async restart(graceMs: number): Promise<void> {
    const { box } = this
    await box.stop(graceMs)
    if (this.box !== box) return
    if (!this.wasFull) this.ledger.seeStop()
    const closed = box.close()
    this.#succeed(box.folder, false)
    await closed
  }

  /** Ends the run at once, and starts the next one with what is on disk. */
  async crash(): Promise<void> {
    const { box } = this
    const folder = this.#folders.next()
    const isAhead = box.spool.commits.isLanding
    const killed = box.kill(folder)
    this.#succeed(folder, isAhead)
    await killed
  }

  async end(): Promise<void> {
    await this.box.stop(0)
    await this.box.close()
    for (const bench of this.benches) bench.release()
    this.#folders.remove()
  }

  #preparePrinters(): void {
    const names = ['A', 'B', 'C'].slice(0, this.benches.length)
    for (const [index, name] of names.entries()) this.settings.set(name, index)
    for (const bench of this.benches) {
      const listener: PaperListener = {
        onPaper: (mark) => this.ledger.seePaper(bench.uri, mark),
        onLost: (mark) => this.ledger.seeLoss(bench.uri, mark),
        onSpoiled: (text) =>
          this.ledger.fault(`a label was spoiled: ${JSON.stringify(text.replaceAll(/ +/g, ' '))}`),
      }
      bench.renew(listener, { language: this.language, answers: this.answers })
    }
  }

  #entries(): readonly Printer[] {
    const box: RuledBox | undefined = this.box // there is none at first
    const isLanding = box?.spool.commits.isLanding ?? false
    return [...this.settings].map(([name, index]) => {
      const uri = this.benches[index]?.uri ?? ''
      const before = isLanding ? (this.#places.get(name) ?? []) : []
      this.#places.set(name, [uri, ...before])
      const backup = { printer: BACKUPS[name] ?? 'A', box: '', minutes: 1 }
      const language = this.languages.has(name) ? this.languages.get(name) : this.language
      return makePrinter(name, { uri, language, ...(this.hasRules && { backup }) })
    })
  }

  #succeed(folder: string, isAhead: boolean): void {
    this.wasFull = false
    this.fullness = 0 // the ballast has room for what a start writes
    this.box = this.#open(folder)
    this.ledger.compare(this.box.spool.history.list({ limit: 10_000 }), isAhead)
    this.box.start()
  }

  #open(folder: string): RuledBox {
    const box: RuledBox = new RuledBox({
      folder,
      printers: this.#entries(),
      defaultName: 'A',
      policy: () => this.policy,
      clock: this.clock,
      random: this.random,
      isFull: () => this.fullness > 0 && this.below(100) < this.fullness,
      asks: this.answers,
      keepsLine: this.keepsLine,
      onChange: (job) => this.#see(box, job),
      onRule: (id) => this.ledger.wish(id, 'cancel'),
      fault: (error) => {
        if (this.box === box && !isFullDisk(error))
          this.ledger.fault(`a fault of the scheduler: ${String(error)}`)
      },
    })
    return box
  }

  #see(box: RuledBox, job: Job): void {
    if (this.box === box) this.ledger.see(job)
  }
}
