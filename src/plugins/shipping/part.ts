import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import {
  type Action,
  BLANKS,
  type CarrierOrder,
  type CredentialField,
  DebugTrace,
  type LabelWish,
  type PaidAction,
  type Performer,
  readShipment,
  Tokens,
} from '#carriers'
import type { Intake } from '../../core/intake/intake.ts'
import type { Printers } from '../../core/printers/registry.ts'
import type { KnownPrinter } from '../../core/printers/status.ts'
import { isObject } from '../../settings/field.ts'
import { PlatenError, quoteShort } from '../../words/errors.ts'
import type { RunningPlugin } from '../plugin.ts'
import { type AccountFolders, Accounts, readAccount } from './accounts.ts'
import { BoughtJobs, type BoughtJobsParts } from './bought-jobs.ts'
import { SHIPPING_BOUNDS } from './bounds.ts'
import {
  type Caller,
  checkScopes,
  readCall,
  readFoundByHand,
  readRequestId,
  type ShippingCall,
  type TracedCall,
} from './calls.ts'
import { type CarrierParts, findCarrier, type ShippingCarrier } from './carriers.ts'
import { type Envelope, ServiceError, serviceFault } from './envelope.ts'
import { Journal } from './journal.ts'
import { chooseLabel } from './label-choice.ts'
import { LocalCarrier } from './local/index.ts'
import { type NamesTold, tellNames } from './names.ts'
import { Outbound } from './outbound.ts'
import { LabelPrinter, type PrintWish } from './print.ts'
import {
  HUNG_UP,
  makeRun,
  type PurchaseParts,
  Purchases,
  refused,
  toEnvelope,
} from './purchases.ts'
import {
  asksSeveral,
  callOf,
  mergeRates,
  readSellers,
  type SellerAnswer,
  tooLate,
} from './several.ts'
import { listShipments, type ShipmentsAnswer } from './shipment-list.ts'

/** The parts of the shipping API. */
export interface ShippingParts {
  readonly spool: BoughtJobsParts['spool']
  readonly scheduler: BoughtJobsParts['scheduler']
  readonly intake: Pick<Intake, 'takeAlone'>
  readonly printers: Pick<Printers, 'resolve' | 'list'>
  readonly stateFolder: string
  /** Milliseconds for which a finished purchase is kept. */
  readonly keptMs: () => number
  readonly fault: (error: unknown) => void
  /** Folder in which a service manager puts credentials; undefined = none. */
  readonly credentialsFolder?: string | undefined
  /** Replacements of the carriers' own origins, for tests. */
  readonly origins?: Readonly<Record<string, string>>
  readonly now?: () => number
}

/** The whole shipping API; loaded by its first request. */
export interface Shipping {
  readonly desk: ShippingDesk
  readonly journal: Journal
  readonly local: LocalCarrier
  readonly accounts: Accounts
  /**
   * Describes the account of a carrier, and its actions.
   * @throws PlatenError FIELD_INVALID
   */
  describe(carrier: string): Promise<CarrierDescription>
}

/** The plugin, once it was started. */
export interface RunningShipping extends RunningPlugin {
  /** Loaded by its first call. */
  open(): Promise<Shipping>
}

/** A carrier in the form in which the page asks for its accounts. */
interface CarrierDescription {
  readonly entry: ShippingCarrier
  readonly actions: readonly Action[]
  readonly credentials: readonly CredentialField[]
}

/** Opens the shipping API on the spool's database. */
export function openShipping(parts: ShippingParts): Shipping {
  const { intake, printers, stateFolder } = parts
  const { records } = parts.spool
  const journal = new Journal(records)
  const jobs = new BoughtJobs(parts)
  const labels = new LabelPrinter(intake, printers, jobs)
  const ratesFile = join(stateFolder, 'shipping', 'rates.csv')
  const local = new LocalCarrier({ records, ratesFile })
  const accounts = {
    own: join(stateFolder, 'shipping', 'accounts'),
    credentials: parts.credentialsFolder,
  }
  const ways = {
    sender: new Outbound(),
    tokens: new Tokens(),
    bounds: SHIPPING_BOUNDS,
    origins: parts.origins ?? {},
  }
  const paid = new Outbound()
  const several = new Outbound({
    atOnce: SHIPPING_BOUNDS.sellers,
    replyBytes: SHIPPING_BOUNDS.ratesBytes,
    isTimed: true,
  })
  return {
    desk: new ShippingDesk({
      ...parts,
      records,
      ...ways,
      paid,
      several,
      journal,
      labels,
      jobs,
      local,
      accounts,
    }),
    journal,
    local,
    accounts: new Accounts(accounts),
    describe: async (carrier) => {
      const entry = findCarrier(carrier)
      if (entry === undefined) throw unknownCarrier(carrier)
      const performer = await entry.open({ ...ways, local })
      const actions = (Object.keys(BLANKS) as Action[]).filter((one) => performer.supports(one))
      return { entry, actions, credentials: performer.credentials }
    },
  }
}

function unknownCarrier(carrier: string): PlatenError {
  return new PlatenError('FIELD_INVALID', `There is no carrier ${quoteShort(carrier)}.`, {
    hint: 'GET /info lists the carriers.',
  })
}

/** The parts of the desk. */
interface DeskParts extends CarrierParts, PurchaseParts {
  /** Sends purchases, which do not wait behind calls that only ask. */
  readonly paid: Outbound
  /** Sends the calls that ask several carriers for rates. */
  readonly several: Outbound
  readonly accounts: AccountFolders
  readonly now?: () => number
}

/** Actions that ask for a label; some carriers want its format before they name a price. */
const LABELED: ReadonlySet<Action> = new Set<Action>(['GetAllRates', 'SubmitShipment'])
const NO_LABEL: LabelWish = { format: 'ZPL', dpi: 203, isPrinted: false }
/** The label that every printer here can draw. */
const ANY_LABEL: LabelWish = { format: 'PNG', dpi: 203, isPrinted: false }

/** The caller and the performer of a call, with the remarks about its names. */
interface CallContext {
  readonly caller: Caller
  readonly performer: Performer
  readonly names: NamesTold
}

/** The printer of the labels; none without a print request. */
interface LabelDestination {
  readonly printer?: KnownPrinter
  readonly wish?: PrintWish
  /** The reason why they cannot print there. */
  readonly refusal?: ServiceError
}

/** Answers calls of the shipping API: everything between the HTTP route and the carriers. */
class ShippingDesk {
  readonly #parts: DeskParts
  readonly #purchases: Purchases

  constructor(parts: DeskParts) {
    this.#parts = parts
    this.#purchases = new Purchases(parts)
  }

  /** Answers a call, or a list of calls in their order. Never throws. The key is that of the header. */
  async answer(
    body: unknown,
    caller: Caller,
    idempotencyKey?: string,
  ): Promise<Envelope | readonly Envelope[]> {
    if (!Array.isArray(body)) return await this.#answerOne(body, caller, idempotencyKey)
    if (idempotencyKey !== undefined) {
      const message =
        'Idempotency-Key belongs to a single call; give each call of a list its own request_id.'
      return serviceFault(400, message)
    }
    if (body.length === 0 || body.length > SHIPPING_BOUNDS.batch) {
      const message = `A batch has 1 to ${SHIPPING_BOUNDS.batch} calls, got ${body.length}.`
      return serviceFault(400, message)
    }
    return await this.#answerAll(body, caller)
  }

  /** Returns the answer to the purchase of this shipment, labels included. */
  findShipment(shipmentId: string, caller: Caller): Envelope {
    const found = this.#purchases.find(shipmentId, caller.network)
    if (found !== undefined) return found
    const message = `There is no shipment ${quoteShort(shipmentId)} here, or it is too old.`
    return serviceFault(404, message)
  }

  /** Lists the shipments that this key bought. */
  list(
    caller: Caller,
    queries: Readonly<Record<string, readonly string[]>>,
  ): ShipmentsAnswer | Envelope {
    try {
      return listShipments(this.#parts, caller, queries)
    } catch (error) {
      return this.#explain(error, undefined)
    }
  }

  /** Settles a purchase by hand: `{request_id, tracking_number}`, or `{request_id, bought: false}`. */
  settleByHand(body: Readonly<Record<string, unknown>>, caller: Caller): Envelope {
    try {
      return this.#purchases.settleByHand(readFoundByHand(body), caller.network)
    } catch (error) {
      return this.#explain(error, undefined)
    }
  }

  /** Prints labels that were bought before the program last ended and never went to their printer. */
  resume(): void {
    this.#purchases.resume()
  }

  /** Resolves when the results of open calls to carriers are written down, or after `ms`; called before the spool closes. */
  async settled(ms: number): Promise<void> {
    await this.#purchases.whenWritten(ms)
  }

  /** Answers a few calls at once; the event loop checks its connections before each. */
  async #answerAll(calls: readonly unknown[], caller: Caller): Promise<readonly Envelope[]> {
    const answers: Envelope[] = []
    const next = calls.entries()
    const work = async (): Promise<void> => {
      for (const [n, call] of next) {
        await setImmediate()
        answers[n] =
          caller.signal?.aborted === true
            ? serviceFault(408, HUNG_UP)
            : await this.#answerOne(call, caller)
      }
    }
    await Promise.all(Array.from({ length: SHIPPING_BOUNDS.atOnce }, work))
    return answers
  }

  async #answerOne(body: unknown, caller: Caller, idempotencyKey?: string): Promise<Envelope> {
    let requestId: string | undefined
    try {
      requestId = readRequestId(body, idempotencyKey)
      if (asksSeveral(body)) return await this.#askSeveral(body, caller, requestId)
      return await this.#do(readCall(body, requestId), caller)
    } catch (error) {
      return this.#explain(error, requestId)
    }
  }

  /** Asks several carriers for rates in parallel: the time of one costs the others nothing. */
  async #askSeveral(
    body: Readonly<Record<string, unknown>>,
    caller: Caller,
    requestId: string | undefined,
  ): Promise<Envelope> {
    const { accounts, several } = this.#parts
    const sellers = readSellers(body, new Accounts(accounts).list())
    const calls = sellers.map((seller) => ({
      seller,
      call: readCall(callOf(body, seller), undefined),
    }))
    for (const { call } of calls) checkScopes(call, caller)
    const parts = { ...this.#parts, sender: several }
    const answers = await Promise.all(
      calls.map(async ({ seller, call }) => {
        const answer = this.#do(call, caller, parts).catch((error) =>
          this.#explain(error, undefined),
        )
        // Whatever it waits for besides its carrier.
        const late = sleep(call.timeoutMs + LATE_MS, undefined, { ref: false }).then(tooLate)
        return { seller, envelope: await Promise.race([answer, late]) }
      }),
    )
    const params = isObject(body['params']) ? body['params'] : {}
    const currency = String(params['currency'] ?? '').toUpperCase()
    const merged = withMeta(mergeRates(answers, currency), answers)
    return requestId === undefined ? merged : { ...merged, request_id: requestId }
  }

  #explain(error: unknown, requestId: string | undefined): Envelope {
    if (error instanceof ServiceError) return serviceFault(error.code, error.message, requestId)
    if (error instanceof PlatenError) {
      return serviceFault(error.status, `${error.whole} ${error.hint}`, requestId)
    }
    this.#parts.fault(error)
    return serviceFault(500, 'The print server made a mistake.', requestId)
  }

  async #do(
    call: ShippingCall,
    caller: Caller,
    parts: CarrierParts = this.#parts,
  ): Promise<Envelope> {
    const { carrier, action } = call
    const { paid } = this.#parts
    checkScopes(call, caller)
    const performer = await carrier.open(isPaid(action) ? { ...parts, sender: paid } : parts)
    if (!performer.supports(action)) {
      const why = performer.whyNot?.(action) ?? ''
      throw new ServiceError(400, `${carrier.name} has no action ${action} here. ${why}`.trim())
    }
    const trace = call.isDebug ? new DebugTrace() : undefined
    const taker = { name: carrier.name, takes: performer.takes }
    const names = tellNames(call.params, taker, action)
    const before = isPaid(action) ? this.#purchases.findDone(call, caller.network) : undefined
    const envelope = before ?? (await this.#doNew({ ...call, trace }, { caller, performer, names }))
    const told = withNotes(envelope, names)
    return trace === undefined ? told : withDebug(told, trace)
  }

  async #doNew(call: TracedCall, { caller, performer, names }: CallContext): Promise<Envelope> {
    const { carrier, action, params } = call
    const withId = call.requestId === undefined ? {} : { request_id: call.requestId }
    if (names.refusals.length > 0) return { ...refused(action, names.refusals), ...withId }
    const place = this.#place(call)
    const label = chooseFor(call, place, performer)
    const read = readShipment(params, { carrier: carrier.name, action })
    if ('errors' in read) return { ...refused(action, read.errors), ...withId }
    if ('errors' in label) return { ...refused(action, label.errors), ...withId }
    const owner = { name: carrier.name, credentials: performer.credentials }
    const account = readAccount(params, owner, this.#parts.accounts)
    const order = this.#makeOrder(call, account, read.shipment, label)
    return isPaid(action)
      ? await this.#purchases.pay(
          { ...call, action, print: place.wish, refusal: place.refusal },
          { order, performer, caller },
        )
      : { ...(await this.#ask(call, order, performer)), ...withId }
  }

  /**
   * Finds the printer of the labels. A call that was made before prints on the same printer as then: another one may be the default now,
   * and if that one is gone, only what was not bought is refused.
   */
  #place({ print, requestId }: ShippingCall): LabelDestination {
    if (print === undefined) return {}
    const before = this.#purchases.printOf(requestId)
    try {
      const asked = before ?? print
      const printer = this.#parts.labels.find(asked)
      const { name, uri } = printer
      const wish = { ...asked, printer: name, uri }
      if (asked.documents === undefined) return { printer, wish }
      const paper = this.#parts.labels.find(asked.documents)
      const documents = { ...asked.documents, printer: paper.name, uri: paper.uri }
      return { printer, wish: { ...wish, documents } }
    } catch (error) {
      if (before === undefined || !(error instanceof ServiceError)) throw error
      return { wish: before, refusal: error }
    }
  }

  #makeOrder(
    call: ShippingCall,
    account: CarrierOrder['account'],
    shipment: CarrierOrder['shipment'],
    label: LabelWish,
  ): CarrierOrder {
    return {
      shipment,
      label,
      account,
      isTest: call.isTest,
      requestId: call.requestId ?? randomUUID(),
      now: (this.#parts.now ?? Date.now)(),
    }
  }

  async #ask(call: TracedCall, order: CarrierOrder, performer: Performer): Promise<Envelope> {
    const result = await performer.perform(call.action, order, makeRun(call))
    return toEnvelope(call.action, result)
  }
}

function chooseFor(
  { carrier: { name }, action, params }: ShippingCall,
  { printer, refusal }: LabelDestination,
  { labels }: Performer,
): ReturnType<typeof chooseLabel> {
  // Where its printer is gone nothing is bought any more, but only asked for.
  if (!LABELED.has(action) || refusal !== undefined) return NO_LABEL
  const chosen = chooseLabel(params, printer, { name, labels })
  // Prices do not depend on it, and it may be another one when it is bought.
  return 'errors' in chosen && action === 'GetAllRates' ? ANY_LABEL : chosen
}

/** Time added to that of a carrier, so that its own answer about a timeout comes first. */
const LATE_MS = 250

/** Merges `meta` of all calls. */
function withMeta(envelope: Envelope, all: readonly SellerAnswer[]): Envelope {
  const notes = [...new Set(all.flatMap((one) => one.envelope.meta.notes ?? []))]
  const traces = all.flatMap((one) => one.envelope.meta.debug_information ?? [])
  const meta = {
    ...envelope.meta,
    ...(notes.length === 0 ? {} : { notes }),
    ...(traces.length === 0 ? {} : { debug_information: traces }),
  }
  return { ...envelope, meta }
}

function isPaid(action: Action): action is PaidAction {
  return action === 'SubmitShipment' || action === 'VoidShipment'
}

/** Adds the notes, which depend only on the call, so that the same call has the same ones. */
function withNotes(envelope: Envelope, { notes }: NamesTold): Envelope {
  return notes.length === 0 ? envelope : { ...envelope, meta: { ...envelope.meta, notes } }
}

function withDebug(envelope: Envelope, { entries }: DebugTrace): Envelope {
  return { ...envelope, meta: { ...envelope.meta, debug_information: entries } }
}
