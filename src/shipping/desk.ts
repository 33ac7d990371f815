import { createHash, randomUUID } from 'node:crypto'
import { PlatenError, quoteShort } from '../errors.ts'
import type { Records } from '../jobs/spool/records.ts'
import { type AccountFolders, readAccount } from './accounts.ts'
import {
  type Action,
  type Answers,
  BLANKS,
  CARRIER_CODES,
  failure,
  type Remark,
} from './answers.ts'
import { SHIPPING_BOUNDS } from './bounds.ts'
import type { LabelWish, Order } from './carrier.ts'
import { CARRIERS, type CarrierEntry, findCarrier } from './carriers/index.ts'
import type { EngineParts } from './engine.ts'
import { answered, type Envelope, ServiceError, serviceFault } from './envelope.ts'
import type { Entry, Journal, KeptLabel, PaidAction } from './journal.ts'
import type { Scope } from './keys.ts'
import { readCents } from './money.ts'
import { isRecord, readShipment } from './params.ts'
import type { Performer, Result, Run } from './performer.ts'
import { chooseLabel, type LabelPrinter, type PrintWish, readPrintWish } from './print.ts'
import { DebugTrace } from './redact.ts'

/** Who calls. */
export interface Caller {
  /** Name of the key. */
  readonly name: string
  readonly scopes: ReadonlySet<Scope>
  /** Whose share of the spool its labels take. */
  readonly network: string
}

/** What the desk works with. */
export interface DeskParts extends EngineParts {
  readonly accounts: AccountFolders
  readonly records: Records
  readonly journal: Journal
  readonly labels: LabelPrinter
  /** Milliseconds of run-time that a finished purchase is kept. */
  readonly keptMs: () => number
  readonly fault: (error: unknown) => void
  readonly now?: () => number
}

/** Until labels that found no room are tried again. */
const OWED_AGAIN_MS = 30_000

/** The scope that each action needs. */
const SCOPE_OF: Readonly<Record<Action, Scope>> = {
  Authenticate: 'ship',
  GetAllRates: 'rate',
  SubmitShipment: 'ship',
  Track: 'track',
  VoidShipment: 'ship',
  AddressValidate: 'rate',
  TimeInTransit: 'rate',
}

const ACTIONS = Object.keys(BLANKS) as readonly Action[]

/** One call, checked in its form. */
interface Call {
  readonly carrier: CarrierEntry
  readonly action: Action
  readonly params: Readonly<Record<string, unknown>>
  readonly requestId: string | undefined
  readonly timeoutMs: number
  readonly isTest: boolean
  readonly isDebug: boolean
  readonly print: PrintWish | undefined
}

type Traced = Call & { readonly trace: DebugTrace | undefined }

/** Answers calls of the shipping API: everything between the HTTP route and the carriers. */
export class ShippingDesk {
  readonly #parts: DeskParts
  /** Purchases under way by the id of their request: the same call again waits for the same answer. */
  readonly #underWay = new Map<
    string,
    { readonly hash: string; readonly answer: Promise<Envelope> }
  >()

  #later: NodeJS.Timeout | undefined

  constructor(parts: DeskParts) {
    this.#parts = parts
  }

  /** A call, or a list of calls that are answered in their order. Never throws. */
  async answer(body: unknown, caller: Caller): Promise<Envelope | readonly Envelope[]> {
    if (!Array.isArray(body)) return await this.#answerOne(body, caller)
    if (body.length === 0 || body.length > SHIPPING_BOUNDS.batch) {
      const message = `A batch has 1 to ${SHIPPING_BOUNDS.batch} calls, got ${body.length}.`
      return serviceFault(400, message)
    }
    return await Promise.all(body.map((one) => this.#answerOne(one, caller)))
  }

  /** The answer to the purchase of this shipment, labels included. */
  findShipment(shipmentId: string, caller: Caller): Envelope {
    const entry = this.#parts.journal.byShipment(shipmentId)
    if (entry?.state === 'done') return this.#settle(entry, caller.network)
    const message = `There is no shipment ${quoteShort(shipmentId)} here, or it is too old.`
    return serviceFault(404, message)
  }

  /** Prints what was bought before the program last ended and never went to its printer. */
  resume(): void {
    for (const entry of this.#parts.journal.owing()) this.#settle(entry, 'shipping')
  }

  async #answerOne(body: unknown, caller: Caller): Promise<Envelope> {
    let requestId: string | undefined
    try {
      requestId = readRequestId(body)
      return await this.#do(readCall(body, requestId), caller)
    } catch (error) {
      return this.#explain(error, requestId)
    }
  }

  #explain(error: unknown, requestId: string | undefined): Envelope {
    if (error instanceof ServiceError) return serviceFault(error.code, error.message, requestId)
    if (error instanceof PlatenError) {
      return serviceFault(error.status, `${error.message} ${error.hint}`, requestId)
    }
    this.#parts.fault(error)
    return serviceFault(500, 'The print server made a mistake.', requestId)
  }

  async #do(call: Call, caller: Caller): Promise<Envelope> {
    const { carrier, action, params, print } = call
    checkScopes(call, caller)
    const performer = await carrier.open(this.#parts)
    if (!performer.supports(action)) {
      throw new ServiceError(400, `${carrier.name} has no action ${action} here.`)
    }
    const printer = print && this.#parts.labels.find(print)
    const label = chooseLabel(params, printer)
    const pinned = print && printer && { ...print, printer: printer.name }
    const read = readShipment(params)
    const withId = call.requestId === undefined ? {} : { request_id: call.requestId }
    if ('errors' in read) return { ...refused(action, read.errors), ...withId }
    const account = readAccount(params, performer.credentials, this.#parts.accounts)
    const order = this.#makeOrder(call, account, read.shipment, label)
    const trace = call.isDebug ? new DebugTrace() : undefined
    const envelope = isPaid(action)
      ? await this.#pay({ ...call, action, print: pinned, trace }, order, performer, caller)
      : { ...(await this.#ask({ ...call, trace }, order, performer)), ...withId }
    return trace === undefined ? envelope : withDebug(envelope, trace)
  }

  #makeOrder(
    call: Call,
    account: Order['account'],
    shipment: Order['shipment'],
    label: LabelWish,
  ): Order {
    return {
      ...{
        shipment,
        label,
        account,
        isTest: call.isTest,
        params: call.params,
      },
      requestId: call.requestId ?? randomUUID(),
      now: (this.#parts.now ?? Date.now)(),
    }
  }

  async #ask(call: Traced, order: Order, performer: Performer): Promise<Envelope> {
    const result = await performer.perform(call.action, order, makeRun(call))
    return toEnvelope(call.action, result)
  }

  /** A call that spends money, or asks for it back: once for each id of a request. */
  async #pay(
    call: Traced & { readonly action: PaidAction },
    order: Order,
    performer: Performer,
    caller: Caller,
  ): Promise<Envelope> {
    const { requestId } = order
    const hash = hashCall(call)
    const running = this.#underWay.get(requestId)
    const known = running ?? this.#parts.journal.find(requestId)
    if (known !== undefined && known.hash !== hash) {
      const message =
        'This request_id was used before for another call; wanted the same call, or a new request_id.'
      throw new ServiceError(409, message)
    }
    if (running !== undefined) return await running.answer
    const answer = this.#payOnce(call, { order, performer, caller, hash })
    this.#underWay.set(requestId, { hash, answer })
    try {
      return await answer
    } finally {
      this.#underWay.delete(requestId)
    }
  }

  async #payOnce(
    call: Traced & { readonly action: PaidAction },
    { order, performer, caller, hash }: Paying,
  ): Promise<Envelope> {
    const { journal, records, keptMs } = this.#parts
    const { requestId } = order
    const { action, carrier, isTest, print } = call
    const run = makeRun(call, (kept) => journal.keep(requestId, kept))
    const known = journal.find(requestId)
    if (known?.state === 'done') return this.#settle(known, caller.network)
    if (known !== undefined) {
      const found = await performer.recover(action, order, known.kept, run)
      if (found !== 'not done') return this.#close(call, order, found, caller)
      journal.forget(requestId)
    }
    records.checkRoom(SHIPPING_BOUNDS.replyBytes)
    journal.upkeep(keptMs())
    journal.begin({
      ...{ requestId, hash, action, isTest, carrier: carrier.name, sender: caller.name },
      print: print === undefined ? '' : JSON.stringify(print),
    })
    return this.#close(call, order, await performer.perform(action, order, run), caller)
  }

  /** Writes down what became of it, and prints. */
  #close(
    { action }: { readonly action: PaidAction },
    { requestId, shipment }: Order,
    result: Result<PaidAction>,
    caller: Caller,
  ): Envelope {
    const { journal } = this.#parts
    const envelope: Envelope = { ...toEnvelope(action, result), request_id: requestId }
    if ('errors' in result) {
      journal.forget(requestId)
      return envelope
    }
    if ('unknown' in result) {
      journal.leaveUnknown(requestId, JSON.stringify(envelope))
      return envelope
    }
    const { data } = result
    if ('packages' in data) {
      const { bare, labels } = takeLabels(envelope)
      journal.finish(requestId, {
        ...{
          shipmentId: data.shipment_id,
          number: data.tracking_number,
          service: shipment.service,
        },
        ...{ cents: readCents(data.charges) ?? 0, currency: data.currency, answer: bare, labels },
      })
    } else {
      const nothing = {
        shipmentId: '',
        number: '',
        service: '',
        cents: 0,
        currency: '',
        labels: [],
      }
      journal.finish(requestId, { ...nothing, answer: JSON.stringify(envelope) })
      journal.noteVoid(shipment.shipmentId || shipment.trackingNumber)
    }
    const entry = journal.find(requestId)
    return entry === undefined ? envelope : this.#settle(entry, caller.network)
  }

  /** The answer of what is done; labels that have not yet gone to their printer go now. */
  #settle(entry: Entry, network: string): Envelope {
    const { journal, labels: printer } = this.#parts
    const labels = journal.labels(entry)
    if (!entry.owes) return putLabels(entry.answer, labels)
    const wish: PrintWish = JSON.parse(entry.print)
    const { notes, isOwed } = printer.print(entry.requestId, labels, wish, network)
    const envelope: Envelope = JSON.parse(entry.answer)
    const { data } = envelope
    const packages =
      data !== null && 'packages' in data
        ? data.packages?.map((one, n) => ({ ...one, print: notes[n] }))
        : undefined
    const answer = JSON.stringify({ ...envelope, data: { ...data, packages } })
    if (isOwed) this.#resumeLater()
    else journal.settle(entry.requestId, answer)
    return putLabels(answer, labels)
  }

  /** There may be room by then. */
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

interface Paying {
  readonly order: Order
  readonly performer: Performer
  readonly caller: Caller
  readonly hash: string
}

function isPaid(action: Action): action is PaidAction {
  return action === 'SubmitShipment' || action === 'VoidShipment'
}

/** @throws ServiceError 400 */
function readRequestId(body: unknown): string | undefined {
  const value = isRecord(body) ? body['request_id'] : undefined
  if (value === undefined || value === null || value === '') return undefined
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text === 'string' && /^[\x21-\x7e]+$/.test(text)) {
    if (text.length <= SHIPPING_BOUNDS.requestId) return text
  }
  throw new ServiceError(
    400,
    `request_id must be 1 to ${SHIPPING_BOUNDS.requestId} letters, digits and signs without blanks.`,
  )
}

/** @throws ServiceError 400 */
function readCall(body: unknown, requestId: string | undefined): Call {
  if (!isRecord(body)) {
    throw new ServiceError(400, 'The body must be an object with carrier, action and params.')
  }
  const { params = {} } = body
  if (!isRecord(params)) throw new ServiceError(400, 'params must be an object.')
  const action = readAction(body['action'])
  const print = readPrintWish(params['print'])
  if (print !== undefined && action !== 'SubmitShipment') {
    throw new ServiceError(400, `print goes with SubmitShipment, not with ${action}.`)
  }
  return {
    ...{ carrier: readCarrier(body['carrier']), action, params, requestId, print },
    timeoutMs: readTimeout(params['timeout']),
    isTest: params['test'] === true,
    isDebug: params['debug'] === true,
  }
}

function readCarrier(value: unknown): CarrierEntry {
  const found = typeof value === 'string' ? findCarrier(value) : undefined
  if (found !== undefined) return found
  const names = CARRIERS.map(({ name }) => name).join(', ')
  throw new ServiceError(400, `carrier: got ${showValue(value)}, wanted one of ${names}.`)
}

function readAction(value: unknown): Action {
  const wanted = typeof value === 'string' ? value.toLowerCase() : ''
  const found = ACTIONS.find((one) => one.toLowerCase() === wanted)
  if (found !== undefined) return found
  throw new ServiceError(
    400,
    `action: got ${showValue(value)}, wanted one of ${ACTIONS.join(', ')}.`,
  )
}

function readTimeout(value: unknown): number {
  if (value === undefined || value === null) return SHIPPING_BOUNDS.timeoutMs
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) {
    return Math.min(value, SHIPPING_BOUNDS.timeoutMs)
  }
  throw new ServiceError(400, `timeout: got ${showValue(value)}, wanted milliseconds above 0.`)
}

function showValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  return typeof value === 'string' ? quoteShort(value) : quoteShort(JSON.stringify(value) ?? '')
}

/** @throws ServiceError 403 */
function checkScopes({ action, print, isDebug }: Call, { scopes, name }: Caller): void {
  const wanted: readonly Scope[] = [
    SCOPE_OF[action],
    ...(print === undefined ? [] : (['print'] as const)),
    ...(isDebug ? (['debug'] as const) : []),
  ]
  const missing = wanted.find((scope) => !scopes.has(scope))
  if (missing === undefined) return
  throw new ServiceError(
    403,
    `The key ${JSON.stringify(name)} may not do this; it needs the scope ${missing}.`,
  )
}

function makeRun({ timeoutMs, trace }: Traced, keep: Run['keep'] = () => undefined): Run {
  return { timeoutMs, keep, trace }
}

/** The envelope of what a carrier refused: every other field present and blank. */
function refused(action: Action, errors: readonly Remark[]): Envelope {
  return answered(BLANKS[action], errors)
}

/** What the call asks for; how long it may take and what it shows are no part of it. */
function hashCall({ carrier, action, params }: Call): string {
  const { debug: _, timeout: __, ...asked } = params
  return createHash('sha256')
    .update(canonical([carrier.name, action, asked]))
    .digest('hex')
}

/** JSON with the keys of every object in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    isRecord(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  )
}

const NO_RATE = failure('NOT_SERVED', 'The carrier offers no rate for this shipment.')

function toEnvelope<A extends Action>(action: A, result: Result<A>): Envelope {
  if ('errors' in result) return refused(action, result.errors.map(cleanRemark))
  if ('unknown' in result) return refused(action, result.unknown.map(cleanRemark))
  const { data, remarks = [] } = result
  const isEmpty = 'rates' in data && (data.rates?.length ?? 0) === 0
  // Nobody can act on an empty list without a reason.
  const told = isEmpty && remarks.length === 0 ? [NO_RATE] : remarks
  return answered<Action>(data as Answers[Action], told.map(cleanRemark))
}

const CODES: ReadonlySet<number> = new Set(Object.values(CARRIER_CODES))

/** A carrier's words may be anything; `code` is one of the table. */
function cleanRemark(remark: Remark): Remark {
  return CODES.has(remark.code) ? remark : { ...remark, code: CARRIER_CODES.CARRIER_FAULT }
}

/** Parts the labels from an answer, which is kept without them. */
function takeLabels(envelope: Envelope): {
  readonly bare: string
  readonly labels: readonly KeptLabel[]
} {
  const { data } = envelope
  if (data === null || !('packages' in data)) return { bare: JSON.stringify(envelope), labels: [] }
  const packages = (data.packages ?? []) as NonNullable<Answers['SubmitShipment']['packages']>
  const labels = packages.map(({ label, label_format: format }) => ({
    format,
    label: Buffer.from(label, 'base64'),
  }))
  const bare = packages.map((one) => ({ ...one, label: '' }))
  return { bare: JSON.stringify({ ...envelope, data: { ...data, packages: bare } }), labels }
}

/** The answer with its labels again. */
function putLabels(answer: string, labels: readonly KeptLabel[]): Envelope {
  const envelope: Envelope = JSON.parse(answer)
  const { data } = envelope
  if (data === null || !('packages' in data)) return envelope
  const packages = data.packages?.map((one, n) => ({
    ...one,
    label: Buffer.from(labels[n]?.label ?? []).toString('base64'),
  }))
  return { ...envelope, data: { ...data, packages } } as Envelope
}

function withDebug(envelope: Envelope, { entries }: DebugTrace): Envelope {
  return { ...envelope, meta: { ...envelope.meta, debug_information: entries } }
}
