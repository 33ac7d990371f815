import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from '../device.ts'
import type { Learned } from '../memory.ts'
import type { PrinterReason } from '../printer.ts'
import type { Printers } from '../registry.ts'
import { statusLanguages } from './index.ts'
import type { Reading, StatusLanguage, Talk } from './reading.ts'

/** What asking works with. */
export interface AskerParts {
  readonly printers: Pick<Printers, 'get' | 'open' | 'asking'>
  /** Told of what a printer said of itself, by its device URI. */
  readonly learn?: (uri: string, facts: Learned) => void
  /** Milliseconds, never set back. */
  readonly now?: () => number
  /** How long an answer may take. Default 1.5 s: three lines at 9600 baud and a slow printer. */
  readonly answerMs?: number
  /** A printer that never answered is asked again after so long. Default 300 s, as LPrint does. */
  readonly quietMs?: number
  /** A question that is not taken for so long is told to `onStuck`. Default 3 s. */
  readonly stuckMs?: number
}

const SLICE_MS = 100 // one look for an answer

/** What is known of how a printer answers, until it is found at another place. */
interface Manners {
  /** It has answered before. */
  answers: boolean
  /** Not to be asked in its language before. */
  quietUntil: number
  isIdentified: boolean
  /** Questions in a row without an answer. */
  silences: number
}

const SILENCES = 3
const SILENT_MS = 30_000 // until one that answered before and fell silent is asked again

const PORT_READY: Reading = { reasons: [], isBusy: false, isVague: true }

/** Asks printers how they are, each in its language, and remembers who answers. */
export class StatusAsker {
  readonly #parts: AskerParts
  readonly #manners = new Map<string, Manners>()
  readonly #now: () => number

  constructor(parts: AskerParts) {
    this.#parts = parts
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

  /** True when nobody has asked the printer in its language yet. */
  isStranger(name: string): boolean {
    const { answers, quietUntil } = this.#mannersOf(name)
    return this.#language(name) !== undefined && !answers && quietUntil === 0
  }

  /**
   * Opens the printer for questions; undefined when it is never asked.
   * @throws PlatenError PRINTER_UNKNOWN, PRINTER_OFFLINE, PRINTER_BUSY
   */
  async open(name: string, signal: AbortSignal): Promise<Inquiry | undefined> {
    const { printers } = this.#parts
    const printer = printers.get(name)
    if (printer === undefined || printers.asking(name) === undefined) return undefined
    const connection = await printers.open(name, signal)
    const manners = this.#mannersOf(name)
    const isNew = (facts: Learned): void => this.#parts.learn?.(printer.uri, facts)
    return new Inquiry(this.#parts, connection, this.#language(name), manners, isNew)
  }

  #language(name: string): StatusLanguage | undefined {
    const { printers } = this.#parts
    if (printers.asking(name)?.isTwoWay !== true) return undefined
    const spoken = printers.get(name)?.language
    return statusLanguages.find(({ language }) => language === spoken)
  }

  /** They are those of a place and a language: another printer is asked anew. */
  #mannersOf(name: string): Manners {
    const printer = this.#parts.printers.get(name)
    const key = `${printer?.uri} ${printer?.language}`
    const fresh = {
      answers: printer?.answers === true,
      quietUntil: 0,
      isIdentified: false,
      silences: 0,
    }
    const known = this.#manners.get(key) ?? fresh
    this.#manners.set(key, known)
    return known
  }
}

/** A printer that is open for questions, between two labels. */
export class Inquiry {
  readonly #parts: AskerParts
  readonly #connection: Connection
  readonly #language: StatusLanguage | undefined
  readonly #manners: Manners
  readonly #learn: (facts: Learned) => void
  readonly #now: () => number

  constructor(
    parts: AskerParts,
    connection: Connection,
    language: StatusLanguage | undefined,
    manners: Manners,
    learn: (facts: Learned) => void,
  ) {
    this.#parts = parts
    this.#connection = connection
    this.#language = language
    this.#manners = manners
    this.#learn = learn
    this.#now = parts.now ?? (() => performance.now())
  }

  /** True when the printer must be seen busy before "ready" means that its label came out. */
  get needsBusy(): boolean {
    return this.#language?.needsBusy === true
  }

  /**
   * How the printer is; undefined when nobody can say. `onStuck` hears that the printer does not even take the question:
   * then it waits for the printer, however long, until `signal` aborts.
   * @throws PlatenError PRINTER_LOST, PRINTER_OFFLINE, PRINTER_BUSY when the printer went away
   */
  async ask(signal: AbortSignal, onStuck?: () => void): Promise<Reading | undefined> {
    const port = await this.#connection.status?.(signal)
    const told = (port ?? []).map(toReason).filter((reason) => reason !== 'none')
    // A port that reports a fault may take no more bytes, a question neither.
    if (told.length > 0) return { reasons: [...new Set(told)], isBusy: false }
    const spoken = await this.#askInLanguage(signal, onStuck)
    return spoken ?? (port === undefined ? undefined : PORT_READY)
  }

  /** Sends bytes that are no label, e.g. to calibrate. */
  async tell(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    await this.#connection.send(bytes, signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection[Symbol.asyncDispose]()
  }

  async #askInLanguage(signal: AbortSignal, onStuck?: () => void): Promise<Reading | undefined> {
    const language = this.#language
    if (language === undefined) return undefined
    const manners = this.#manners
    if (this.#now() < manners.quietUntil) return manners.answers ? language.silence : undefined
    const talk: Talk = (question, isWhole) => this.#talk(question, isWhole, signal, onStuck)
    await this.#connection.receive(1, signal) // what it said to nobody
    const reading = await language.ask(talk)
    if (reading !== undefined) {
      manners.answers = true
      manners.silences = 0
      const { media } = reading
      this.#learn({ answers: true, ...(media === undefined ? {} : { media }) })
      await this.#identify(language, talk)
      return reading
    }
    manners.silences += 1
    if (!manners.answers) manners.quietUntil = this.#now() + (this.#parts.quietMs ?? 300_000)
    else if (manners.silences >= SILENCES) manners.quietUntil = this.#now() + SILENT_MS
    return manners.answers ? language.silence : undefined
  }

  async #identify(language: StatusLanguage, talk: Talk): Promise<void> {
    if (this.#manners.isIdentified || language.identify === undefined) return
    this.#manners.isIdentified = true
    this.#learn(await language.identify(talk))
  }

  async #talk(
    question: string,
    isWhole: (answer: string) => boolean,
    signal: AbortSignal,
    onStuck?: () => void,
  ): Promise<string> {
    const watch = setTimeout(() => onStuck?.(), this.#parts.stuckMs ?? 3000)
    try {
      await this.#connection.send(Buffer.from(question, 'latin1'), signal)
    } finally {
      clearTimeout(watch)
    }
    const end = this.#now() + (this.#parts.answerMs ?? 1500)
    let answer = ''
    while (!isWhole(answer) && this.#now() < end && !signal.aborted) {
      const part = await this.#connection.receive(SLICE_MS, signal)
      answer = (answer + Buffer.from(part).toString('latin1')).slice(-LONGEST)
      if (part.length === 0) await sleep(1) // a device that answers "nothing" at once must not spin
    }
    return answer
  }
}

const LONGEST = 16_384 // characters of an answer; real ones have some hundred

const REASONS: ReadonlySet<string> = new Set<PrinterReason>([
  ...(['media-empty', 'cover-open', 'marker-supply-empty'] as const),
  ...(['media-jam', 'paused', 'offline', 'none'] as const),
])

function toReason(word: string): PrinterReason {
  return REASONS.has(word) ? (word as PrinterReason) : 'other'
}
