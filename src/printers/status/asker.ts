import { findLanguage, type PrinterDetails, type StatusLanguage } from '#labels'
import type { Connection, InquirySettings } from '../device.ts'
import type { Printer } from '../known/printer.ts'
import { type AnswerHabits, assumeHabits, Inquiry, type Patience } from './inquiry.ts'

/** The printers that the program knows, as they are asked. */
export interface AskedPrinters {
  get(name: string): Printer | undefined
  /** Status questions of the printer's device; undefined = never. */
  asking(name: string): InquirySettings | undefined
  open(name: string, signal: AbortSignal): Promise<Connection>
}

/** Dependencies of asking. */
export interface AskerParts extends Partial<Patience> {
  readonly printers: AskedPrinters
  /** Told of what a printer said of itself, by its device URI. */
  readonly learn?: (uri: string, facts: PrinterDetails) => void
  /** Milliseconds, never set back. */
  readonly now?: () => number
}

const PATIENCE: Patience = {
  answerMs: 1500, // three lines at 9600 baud and a slow printer
  quietMs: 300_000, // as LPrint does
  stuckMs: 3000,
}

const MEASURE_TRIES = 6 // a calibration takes some seconds

/** Asks printers how they are, each in its language, and remembers who answers. */
export class StatusAsker {
  readonly #parts: AskerParts
  readonly #patience: Patience
  readonly #habits = new Map<string, AnswerHabits>()
  readonly #now: () => number

  constructor(parts: AskerParts) {
    const { answerMs, quietMs, stuckMs } = parts
    this.#parts = parts
    this.#patience = {
      answerMs: answerMs ?? PATIENCE.answerMs,
      quietMs: quietMs ?? PATIENCE.quietMs,
      stuckMs: stuckMs ?? PATIENCE.stuckMs,
    }
    this.#now = parts.now ?? (() => performance.now())
  }

  /** Milliseconds between questions to the printer while it is idle; undefined = it is never asked. */
  idleMs(name: string): number | undefined {
    const asking = this.#parts.printers.asking(name)
    return asking && asking.idleSeconds * 1000
  }

  /** True when "ready" from this printer can prove that a label came out: it has answered, in a language that tells. */
  canTell(name: string): boolean {
    const language = this.#language(name)
    if (language?.silence === undefined && language?.needsBusy !== true) return false
    const { answers, quietUntil } = this.#mannersOf(name)
    return answers && this.#now() >= quietUntil
  }

  /** True when nobody has asked the printer in its language yet, or not to the end. */
  isUnknown(name: string): boolean {
    const { answers, hasBeenSilent } = this.#mannersOf(name)
    return this.#language(name) !== undefined && !answers && !hasBeenSilent
  }

  /** It was away: another printer may have its place by now, with another head and another count of labels. */
  identifyAgain(name: string): void {
    const habits = this.#mannersOf(name)
    habits.isIdentified = false
    habits.labelCount = undefined
  }

  /** The printer was told to measure its stock: what it says of it now is worth asking for. */
  measureAnew(name: string): void {
    // A printer of pictures only knows no more of its language than that.
    const isAble = this.#parts.printers.get(name)?.rasterOnly !== true
    this.#mannersOf(name).measureTries = isAble ? MEASURE_TRIES : 0
  }

  /** True until the printer has told what it measured, or was asked often enough. */
  isMeasuring(name: string): boolean {
    return this.#mannersOf(name).measureTries > 0
  }

  /** The printer's count of its labels before the one that goes now; undefined = not known. Taken once: then it is old. */
  takeCount(name: string): number | undefined {
    const habits = this.#mannersOf(name)
    const { labelCount } = habits
    habits.labelCount = undefined
    habits.mayBeUnread = true
    return labelCount
  }

  /**
   * Opens the printer for questions; undefined when it is never asked.
   * @throws PrinterFault PRINTER_UNKNOWN, PRINTER_OFFLINE, PRINTER_BUSY
   */
  async open(name: string, signal: AbortSignal): Promise<Inquiry | undefined> {
    const { printers } = this.#parts
    const printer = printers.get(name)
    const asking = printers.asking(name)
    if (printer === undefined || asking === undefined) return undefined
    const { language } = printer
    return new Inquiry({
      connection: await printers.open(name, signal),
      language: this.#language(name),
      habits: this.#mannersOf(name),
      patience: this.#patience,
      learn: (facts) =>
        this.#parts.learn?.(printer.uri, { ...facts, ...(language && { language }) }),
      keepsLine: asking.keepsLine === true,
      now: this.#now,
    })
  }

  #language(name: string): StatusLanguage | undefined {
    const { printers } = this.#parts
    if (printers.asking(name)?.isTwoWay !== true) return undefined
    const spoken = printers.get(name)?.language
    return findLanguage(spoken)?.status
  }

  /** They are those of a place and a language: another printer is asked again. */
  #mannersOf(name: string): AnswerHabits {
    const printer = this.#parts.printers.get(name)
    const key = `${printer?.uri} ${printer?.language}`
    const known = this.#habits.get(key) ?? assumeHabits(printer?.answers === true)
    this.#habits.set(key, known)
    return known
  }
}
