import { setTimeout as sleep } from 'node:timers/promises'
import type { PrinterDetails, PrinterReading, PrinterReason, StatusLanguage, Talk } from '#labels'
import type { Connection } from '../device.ts'

/** Time limits of questions, in milliseconds. */
export interface Patience {
  /** Time for an answer. */
  readonly answerMs: number
  /** A printer that never answered is asked again after so long. */
  readonly quietMs: number
  /** A query that is not taken for this long is reported to `onStuck`. */
  readonly stuckMs: number
}

/** Dependencies of an inquiry. */
interface InquiryParts {
  readonly connection: Connection
  readonly language: StatusLanguage | undefined
  readonly habits: AnswerHabits
  readonly patience: Patience
  /** Told of what the printer said of itself. */
  readonly learn: (facts: PrinterDetails) => void
  /** A late answer may be read by the next query. */
  readonly keepsLine: boolean
  /** Milliseconds, never set back. */
  readonly now: () => number
}

/** Callbacks and signals of one question. */
interface QuestionTerms {
  /** Hears that the printer does not even take the question. */
  readonly onStuck?: () => void
  /** Somebody wants to print: the wait for an answer ends at once, and nobody is the wiser. */
  readonly labelWaits?: AbortSignal | undefined
}

// Looks for an answer: most come within milliseconds, and the next label waits for some of them.
const [FIRST_LOOK_MS, LONGEST_LOOK_MS] = [15, 100]
const SILENCES = 3
const SILENT_MS = 30_000 // until one that answered before and fell silent is asked again
const LONGEST = 16_384 // characters of an answer; real ones have some hundred

const PORT_READY: PrinterReading = { reasons: [], isBusy: false, isVague: true }

/** A printer that is open for questions, between two labels. */
export class Inquiry {
  readonly #parts: InquiryParts
  #isMeasuring = false

  constructor(parts: InquiryParts) {
    this.#parts = parts
  }

  /** True when the printer must be seen busy before "ready" means that its label came out. */
  get needsBusy(): boolean {
    return this.#parts.language?.needsBusy === true
  }

  /** True when nobody else can print on the printer between two of our labels. */
  get isAlone(): boolean {
    return this.#parts.keepsLine
  }

  /**
   * Reads the printer's status; undefined when nobody can say, or when the question gave way. One that the printer does not take
   * waits for it, however long, until `signal` aborts.
   * @throws PrinterFault PRINTER_LOST, PRINTER_OFFLINE, PRINTER_BUSY when the printer went away
   */
  async ask(terms: QuestionTerms, signal: AbortSignal): Promise<PrinterReading | undefined> {
    const { connection, habits } = this.#parts
    this.#isMeasuring = habits.measureTries > 0
    if (this.#isMeasuring) habits.measureTries -= 1
    const port = await connection.status?.(signal)
    const told = (port ?? []).map(toReason).filter((reason) => reason !== 'none')
    // A port that reports a fault may take no more bytes, a question neither.
    if (told.length > 0) return { reasons: [...new Set(told)], isBusy: false }
    const spoken = await this.#askInLanguage(terms, signal)
    return spoken ?? (port === undefined ? undefined : PORT_READY)
  }

  /**
   * Asks the printer for its count of labels, for the next label to be compared with.
   * @throws PrinterFault as `ask` does
   */
  async recount(terms: QuestionTerms, signal: AbortSignal): Promise<void> {
    const { habits } = this.#parts
    // One that is ready at once may not have read the last label, which would count for the next.
    if (habits.labelCount === undefined && !habits.mayBeUnread) await this.#count(terms, signal)
    habits.mayBeUnread = false
  }

  /**
   * Tells whether the printer's own count of labels went up since it was `before`; undefined = it does not count, or nobody has
   * seen yet that it does.
   * @throws PrinterFault as `ask` does
   */
  async hasCounted(before: number | undefined, signal: AbortSignal): Promise<boolean | undefined> {
    const { habits } = this.#parts
    const count = await this.#count({}, signal)
    if (count === undefined || before === undefined) return undefined
    if (count > before) habits.isCountTrusted = true
    if (count < before) habits.isCountTrusted = false // another printer
    return habits.isCountTrusted ? count > before : undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.connection[Symbol.asyncDispose]()
  }

  async #count(terms: QuestionTerms, signal: AbortSignal): Promise<number | undefined> {
    const { language, habits } = this.#parts
    habits.labelCount = undefined // one from before the label was out would count it for the next
    // A late answer to another question may be a number too.
    if (!habits.counts || habits.owesAnswer) return undefined
    const count = await language?.count?.(this.#makeTalk(terms, signal))
    habits.labelCount = count
    // One that does not know the question is not asked again.
    if (count === undefined && !terms.labelWaits?.aborted) habits.counts = false
    return count
  }

  async #askInLanguage(
    terms: QuestionTerms,
    signal: AbortSignal,
  ): Promise<PrinterReading | undefined> {
    const { language, habits, now } = this.#parts
    if (language === undefined) return undefined
    if (now() < habits.quietUntil) return habits.answers ? language.silence : undefined
    const talk = this.#makeTalk(terms, signal)
    await this.#clear(either(terms, signal))
    const reading = await language.ask(talk)
    if (reading !== undefined) {
      await this.#hear(reading, talk, terms)
      return reading
    }
    this.#noteSilence(terms)
    return habits.answers && !terms.labelWaits?.aborted ? language.silence : undefined
  }

  /** Drops what the printer said to nobody: the answer to a question that gave way must not be taken for another's. */
  async #clear(signal: AbortSignal): Promise<void> {
    const { connection, keepsLine, habits, patience } = this.#parts
    await connection.receive(keepsLine && habits.owesAnswer ? patience.answerMs : 1, signal)
    if (!signal.aborted) habits.owesAnswer = false
  }

  async #hear(reading: PrinterReading, talk: Talk, terms: QuestionTerms): Promise<void> {
    const { language, habits, learn } = this.#parts
    const { media } = reading
    habits.answers = true
    habits.silences = 0
    habits.waitedMs = 0
    learn({ answers: true, ...(media === undefined ? {} : { media }) })
    if (!habits.isIdentified && language?.identify !== undefined) {
      const said = await language.identify(talk)
      habits.isIdentified = !terms.labelWaits?.aborted
      habits.counts = said.z64 === true
      learn(said)
    }
    if (this.#isMeasuring && reading.reasons.length === 0 && !reading.isBusy) {
      await this.#measure(reading, talk)
    }
  }

  /** After a calibration, which the printer may still be at: then it tells at one of the next questions. */
  async #measure(reading: PrinterReading, talk: Talk): Promise<void> {
    const { language, habits, learn } = this.#parts
    const media = reading.media ?? (await language?.measure?.(talk))
    if (media === undefined) return
    habits.measureTries = 0
    learn({ media })
  }

  #noteSilence({ labelWaits }: QuestionTerms): void {
    const { habits, patience, now } = this.#parts
    // A question that gave way says nothing, but several of them may have waited long enough.
    if (labelWaits?.aborted && habits.waitedMs < patience.answerMs) return
    habits.waitedMs = 0
    habits.silences += 1
    habits.hasBeenSilent = true
    if (!habits.answers) habits.quietUntil = now() + patience.quietMs
    else if (habits.silences >= SILENCES) habits.quietUntil = now() + SILENT_MS
  }

  #makeTalk(terms: QuestionTerms, signal: AbortSignal): Talk {
    return (question, isWhole) => this.#talk(question, isWhole, terms, signal)
  }

  async #talk(
    question: string,
    isWhole: (answer: string) => boolean,
    terms: QuestionTerms,
    signal: AbortSignal,
  ): Promise<string> {
    const { connection, habits, patience, now } = this.#parts
    const ends = either(terms, signal)
    if (ends.aborted) return ''
    const watch = setTimeout(() => terms.onStuck?.(), patience.stuckMs)
    try {
      await connection.send(Buffer.from(question, 'latin1'), signal)
    } finally {
      clearTimeout(watch)
    }
    habits.owesAnswer = true
    const begin = now()
    let answer = ''
    let lookMs = FIRST_LOOK_MS
    while (!isWhole(answer) && now() < begin + patience.answerMs && !ends.aborted) {
      const part = await connection.receive(lookMs, ends)
      lookMs = Math.min(2 * lookMs, LONGEST_LOOK_MS)
      answer = (answer + Buffer.from(part).toString('latin1')).slice(-LONGEST)
      if (part.length === 0) await sleep(1) // a device that answers "nothing" at once must not spin
    }
    // Answers come in the order of their questions: with this one, those before it have come too.
    if (isWhole(answer)) habits.owesAnswer = false
    else habits.waitedMs += now() - begin
    return answer
  }
}

function either({ labelWaits }: QuestionTerms, signal: AbortSignal): AbortSignal {
  return labelWaits === undefined ? signal : AbortSignal.any([signal, labelWaits])
}

const REASONS: ReadonlySet<string> = new Set<PrinterReason>([
  ...(['media-empty', 'cover-open', 'marker-supply-empty'] as const),
  ...(['media-jam', 'paused', 'offline', 'none'] as const),
])

function toReason(word: string): PrinterReason {
  return REASONS.has(word) ? (word as PrinterReason) : 'other'
}

/** Habits of a printer in answering, kept until it is found at another place. */
export interface AnswerHabits {
  /** It has answered before. */
  answers: boolean
  /** It was given its time, and said nothing. */
  hasBeenSilent: boolean
  /** Questions in a row without an answer. */
  silences: number
  /** Milliseconds that it was waited for in vain, over questions that gave way to a label. */
  waitedMs: number
  /** Not to be asked in its language before. */
  quietUntil: number
  /** The answer to a question that nobody waits for any longer may still come. */
  owesAnswer: boolean
  isIdentified: boolean
  /** Times that its stock is still to be asked for, since it measured it. */
  measureTries: number
  /** It keeps a count of its labels. */
  counts: boolean
  /** The count at that time, if nothing was sent since. */
  labelCount: number | undefined
  /** It was not seen ready since a label went there. */
  mayBeUnread: boolean
  /** The count was seen to go up with a label of ours: when it stays, the label is not out. */
  isCountTrusted: boolean
}

/** The habits of a printer that was not asked in this run. */
export function assumeHabits(answers: boolean): AnswerHabits {
  return {
    answers,
    hasBeenSilent: false,
    silences: 0,
    waitedMs: 0,
    quietUntil: 0,
    owesAnswer: false,
    isIdentified: false,
    measureTries: 0,
    counts: false,
    labelCount: undefined,
    mayBeUnread: false,
    isCountTrusted: false,
  }
}
