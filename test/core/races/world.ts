import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Printer } from '#printers'
import type { Job } from '../../../src/core/job.ts'
import type { InterruptPolicy } from '../../../src/core/moves.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { Box } from '../../simulator/box.ts'
import { Dice } from '../../simulator/history.ts'
import type { PaperLanguage, PaperPrinter } from '../../simulator/printer.ts'
import { makePrinter } from '../printers/make-printer.ts'
import { Ledger } from './ledger.ts'

const BENCHES = 3
/** Who takes the labels of whom, where there are rules: a circle. */
const BACKUPS: Readonly<Record<string, string>> = { A: 'B', B: 'A', C: 'A', D: 'C' }

/** A box, its printers and what is known of them in one history. */
export class World extends Dice {
  readonly ledger: Ledger
  readonly benches: readonly PaperPrinter[]
  readonly language: PaperLanguage
  box: Box
  policy: InterruptPolicy = 'hold'
  readonly hasRules: boolean
  /** Seconds that the box's clock was set on. */
  seconds = 0
  /** Which bench each printer of the settings leads to. */
  readonly settings = new Map<string, number>()
  /** What they say of its language, where that is not the usual one. */
  readonly languages = new Map<string, string | undefined>()
  /** Entries of a ZPL printer may say that it is another one. */
  readonly mixes: boolean
  /** Its printers answer questions, and print what they took one label after the other. */
  readonly answers: boolean
  /** Nobody else prints on them between two of our labels, as on a cable. */
  readonly keepsLine: boolean
  /** Whom somebody has paused: none of their labels begins, across restarts too. */
  readonly paused = new Set<string>()
  /** How many of a hundred writes find no room on the disk. */
  fullness = 0
  /** The disk was full in this run of the program: its end may not have been written. */
  wasFull = false
  readonly #folder: string
  /** Where the labels of each printer go, and went when the commit began that is on its way to the disk. */
  readonly #places = new Map<string, readonly string[]>()
  readonly #deeds: Promise<unknown>[] = []
  #runs = 0

  constructor(folder: string, benches: readonly PaperPrinter[], seed: number) {
    super(seed)
    this.#folder = mkdtempSync(join(folder, 'history-'))
    this.benches = benches.slice(0, this.chance(0.3) ? 2 : BENCHES)
    this.language = this.chance(0.25) ? 'epl' : 'zpl'
    this.hasRules = this.chance(0.5)
    this.mixes = this.language === 'zpl' && this.chance(0.3)
    this.answers = this.language === 'zpl' && !this.mixes && this.chance(0.6)
    this.keepsLine = this.chance(0.3)
    this.ledger = new Ledger({
      placesOf: (printer) => this.#places.get(printer) ?? [],
      markOf: (id) => readMark(this.box.spool.history.label(id) ?? new Uint8Array()),
      hasExpired: ({ expiresAt }) => expiresAt > 0,
      reprints: () => this.policy === 'reprint',
      isPaused: (printer) => this.paused.has(printer),
    })
    this.#preparePrinters()
    this.box = this.#open(this.#nextFolder())
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
  act(words: string, allowed: readonly string[], deed: () => unknown): void {
    const { box } = this
    this.ledger.say(words)
    const run = async (): Promise<unknown> => await deed()
    const done = run().catch((error: unknown) => {
      if (this.box === box) this.refuse(words, allowed, error) // else the answer of a run that has ended
    })
    this.#deeds.push(done)
  }

  /** Somebody was refused. */
  refuse(words: string, allowed: readonly string[], error: unknown): void {
    const isAllowed =
      error instanceof PlatenError && [...allowed, 'SPOOL_FULL'].includes(error.code)
    if (isAllowed) this.ledger.say(`  ${words}: ${error.message}`)
    else this.ledger.fault(`${words}: ${String(error)}`)
  }

  /** Resolves when all that people asked for has been answered. */
  async answered(): Promise<void> {
    await Promise.all(this.#deeds)
  }

  /** Takes the settings over, after they were changed in `settings`. */
  configure(): void {
    this.box.configure(this.#entries())
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
    const folder = this.#nextFolder()
    const isAhead = box.spool.commits.isLanding
    const killed = box.kill(folder)
    this.#succeed(folder, isAhead)
    await killed
  }

  async end(): Promise<void> {
    await this.box.stop(0)
    await this.box.close()
    for (const bench of this.benches) {
      bench.onPaper = () => undefined
      bench.onSpoiled = () => undefined
      bench.onLost = () => undefined
    }
    rmSync(this.#folder, { recursive: true })
  }

  #preparePrinters(): void {
    const names = ['A', 'B', 'C'].slice(0, this.benches.length)
    for (const [index, name] of names.entries()) this.settings.set(name, index)
    for (const bench of this.benches) {
      bench.language = this.language
      bench.answers = this.answers
      bench.behave({})
      bench.off() // forgets what it has of an earlier history
      bench.on()
      bench.onPaper = (mark) => this.ledger.seePaper(bench.uri, mark)
      bench.onLost = (mark) => this.ledger.seeLoss(bench.uri, mark)
      bench.onSpoiled = (text) =>
        this.ledger.fault(`a label was spoiled: ${JSON.stringify(text.replaceAll(/ +/g, ' '))}`)
    }
  }

  #entries(): readonly Printer[] {
    const box: Box | undefined = this.box // there is none at first
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

  #open(folder: string): Box {
    const box = new Box({
      folder,
      printers: this.#entries(),
      policy: () => this.policy,
      uptimeMs: () => 1_000_000 + this.seconds * 1_000,
      random: this.random,
      isFull: () => this.fullness > 0 && this.below(100) < this.fullness,
      answers: this.answers,
      keepsLine: this.keepsLine,
      onChange: (job) => this.#see(box, job),
      onRule: (id) => this.ledger.wish(id, 'cancel'),
      fault: (error) => {
        const isFull = error instanceof PlatenError && error.code === 'SPOOL_FULL'
        if (this.box === box && !isFull)
          this.ledger.fault(`a fault of the scheduler: ${String(error)}`)
      },
    })
    return box
  }

  #see(box: Box, job: Job): void {
    if (this.box === box) this.ledger.see(job)
  }

  #nextFolder(): string {
    this.#runs += 1
    const folder = join(this.#folder, String(this.#runs))
    mkdirSync(folder)
    return folder
  }
}

function readMark(label: Uint8Array): string {
  return /m[\w-]+/.exec(Buffer.from(label.subarray(0, 40)).toString('latin1'))?.[0] ?? ''
}
