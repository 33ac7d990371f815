import {
  type Action,
  type ActionResult,
  type CarrierOrder,
  type CarrierRemark,
  EITHER_DPI,
  failure,
  fieldsOf,
  fieldsOfBoth,
  missingFields,
  type PaidAction,
  references,
  type Shipment,
  THIRD_LINES,
  travelOf,
} from '#carriers'
import type { Records } from '../../../core/spool/upkeep.ts'
import { keepFile } from '../../../settings/write.ts'
import { quoteShort } from '../../../words/errors.ts'
import type { OwnCarrier, Sale } from '../carriers.ts'
import { CURRENCY, describe, describeTrack, estimate, toRate, validate } from './answers.ts'
import {
  FIRST_RATES,
  OLD_FIRST_RATES,
  offer,
  parseRates,
  type RateOffer,
  type RateRow,
} from './rates.ts'
import {
  EVENTS_MOST,
  isNumber,
  type LocalShipment,
  LocalShipments,
  makeNumber,
  VOIDED,
} from './store.ts'

/** The parts of the local carrier. Decision `local-sale-in-one-commit`. */
export interface LocalParts {
  readonly records: Records
  /** The rate table, which the owner edits. */
  readonly ratesFile: string
}

const EVENT_TEXT_MOST = 100

type LocalAction<A extends Action> = (
  order: CarrierOrder,
) => Promise<ActionResult<A>> | ActionResult<A>

/** Fields for which its label has room, of those that only some carriers take. */
export const LOCAL_TAKES: ReadonlySet<string> = new Set([
  'reference_value',
  ...references(3),
  ...THIRD_LINES,
  'is_return',
])

/** The carrier that needs no account and no network: for own vans, couriers, customers who pick up, training and tests. */
export class LocalCarrier implements OwnCarrier {
  readonly credentials = []
  readonly labels = { ZPL: EITHER_DPI, PNG: EITHER_DPI }
  readonly takes = LOCAL_TAKES
  readonly shipments: LocalShipments
  readonly #parts: LocalParts
  readonly #actions: { readonly [A in Action]?: LocalAction<A> } = {
    GetAllRates: (order) => this.#rate(order),
    SubmitShipment: (order) => this.#ship(order),
    Track: (order) => this.#track(order),
    VoidShipment: (order) => this.#void(order),
    AddressValidate: ({ shipment }) => validate(shipment),
    TimeInTransit: (order) => this.#time(order),
  }

  constructor(parts: LocalParts) {
    this.#parts = parts
    this.shipments = new LocalShipments(parts.records)
  }

  supports(action: Action): boolean {
    return this.#actions[action] !== undefined
  }

  async perform<A extends Action>(action: A, order: CarrierOrder): Promise<ActionResult<A>> {
    const done = this.#actions[action]
    if (done === undefined) throw new Error(`the local carrier has no ${action}`)
    return await done(order)
  }

  /** Finds the outcome of a lost call: voids are in our own tables; a sale is written with its answer, or was not made. */
  recover<A extends PaidAction>(
    action: A,
    { shipment: { shipmentId, trackingNumber } }: CarrierOrder,
  ): Promise<ActionResult<A> | 'not done'> {
    if (action === 'SubmitShipment') return Promise.resolve('not done')
    const found = this.shipments.find(shipmentId || trackingNumber)
    const isVoid = found !== undefined && this.#isVoid(found)
    return Promise.resolve(isVoid ? (REFUNDED as ActionResult<A>) : 'not done')
  }

  /** Reads the rate table as text; a new box gets an initial one. */
  readRates(): string {
    const file = keepFile(this.#parts.ratesFile)
    const text = file.load()
    if (text !== undefined && text !== OLD_FIRST_RATES) return text
    file.save(FIRST_RATES)
    return FIRST_RATES
  }

  /** Keeps an edited table; returns a sentence if it cannot be used. */
  writeRates(text: string): string | undefined {
    const rows = parseRates(text)
    if (typeof rows === 'string') return rows
    keepFile(this.#parts.ratesFile).save(text)
    return undefined
  }

  /** Writes down an event of a shipment: `{number, status, status_code, location}`; returns a sentence if it cannot be used. */
  noteEvent(event: Readonly<Record<string, unknown>>): string | undefined {
    const { number, status, status_code: code = '', location = '' } = event
    for (const [name, value] of Object.entries({ number, status, code, location })) {
      const isText = typeof value === 'string' && value.length <= EVENT_TEXT_MOST
      if (!isText) return `${name} must be a text of at most ${EVENT_TEXT_MOST} characters.`
    }
    const found = this.shipments.find(String(number))
    if (found === undefined)
      return `The local carrier has no shipment ${quoteShort(String(number))}.`
    if (status === '') return 'status must say what happened, such as Out for delivery.'
    if (this.shipments.events(found).length >= EVENTS_MOST) {
      return `The shipment has ${EVENTS_MOST} events, which is the most.`
    }
    const clean = (value: unknown) => String(value).replace(/\p{Cc}+/gu, ' ')
    this.shipments.note(found, {
      status: clean(status),
      code: clean(code),
      location: clean(location),
    })
    return undefined
  }

  #rows(): readonly RateRow[] | CarrierRemark {
    const rows = parseRates(this.readRates())
    return typeof rows === 'string' ? failure('CARRIER_FAULT', rows) : rows
  }

  /** Lists the offers for a shipment, or why nothing serves it. */
  #offers({
    shipment,
  }: CarrierOrder): readonly RateOffer[] | { readonly errors: readonly CarrierRemark[] } {
    const missing = missingFields(fieldsOfBoth(shipment, ['code']))
    if (missing.length > 0) return { errors: missing }
    if (shipment.parcels.length === 0) {
      return { errors: [failure('MISSING_FIELD', 'packages is missing.', { field: 'packages' })] }
    }
    const rows = this.#rows()
    if (!isList(rows)) return { errors: [rows] }
    const offers = offer(rows, travelOf(shipment))
    if (offers.length > 0) return offers
    const travel = travelOf(shipment)
    const isFar = travel.from.country !== travel.to.country
    const [from, to] = [travel.from, travel.to].map(({ code, country }) =>
      isFar ? `${country} ${code}`.trim() : code || country,
    )
    const message = `No line of the rate table serves ${from} to ${to} with this weight.`
    return { errors: [failure('NOT_SERVED', message)] }
  }

  #rate(order: CarrierOrder): ActionResult<'GetAllRates'> {
    const offers = this.#offers(order)
    if ('errors' in offers) return offers
    return { data: { rates: offers.map((one) => toRate(one, order)) } }
  }

  #time(order: CarrierOrder): ActionResult<'TimeInTransit'> {
    const offers = this.#offers(order)
    if ('errors' in offers) return offers
    const services = offers.map(({ service, description, days }) => ({
      service_code: service,
      desc: description,
      delivery_days: days,
      est_delivery_time: estimate(order.now, days),
    }))
    return { data: { services } }
  }

  async #ship(order: CarrierOrder): Promise<ActionResult<'SubmitShipment'>> {
    const { result, write } = await this.sell(order)
    write()
    return result
  }

  async sell(order: CarrierOrder): Promise<Sale> {
    const { shipment, label, requestId } = order
    const missing = missingFields(requiredOf(shipment))
    if (missing.length > 0) return refuse(missing)
    const offers = this.#offers(order)
    if ('errors' in offers) return refuse(offers.errors)
    const chosen = choose(offers, shipment.service)
    if ('errors' in chosen) return refuse(chosen.errors)
    const format = label.format === 'PNG' ? 'PNG' : 'ZPL'
    const numbers = shipment.parcels.map(() => makeNumber())
    const made: Omit<LocalShipment, 'seq' | 'at'> = {
      shipmentId: numbers[0] ?? '',
      numbers,
      shipment: travelOf(shipment),
      format,
      dpi: label.dpi,
      service: chosen.service,
      description: chosen.description,
      days: chosen.days,
      cents: chosen.cents,
      currency: CURRENCY,
    }
    // Drawn first: what cannot be drawn is not sold.
    const result = await describe(made)
    return { result, write: () => this.shipments.add(requestId, made) }
  }

  #track({ shipment, now }: CarrierOrder): ActionResult<'Track'> {
    const name = shipment.trackingNumber || shipment.shipmentId
    if (name === '') return { errors: missingFields([['tracking_number', '']]) }
    const found = this.shipments.find(name)
    if (found === undefined) return unknownNumber(name)
    const events = this.shipments.events(found)
    return { data: describeTrack(found, events, shipment.trackingNumber, now) }
  }

  #void({ shipment }: CarrierOrder): ActionResult<'VoidShipment'> {
    const name = shipment.shipmentId || shipment.trackingNumber
    if (name === '') return { errors: missingFields([['shipment_id', '']]) }
    const found = this.shipments.find(name)
    if (found === undefined) return unknownNumber(name)
    if (this.#isVoid(found)) {
      return { errors: [failure('ALREADY_VOID', `The shipment ${name} is void already.`)] }
    }
    this.shipments.note(found, { ...VOIDED, location: '' })
    return REFUNDED
  }

  #isVoid(found: LocalShipment): boolean {
    return this.shipments.events(found).some(({ code }) => code === VOIDED.code)
  }
}

function refuse(errors: readonly CarrierRemark[]): Sale {
  return { result: { errors }, write: () => {} }
}

const REFUNDED: ActionResult<'VoidShipment'> = { data: { status: 'Success', status_code: '1' } }

function isList(value: readonly RateRow[] | CarrierRemark): value is readonly RateRow[] {
  return Array.isArray(value)
}

function unknownNumber(name: string): { readonly errors: readonly CarrierRemark[] } {
  const isMisread = /^PL\d+$/.test(name) && !isNumber(name)
  const why = isMisread ? ' Its check digit is wrong: read it again.' : ''
  const message = `The local carrier has no shipment ${JSON.stringify(name.slice(0, 40))}.${why}`
  return { errors: [failure('UNKNOWN_NUMBER', message)] }
}

function requiredOf({ from, to }: Shipment): readonly (readonly [string, string])[] {
  return [
    ['shipper', from.name],
    ...fieldsOf('ship', from, ['addr1', 'city', 'code']),
    ['to_name', to.name],
    ...fieldsOf('to', to, ['addr1', 'city', 'code']),
  ]
}

/** Chooses the requested service; with a single one on offer it may be left out. Never chooses the cheapest by itself. */
function choose(
  offers: readonly RateOffer[],
  service: string,
): RateOffer | { readonly errors: readonly CarrierRemark[] } {
  const [only, other] = offers
  if (service === '' && only !== undefined && other === undefined) return only
  const wanted = offers.find((one) => one.service.toUpperCase() === service.toUpperCase())
  if (wanted !== undefined) return wanted
  const names = offers.map((one) => one.service).join(', ')
  if (service === '') {
    return {
      errors: [
        failure('MISSING_FIELD', `service is missing; wanted one of ${names}.`, {
          field: 'service',
        }),
      ],
    }
  }
  const message = `service: got ${JSON.stringify(service)}, wanted one of ${names}.`
  return { errors: [failure('UNKNOWN_SERVICE', message, { field: 'service' })] }
}
