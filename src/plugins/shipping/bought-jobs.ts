import type { StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CarrierRemark, failure } from '#carriers'
import { hasEnded, isMoving, type Job, wasCut } from '../../core/job.ts'
import type { Printers } from '../../core/printers/registry.ts'
import type { Scheduler } from '../../core/queue/scheduler.ts'
import { JOB_COLUMNS, toJob } from '../../core/spool/columns.ts'
import type { Spool } from '../../core/spool/spool.ts'
import { inEnglish } from '../../words/say.ts'
import type { Envelope } from './envelope.ts'
import { type JournalEntry, readJobIds } from './journal.ts'

/** The state of a label's job, in the words of `POST /`. */
export interface PrintNote {
  readonly job_id: string
  readonly state: string
  readonly delivery: string
  readonly message: string
  readonly hint: string
}

/** Time within which a printer that was not heard of yet reports that it is off, or takes the label. */
const FIRST_WORDS_MS = 1_000

/** The parts of `BoughtJobs`. */
export interface BoughtJobsParts {
  readonly spool: Pick<Spool, 'history' | 'onChange' | 'records' | 'together'>
  readonly scheduler: Pick<Scheduler, 'withdraw'>
  readonly printers: Pick<Printers, 'list'>
}

/** The print jobs of bought labels: their states, and their end when the shipment is voided. */
export class BoughtJobs {
  readonly #parts: BoughtJobsParts
  readonly #tie: StatementSync
  readonly #ofPurchase: StatementSync
  readonly #siblings: StatementSync

  constructor(parts: BoughtJobsParts) {
    const { records } = parts.spool
    this.#parts = parts
    this.#tie = records.prepare('INSERT OR REPLACE INTO bought_job(seq, purchase) VALUES(?, ?)')
    this.#ofPurchase = records.prepare(
      `SELECT ${JOB_COLUMNS} FROM job WHERE seq IN (SELECT seq FROM bought_job WHERE purchase = ?) ORDER BY seq`,
    )
    this.#siblings = records.prepare(
      `SELECT ${JOB_COLUMNS} FROM job WHERE seq IN (SELECT seq FROM bought_job
        WHERE purchase = (SELECT purchase FROM bought_job WHERE seq = ?)) ORDER BY seq`,
    )
  }

  /** Notes that the job with this `seq` prints a label of this purchase; inside the transaction that adds it. */
  tie(seq: number, purchase: number): void {
    this.#tie.run(seq, purchase)
  }

  /**
   * Runs everything that is written in one transaction.
   * @throws PlatenError SPOOL_FULL, SPOOL_BROKEN; nothing was written
   */
  together<T>(work: () => T): T {
    return this.#parts.spool.together(work)
  }

  /**
   * Cancels the waiting labels of a voided shipment, inside the transaction that records the void. Reports labels that do not print now,
   * and labels that cannot be taken back any more.
   */
  giveBack(entry: Pick<JournalEntry, 'seq' | 'answer'>): readonly CarrierRemark[] {
    const jobs = this.#jobsOf(entry)
    const waiting = jobs.filter(waits)
    this.#parts.scheduler.withdraw(waiting.map(({ id }) => id))
    const out = jobs.filter((job) => !waits(job) || wasCut(job))
    return [...tellEach(waiting, 'NOTE', CANCELED), ...this.#tellOut(out, jobs)]
  }

  /** Reports waiting labels of a shipment whose void has an unknown outcome: they print. */
  tellWaiting(entry: Pick<JournalEntry, 'seq' | 'answer'>): readonly CarrierRemark[] {
    return tellEach(this.#jobsOf(entry).filter(waits), 'WARNING', STILL_WAITING)
  }

  /** Updates the notes of an answer to the present state of the jobs. */
  refresh(envelope: Envelope): Envelope {
    const { data } = envelope
    if (data === null || !('charges' in data)) return envelope
    const { packages, documents } = data
    const now = {
      ...data,
      packages: packages?.map((one) => this.#refreshOne(one)) ?? null,
      documents: documents?.map((one) => this.#refreshOne(one)) ?? null,
    }
    return { ...envelope, data: now }
  }

  #refreshOne<T extends object>(one: T): T {
    const note = noteIn(one)
    return note === undefined ? one : { ...one, print: this.noteNow(note) }
  }

  /** Makes the note of a job that was just taken. */
  note(job: Job): PrintNote {
    const { id, state, delivery } = job
    return { job_id: id, state, delivery, ...this.#wordsOf(job) }
  }

  /** Resolves when each of these jobs has a message, or after a moment. */
  async firstWords(envelope: Envelope): Promise<void> {
    const { data } = envelope
    if (data === null || !('charges' in data)) return
    const labels = [...(data.packages ?? []), ...(data.documents ?? [])]
    const ids = labels.flatMap((one) => noteIn(one)?.job_id ?? [])
    const isSilent = (): boolean => ids.some((id) => this.#isSilent(id))
    if (!isSilent()) return
    const spoken = Promise.withResolvers<void>()
    const end = this.#parts.spool.onChange(() => {
      if (!isSilent()) spoken.resolve()
    })
    await Promise.race([spoken.promise, sleep(FIRST_WORDS_MS, undefined, { ref: false })])
    end()
  }

  /** Tells whether a job waits for a printer that nothing known keeps from printing at once. */
  #isSilent(id: string): boolean {
    const job = this.#parts.spool.history.get(id)
    if (job?.state !== 'pending' || job.message.length > 0) return false
    const printer = this.#parts.printers.list().find(({ name }) => name === job.printer)
    return printer?.status.state === 'idle' && !printer.isPaused
  }

  #jobsOf({ seq, answer }: Pick<JournalEntry, 'seq' | 'answer'>): readonly Job[] {
    const { records, history } = this.#parts.spool
    const known = records.read(() => this.#ofPurchase.all(seq)).map(toJob)
    // The page that says what they were bought by may have been damaged.
    const others = readJobIds(answer)
      .filter((id) => !known.some((job) => job.id === id))
      .flatMap((id) => history.get(id) ?? [])
    return [...others, ...known]
  }

  /** Updates a note to the present state of its job; of a label that moved, the job that has it. */
  noteNow(note: PrintNote): PrintNote {
    if (note.job_id === '') return note
    const { records, history } = this.#parts.spool
    let job = history.get(note.job_id)
    if (job === undefined) return hasEndedNote(note) ? note : { ...note, ...FORGOTTEN }
    const { seq } = job
    for (const one of records.read(() => this.#siblings.all(seq)).map(toJob)) {
      if (one.reprintOf === job.id && job.reasons.includes('platen-moved')) job = one
    }
    return this.note(job)
  }

  /** Returns the words of a job; those of its printer for one that waits without a message. */
  #wordsOf(job: Job): Pick<PrintNote, 'message' | 'hint'> {
    const { message, hint } = this.#sentencesOf(job)
    return { message: inEnglish(message), hint: inEnglish(hint) }
  }

  #sentencesOf(job: Job): Pick<Job, 'message' | 'hint'> {
    const { message, hint, state } = job
    if (state !== 'pending' || message.length > 0) return { message, hint }
    const printer = this.#parts.printers.list().find(({ name }) => name === job.printer)
    const { status } = printer ?? {}
    return status?.state === 'stopped'
      ? { message: status.message, hint: status.hint }
      : { message, hint }
  }

  /** Reports labels that are out, may be out, or are out of reach. */
  #tellOut(out: readonly Job[], all: readonly Job[]): readonly CarrierRemark[] {
    const isHere = (job: Job): boolean => all.some(({ reprintOf }) => reprintOf === job.id)
    const moved = out.filter(
      (job) => isMoving(job) || (job.reasons.includes('platen-moved') && !isHere(job)),
    )
    const prints = out.filter(({ state }) => state.startsWith('processing'))
    const others = out.filter(
      (job) => !moved.includes(job) && !prints.includes(job) && job.delivery !== 'none',
    )
    const unsure = others.filter(
      ({ delivery, state }) => delivery === 'unknown' || state !== 'completed',
    )
    const done = others.filter((job) => !unsure.includes(job))
    return [
      ...tellEach(done, 'WARNING', PRINTED),
      ...tellEach(prints, 'WARNING', PRINTING),
      ...tellEach(unsure, 'WARNING', UNSURE),
      ...moved.map(({ message }) =>
        remark(
          'WARNING',
          `${inEnglish(message)} Its shipment is void: cancel it there. ${THROW_AWAY}`,
        ),
      ),
    ]
  }
}

const THROW_AWAY = 'If it comes out, throw it away.'

/** Words for one label, and for several. */
interface Plural {
  readonly one: string
  readonly other: string
}

const CANCELED: Plural = {
  one: 'The label of this shipment waited for {printer} and was canceled.',
  other: '{n} labels of this shipment waited for {printer} and were canceled.',
}
const STILL_WAITING: Plural = {
  one: 'The label of this shipment waits for {printer} and will print. Repeat this call: once the shipment is voided, it does not.',
  other:
    '{n} labels of this shipment wait for {printer} and will print. Repeat this call: once the shipment is voided, they do not.',
}
const PRINTED: Plural = {
  one: 'The label of this shipment has been printed on {printer}: throw it away.',
  other: '{n} labels of this shipment have been printed on {printer}: throw them away.',
}
const PRINTING: Plural = {
  one: 'The label of this shipment is being printed on {printer}: throw it away.',
  other: '{n} labels of this shipment are being printed on {printer}: throw them away.',
}
const UNSURE: Plural = {
  one: 'The label of this shipment may have come out on {printer}: look there, and throw it away.',
  other:
    '{n} labels of this shipment may have come out on {printer}: look there, and throw them away.',
}

/** The state of a job that ended so long ago that it is no longer in the list. */
const FORGOTTEN = {
  state: 'completed',
  delivery: 'unknown',
  message: 'The job of this label has ended and is no longer in the list.',
  hint: '',
} as const

/** The note of a label or paper that went to a printer. */
function noteIn(one: object): PrintNote | undefined {
  return 'print' in one ? (one.print as PrintNote | undefined) : undefined
}

function hasEndedNote({ state }: PrintNote): boolean {
  return hasEnded({ state: state as Job['state'] })
}

/** Tells whether a refund can still keep a job from printing. */
function waits(job: Job): boolean {
  return (job.state === 'pending' || job.state === 'pending-held') && !isMoving(job)
}

/** Makes one remark for each printer. */
function tellEach(
  jobs: readonly Job[],
  type: CarrierRemark['type'],
  { one, other }: Plural,
): readonly CarrierRemark[] {
  const counts = new Map<string, number>()
  for (const { printer } of jobs) counts.set(printer, (counts.get(printer) ?? 0) + 1)
  return [...counts].map(([printer, n]) => {
    const values: Readonly<Record<string, string>> = { printer, n: String(n) }
    const words = (n === 1 ? one : other).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '')
    return remark(type, words)
  })
}

function remark(type: CarrierRemark['type'], description: string): CarrierRemark {
  return failure('CARRIER_FAULT', description, { type })
}
