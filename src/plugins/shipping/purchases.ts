import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Action,
  type ActionResult,
  type ActionRun,
  type Answers,
  BLANKS,
  CARRIER_CODES,
  type CarrierOrder,
  type CarrierRemark,
  failure,
  jsonOf,
  type PaidAction,
  type Performer,
  readCents,
} from '#carriers'
import type { Records } from '../../core/spool/upkeep.ts'
import { PlatenError } from '../../words/errors.ts'
import { answered, tellVoid, withRemarks, withWarning } from './answered.ts'
import type { BoughtJobs } from './bought-jobs.ts'
import { SHIPPING_BOUNDS } from './bounds.ts'
import {
  type Caller,
  type FoundByHand,
  hashCall,
  type ShippingCall,
  type TracedCall,
} from './calls.ts'
import type { OwnCarrier, Sale } from './carriers.ts'
import { type Envelope, ServiceError } from './envelope.ts'
import type {
  Journal,
  JournalEntry,
  KeptLabel,
  NewEntry,
  PurchaseRecord,
  VoidTarget,
} from './journal.ts'
import { papersOf, putLabels, readAnswer, takeLabels, tellThin } from './kept-answer.ts'
import type { LabelPrinter, PrintWish } from './print.ts'
import { Turns } from './turns.ts'

/** Time until labels that found no room are tried again. Decision `hung-up`. */
const OWED_AGAIN_MS = 30_000

/** The parts of purchases. */
export interface PurchaseParts {
  readonly records: Records
  readonly journal: Journal
  readonly labels: LabelPrinter
  readonly jobs: BoughtJobs
  /** Milliseconds of run-time for which a finished purchase is kept. */
  readonly keptMs: () => number
  readonly fault: (error: unknown) => void
}

/** A call that spends money, or asks for it back. */
type PaidCall = TracedCall & {
  readonly action: PaidAction
  /** The reason why it cannot be bought now: its printer has gone since the first request. */
  readonly refusal: ServiceError | undefined
}

const NOT_BOUGHT = failure(
  'CARRIER_FAULT',
  'It counts as not bought, as a person said. The same request_id buys it.',
  { type: 'NOTE' },
)
const FOUND = failure(
  'CARRIER_FAULT',
  "A person said that it was bought. Its label is not here: get it from the carrier's own list.",
  { type: 'WARNING' },
)

/** Makes the run of an action; it keeps nothing if it spends nothing. */
export function makeRun(
  { timeoutMs, trace }: Pick<ActionRun, 'timeoutMs' | 'trace'>,
  requestId = '',
  journal?: Pick<Journal, 'keep' | 'claim' | 'buyerOf'>,
): ActionRun {
  return {
    timeoutMs,
    trace,
    keep: (kept) => journal?.keep(requestId, kept),
    claim: (shipmentId) => journal?.claim(shipmentId, requestId),
    buyerOf: (shipmentId) => journal?.buyerOf(shipmentId),
  }
}

/** The order, its performer and its caller. */
interface OrderContext {
  readonly order: CarrierOrder
  readonly performer: Performer
  readonly caller: Caller
}

/** A purchase under way, and the callers that wait for it. */
interface OpenPurchase {
  readonly hash: string
  readonly answer: Promise<Envelope>
  readonly callers: Caller[]
}

/** The result of a carrier. */
interface FinishedPurchase {
  readonly requestId: string
  readonly envelope: Envelope
  /** Writes it down. */
  readonly write: () => void
}

/**
 * Makes calls that spend money, each once, and prints their labels once, whatever ends in between. A purchase is a row of the journal; each
 * arrow is a flushed transaction, by the name of the method that writes it:
 *
 *     no row ──writeSent──> sent ──writeDone──> done, owes its labels ──writePrinted──> done ──upkeep──> thin
 *       ^                     ├──writeUnknown──> unknown ──writeDone──> as from sent
 *       └───────forget────────┴────────────────────┘
 *     done, whether it owes or not ──writeVoid──> void: waiting labels do not print
 *
 * `forget`: it was certainly not done. `unknown` ends by asking the carrier again, or by a person's finding. Without labels to print, done
 * owes nothing. A sale of the local carrier goes from no row to done in one transaction, with the carrier's own books.
 */
export class Purchases {
  readonly #parts: PurchaseParts
  /** Purchases under way by the id of their request: the same call again waits for the same answer. */
  readonly #underWay = new Map<string, OpenPurchase>()
  readonly #turns = new Turns(SHIPPING_BOUNDS.atOnce)
  /** Finished purchases that could not be written down yet, by the id of their request. */
  readonly #unwritten = new Map<string, FinishedPurchase>()
  #later: NodeJS.Timeout | undefined

  constructor(parts: PurchaseParts) {
    this.#parts = parts
  }

  /** Writes down finished purchases that found no room, and prints labels that never went to their printer. */
  resume(): void {
    for (const done of this.#unwritten.values()) this.#writeDone(done, 'shipping')
    for (const entry of this.#parts.journal.owing()) {
      try {
        this.#answerDone(entry, 'shipping')
      } catch (error) {
        // What is damaged of one keeps back no labels of others.
        this.#parts.fault(error)
      }
    }
  }

  /** Resolves when the results of open purchases are written down, or after `ms`. */
  async whenWritten(ms: number): Promise<void> {
    const answers = [...this.#underWay.values()].map(({ answer }) => answer)
    await Promise.race([Promise.allSettled(answers), sleep(ms, undefined, { ref: false })])
  }

  /** Finds the answer to the purchase of this shipment, labels included; undefined = none. */
  find(shipmentId: string, network: string): Envelope | undefined {
    const entry = this.#parts.journal.byShipment(shipmentId)
    return entry?.state === 'done' && !entry.isThin ? this.#answerDone(entry, network) : undefined
  }

  /** Finds the answer to this very call if it was done before, whatever has changed since; undefined = it was not, or is forgotten. */
  findDone(call: ShippingCall, network: string): Envelope | undefined {
    const { journal, keptMs } = this.#parts
    tryWrite(() => journal.upkeep(keptMs()))
    const entry = journal.find(call.requestId ?? '')
    const isDone = entry?.state === 'done' && hashCall(call) === entry.hash
    return isDone ? this.#answerDone(entry, network) : undefined
  }

  /**
   * Settles a purchase with unknown outcome by a person's finding: its number, or that it was not bought.
   * @throws ServiceError 404, 409
   */
  settleByHand({ requestId, number, shipmentId }: FoundByHand, network: string): Envelope {
    const { journal } = this.#parts
    const entry = journal.find(requestId)
    if (entry === undefined) {
      throw new ServiceError(404, `There is no call with the request_id ${requestId} here.`)
    }
    const isOpen = entry.state !== 'done' && entry.action === 'SubmitShipment'
    if (!isOpen || this.#underWay.has(requestId)) {
      const message = 'Only a purchase whose outcome is UNKNOWN can be settled; this one is not.'
      throw new ServiceError(409, message)
    }
    if (number === '') {
      journal.forget(requestId)
      return { ...answered<Action>(BLANKS.SubmitShipment, [NOT_BOUGHT]), request_id: requestId }
    }
    const ids = { tracking_number: number, shipment_id: shipmentId || number }
    const packages = [{ tracking_number: number, label: '', label_format: '' }]
    const data = { ...BLANKS.SubmitShipment, ...ids, packages, documents: [] }
    const envelope = { ...answered<Action>(data, [FOUND]), request_id: requestId }
    const bought = {
      shipmentId: ids.shipment_id,
      number,
      service: '',
      cents: 0,
      currency: '',
      answer: JSON.stringify(envelope),
      labels: [],
    }
    const write = (): void => journal.writeDone(requestId, bought)
    return this.#writeDone({ requestId, envelope, write }, network)
  }

  /** Finds the print request of the first call with this id; undefined = there was none, or its labels did not print. */
  printOf(requestId: string | undefined): PrintWish | undefined {
    const entry = requestId === undefined ? undefined : this.#parts.journal.find(requestId)
    return entry === undefined ? undefined : readWish(entry)
  }

  /**
   * Makes the purchase once for each id of a request.
   * @throws ServiceError 409, 400; PlatenError SPOOL_FULL, SPOOL_BROKEN: nothing was bought
   */
  async pay(call: PaidCall, context: OrderContext): Promise<Envelope> {
    const { requestId } = context.order
    const hash = hashCall(call)
    const running = this.#underWay.get(requestId)
    const known = running ?? this.#parts.journal.find(requestId)
    const isLost = known?.hash === '' // what it was for lay on a damaged page
    if (known !== undefined && !isLost && hashCall(call) !== known.hash) {
      const message =
        'This request_id was used before for another call; wanted the same call, or a new request_id.'
      throw new ServiceError(409, message)
    }
    if (running !== undefined) {
      running.callers.push(context.caller)
      return this.#parts.jobs.refresh(await running.answer)
    }
    const callers = [context.caller]
    const answer = this.#payInTurn(call, context, { hash, callers })
    this.#underWay.set(requestId, { hash, answer, callers })
    try {
      return await this.#tellPrints(await answer)
    } finally {
      this.#underWay.delete(requestId)
    }
  }

  /** Adds the first words of the printers to an answer. */
  async #tellPrints(envelope: Envelope): Promise<Envelope> {
    const { jobs } = this.#parts
    await jobs.firstWords(envelope)
    return jobs.refresh(envelope)
  }

  /**
   * Makes the purchase in its turn, a few at once. One whose callers have all hung up while it waited is not begun: they do not know of it.
   */
  async #payInTurn(
    call: PaidCall,
    context: OrderContext,
    { hash, callers }: Pick<OpenPurchase, 'hash' | 'callers'>,
  ): Promise<Envelope> {
    const { journal } = this.#parts
    const { requestId } = context.order
    const { network } = context.caller
    const done = this.#unwritten.get(requestId)
    if (done !== undefined) return this.#writeDone(done, network)
    const known = journal.find(requestId)
    if (known?.state === 'done') return this.#answerDone(known, network)
    const isTurn = this.#turns.tryTake() || (await this.#turns.take(SHIPPING_BOUNDS.lineMs))
    if (!isTurn) throw new ServiceError(503, IN_LINE)
    try {
      if (callers.every(({ signal }) => signal?.aborted)) throw new ServiceError(408, HUNG_UP)
      return await this.#payOnce(call, context, hash)
    } finally {
      this.#turns.leave()
    }
  }

  async #payOnce(
    call: PaidCall,
    { order, performer, caller }: OrderContext,
    hash: string,
  ): Promise<Envelope> {
    const { journal, records } = this.#parts
    const { requestId } = order
    const { action, carrier, isTest, print, refusal } = call
    const run = makeRun(call, requestId, journal)
    const known = journal.find(requestId)
    if (known !== undefined) {
      const kept = known.hash === '' ? undefined : known.kept
      if (kept === undefined) return { ...toEnvelope(action, LOST), request_id: requestId }
      const found = await performer.recover(action, order, kept, run)
      if (found !== 'not done') return this.#writeResult(call, order, found, caller)
      journal.forget(requestId)
    }
    if (refusal !== undefined) throw refusal
    records.checkRoom(SHIPPING_BOUNDS.replyBytes + SHIPPING_BOUNDS.paperBytes)
    const entry: NewEntry = {
      requestId,
      hash,
      action,
      isTest,
      carrier: carrier.name,
      sender: caller.name,
      print: print === undefined ? '' : JSON.stringify(print),
      references: order.shipment.references,
    }
    if (action === 'SubmitShipment' && isOwn(performer)) {
      return this.#writeSale(entry, order, await performer.sell(order), caller)
    }
    journal.writeSent(entry)
    return this.#writeResult(call, order, await performer.perform(action, order, run), caller)
  }

  /**
   * Writes down a sale of a carrier of our own: its books, the purchase and its answer in one transaction, so that none is ever open.
   * @throws PlatenError SPOOL_FULL, SPOOL_BROKEN: nothing was sold
   */
  #writeSale(
    entry: NewEntry,
    { shipment }: CarrierOrder,
    { result, write }: Sale,
    { network }: Caller,
  ): Envelope {
    const { journal, jobs } = this.#parts
    const { requestId, action } = entry
    const envelope: Envelope = { ...toEnvelope(action, result), request_id: requestId }
    if (!('data' in result)) return envelope
    const bought = toBought(envelope, result.data, shipment)
    jobs.together(() => {
      journal.writeSent(entry)
      write()
      journal.writeDone(requestId, bought)
    })
    return this.#answerWritten(requestId, envelope, network)
  }

  /** Writes down the result, and prints. */
  #writeResult(
    call: Pick<PaidCall, 'action' | 'carrier'>,
    order: CarrierOrder,
    result: ActionResult<PaidAction>,
    caller: Caller,
  ): Envelope {
    const { journal } = this.#parts
    const { requestId, shipment } = order
    const envelope: Envelope = { ...toEnvelope(call.action, result), request_id: requestId }
    const voided = voidedBy(call, order)
    if ('errors' in result) return this.#writeRefused(envelope, requestId, result.errors, voided)
    if ('unknown' in result) {
      // As good as the state that it has.
      tryWrite(() => journal.writeUnknown(requestId, JSON.stringify(envelope)))
      const entry = voided && journal.findVoided(voided)
      return entry === undefined
        ? envelope
        : withRemarks(envelope, this.#parts.jobs.tellWaiting(entry))
    }
    const bought = toBought(envelope, result.data, shipment)
    const write = (): void => {
      if (voided === undefined) journal.writeDone(requestId, bought)
      else this.#writeRefund(voided, requestId, bought, envelope)
    }
    return this.#writeDone({ requestId, envelope, write }, caller.network)
  }

  /**
   * Writes down a refusal. A refund that the carrier made before, however it was requested, counts as one: waiting labels must not print.
   */
  #writeRefused(
    envelope: Envelope,
    requestId: string,
    errors: readonly CarrierRemark[],
    voided: VoidTarget | undefined,
  ): Envelope {
    const { journal, jobs } = this.#parts
    const isVoid = errors.some(({ code }) => code === CARRIER_CODES.ALREADY_VOID)
    if (voided === undefined || !isVoid) {
      journal.forget(requestId)
      return envelope
    }
    return jobs.together(() => {
      journal.forget(requestId)
      const entry = journal.findVoided(voided)
      if (entry === undefined) return envelope
      journal.writeVoid(entry.requestId)
      return withRemarks(envelope, jobs.giveBack(entry))
    })
  }

  /** Writes down a refund in one transaction: the shipment is void, and its waiting labels do not print. */
  #writeRefund(
    voided: VoidTarget,
    requestId: string,
    bought: PurchaseRecord,
    envelope: Envelope,
  ): void {
    const { journal, jobs } = this.#parts
    jobs.together(() => {
      const entry = journal.findVoided(voided)
      const told = entry === undefined ? envelope : withRemarks(envelope, jobs.giveBack(entry))
      journal.writeDone(requestId, { ...bought, answer: JSON.stringify(told) }, voided.name)
    })
  }

  /**
   * Writes a finished purchase down, and prints. One that cannot be written is answered all the same, because it is done, and tried again.
   */
  #writeDone(done: FinishedPurchase, network: string): Envelope {
    const { requestId, envelope, write } = done
    const fault = tryWrite(write)
    if (fault !== undefined) {
      this.#unwritten.set(requestId, done)
      this.#resumeLater()
      return withWarning(envelope, `${UNWRITTEN} ${fault.whole}`)
    }
    this.#unwritten.delete(requestId)
    return this.#answerWritten(requestId, envelope, network)
  }

  /** Makes the answer of a purchase that was just written down, and prints. */
  #answerWritten(requestId: string, envelope: Envelope, network: string): Envelope {
    const entry = this.#parts.journal.find(requestId)
    return entry === undefined ? envelope : this.#answerDone(entry, network)
  }

  /** Makes the answer of a finished purchase; labels that have not gone to their printer yet go now. */
  #answerDone(entry: JournalEntry, network: string): Envelope {
    const { journal, jobs, labels: printer } = this.#parts
    if (entry.isThin)
      return tellVoid({ ...tellThin(entry), request_id: entry.requestId }, entry.isVoid)
    const labels = journal.labels(entry)
    const envelope = readAnswer(entry, labels)
    if (!entry.owes) return tellVoid(putLabels(jobs.refresh(envelope), labels), entry.isVoid)
    const { data } = envelope
    const bought = data !== null && 'packages' in data ? data.packages : undefined
    const titles = (bought ?? []).map((one) => String(one.tracking_number ?? ''))
    const wish = readWish(entry)
    const { notes, isOwed } = printer.print(entry, labels, wish, { network, titles })
    const packages = bought?.map((one, n) => ({ ...one, print: notes[n] }))
    const labeled = { ...envelope, data: { ...data, packages } } as Envelope
    const papered = this.#printPapers(entry, labeled, wish, { network, labels })
    const answer = papered.envelope
    const writePrinted = (): void => journal.writePrinted(entry.requestId, JSON.stringify(answer))
    if (isOwed || papered.isOwed || tryWrite(writePrinted) !== undefined) this.#resumeLater()
    return putLabels(answer, labels)
  }

  /** Prints its papers on the printer that was named for them; without one the answer says so, because a packer expects them. */
  #printPapers(
    entry: JournalEntry,
    envelope: Envelope,
    wish: PrintWish | undefined,
    { network, labels }: { readonly network: string; readonly labels: readonly KeptLabel[] },
  ): { readonly envelope: Envelope; readonly isOwed: boolean } {
    const { data } = envelope
    if (data === null || !('charges' in data)) return { envelope, isOwed: false }
    const papers = data.documents ?? []
    if (papers.length === 0 || wish === undefined) return { envelope, isOwed: false }
    if (wish.documents === undefined) {
      const names = [...new Set(papers.map(({ name }) => name))].join(', ')
      const words = `The papers (${names}) were not printed. Print them from documents, or name a printer for papers in print.documents.`
      return { envelope: withWarning(envelope, words, 'NOTE'), isOwed: false }
    }
    const kept = papersOf(data.packages ?? [], papers, labels)
    const told = { network, number: data.tracking_number }
    const { notes, isOwed } = this.#parts.labels.printPapers(entry, kept, wish.documents, told)
    const documents = papers.map((one, n) => ({ ...one, print: notes[n] }))
    return { envelope: { ...envelope, data: { ...data, documents } } as Envelope, isOwed }
  }

  /** Resumes later, when there may be room. */
  #resumeLater(): void {
    clearTimeout(this.#later)
    const again = (): void => {
      try {
        this.resume()
      } catch (error) {
        this.#parts.fault(error)
      }
    }
    this.#later = setTimeout(again, OWED_AGAIN_MS).unref()
  }
}

function isOwn(performer: Performer): performer is OwnCarrier {
  return 'sell' in performer
}

/** Makes the record of a carrier's result. */
function toBought(
  envelope: Envelope,
  data: Answers[PaidAction],
  { service }: CarrierOrder['shipment'],
): PurchaseRecord {
  const { bare: answer, labels } = takeLabels(envelope)
  if (!('packages' in data)) {
    return { shipmentId: '', number: '', service: '', cents: 0, currency: '', answer, labels }
  }
  return {
    shipmentId: data.shipment_id,
    number: data.tracking_number,
    service,
    cents: readCents(data.charges) ?? 0,
    currency: data.currency,
    answer,
    labels,
  }
}

/** The shipment that a call voids; undefined = it buys one. */
function voidedBy(
  { action, carrier }: Pick<PaidCall, 'action' | 'carrier'>,
  { shipment: { shipmentId, trackingNumber } }: CarrierOrder,
): VoidTarget | undefined {
  if (action !== 'VoidShipment') return undefined
  return { carrier: carrier.name, name: shipmentId || trackingNumber }
}

/** Reads the print request; undefined = none, or the disk has damaged it. */
function readWish({ print }: JournalEntry): PrintWish | undefined {
  return jsonOf(print) as PrintWish | undefined
}

/** Runs a write; returns why it failed, undefined = it succeeded. */
function tryWrite(write: () => void): PlatenError | undefined {
  try {
    write()
    return undefined
  } catch (error) {
    if (error instanceof PlatenError) return error
    throw error
  }
}

const IN_LINE =
  'Other purchases take too long; this one was not begun, and nothing was bought. Send it again with the same request_id.'

/** The answer in a list of calls whose caller has gone; nobody reads it. */
export const HUNG_UP = 'The caller hung up before this was begun; nothing was done.'

const LOST_WORDS =
  "What is known of this call was on a damaged page of the disk. Look for it in the carrier's own list; if it is not there, send it with a new request_id."
const LOST = { unknown: [{ ...failure('CARRIER_FAULT', LOST_WORDS), type: 'UNKNOWN' }] } as const

const UNWRITTEN =
  'It is done and cannot be written down now; keep this answer. The same call with the same request_id does it no second time.'

/** Makes the envelope of a refusal by the carrier: every other field present and blank. */
export function refused(action: Action, errors: readonly CarrierRemark[]): Envelope {
  return answered(BLANKS[action], errors)
}

const NO_RATE = failure('NOT_SERVED', 'The carrier offers no rate for this shipment.')

/** Makes the envelope of a carrier's answer. */
export function toEnvelope<A extends Action>(action: A, result: ActionResult<A>): Envelope {
  if ('errors' in result) return refused(action, result.errors.map(cleanRemark))
  if ('unknown' in result) return refused(action, result.unknown.map(cleanRemark))
  const { data, remarks = [] } = result
  const isEmpty = 'rates' in data && (data.rates?.length ?? 0) === 0
  // Nobody can act on an empty list without a reason.
  const told = isEmpty && remarks.length === 0 ? [NO_RATE] : remarks
  return answered<Action>(data as Answers[Action], told.map(cleanRemark))
}

const CODES: ReadonlySet<number> = new Set(Object.values(CARRIER_CODES))

/** Replaces an unknown code of a remark: a carrier's words may be anything, but `code` is one of the table. */
function cleanRemark(remark: CarrierRemark): CarrierRemark {
  return CODES.has(remark.code) ? remark : { ...remark, code: CARRIER_CODES.CARRIER_FAULT }
}
